"""The watch that every GUI test stands under does see a stall, and only a stall."""

import time

import pytest
from PySide6.QtCore import QTimer

from tests.gui.watch import StallWatch


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
def test_waiting_in_the_event_loop_is_no_stall(qtbot):
    watch = StallWatch()
    watch.start()
    qtbot.wait(300)
    watch.stop()
    assert watch.stalls == []
