"""The windows of one program: two sessions side by side, each with a server of its own."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ldap_workbench.connect.signals import on_end_signals
from ldap_workbench.gui.parts.style.theme import ThemeFollower
from ldap_workbench.gui.shell.placement import bring_to_front, put_beside
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench

_PATIENCE = "The server is put back first; then the program ends."


class Windows(QObject):
    """Makes windows, keeps what they share alike, and ends the program with the last of them."""

    _failed = Signal(object)

    def __init__(self, follower: ThemeFollower | None = None) -> None:
        super().__init__()
        self._failed.connect(self._on_failed)
        self._follower = follower
        self._all: list[MainWindow] = []

    @property
    def closed(self) -> bool:
        """Whether none is left."""
        return not self._all

    def open(self, workbench: Workbench | None = None, *, later: bool = False) -> MainWindow:
        """A new window, shown; the first one brings the workbench the others stand beside.

        `later`: its screens follow the first paint.
        """
        first = self.latest() if self._all else None
        bench = workbench or Workbench(beside=first.workbench if first else None)
        window = MainWindow(bench, self._follower, later=later)
        window.windowWanted.connect(self.open_with)
        window.quitWanted.connect(self.quit)
        window.ended.connect(partial(self._on_ended, window))
        bench.journal.changed.connect(partial(self._on_journal, bench))
        bench.readOnlyChanged.connect(self._on_read_only)
        self._all.append(window)
        if first:
            put_beside(window, first)
        window.show()
        return window

    @Slot(object, str)
    def open_with(self, session: Path | None, screen: str) -> MainWindow:
        """A new window on a screen, with a session where one is named."""
        window = self.open()
        if session:
            window.open_paths([session])
        window.show_screen(screen)
        return window

    def latest(self) -> MainWindow:
        """The window in use, else the one opened last."""
        active = QApplication.activeWindow()
        return active if active in self._all else self._all[-1]

    @Slot(object)
    def take_over(self, paths: list[str]) -> None:
        """A later start came: its files go to the window in use."""
        self.latest().take_over(paths)

    def busy(self) -> bool:
        """Whether something runs in any of them that closing would cut short."""
        return any(window.busy() for window in self._all)

    @Slot()
    def quit(self) -> None:
        """Close all; whoever is busy asks first, and one that stays open ends it."""
        for window in list(self._all):
            if window.busy():
                bring_to_front(window)
            if not window.close():
                return

    def fail(self, error: Exception) -> None:
        """Show a fault in the window in use; may be called from any thread."""
        self._failed.emit(error)

    def close_now(self) -> str:
        """Close all without a question; what became of the server, where something ran."""
        outcome = ""
        for window in list(self._all):
            busy = window.busy()
            window.close_now()
            outcome = window.ended_with() if busy else outcome
        return outcome

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        if self._all:
            self.latest().workbench.fail(error)

    def _on_ended(self, window: MainWindow) -> None:
        """Take it down at once: left to the garbage, its timers might end in another thread."""
        self._all.remove(window)
        window.deleteLater()
        window.workbench.deleteLater()
        if self._all:
            self.latest().note_open_session()
        else:
            QCoreApplication.quit()

    def _on_journal(self, read_by: Workbench) -> None:
        """What one has read of the journal is so for all."""
        read = read_by.journal.changes, read_by.journal.runs
        for window in self._all:
            journal = window.workbench.journal
            if (journal.changes, journal.runs) != read:
                journal.show_changes(*read)

    @Slot(bool)
    def _on_read_only(self, wanted: bool) -> None:
        for window in self._all:
            window.actions_["read_only"].setChecked(wanted)


class Ending(QObject):
    """An end that nobody clicked: a signal, a closed terminal, the end of the desktop session.

    Ends all windows without a question, and returns when the server is as it was before.

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
        self.stop = on_end_signals(self._on_signal)
        """Leaves signals to whom they belonged."""

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
