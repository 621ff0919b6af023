"""Lines as thick at twice the pixels: Qt draws a cosmetic pen in the pixels of the screen."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QAbstractGraphicsShapeItem, QGraphicsItem, QGraphicsLineItem


def widen_pens(item: QGraphicsItem, ratio: float) -> None:
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
        widen_pens(part, ratio)


def _wider(pen: QPen, ratio: float) -> QPen:
    wider = QPen(pen)
    if pen.style() is not Qt.PenStyle.NoPen:
        wider.setWidthF(max(pen.widthF(), 1.0) * ratio)
    return wider
