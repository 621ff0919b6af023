"""The slowest operations of a heat map, as marks that are seen however rare they are."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem

from ldap_workbench.figures.timeline.heat_grid import HeatGrid
from ldap_workbench.gui.parts.style.theme import ChartColours

MARK = 5
"""Height of a mark in pixels, and its least width: a cell alone may be less than one."""
_DRAWN = 2000
"""So many cells are marked, the slowest."""


def slow_marks(whole: HeatGrid, finer: HeatGrid | None, colours: ChartColours) -> QGraphicsPathItem:
    """A mark over every cell of the rarest operations, where there is a finer grid over its cells.

    One item, painted without Python.
    """
    path = QPainterPath()
    for grid in (whole, finer):
        if grid is not None:
            _add_cells(path, grid, whole.slow_row, finer if grid is whole else None)
    pen = pg.mkPen(colours.bad, width=MARK)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    item = _Marks(path)
    item.setPen(pen)
    item.setZValue(-8)
    return item


class _Marks(QGraphicsPathItem):
    """Never pointed at: Qt would stroke all of the path at every move of the pointer."""

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def boundingRect(self) -> QRectF:
        # Qt's own is that of the shape: with none, nothing would be painted.
        return self.path().controlPointRect()


def _add_cells(path: QPainterPath, grid: HeatGrid, row: int, hidden: HeatGrid | None) -> None:
    """Cells from a row up, but for those under a finer grid."""
    columns, rows = grid.cells_from(row)
    starts = grid.start_s + columns[:_DRAWN] * grid.step_s
    heights = grid.bottom + (rows[:_DRAWN] + 0.5) * grid.height
    for start, height in zip(starts.tolist(), heights.tolist(), strict=True):
        if hidden is None or not hidden.start_s <= start < hidden.end_s:
            path.moveTo(start, height)
            path.lineTo(start + grid.step_s, height)
