"""Where the window stands and how its parts share the room.

Kept at once, so that a kill loses nothing, and reset on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.gui.workbench.settings import Settings

_REST_MS = 400
"""A window that is dragged is told of its place many times a second."""
_BESIDE = QPoint(36, 36)
"""How far a second window stands from the first, in pixels."""
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)


class Placement(QObject):
    """Of one window, and of splitters, panes and tables' columns in it, by their object names."""

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._made: dict[QSplitter, QByteArray] = {}
        self._panes: tuple[Panes, ...] = ()
        self._tables: list[TableView] = []
        self._later = single_shot(self, self.save, _REST_MS)
        window.restoreGeometry(settings.bytes("geometry"))
        window.installEventFilter(self)

    def take(self, splitters: Sequence[QSplitter], panes: Iterable[Panes]) -> None:
        """Put these, and all tables, as they were left."""
        settings = self._settings
        self._made = {splitter: splitter.saveState() for splitter in splitters}
        for splitter in splitters:
            splitter.restoreState(settings.bytes(f"splitter {splitter.objectName()}"))
            splitter.splitterMoved.connect(self._on_moved)
        self._panes = tuple(panes)
        for pane in self._panes:
            pane.restore(settings.bytes(f"panes {pane.objectName()}"))
            pane.changed.connect(self._on_moved)
        self._tables = [
            table for table in self._window.findChildren(TableView) if table.objectName()
        ]
        for table in self._tables:
            table.columns.restore(settings.bytes(f"columns {table.objectName()}"))
            table.columns.changed.connect(self._on_moved)

    @Slot()
    def save(self) -> None:
        """Keep it now."""
        self._later.stop()
        self._settings.set_bytes("geometry", self._window.saveGeometry())
        for splitter in self._made:
            self._settings.set_bytes(f"splitter {splitter.objectName()}", splitter.saveState())
        for panes in self._panes:
            if not (state := panes.state()).isEmpty():
                self._settings.set_bytes(f"panes {panes.objectName()}", state)
        for table in self._tables:
            self._settings.set_bytes(f"columns {table.objectName()}", table.columns.state())

    @Slot()
    def reset(self) -> None:
        """Share the room as at the first start."""
        for splitter, state in self._made.items():
            splitter.restoreState(state)
        for panes in self._panes:
            panes.reset()
            self._settings.set_bytes(f"panes {panes.objectName()}", panes.state())
        self.save()

    @Slot()
    def _on_moved(self) -> None:
        self._later.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self._window.isVisible():
            self._later.start()
        return False


def bring_to_front(window: QWidget) -> None:
    """Let a window be seen, also one that is minimised or was left in the background."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def put_beside(window: QWidget, first: QWidget) -> None:
    """Let a new window not cover the one it came from."""
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(first.size())
    window.move(first.pos() + _BESIDE)
