"""What lies over the cells of a heat map: named stalls, and marks of the slowest operations."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QGraphicsRectItem

from ldap_workbench.figures.timeline.heat_grid import HeatGrid, StallAt, describe_stall
from ldap_workbench.gui.parts.charts.labels import MomentLabels, label_text
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.gui.parts.widgets.labels import set_tip

DRAWN = 150
"""So many stalls are drawn, the longest; every one of them is counted and stands in the numbers."""
_NAMED = 16
"""The longest have words beside them: each takes as long to place as twenty bands."""
_FILL = 38
"""Of 255: what lies under a band is still read."""

_MARK = 5
"""Height of a mark in pixels, and its least width: a cell alone may be less than one."""
_MARKED = 2000
"""So many cells are marked, the slowest."""


class StallBands:
    """The bands of one chart; shown again without drawing the chart anew."""

    def __init__(self, plot: Plot, row: int) -> None:
        self._plot = plot
        self._bands: QGraphicsItem | None = None
        self._named: dict[StallAt, pg.TextItem] = {}
        self.names = MomentLabels(plot.getViewBox(), row, 1, 0.0)

    def forget(self) -> None:
        """The plot has been emptied."""
        self._bands, self._named = None, {}
        self.names.start()

    def show(
        self,
        stalls: Sequence[StallAt],
        ends: tuple[float, float],
        names_at: float,
        colours: ChartColours,
    ) -> None:
        """Draw these in place of those before, from end to end, their names from a height up.

        Names that stay are kept: stalls come window by window, and a name takes a millisecond.
        """
        longest = sorted(stalls, key=lambda stall: -stall.longest_ns)[:DRAWN]
        self._draw_bands(longest, ends, colours)
        named = dict.fromkeys(longest[:_NAMED])
        for stall in self._named.keys() - named.keys():
            self._plot.removeItem(self._named.pop(stall))
        self.names.start()
        for stall in named:
            if stall not in self._named:
                self._named[stall] = self._name(stall, names_at, colours)
            self.names.add(stall.start_s, self._named[stall])
        self.names.place()

    def _draw_bands(
        self, stalls: Sequence[StallAt], ends: tuple[float, float], colours: ChartColours
    ) -> None:
        """One item for all: taken out at once."""
        if self._bands is not None:
            self._plot.removeItem(self._bands)
        self._bands = QGraphicsRectItem()
        self._bands.setPen(pg.mkPen(None))
        for stall in stalls:
            _band(stall, ends, colours, self._bands)
        self._plot.addItem(self._bands, ignoreBounds=True)

    def _name(self, stall: StallAt, at: float, colours: ChartColours) -> pg.TextItem:
        text = label_text(shown(describe_stall(stall)), colours.bad)
        text.setPos(stall.start_s, at)
        set_tip(text, shown(describe_stall(stall)))
        self._plot.addItem(text, ignoreBounds=True)
        return text


def _band(
    stall: StallAt, ends: tuple[float, float], colours: ChartColours, parent: QGraphicsItem
) -> None:
    width, (bottom, top) = stall.end_s - stall.start_s, ends
    band = QGraphicsRectItem(QRectF(stall.start_s, bottom, width, top - bottom), parent)
    colour = QColor(colours.bad)
    band.setPen(pg.mkPen(colour, width=1))
    colour.setAlpha(_FILL)
    band.setBrush(colour)


def slow_marks(whole: HeatGrid, finer: HeatGrid | None, colours: ChartColours) -> QGraphicsPathItem:
    """A mark over every cell of the rarest operations, where there is a finer grid over its cells.

    One item, painted without Python.
    """
    path = QPainterPath()
    for grid in (whole, finer):
        if grid is not None:
            _add_cells(path, grid, whole.slow_row, finer if grid is whole else None)
    pen = pg.mkPen(colours.bad, width=_MARK)
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
    starts = grid.start_s + columns[:_MARKED] * grid.step_s
    heights = grid.bottom + (rows[:_MARKED] + 0.5) * grid.height
    for start, height in zip(starts.tolist(), heights.tolist(), strict=True):
        if hidden is None or not hidden.start_s <= start < hidden.end_s:
            path.moveTo(start, height)
            path.lineTo(start + grid.step_s, height)
