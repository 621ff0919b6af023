"""Where the window stands and how its parts share the room: kept at once, so that a kill loses
nothing, and reset on request."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QMainWindow, QSplitter

from ldap_workbench.gui.settings import Settings

_REST_MS = 400
"""A window that is dragged is told of its place many times a second."""
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)


class Placement(QObject):
    """Of one window, and of splitters in it, each with an object name."""

    def __init__(
        self, window: QMainWindow, splitters: Sequence[QSplitter], settings: Settings
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_REST_MS)
        self._later.timeout.connect(self.save)
        self._made = {splitter: splitter.saveState() for splitter in splitters}
        for splitter in splitters:
            splitter.restoreState(settings.bytes(f"splitter {splitter.objectName()}"))
            splitter.splitterMoved.connect(self._on_moved)
        window.restoreGeometry(settings.bytes("geometry"))
        window.installEventFilter(self)

    @Slot()
    def save(self) -> None:
        """Keep it now."""
        self._later.stop()
        self._settings.set_bytes("geometry", self._window.saveGeometry())
        for splitter in self._made:
            self._settings.set_bytes(f"splitter {splitter.objectName()}", splitter.saveState())

    @Slot()
    def reset(self) -> None:
        """Share the room as at the first start."""
        for splitter, state in self._made.items():
            splitter.restoreState(state)
        self.save()

    @Slot(int, int)
    def _on_moved(self, position: int, index: int) -> None:
        self._later.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self._window.isVisible():
            self._later.start()
        return False
