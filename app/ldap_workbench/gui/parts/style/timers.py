"""Timers that fire once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, SignalInstance


def single_shot(owner: QObject, call: Callable[[], object] | SignalInstance, ms: int = 0) -> QTimer:
    """A timer that calls once after each start: after `ms`, or in the next turn of Qt's loop."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(ms)
    timer.timeout.connect(call)
    return timer
