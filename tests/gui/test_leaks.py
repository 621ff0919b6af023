"""Opening and closing again and again: nothing is left, and memory stays."""

import gc
import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from tests.gui.conftest import idle

SCREENS = ("tails", "timeline", "operations", "report")


def resident_mb() -> float:
    """Memory of this process; a system that does not tell skips the test."""
    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("this system does not tell what memory a process has")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def held(window) -> tuple[int, int, int]:
    """Threads, files and ticking timers; one that ticks once, as to forget a message, ends so."""
    files = len(os.listdir("/proc/self/fd"))
    active = (timer for timer in window.findChildren(QTimer) if timer.isActive())
    timers = sum(not timer.isSingleShot() for timer in active)
    return threading.active_count(), files, timers


def open_and_close(qtbot, window, path: Path, screen: str) -> None:
    window.open_paths([path])
    idle(qtbot, window)
    assert window.workbench.opened is not None
    window.show_screen(screen)
    idle(qtbot, window)
    window.actions_["close"].trigger()
    idle(qtbot, window)
    QApplication.sendPostedEvents(None, 52)
    gc.collect()


def settle(qtbot, window) -> None:
    """Wait until threads that end have ended, and those that begin have begun."""
    seen = [held(window)]

    def rests() -> bool:
        qtbot.wait(300)
        seen.append(held(window))
        return seen[-1] == seen[-2]

    qtbot.waitUntil(rests)


@pytest.mark.slow
@pytest.mark.stall_allowed  # looking for garbage after each session takes its time
@pytest.mark.parametrize(
    ("times", "most_mb"), [(16, 12), pytest.param(50, 25, marks=pytest.mark.full)]
)
def test_sessions_leave_nothing_behind(qtbot, window, capture_file, times, most_mb):
    for turn in range(2 * len(SCREENS)):
        open_and_close(qtbot, window, capture_file, SCREENS[turn % len(SCREENS)])
    settle(qtbot, window)
    before, memory = held(window), resident_mb()
    objects = len(window.findChildren(object))
    for turn in range(times):
        open_and_close(qtbot, window, capture_file, SCREENS[turn % len(SCREENS)])
    settle(qtbot, window)
    after, grown = held(window), resident_mb() - memory
    print(f"{times} sessions: {memory:.0f} MB and {grown:+.1f} MB, {before} then {after}")
    assert after[0] <= before[0], "threads"
    assert after[1] <= before[1], "files"
    assert after[2] <= before[2], "timers"
    assert len(window.findChildren(object)) <= objects, "widgets"
    assert grown < most_mb, "memory"
