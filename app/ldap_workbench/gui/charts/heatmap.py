"""Etimes over time as a heat map: when, how long, how many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.charts.axes import ClockAxis, DurationAxis
from ldap_workbench.gui.charts.labels import MomentLabels
from ldap_workbench.gui.charts.numbers import Numbers, every_nth
from ldap_workbench.gui.charts.plot import Plot
from ldap_workbench.gui.charts.scales import time_text
from ldap_workbench.gui.charts.strip import mark_lines
from ldap_workbench.gui.charts.view import ChartView, left_width, legend_of, swatch
from ldap_workbench.gui.theme import ChartColours
from ldap_workbench.model.units import NS_PER_S, format_duration

_COLUMNS = 1000
_ROWS_PER_DECADE = 12
_FEW, _NAMED = 40, 60
"""So many marks, and windows, still have their names drawn where there is room."""
_ROOM_FOR_NAMES = 0.9
"""Decades above the etimes: room for a line of text in the smallest window."""
_ROWS_OF_NAMES = 4
"""Names of marks stand in so many rows below one another."""


@dataclass(frozen=True, eq=False)
class HeatGrid:
    """Counts by column of time and row of log10(etime).

    `counts` is (columns, rows); columns of `step_s` seconds from `start_s`, rows of `height`
    decades from `bottom`.
    """

    start_s: float
    step_s: float
    bottom: float
    height: float
    counts: NDArray[np.int64]
    marks: tuple[tuple[float, str], ...] = ()
    """Seconds and words: a change, a restart, the operator's mark."""
    spans: tuple[tuple[float, float, str, str], ...] = ()
    """From, to (seconds), name and arm of every window."""


