"""The drawing of a chart: a view box between two axes.

pyqtgraph's own PlotItem brings a hidden form of fifty widgets for its menu, which makes every chart
slow to build and to style; ours needs none of it.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem

from ldap_workbench.gui.charts.pens import widen_pens
from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.message import Message


class Box(pg.ViewBox):
    """Tells what is pointed at, and drawn with Shift; all else is pyqtgraph's.

    *Signals:* pointedAt(float x, or None when the pointer leaves), drawn(float from, float to,
    bool done)
    """

    pointedAt = Signal(object)
    drawn = Signal(float, float, bool)

    def settle(self) -> None:
        """Follow a new range now: pyqtgraph would in the midst of painting, and paint once more."""
        if self.width() and self.height():
            self.prepareForPaint()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.settle()

    def hoverEvent(self, event: Any) -> None:
        self.pointedAt.emit(None if event.isExit() else self.mapToView(event.pos()).x())

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not shift or event.button() != Qt.MouseButton.LeftButton:
            super().mouseDragEvent(event, axis)
            return
        event.accept()
        ends = [self.mapToView(place).x() for place in (event.buttonDownPos(), event.pos())]
        self.drawn.emit(*ends, event.isFinish())


class Plot(pg.GraphicsWidget):
    """Items on a left and a bottom axis; ranges are in the coordinates of the items."""

    def __init__(self, axes: dict[str, pg.AxisItem]) -> None:
        super().__init__()
        self.items_shown: list[QGraphicsItem] = []
        self.pixel_ratio = 1.0
        """Pixels of the screen a point; pens of what is added are widened by it."""
        self._axes = axes
        self._box = Box(parent=self, enableMenu=False)
        self._box.disableAutoRange()
        layout = QGraphicsGridLayout()
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setHorizontalSpacing(0)
        layout.setVerticalSpacing(0)
        layout.addItem(axes["left"], 0, 0)
        layout.addItem(self._box, 0, 1)
        layout.addItem(axes["bottom"], 1, 1)
        layout.setRowStretchFactor(0, 100)
        layout.setColumnStretchFactor(1, 100)
        self.setLayout(layout)
        for axis in axes.values():
            axis.linkToView(self._box)
            # Below the items, so that the grid does not lie over the curves.
            axis.setZValue(-1000)

    def addItem(self, item: QGraphicsItem, ignoreBounds: bool = False) -> None:
        """Put an item into the plot."""
        widen_pens(item, self.pixel_ratio)
        self.items_shown.append(item)
        self._box.addItem(item, ignoreBounds=ignoreBounds)

    def removeItem(self, item: QGraphicsItem) -> None:
        """Take one item out again."""
        self.items_shown.remove(item)
        self._box.removeItem(item)

    def clear(self) -> None:
        """Take all items out."""
        for item in self.items_shown:
            self._box.removeItem(item)
        self.items_shown = []

    def getAxis(self, name: str) -> pg.AxisItem:
        """The axis 'left' or 'bottom'."""
        return self._axes[name]

    def getViewBox(self) -> Box:
        """What pans and zooms."""
        return self._box

    def setLabel(self, name: str, text: Message) -> None:
        """Words beside an axis."""
        self._axes[name].setLabel(shown(text))

    def setRange(self, rect: QRectF | None = None, **limits: Any) -> None:
        """Show a rectangle, or xRange=(low, high) and yRange=(low, high)."""
        self._box.setRange(rect, **limits)
        self.settle()

    def setXRange(self, low: float, high: float, padding: float = 0.0) -> None:
        """Show another time range of the bottom axis."""
        self._box.setXRange(low, high, padding=padding)
        self.settle()

    def settle(self) -> None:
        """Follow what has changed before it is painted."""
        self._box.settle()
