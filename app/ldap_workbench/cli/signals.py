"""What asks a command to stop: Ctrl-C, kill, logout, a terminal that is closed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from ldap_workbench.model.progress import Cancel

_NAMES = {"SIGINT": "Ctrl-C", "SIGTERM": "kill", "SIGHUP": "hangup", "SIGBREAK": "Ctrl-Break"}
"""SIGBREAK is Windows' word for Ctrl-Break, the console closed, logout and shutdown."""

AT_ONCE = "Press Ctrl-C again to end immediately."


class Stop(Cancel):
    """A Cancel that a signal sets. A second one ends at once, or is only answered: `insisted`."""

    def __init__(self, insisted: str = "") -> None:
        super().__init__()
        self._insisted = insisted
        self._asking = False

    @contextmanager
    def while_asking(self) -> Iterator[None]:
        """Meanwhile a signal raises CancelledError: who waits for a key cannot look at a Cancel."""
        self.check()
        self._asking = True
        try:
            yield
        finally:
            self._asking = False

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """What Python calls between two steps of the main thread, wherever that stands."""
        if self and not self._insisted:
            raise KeyboardInterrupt
        if self:
            _say(self._insisted)
            return
        self.set()
        name = _NAMES.get(signal.Signals(number).name, str(number))
        _say(f"Stopping cleanly ({name}). {self._insisted or AT_ONCE}")
        if self._asking:
            self.check()


@contextmanager
def stopped_by_signals(insisted: str = "") -> Iterator[Stop]:
    """A Stop for the signals that end a process otherwise; what nohup ignores stays ignored."""
    stop = Stop(insisted)
    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {
        number: signal.signal(number, stop.on_signal)
        for number in known
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(text: str) -> None:
    """Straight to standard error, whose stream may just be in use; there may be none any more."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())