def heat_grid(
    end_ns: NDArray[np.int64],
    etime_ns: NDArray[np.int64],
    start_ns: int,
    stop_ns: int,
    marks: tuple[tuple[float, str], ...] = (),
) -> HeatGrid:
    """Bin operations by when they ended: what one stall releases stays together."""
    seconds = max(1.0, (stop_ns - start_ns) / NS_PER_S)
    step = max(1.0, np.ceil(seconds / _COLUMNS))
    columns = int(np.ceil(seconds / step))
    height = 1.0 / _ROWS_PER_DECADE
    if not len(etime_ns):
        return HeatGrid(
            start_ns / NS_PER_S, step, 5, height, np.zeros((columns, 1), np.int64), marks
        )
    logs = np.log10(np.maximum(etime_ns, 1))
    bottom = float(np.floor(logs.min()))
    rows = max(1, int(np.ceil((logs.max() - bottom) / height + 1e-9)))
    x = np.clip((end_ns - start_ns) // int(step * NS_PER_S), 0, columns - 1)
    y = np.clip(((logs - bottom) / height).astype(np.int64), 0, rows - 1)
    counts = np.bincount(x * rows + y, minlength=columns * rows).reshape(columns, rows)
    return HeatGrid(start_ns / NS_PER_S, step, bottom, height, counts, marks)


class Heatmap(ChartView):
    """Dark where many operations of that etime ended at that time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._grid: HeatGrid | None = None
        axes = {"bottom": ClockAxis("bottom"), "left": DurationAxis("left")}
        self._mark_names: MomentLabels | None = None
        self._window_names: MomentLabels | None = None
        super().__init__("etime over time", axes, parent)
        axes["left"].setWidth(left_width(self))

    def set_grid(self, grid: HeatGrid | None) -> None:
        """Show this grid instead."""
        self._grid = grid
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        if self._grid is None:
            return
        image = pg.ImageItem(np.log1p(self._grid.counts.astype(np.float32)))
        stops = np.linspace(0.0, 1.0, len(colours.heat))
        rgb = [QColor(name).getRgb() for name in colours.heat]
        image.setLookupTable(pg.ColorMap(stops, rgb).getLookupTable(nPts=256))
        image.setRect(self._rectangle())
        plot.addItem(image)
        self._draw_spans(plot, colours)
        self._draw_marks(plot, colours)
        self._place_names()

    def _place_names(self) -> None:
        for names in (self._mark_names, self._window_names):
            if names is not None:
                names.place()

    def _draw_marks(self, plot: Plot, colours: ChartColours) -> None:
        """A line at every change; what it was stands beside it where there are few."""
        assert self._grid is not None
        marks, top = self._grid.marks, self._top()
        if marks:
            limits = (self._grid.bottom, top + 1.0)
            plot.addItem(mark_lines([second for second, _ in marks], limits, colours))
        if self._mark_names is None:
            self._mark_names = MomentLabels(plot.getViewBox(), _ROWS_OF_NAMES, 0.0)
        self._mark_names.start()
        for second, words in marks if len(marks) <= _FEW else ():
            text = pg.TextItem(words, color=colours.mark, anchor=(0.0, 0.0))
            text.setPos(second, top)
            plot.addItem(text, ignoreBounds=True)
            self._mark_names.add(second, text)

    def _draw_spans(self, plot: Plot, colours: ChartColours) -> None:
        """A bar over every window, with its name where there is room for names."""
        assert self._grid is not None
        top = self._top()
        if self._window_names is None:
            self._window_names = MomentLabels(plot.getViewBox(), 1, 0.5)
        self._window_names.start()
        for start, stop, name, arm in self._grid.spans:
            colour = {"A": colours.a, "B": colours.b}.get(arm, colours.dim)
            style = Qt.PenStyle.DashLine if arm == "B" else Qt.PenStyle.SolidLine
            pen = pg.mkPen(colour, width=3, style=style)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            height = np.array([top + 0.1] * 2)
            plot.addItem(pg.PlotCurveItem(np.array([start, stop]), height, pen=pen))
            if len(self._grid.spans) <= _NAMED:
                text = pg.TextItem(name, color=colour, anchor=(0.5, 1.0))
                text.setPos((start + stop) / 2, top + 0.1)
                plot.addItem(text, ignoreBounds=True)
                self._window_names.add((start + stop) / 2, text)

    def _top(self) -> float:
        assert self._grid is not None
        return self._grid.bottom + self._grid.counts.shape[1] * self._grid.height

    def legend(self, colours: ChartColours) -> str:
        if self._grid is None:
            return ""
        most = int(self._grid.counts.max())
        return legend_of(
            swatch(colours.heat[1], "■", "1 operation"),
            swatch(colours.heat[-2], "■", f"up to {most:,} in {self._grid.step_s:g} s"),
            swatch(colours.a, "━━", "window of A") if "A" in self._arms() else "",
            swatch(colours.b, "╍╍", "window of B") if "B" in self._arms() else "",
            swatch(colours.mark, "┊", "a change, a restart, a mark") if self._grid.marks else "",
        )

    def _arms(self) -> set[str]:
        return {span[3] for span in self._grid.spans} if self._grid else set()

    def reading(self) -> str:
        grid = self._grid
        if grid is None or not grid.counts.any():
            return "there is nothing to show yet."
        column, row = self._slowest(grid)
        worst = format_duration(round(10 ** (grid.bottom + (row + 1) * grid.height)))
        when = time_text(grid.start_s + column * grid.step_s, 1)
        return f"{int(grid.counts.sum()):,} operations; the longest took up to {worst}, at {when}."

    def told_at(self, second: float) -> str:
        grid = self._grid
        column = int((second - grid.start_s) // grid.step_s) if grid else -1
        if grid is None or not 0 <= column < len(grid.counts):
            return ""
        when, longest = time_text(second, 1), self._longest(grid, column)
        told = f"{when} UTC: {int(grid.counts[column].sum()):,} operations in {grid.step_s:g} s"
        return f"{told}, the longest up to {longest}" if longest else told

    @staticmethod
    def _longest(grid: HeatGrid, column: int) -> str:
        """The upper edge of the longest etimes of a column; '' where it has none."""
        used = np.flatnonzero(grid.counts[column])
        top = grid.bottom + (used[-1] + 1) * grid.height if len(used) else None
        return "" if top is None else format_duration(round(10**top))

    def numbers(self) -> Numbers:
        grid = self._grid
        if grid is None:
            return Numbers(("Time (UTC)",))
        rows = []
        for column, counts in enumerate(grid.counts):
            longest = self._longest(grid, column) or "–"
            when = time_text(grid.start_s + column * grid.step_s, 1)
            rows.append((when, f"{int(counts.sum()):,}", longest))
        return Numbers(("Time (UTC)", "Operations", "Longest, up to"), every_nth(rows, 600))

    def fit(self) -> None:
        if self._grid is not None:
            whole = self._rectangle()
            room = _ROOM_FOR_NAMES if self._grid.spans else 0.0
            self.plot.setRange(whole.adjusted(0, 0, 0, room), padding=0)

    def _rectangle(self) -> QRectF:
        grid = self._grid
        assert grid is not None
        columns, rows = grid.counts.shape
        return QRectF(grid.start_s, grid.bottom, columns * grid.step_s, rows * grid.height)

    @staticmethod
    def _slowest(grid: HeatGrid) -> tuple[int, int]:
        row = int(np.flatnonzero(grid.counts.any(axis=0))[-1])
        return int(np.flatnonzero(grid.counts[:, row])[0]), row
