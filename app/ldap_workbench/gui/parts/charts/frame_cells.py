"""The frames of an icicle as one item: thousands of items of their own would take seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from ldap_workbench.figures.tails.icicle import Frame
from ldap_workbench.gui.parts.style.theme import ChartColours

MARKS = {1: "▲ ", -1: "▼ ", 0: ""}
"""Before the name of a frame that differs: colour is never the only carrier."""
WHOLE = 100.0
"""The width of all samples, in percent."""
_LEAST_WIDTH = 0.4
"""Pixels; what is narrower is not drawn."""
_LEAST_TEXT = 24
_PADDING = 4


@dataclass
class Marked:
    """What the reader looks for and has chosen: places in the frames."""

    hits: frozenset[int] = frozenset()
    searching: bool = False
    selected: int = -1


def box_of(frame: Frame) -> QRectF:
    """Where a frame lies: percent of samples to the right, depth downwards."""
    return QRectF(WHOLE * frame.left, frame.depth, WHOLE * frame.share.width, 1.0)


class FrameCells(pg.GraphicsObject):
    """Boxes with names, painted in pixels: letters keep their size at any zoom."""

    def __init__(
        self, frames: Sequence[Frame], marked: Marked, colours: ChartColours, *, compared: bool
    ) -> None:
        super().__init__()
        self._frames, self._marked = frames, marked
        self._boxes = [box_of(frame) for frame in frames]
        self._colours, self._compared = colours, compared
        self._widest = max((abs(f.share.difference) for f in frames if f.share.sign), default=1.0)
        depth = max((frame.depth for frame in frames), default=0) + 1
        self._bounds = QRectF(0, 0, WHOLE, depth)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        seen = self.viewRect()
        to_pixels = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        for place, (frame, box) in enumerate(zip(self._frames, self._boxes, strict=True)):
            if box.intersects(seen):
                at = to_pixels.mapRect(box.intersected(seen))
                if at.width() >= _LEAST_WIDTH:
                    self._cell(painter, place, frame, at)
        painter.restore()

    def _cell(self, painter: QPainter, place: int, frame: Frame, at: QRectF) -> None:
        hit = place in self._marked.hits
        faded = self._marked.searching and not hit
        painter.fillRect(at, self._fill(frame, faded=faded))
        if frame.share.sign > 0 and not faded:
            lines = QColor(self._colours.b)
            lines.setAlpha(90)
            painter.fillRect(at, QBrush(lines, Qt.BrushStyle.BDiagPattern))
        chosen = place == self._marked.selected
        pen = QPen(QColor(self._colours.text if hit or chosen else self._colours.ground))
        pen.setWidthF(2.5 if chosen else 1.0)
        painter.setPen(pen)
        painter.drawRect(at.adjusted(0.5, 0.5, -0.5, -0.5))
        if at.width() > _LEAST_TEXT:
            painter.setPen(QColor(self._colours.text))
            inside = at.adjusted(_PADDING, 0, -_PADDING, 0)
            words = MARKS[frame.share.sign] + frame.name
            metrics = QFontMetricsF(painter.font())
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, inside.width())
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, shown)

    def _fill(self, frame: Frame, *, faded: bool) -> QColor:
        colours, sign = self._colours, frame.share.sign
        if faded:
            return _blend(colours.dim, colours.ground, 0.08)
        if not self._compared:
            return _blend(colours.a, colours.ground, 0.26 if frame.depth % 2 else 0.18)
        if not sign:
            return _blend(colours.dim, colours.ground, 0.18)
        strength = 0.2 + 0.25 * min(1.0, abs(frame.share.difference) / self._widest)
        return _blend(colours.b if sign > 0 else colours.a, colours.ground, strength)


def _blend(colour: str, ground: str, share: float) -> QColor:
    """So much of a colour on the ground: letters stay readable on it in both themes."""
    over, under = QColor(colour), QColor(ground)
    mixed = (
        round(share * a + (1 - share) * b)
        for a, b in zip(over.getRgb()[:3], under.getRgb()[:3], strict=True)  # type: ignore[index]
    )
    return QColor(*mixed)
