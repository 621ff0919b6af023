"""The body of a screen with panes beside it that can be moved to another edge, or closed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

Area = Qt.DockWidgetArea
_FEATURES = (
    QDockWidget.DockWidgetFeature.DockWidgetMovable
    | QDockWidget.DockWidgetFeature.DockWidgetClosable
)

_LINES = 20
"""As tall as so many lines of text, the part in the middle still tells something."""


@dataclass(frozen=True)
class _Place:
    """Where a pane stands at first, and its share of the room, in percent."""

    area: Area
    share: int


class Panes(QMainWindow):
    """Panes around one part that is always there. `name` is the key of their layout.

    *Signals:* changed(), when a pane was moved, closed, opened or made wider
    """

    changed = Signal()

    def __init__(self, name: str, middle: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks)
        # In a smaller window the panes give way, not what they stand around.
        middle.setMinimumHeight(_LINES * self.fontMetrics().height())
        self.setCentralWidget(middle)
        self._places: dict[QDockWidget, _Place] = {}
        self._shared = False

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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.HideToParent):
            self.changed.emit()
        return False

    def _share(self) -> None:
        """Give every pane its share of the room there is."""
        self._shared = True
        for dock, place in self._places.items():
            beside = place.area in (Area.LeftDockWidgetArea, Area.RightDockWidgetArea)
            turned = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
            room = self.width() if beside else self.height()
            self.resizeDocks([dock], [room * place.share // 100], turned)
