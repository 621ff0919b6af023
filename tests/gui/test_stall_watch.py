"""The watch that every GUI test stands under does see a stall, and only a stall."""

import hashlib
import linecache
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QTimer

from tests.gui import watch as watch_module
from tests.gui.watch import (
    LIMIT_S,
    LOCK,
    Look,
    StallWatch,
    Times,
    aside,
    blocked_s,
    lock_s,
    stack_of,
    times,
)

CROWD = 8
PATIENCE_S = 60


def watched(qtbot, slot: Callable[[], object]) -> StallWatch:
    """A watch under which the event loop has called a slot once."""
    watch, done = StallWatch(), []
    watch.start()
    QTimer.singleShot(20, lambda: done.append(slot()))
    qtbot.waitUntil(lambda: bool(done))
    watch.stop()
    return watch


STALL_S = 1.0
"""Longer than the limit, by what the watching thread may come late at both ends."""


def slow_slot() -> None:
    time.sleep(STALL_S)


def busy_slot(seconds: float = 0.4) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def locked_slot() -> None:
    """Wait for a lock that another thread gives back after a while."""
    lock = threading.Lock()
    lock.acquire()
    holder = threading.Timer(STALL_S, lock.release)
    holder.start()
    with lock:
        holder.join()


def reading_slot() -> None:
    """Wait for the answer of another process."""
    command = ["sh", "-c", f"sleep {STALL_S}; echo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()


STALLS = [slow_slot, busy_slot, locked_slot, reading_slot]


@contextmanager
def crowd(processor: int) -> Iterator[None]:
    """Keep one processor busy, with more processes than will ever leave a thread in peace."""
    command = [sys.executable, "-S", "-c", "print(flush=True)\nwhile True: pass"]
    busy = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(CROWD)]
    try:
        for process in busy:
            os.sched_setaffinity(process.pid, {processor})
            assert process.stdout is not None
            process.stdout.readline()  # it works
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
            process.stdout.close()


@contextmanager
def on(processors: set[int]) -> Iterator[None]:
    """Have this thread, and those that it starts, on these processors alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.stall_allowed
@pytest.mark.parametrize("slot", STALLS)
def test_a_stall_is_seen_with_its_stack(qtbot, slot):
    watch = watched(qtbot, slot)
    assert slot.__name__ in max(watch.stalls)[1]


@pytest.mark.stall_allowed
@pytest.mark.parametrize(
    "slot",
    [
        slow_slot,  # asleep, as in the two below, and at work
        busy_slot,
        pytest.param(locked_slot, marks=pytest.mark.full),
        pytest.param(reading_slot, marks=pytest.mark.full),
    ],
)
def test_a_stall_is_seen_on_a_busy_machine(qtbot, slot):
    """The GUI thread, and the one that watches it, share a processor with a crowd."""
    processor = min(os.sched_getaffinity(0))
    with crowd(processor), on({processor}):
        watch = watched(qtbot, slot)
    assert max(watch.stalls, default=(0.0, ""))[0] > LIMIT_S


@pytest.mark.stall_allowed
@pytest.mark.parametrize(
    ("slower", "worked_s", "stalls"), [(1.0, 0.2, 1), (2.5, 0.2, 0), (20.0, 0.4, 1)]
)
def test_work_counts_as_the_reference_would_have_done_it(
    qtbot, monkeypatch, slower, worked_s, stalls
):
    """Up to a limit: a processor is not so slow."""
    monkeypatch.setattr(watch_module, "slowness", lambda: slower)
    watch = watched(qtbot, lambda: busy_slot(worked_s))
    assert len(watch.stalls) == stalls


@pytest.mark.stall_allowed
def test_a_processor_that_was_slow_before_the_turn_counts(qtbot, monkeypatch):
    looks = iter([2.5])
    monkeypatch.setattr(watch_module, "slowness", lambda: next(looks, 1.0))
    assert watched(qtbot, lambda: busy_slot(0.2)).stalls == []


@pytest.mark.stall_allowed
def test_a_slow_processor_excuses_no_wait(qtbot, monkeypatch):
    monkeypatch.setattr(watch_module, "slowness", lambda: 20.0)
    assert len(watched(qtbot, slow_slot).stalls) == 1


@pytest.mark.stall_allowed
def test_a_stall_is_seen_however_busy_the_workers_are(qtbot):
    """What they wait for a processor is no wait of the GUI thread, which is asleep."""
    done = threading.Event()
    block = bytes(1 << 20)

    def work() -> None:
        while not done.is_set():
            hashlib.sha256(block).digest()  # without the interpreter's lock

    workers = [threading.Thread(target=work) for _ in range(4 * (os.cpu_count() or 1))]
    for worker in workers:
        worker.start()
    try:
        watch = watched(qtbot, slow_slot)
    finally:
        done.set()
        for worker in workers:
            worker.join()
    assert any("slow_slot" in stack for _, stack in watch.stalls)


@pytest.mark.stall_allowed
def test_a_busy_machine_is_no_stall(qtbot):
    processor = min(os.sched_getaffinity(0))
    before = times(threading.get_native_id())
    with crowd(processor), on({processor}):
        watch = watched(qtbot, lambda: busy_slot(0.04))
    assert times(threading.get_native_id()).waited - before.waited > 0.1, "it was kept waiting"
    assert watch.stalls == []


@pytest.mark.stall_allowed
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_a_lock_is_no_stall_while_who_holds_it_gets_no_processor(qtbot):
    """A worker takes turns with the GUI thread, as it computes in Python among a crowd."""
    crowded, *others = sorted(os.sched_getaffinity(0))
    done = threading.Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(1000))

    with crowd(crowded):
        with on({crowded}):
            worker = threading.Thread(target=compute)
            worker.start()
        with on(set(others)):
            watch = watched(qtbot, lambda: busy_slot(0.04))
        done.set()
        worker.join()
    assert watch.stalls == []


@pytest.mark.stall_allowed
def test_work_and_sleep_are_told_apart(qtbot, monkeypatch):
    monkeypatch.setattr(watch_module, "slowness", lambda: 2.0)
    assert watched(qtbot, slow_slot).longest_work_s < STALL_S / 4
    assert 0.2 <= watched(qtbot, busy_slot).longest_work_s < 0.25


@pytest.mark.stall_allowed
def test_waiting_in_the_event_loop_is_no_stall(qtbot):
    watch = StallWatch()
    watch.start()
    qtbot.wait(300)
    watch.stop()
    assert watch.stalls == []


def test_what_a_test_does_by_itself_is_no_stall(qtbot, stall_watch):
    """Unless the event loop runs meanwhile: then it is the window's doing again."""
    with aside():
        slow_slot()
    assert stall_watch.stalls == []
    with aside():
        QTimer.singleShot(0, slow_slot)
        # A fixed wait may end before the watch's own tick, which is due at the same moment.
        qtbot.waitUntil(lambda: bool(stall_watch.stalls))
    assert "slow_slot" in stall_watch.stalls.pop()[1]


