"""The watch that every GUI test stands under does see a stall, and only a stall."""

import hashlib
import os
import threading
import time

import pytest
from PySide6.QtCore import QTimer

from tests.gui.watch import StallWatch, Waiting, machine_s


def slow_slot() -> None:
    time.sleep(0.25)


@pytest.mark.stall_allowed
def test_a_slow_slot_is_seen_with_its_stack(qtbot):
    watch = StallWatch()
    watch.start()
    QTimer.singleShot(20, slow_slot)
    qtbot.wait(400)
    watch.stop()
    worst, stack = max(watch.stalls)
    assert 0.2 < worst < 0.6
    assert "slow_slot" in stack
    assert watch.longest_work_s < 0.1
    assert ", 0.00" in stack.split(" s of it at work")[0], "it slept"


@pytest.mark.stall_allowed
def test_a_stall_is_seen_however_busy_the_workers_are(qtbot):
    """Many threads that wait for a processor once hid it: their waiting was taken off."""
    watch, done = StallWatch(), threading.Event()
    block = bytes(1 << 20)

    def work() -> None:
        while not done.is_set():
            hashlib.sha256(block).digest()  # without the interpreter's lock

    workers = [threading.Thread(target=work) for _ in range(4 * (os.cpu_count() or 1))]
    for worker in workers:
        worker.start()
    try:
        watch.start()
        QTimer.singleShot(20, slow_slot)
        qtbot.wait(600)
        watch.stop()
    finally:
        done.set()
        for worker in workers:
            worker.join()
    assert any("slow_slot" in stack for _, stack in watch.stalls)


def test_only_what_the_machine_did_is_taken_off():
    none = Waiting(0.0, 0.0, {1: 0.0, 2: 0.0}, 0, 0.0)

    def taken_off(own=0.0, others=(0.0, 0.0), pauses=1, ran=0.0, standstill=0.0):
        after = Waiting(0.3, own, dict(enumerate(others, 1)), pauses, ran)
        return machine_s(none, after, standstill)

    assert taken_off(own=0.2) == pytest.approx(0.2)
    asleep = taken_off(others=(0.3, 0.3))
    assert asleep == pytest.approx(0.005), "a slot that sleeps is no lock"
    locked = taken_off(others=(0.1, 0.2), pauses=60)
    assert locked == pytest.approx(0.2), "one thread holds the lock at a time"
    assert taken_off(pauses=60) == 0.0, "a worker that runs and keeps the lock is our stall"
    frozen = taken_off(others=(0.25, 0.2), standstill=0.2)
    assert frozen == pytest.approx(0.2), "nobody could let go of the lock"
    worked = taken_off(own=0.1, others=(0.2, 0.2), pauses=60, ran=0.15)
    assert worked == pytest.approx(0.15), "who works does not wait for a lock meanwhile"


def test_the_machine_stands_still_when_the_watching_thread_waits_for_long(qtbot):
    watch = StallWatch()
    watch.start()
    thread = watch._watcher.native_id
    looks = [Waiting(at, 0.0, {thread: waited}, 0, 0.0) for at, waited in LOOKS]
    watch.stop()
    watch._waits.extend(looks)
    assert watch._standstill_s(looks[0], looks[-1]) == pytest.approx(0.2)


LOOKS = [(0.0, 1.0), (0.03, 1.01), (0.25, 1.21), (0.28, 1.24)]
"""When the thread looked, and how long it had waited for a processor until then."""


@pytest.mark.stall_allowed
def test_work_of_the_gui_thread_is_a_stall_however_long_it_waited(qtbot, monkeypatch):
    """A look that came late has seen waiting from before the turn: it hid what was worked."""
    watch = StallWatch()
    monkeypatch.setattr("tests.gui.watch.machine_s", lambda *_: 9.0)
    watch.start()
    QTimer.singleShot(20, busy_slot)
    qtbot.wait(400)
    watch.stop()
    worst, stack = max(watch.stalls)
    assert 0.2 < worst < 0.6
    assert "busy_slot" in stack
    assert 0.24 < watch.longest_work_s < 0.6


def busy_slot() -> None:
    end = time.thread_time() + 0.25
    while time.thread_time() < end:
        pass


@pytest.mark.stall_allowed
def test_waiting_in_the_event_loop_is_no_stall(qtbot):
    watch = StallWatch()
    watch.start()
    qtbot.wait(300)
    watch.stop()
    assert watch.stalls == []
