"""An end of the program that nobody clicked: a signal, a closed terminal, the session's end."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from ldap_workbench.gui.shell.windows import Windows

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_PATIENCE = "The server is put back first; then the program ends."


class Ending(QObject):
    """Ends all windows without a question, and returns when the server is as it was before.

    Python calls the handler of a signal between two steps of the main thread: the timer of
    GuiGarbage sees to it that there are some, twice a second. That may be in the middle of a
    paint, so the end itself waits for the event loop.
    """

    def __init__(self, app: QGuiApplication, windows: Windows) -> None:
        super().__init__(windows)
        self._app = app
        self._windows = windows
        self._ending = False
        self.status = 0
        """Of the process: 1 where something was cut short."""
        # On Windows and X11 the session waits until this returns, some seconds at the most.
        app.commitDataRequest.connect(self._on_session_end)
        app.aboutToQuit.connect(self.end)
        known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        self._before = {
            number: signal.signal(number, self._on_signal)
            for number in known
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    @Slot()
    def end(self) -> None:
        """Stop what runs, put the server back, close; without effect where that is done."""
        if self._ending or self._windows.closed:
            return
        self._ending = True
        busy = self._windows.busy()
        outcome = self._windows.close_now()
        if busy:
            self.status = 1
            _say(f"Ended while something was running. {outcome}")
        self._app.quit()

    def stop(self) -> None:
        """Leave signals to whom they belonged."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, _: int, __: FrameType | None) -> None:
        if self._ending:
            _say(_PATIENCE)
        QTimer.singleShot(0, self.end)

    @Slot(object)
    def _on_session_end(self, _: object) -> None:
        self.end()


def _say(text: str) -> None:
    """Straight to standard error, of which there may be none any more."""
    with suppress(OSError):
        os.write(2, f"{text.strip()}\n".encode())
