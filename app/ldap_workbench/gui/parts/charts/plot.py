"""The drawing of a chart: a view box between two axes.

pyqtgraph's own PlotItem brings a hidden form of fifty widgets for its menu, which makes every chart
slow to build and to style; ours needs none of it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import (
    QAbstractGraphicsShapeItem,
    QGraphicsGridLayout,
    QGraphicsItem,
    QGraphicsLineItem,
    QGraphicsRectItem,
    QLabel,
    QWidget,
)

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.message import Message

_UPRIGHT = 1
"""The left axis, in pyqtgraph's words."""
_CLICK = 4
"""Fewer pixels than these are a click, not a range."""

Limits = tuple[list[float], list[float]]
"""Lowest and highest of the bottom axis, and of the left one."""
_TOGETHER, _TOGETHER_S = ("wheel", "arrows", "keys"), 0.8
"""Turns of a wheel and held keys in quick succession are one step."""
_MOST = 100


class ZoomHistory:
    """What was shown before; a new step forgets what lay ahead."""

    def __init__(self) -> None:
        self._before: list[Limits] = []
        self._ahead: list[Limits] = []
        self._kind = ""
        self._last = 0.0

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._ahead)

    def remember(self, shown: Limits, kind: str) -> None:
        """Keep what is shown now: a step of this kind ('wheel', 'drag' ...) changes it."""
        now = time.monotonic()
        goes_on = kind in _TOGETHER and kind == self._kind and now - self._last < _TOGETHER_S
        self._kind, self._last = kind, now
        if not goes_on:
            self._before = [*self._before, shown][-_MOST:]
            self._ahead = []

    def back(self, shown: Limits) -> Limits | None:
        """What was shown before `shown`; None where that was the first."""
        return self._step(self._before, self._ahead, shown)

    def forward(self, shown: Limits) -> Limits | None:
        """What was shown after `shown`; None where that was the last."""
        return self._step(self._ahead, self._before, shown)

    def clear(self) -> None:
        """Forget all: other data is shown."""
        self._before, self._ahead, self._kind = [], [], ""

    def _step(self, source: list[Limits], target: list[Limits], shown: Limits) -> Limits | None:
        self._kind = ""
        if not source:
            return None
        target.append(shown)
        return source.pop()


class Box(pg.ViewBox):
    """What the mouse does in a chart.

    A drag zooms into a range of the bottom axis, with Shift it selects one (`drawn`). The wheel
    zooms at the pointer. The right or the middle button moves what is shown; a right click asks for
    the menu.

    *Signals:* pointedAt(float x, or None when the pointer leaves), hovered(QPointF of the scene, or
    None), drawn(float from, float to, bool done), menuWanted(QPoint of the screen)
    """

    pointedAt = Signal(object)
    hovered = Signal(object)
    drawn = Signal(float, float, bool)
    menuWanted = Signal(object)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.history = ZoomHistory()
        self._veil: QGraphicsRectItem | None = None

    def remember(self, kind: str) -> None:
        """Keep what is shown: a step of this kind changes it."""
        self.history.remember(self._limits(), kind)

    def step(self, *, back: bool) -> None:
        """Show what was shown before, or after that."""
        move = self.history.back if back else self.history.forward
        limits = move(self._limits())
        if limits is not None:
            (left, right), (low, high) = limits
            self.setXRange(left, right, padding=0)
            if self.state["mouseEnabled"][1]:
                self.setYRange(low, high, padding=0)
            self.settle()

    def settle(self) -> None:
        """Follow a new range now: pyqtgraph would in the midst of painting, and paint once more."""
        if self.width() and self.height():
            self.prepareForPaint()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.settle()

    def hoverEvent(self, event: Any) -> None:
        gone = event.isExit()
        self.pointedAt.emit(None if gone else self.mapToView(event.pos()).x())
        self.hovered.emit(None if gone else event.scenePos())

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            event.accept()
            self.menuWanted.emit(event.screenPos().toPoint())

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        self.remember("wheel")
        super().wheelEvent(event, axis)
        self.settle()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        event.accept()
        if axis == _UPRIGHT or event.button() != Qt.MouseButton.LeftButton:
            self._pan(event)
            return
        ends = [self.mapToView(place).x() for place in (event.buttonDownPos(), event.pos())]
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.drawn.emit(*ends, event.isFinish())
        else:
            self._zoom_to(min(ends), max(ends), done=event.isFinish())

    def _pan(self, event: Any) -> None:
        if event.isStart():
            self.remember("pan")
        moved = self.mapToView(event.lastPos()) - self.mapToView(event.pos())
        self.translateBy(x=moved.x(), y=moved.y() if self.state["mouseEnabled"][1] else None)
        self.settle()

    def _zoom_to(self, left: float, right: float, *, done: bool) -> None:
        """Show the range that is drawn; a veil over it until the button is let go."""
        if self._veil is None:
            self._veil = QGraphicsRectItem()
            self._veil.setZValue(70)
            self._veil.setPen(pg.mkPen(None))
            self._veil.setBrush(pg.mkBrush(128, 128, 128, 70))
            self.addItem(self._veil, ignoreBounds=True)
        low, high = self.viewRange()[1]
        self._veil.setRect(QRectF(left, low, right - left, high - low))
        self._veil.setVisible(not done)
        if done and (right - left) * self.width() > _CLICK * self.viewRect().width():
            self.remember("drag")
            self.setXRange(left, right, padding=0)
            self.settle()

    def _limits(self) -> Limits:
        bottom, left = self.viewRange()
        return list(bottom), list(left)


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
        _widen_pens(item, self.pixel_ratio)
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


def _widen_pens(item: QGraphicsItem, ratio: float) -> None:
    """Multiply the widths of an item's lines, and of those of its parts, by pixels a point."""
    if ratio == 1.0:
        return
    if isinstance(item, pg.PlotCurveItem):
        item.setPen(_wider(item.opts["pen"], ratio))
    elif isinstance(item, pg.InfiniteLine):
        item.setPen(_wider(item.pen, ratio))
    elif isinstance(item, (QAbstractGraphicsShapeItem, QGraphicsLineItem)):
        item.setPen(_wider(item.pen(), ratio))
    for part in item.childItems():
        _widen_pens(part, ratio)


def _wider(pen: QPen, ratio: float) -> QPen:
    wider = QPen(pen)
    if pen.style() is not Qt.PenStyle.NoPen:
        wider.setWidthF(max(pen.widthF(), 1.0) * ratio)
    return wider


_BESIDE = 14
"""Pixels between the pointer and the field."""


class CursorTip(QLabel):
    """Lines of text over a canvas, never markup: names of a log may stand in them.

    No tip of Qt: those wait, and go at every move.
    """

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.setObjectName("cursorTip")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_lines(self, lines: Sequence[Message], pointer: QPoint) -> None:
        """Show these beside the pointer, on the side that has room; hide where there are none."""
        self.setVisible(bool(lines))
        if not lines:
            return
        self.setText("\n".join(map(shown, lines)))
        self.adjustSize()
        canvas = self.parentWidget()
        assert canvas is not None
        room = canvas.size() - self.size()
        right, below = pointer.x() + _BESIDE, pointer.y() + _BESIDE
        left = right if right <= room.width() else pointer.x() - _BESIDE - self.width()
        top = below if below <= room.height() else pointer.y() - _BESIDE - self.height()
        self.move(max(0, min(left, room.width())), max(0, min(top, room.height())))