def look(at: float, turns: int, asleep: bool = True) -> Look:
    return Look(at, LOCK if asleep else "", turns, {})


def test_a_thread_is_blocked_while_it_does_not_wake():
    assert blocked_s([look(0.0, 1), look(0.1, 1), look(0.3, 1)]) == pytest.approx(0.32)
    assert blocked_s([look(0.0, 1), look(0.1, 9), look(0.3, 9)]) == pytest.approx(0.22)
    assert blocked_s([look(0.0, 1), look(0.1, 1, asleep=False), look(0.3, 1)]) == 0
    assert blocked_s([look(0.0, 1)]) == 0
    assert blocked_s([look(0.0, 1), look(0.3, 1)], LOCK) == pytest.approx(0.32)
    assert blocked_s([look(0.0, 1), look(0.3, 1)], "7") == 0, "in another call"


def test_a_wait_for_the_lock_counts_while_others_work():
    def counted(*others: tuple[float, float], slept: float = 0.3) -> float:
        """With what others ran, and waited for a processor; each had run for a second before."""
        now = {n: Times(1.0 + ran, waited, 9) for n, (ran, waited) in enumerate(others)}
        before = {n: Times(1.0, 0.0, 1) for n in now}
        return lock_s([Look(0.0, LOCK, 1, before), Look(0.3, LOCK, 9, now)], slept)

    assert counted((0.3, 0.0)) == pytest.approx(0.3), "a worker that keeps the lock is our stall"
    assert counted((0.2, 0.1)) == pytest.approx(0.2)
    assert counted((0.25, 0.2)) == pytest.approx(0.1)
    assert counted((0.1, 0.2), (0.1, 0.2)) == 0, "each waited while the other had the lock"
    assert counted((0.0, 0.0)) == 0, "the machine stood still"


class Thing:
    """Something of a thread that no other may destroy, as a widget is."""


def test_variables_of_a_function_that_returns_meanwhile_end_in_their_own_thread(monkeypatch):
    begun, go_on, ended_in = threading.Event(), threading.Event(), []

    def park() -> None:
        thing = Thing()
        weakref.finalize(thing, lambda: ended_in.append(threading.get_ident()))
        begun.set()
        go_on.wait()

    def return_now(*_) -> None:
        go_on.set()
        thread.join()

    thread = threading.Thread(target=park)
    thread.start()
    begun.wait()
    parked = thread.ident
    monkeypatch.setattr(linecache, "lazycache", return_now)  # of whoever walks along its frames
    stack = stack_of(parked)
    return_now()
    assert "in park" in stack
    assert ended_in == [parked]
