"""The body of a screen with panes beside it that can be moved to another edge, or closed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from ldap_workbench.gui.parts.style.timers import single_shot

Area = Qt.DockWidgetArea
_FEATURES = (
    QDockWidget.DockWidgetFeature.DockWidgetMovable
    | QDockWidget.DockWidgetFeature.DockWidgetClosable
)

_PANE_LINES = 7
"""Lines of text in a pane below or above the middle: the heading of a table and some rows."""


@dataclass(frozen=True)
class _Place:
    """Where a pane stands at first, and its share of the room, in percent."""

    area: Area
    share: int


class Panes(QMainWindow):
    """Panes around one part that is always there. `name` is the key of their layout.

    The middle keeps room for `lines` of text. Every pane keeps its share of a window that grows.

    *Signals:* changed(), when a pane was moved, closed, opened or made wider
    """

    changed = Signal()

    def __init__(self, name: str, middle: QWidget, *, lines: int = 12) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks)
        middle.setMinimumHeight(lines * self.fontMetrics().height())
        self.setCentralWidget(middle)
        self._places: dict[QDockWidget, _Place] = {}
        self._shared = False
        self._laid_out_at = QSize()
        self._noted_shares: dict[QDockWidget, float] = {}
        # Qt lays the panes out only after the event that says how large all is now.
        self._settle = single_shot(self, self._keep_shares)

    @property
    def docks(self) -> list[QDockWidget]:
        """Every pane, closed ones too."""
        return list(self._places)

    def add(self, name: str, title: str, pane: QWidget, area: Area, share: int) -> QDockWidget:
        """Put a pane at an edge, with a share of the room in percent."""
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setFeatures(_FEATURES)
        dock.setWidget(pane)
        if not _beside(area):
            pane.setMinimumHeight(_PANE_LINES * self.fontMetrics().height())
        dock.installEventFilter(self)
        self._places[dock] = _Place(area, share)
        self.addDockWidget(area, dock)
        return dock

    def state(self) -> QByteArray:
        """Where the panes stand; empty as long as nobody has seen them."""
        return self.saveState() if self._shared else QByteArray()

    def restore(self, state: QByteArray) -> None:
        """Put the panes where they stood; a state of other panes changes nothing."""
        self._shared = self.restoreState(state)

    def reset(self) -> None:
        """Put the panes where they stand at first."""
        for dock, place in self._places.items():
            self.addDockWidget(place.area, dock)
            dock.show()
        self._shared = False
        if self.isVisible():
            self._share()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shared:
            self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt gives what is won to the middle alone; the panes shall have their share of it."""
        super().resizeEvent(event)
        self._settle.start()

    @Slot()
    def _keep_shares(self) -> None:
        if self._shared:
            for dock, share in list(self._noted_shares.items()):
                self._give(dock, share)
        self._laid_out_at = self.size()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QDockWidget):
            self._note_share(watched)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.HideToParent):
            self.changed.emit()
        return False

    def _share(self) -> None:
        """Give every pane its share of the room there is."""
        self._shared = True
        for dock, place in self._places.items():
            self._give(dock, place.share / 100)

    def _give(self, dock: QDockWidget, share: float) -> None:
        """Less than the pane needs is not given, but the share stays noted for a larger window."""
        beside = _beside(self.dockWidgetArea(dock))
        turned = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        room = self.width() if beside else self.height()
        self.resizeDocks([dock], [round(room * share)], turned)
        self._noted_shares[dock] = share

    def _note_share(self, dock: QDockWidget) -> None:
        """What the operator drags; while the window itself is resized, the share stays."""
        if self._shared and self.isVisible() and self.size() == self._laid_out_at:
            beside = _beside(self.dockWidgetArea(dock))
            size, room = (dock.width(), self.width()) if beside else (dock.height(), self.height())
            self._noted_shares[dock] = size / max(1, room)


def _beside(area: Area) -> bool:
    return area in (Area.LeftDockWidgetArea, Area.RightDockWidgetArea)
