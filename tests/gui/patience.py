"""Waits that end with what they wait for, on whatever machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QTimer, SignalInstance
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

PATIENCE_MS = 60_000
"""A limit for what never comes. A busy machine needs a part of it, so no test sets its own."""
TURNS = 100
"""Turns of the event loop after a wait, at most: an animation always has something to do."""


def pause(ms: int) -> None:
    """Wait with the event loop at work, and all other threads.

    QTest.qWait keeps the interpreter's lock: beside it a thread of ours had one turn in 20 ms, and
    reading cn=config took 2 s.
    """
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


class PatientBot(QtBot):
    """A `qtbot` whose waits have time: those of pytest-qt give up after five seconds."""

    def waitUntil(self, condition: Callable[[], Any], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(condition, timeout=timeout)

    def waitSignal(self, signal: SignalInstance, *, timeout: int = PATIENCE_MS, **options: Any):
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitExposed(self, widget: QWidget, *, timeout: int = PATIENCE_MS):
        return super().waitExposed(widget, timeout=timeout)

    def waitActive(self, widget: QWidget, *, timeout: int = PATIENCE_MS):
        return super().waitActive(widget, timeout=timeout)

    def wait(self, ms: int) -> None:
        """Let the event loop run for so many milliseconds, and then until it has nothing to do.

        On a busy machine the time may be over before the first event was handled.
        """
        super().wait(ms)
        dispatcher = QAbstractEventDispatcher.instance()
        for _ in range(TURNS):
            if not dispatcher.processEvents(QEventLoop.ProcessEventsFlag.AllEvents):
                break
