"""What asks a command to stop: Ctrl-C, kill, logout, a terminal that is closed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from ldap_workbench.connect.signals import NAMES, on_end_signals
from ldap_workbench.model.progress import Cancel

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
        name = NAMES.get(signal.Signals(number).name, str(number))
        _say(f"Stopping cleanly ({name}). {self._insisted or AT_ONCE}")
        if self._asking:
            self.check()


@contextmanager
def stopped_by_signals(insisted: str = "") -> Iterator[Stop]:
    """A Stop for the signals that end a process otherwise; what nohup ignores stays ignored."""
    stop = Stop(insisted)
    give_back = on_end_signals(stop.on_signal)
    try:
        yield stop
    finally:
        give_back()


def _say(text: str) -> None:
    """Straight to standard error, whose stream may just be in use; there may be none any more."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())
