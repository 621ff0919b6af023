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
    none = Waiting(0.0, 0.0, {1: 0.0, 2: 0.0}, 0)
    assert machine_s(none, Waiting(0.3, 0.2, {1: 0.0, 2: 0.0}, 1)) == pytest.approx(0.2)
    asleep = Waiting(0.3, 0.0, {1: 0.3, 2: 0.3}, 1)
    assert machine_s(none, asleep) == pytest.approx(0.005), "a slot that sleeps is no lock"
    locked = Waiting(0.3, 0.0, {1: 0.1, 2: 0.2}, 60)
    assert machine_s(none, locked) == pytest.approx(0.2), "one thread holds the lock at a time"
    kept = Waiting(0.3, 0.0, {1: 0.0, 2: 0.0}, 60)
    assert machine_s(none, kept) == 0.0, "a worker that runs and keeps the lock is our stall"


@pytest.mark.stall_allowed
def test_waiting_in_the_event_loop_is_no_stall(qtbot):
    watch = StallWatch()
    watch.start()
    qtbot.wait(300)
    watch.stop()
    assert watch.stalls == []
