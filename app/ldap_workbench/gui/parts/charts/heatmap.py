"""Etimes over time as a heat map: when, how long, how many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsItem, QGraphicsLineItem

from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    StallAt,
    heat_at,
    heat_cell,
    heat_numbers,
    heat_reading,
)
from ldap_workbench.gui.parts.charts.axes import ClockAxis, DurationAxis, Levels
from ldap_workbench.gui.parts.charts.heat_marks import DRAWN, StallBands, slow_marks
from ldap_workbench.gui.parts.charts.labels import MomentLabels, label_text, row_height
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.strip import mark_lines
from ldap_workbench.gui.parts.charts.view import ChartView, left_width
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.gui.parts.widgets.labels import set_tip
from ldap_workbench.model.message import Message

_FEW, _NAMED = 40, 60
"""So many marks, and windows, still have their names drawn where there is room."""
_BAR_AT = 0.1
"""Decades above the etimes: the bars of the windows, and above them rows of names."""
_WINDOWS, _STALLS, _MARKS = 0, 1, 2
"""The first row of each kind of names; none lies over a cell."""
_MARK_ROWS = 2
_MOST_ROOM = 0.4
"""Share of the height that names may take; rows beyond it are left out."""


class Heatmap(ChartView):
    """Dark where many operations of that etime ended at that time; the slowest stand out.

    Stalls are bands over it.

    Over a part of its time it may show a finer grid.
    """

    least_em = (14, 17)
    has_y_zoom = False

    def __init__(self) -> None:
        self._grid: HeatGrid | None = None
        self._finer: HeatGrid | None = None
        self._finer_image: pg.ImageItem | None = None
        self._etimes = _EtimeAxis("left")
        axes = {"bottom": ClockAxis("bottom"), "left": self._etimes}
        self._mark_names: MomentLabels | None = None
        self._window_names: MomentLabels | None = None
        self._bands: StallBands | None = None
        self._slowest: QGraphicsItem | None = None
        super().__init__(Message("etime over time"), axes)
        self.plot.getViewBox().sigResized.connect(self._fit_height)
        self._etimes.setWidth(left_width(self))

    @property
    def grid(self) -> HeatGrid | None:
        """All that is shown, as coarse as it is where everything is seen."""
        return self._grid

    @property
    def finer(self) -> HeatGrid | None:
        """The finer grid of a part of the time."""
        return self._finer

    def set_grid(self, grid: HeatGrid | None) -> None:
        """Show this grid instead."""
        self._grid, self._finer = grid, None
        self.refresh()

    def set_finer(self, grid: HeatGrid | None) -> None:
        """Show a finer grid over its part of the time, or none; what is seen does not move."""
        self._finer = grid
        if self._finer_image is not None:
            self.plot.removeItem(self._finer_image)
            self._finer_image = None
        self._draw_finer(self.plot, self.colours())
        self._say()
        if self.showing_numbers():
            self._made_table().show_numbers(self.numbers())

    def set_stalls(self, stalls: Sequence[StallAt]) -> None:
        """Show these stalls; what is seen does not move."""
        if self._grid is None:
            return
        self._grid = self._grid.with_stalls(stalls)
        if not self._stale:
            self._draw_stalls(self.plot, self.colours())
        self._say()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        self._finer_image = self._slowest = None
        if self._bands is not None:
            self._bands.forget()
        if self._grid is None:
            return
        plot.addItem(_image(self._grid, colours, -10))
        self._draw_finer(plot, colours)
        self._draw_spans(plot, colours)
        self._draw_marks(plot, colours)
        self._draw_stalls(plot, colours)
        self._place_names()

    def _draw_finer(self, plot: Plot, colours: ChartColours) -> None:
        if self._finer is not None:
            self._finer_image = _image(self._finer, colours, -9)
            plot.addItem(self._finer_image, ignoreBounds=True)
        if self._slowest is not None:
            plot.removeItem(self._slowest)
            self._slowest = None
        if self._grid is not None:
            self._slowest = slow_marks(self._grid, self._finer, colours)
            plot.addItem(self._slowest, ignoreBounds=True)

    def _draw_stalls(self, plot: Plot, colours: ChartColours) -> None:
        if self._bands is None:
            self._bands = StallBands(plot, _STALLS)
        if self._grid is not None:
            bottom, top = self._grid.bottom, self._grid.top
            self._bands.show(self._grid.stalls, (bottom, top), top + _BAR_AT, colours)

    def _place_names(self) -> None:
        for names in self._kinds_of_names():
            names.place()

    def _kinds_of_names(self) -> list[MomentLabels]:
        stalls = self._bands.names if self._bands else None
        return [names for names in (self._mark_names, self._window_names, stalls) if names]

    def _draw_marks(self, plot: Plot, colours: ChartColours) -> None:
        """A line at every change; what it was stands beside it where there are few."""
        assert self._grid is not None
        marks, top = self._grid.marks, self._grid.top
        if marks:
            limits = (self._grid.bottom, top + _BAR_AT)
            plot.addItem(mark_lines([mark.second for mark in marks], limits, colours))
        if self._mark_names is None:
            self._mark_names = MomentLabels(plot.getViewBox(), _MARKS, _MARK_ROWS, 0.0)
        self._mark_names.start()
        for mark in marks if len(marks) <= _FEW else ():
            text = label_text(shown(mark.label), colours.mark)
            text.setPos(mark.second, top + _BAR_AT)
            set_tip(text, shown(mark.description))
            plot.addItem(text, ignoreBounds=True)
            self._mark_names.add(mark.second, text)

    def _draw_spans(self, plot: Plot, colours: ChartColours) -> None:
        """A bar over every window, with its name where there is room for names."""
        assert self._grid is not None
        top = self._grid.top
        if self._window_names is None:
            self._window_names = MomentLabels(plot.getViewBox(), _WINDOWS, 1, 0.5)
        self._window_names.start()
        for start, stop, name, arm in self._grid.spans:
            colour = {"A": colours.a, "B": colours.b}.get(arm, colours.dim)
            style = Qt.PenStyle.DashLine if arm == "B" else Qt.PenStyle.SolidLine
            pen = pg.mkPen(colour, width=3, style=style)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            # Qt's own item: a curve each is painted by Python, in half a millisecond.
            bar = QGraphicsLineItem(start, top + _BAR_AT, stop, top + _BAR_AT)
            bar.setPen(pen)
            plot.addItem(bar, ignoreBounds=True)
            if len(self._grid.spans) <= _NAMED:
                text = label_text(name, colour)
                text.setPos((start + stop) / 2, top + _BAR_AT)
                plot.addItem(text, ignoreBounds=True)
                self._window_names.add((start + stop) / 2, text)

    def legend(self, colours: ChartColours) -> str:
        if self._grid is None:
            return ""
        drawn = self._finer or self._grid
        most = int(drawn.counts.max())
        return legend_of(
            swatch(colours.heat[1], "■", Message("1 operation")),
            swatch(
                colours.heat[-2],
                "■",
                Message("up to {count} in {seconds:g} s", count=most, seconds=drawn.step_s),
            ),
            swatch(colours.bad, "■", Message("the slowest {count}", count=self._slow_count())),
            swatch(colours.a, "━━", Message("window of A")) if "A" in self._arms() else "",
            swatch(colours.b, "╍╍", Message("window of B")) if "B" in self._arms() else "",
            swatch(colours.bad, "▯", self._describe_stalls()) if self._grid.stalls else "",
            swatch(colours.mark, "┊", Message("a change, a restart, a mark"))
            if self._grid.marks
            else "",
        )

    def _slow_count(self) -> int:
        assert self._grid is not None
        return int(self._grid.counts[:, self._grid.slow_row :].sum())

    def _describe_stalls(self) -> Message:
        assert self._grid is not None
        stalls = len(self._grid.stalls)
        if stalls > DRAWN:
            return Message("stalls: {count}, the longest {drawn} shown", count=stalls, drawn=DRAWN)
        return Message("stalls: {count}", count=stalls)

    def _arms(self) -> set[str]:
        return {span[3] for span in self._grid.spans} if self._grid else set()

    def reading(self) -> str:
        return shown(heat_reading(self._grid))

    def describe_at(self, second: float) -> str:
        if self._grid is None:
            return ""
        low, high = self.plot.getViewBox().viewRange()[0]
        return shown(heat_at(self._drawn_at(second), self._grid, second, high - low))

    def tip_at(self, x: float, y: float) -> Sequence[Message]:
        grid = self._drawn_at(x)
        return heat_cell(grid, self._grid, x, y) if grid and self._grid else ()

    def _drawn_at(self, second: float) -> HeatGrid | None:
        """The grid whose cells are seen at a moment."""
        finer = self._finer
        inside = finer is not None and finer.start_s <= second < finer.end_s
        return finer if inside else self._grid

    def numbers(self) -> Numbers:
        if self._grid is None:
            return Numbers((Message("Time (UTC)"),))
        return heat_numbers(self._finer or self._grid, self._grid)

    def fit(self) -> None:
        if self._grid is not None:
            self.plot.setXRange(self._grid.start_s, self._grid.end_s)
            self._fit_height()

    def _fit_height(self, *_: object) -> None:
        """All etimes, and above them room for the rows of names."""
        if self._grid is None:
            return
        bottom, top = self._grid.bottom, self._grid.top + _BAR_AT
        self._etimes.top = self._grid.top
        rows = self._rows_of_names() if self._grid.spans else 0
        for names in self._kinds_of_names():
            names.room = rows
        if rows:
            share = rows * row_height() / self._height()
            top += (top - bottom) * share / (1.0 - share)
        self.plot.setRange(yRange=(bottom, top), padding=0)
        self._place_names()

    def _rows_of_names(self) -> int:
        """As many as are wanted and there is room for."""
        assert self._grid is not None
        wanted = _MARKS + (_MARK_ROWS if self._grid.marks else 0)
        return min(wanted, int(_MOST_ROOM * self._height() / row_height()))

    def _height(self) -> float:
        return max(float(self.plot.getViewBox().height()), 1.0)


class _EtimeAxis(DurationAxis):
    """Ticks up to `top`, where etimes end: the rows of names above have none."""

    top = float("inf")

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        top = min(maxVal, self.top)
        share = (top - minVal) / max(maxVal - minVal, 1e-9)
        return super().tickValues(minVal, top, size * share)


def _image(grid: HeatGrid, colours: ChartColours, above: float) -> pg.ImageItem:
    """Its counts as colours, on a logarithmic scale."""
    values = np.log1p(grid.counts.astype(np.float32))
    image = pg.ImageItem(values, levels=(0.0, max(float(values.max()), float(np.log(2.0)))))
    stops = np.linspace(0.0, 1.0, len(colours.heat))
    rgb = [QColor(name).getRgb() for name in colours.heat]
    image.setLookupTable(pg.ColorMap(stops, rgb).getLookupTable(nPts=256))
    columns, rows = grid.counts.shape
    image.setRect(QRectF(grid.start_s, grid.bottom, columns * grid.step_s, rows * grid.height))
    image.setZValue(above)
    return image
