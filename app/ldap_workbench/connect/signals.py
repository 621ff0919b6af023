"""What asks this process to end: Ctrl-C, kill, a terminal that is closed, logout."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

NAMES = {"SIGINT": "Ctrl-C", "SIGTERM": "kill", "SIGHUP": "hangup", "SIGBREAK": "Ctrl-Break"}
"""SIGBREAK is Windows' word for Ctrl-Break, the console closed, logout and shutdown."""


def on_end_signals(handler: Callable[[int, FrameType | None], object]) -> Callable[[], None]:
    """Call `handler` for the signals that end a process otherwise; gives what undoes that.

    In the main thread. What nohup ignores stays ignored.
    """
    known = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    before = {
        number: signal.signal(number, handler)
        for number in known
        if signal.getsignal(number) is not signal.SIG_IGN
    }

    def give_back() -> None:
        for number, earlier in before.items():
            signal.signal(number, earlier)

    return give_back
