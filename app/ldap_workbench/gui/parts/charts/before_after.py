"""The verdict as one picture: the metric before and after, as bars from zero."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QFrame

from ldap_workbench.figures import ticks
from ldap_workbench.figures.formats import share
from ldap_workbench.figures.names import metric_value
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.verdict.view import ArmBar, BeforeAfter
from ldap_workbench.gui.parts.charts.axes import CountAxis, Levels, NamesAxis
from ldap_workbench.gui.parts.charts.labels import label_text, text_width
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message

_HEIGHT = 0.56
"""Of a bar, where the next one begins 1 below."""
_DODGE = 0.40
"""How far below the middle of its bar the windows stand."""
_ROOM = 1.05
"""What is shown at the least, where the longest bar is 1."""
_GAP = 8.0
"""Pixels between a bar and its number."""
_MOST_TEXT = 0.7
"""Share of the width that a number may take from its bar."""


class _ValueAxis(CountAxis):
    """From zero, linear, a unit at every tick."""

    unit = "ns"

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        step = ticks.count_step(maxVal - minVal, max(1, int(size // 75)))
        return [(step, [i * step for i in range(int(maxVal / step) + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self.unit == "share":
            return [shown(share(value)) for value in values]
        return [shown(ticks.duration_text(math.log10(value))) if value else "0" for value in values]


class BeforeAfterChart(ChartView):
    """Two bars, the interval of B, and the single windows as dots where they are known."""

    size_em = (24, 13)
    least_em = (14, 12)
    has_y_zoom = False

    def __init__(self) -> None:
        self._shown: BeforeAfter | None = None
        self._values, self._names = _ValueAxis("bottom"), NamesAxis("left")
        axes = {"bottom": self._values, "left": self._names}
        super().__init__(Message("Before and after"), axes)
        self.plot.getViewBox().invertY(True)
        self.plot.getViewBox().sigResized.connect(self._on_resized)

    def set_bars(self, bars: BeforeAfter | None) -> None:
        """Show these, or nothing."""
        self._shown = bars
        if bars:
            self._values.unit = bars.unit
            self.set_title(bars.metric)
        self.refresh()

    def refresh(self) -> None:
        """Say anew what it shows; it is drawn in a turn of its own: a page has several charts."""
        self._say()
        self._stale = True
        if self.isVisible():
            self._restyle.start()

    def showEvent(self, event: QShowEvent) -> None:
        QFrame.showEvent(self, event)
        if self._stale:
            self._restyle.start()
        else:
            self._follow_theme()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        bars = self._shown.bars if self._shown else ()
        self._names.set_names(tuple(shown(bar.label) for bar in bars))
        for row, bar in enumerate(bars):
            colour = {"A": colours.a, "B": colours.b}[bar.arm]
            plot.addItem(_bar(row, bar, colour))
            if bar.windows:
                plot.addItem(_windows(row, bar, colours))
            if bar.low is not None and bar.high is not None:
                plot.addItem(_interval(row, bar.low, bar.high, colours))
            text = label_text(shown(bar.text), colours.text)
            text.setAnchor((-_GAP / max(text.boundingRect().width(), 1.0), 0.5))
            text.setPos(_end(bar), row)
            plot.addItem(text, ignoreBounds=True)

    def legend(self, colours: ChartColours) -> str:
        bars = self._shown.bars if self._shown else ()
        known = any(bar.low is not None for bar in bars)
        return legend_of(
            swatch(colours.text, "├─┤", Message("95 % interval of B against A")) if known else "",
            swatch(colours.dim, "●", Message("single windows"))
            if any(bar.windows for bar in bars)
            else "",
        )

    def reading(self) -> str:
        if self._shown is None:
            return shown(NO_DATA)
        a, b = self._shown.bars
        sentence = Message(
            "{metric} was {before} before and {after} after the change.",
            metric=self._shown.metric,
            before=a.text,
            after=b.text,
        )
        return shown(sentence)

    def numbers(self) -> Numbers:
        headings = (Message("Arm"), Message("Value"), Message("Low"), Message("High"))
        if self._shown is None:
            return Numbers(headings)
        metric = "slo" if self._shown.unit == "share" else "p50"
        rows: list[Row] = [
            (bar.label, bar.text, metric_value(metric, bar.low), metric_value(metric, bar.high))
            for bar in self._shown.bars
        ]
        return Numbers(headings, tuple(rows))

    def fit(self) -> None:
        self.plot.setRange(xRange=(0, self._right()), yRange=(-0.6, 1.7), padding=0)

    def _on_resized(self, *_: object) -> None:
        if not self._stale:
            self.fit()

    def _right(self) -> float:
        """As far as the bars and windows go, and the number beside each bar."""
        width = max(float(self.plot.getViewBox().width()), 1.0)
        bars = self._shown.bars if self._shown else ()
        texts = [min(_MOST_TEXT * width, text_width(shown(bar.text)) + _GAP) for bar in bars]
        beside = [_end(b) * width / (width - text) for b, text in zip(bars, texts, strict=True)]
        return max(self._widest() * _ROOM, *beside, 0.0)

    def _widest(self) -> float:
        bars = self._shown.bars if self._shown else ()
        return max((bar.highest for bar in bars), default=1.0)


def _end(bar: ArmBar) -> float:
    """Where a bar with its interval ends."""
    return max(bar.value, bar.high or 0.0)


def _bar(row: int, bar: ArmBar, colour: str) -> pg.BarGraphItem:
    return pg.BarGraphItem(
        x0=[0],
        y=[row],
        width=[bar.value],
        height=_HEIGHT,
        brush=pg.mkBrush(colour),
        pen=pg.mkPen(None),
    )


def _windows(row: int, bar: ArmBar, colours: ChartColours) -> pg.ScatterPlotItem:
    colour = QColor(colours.dim)
    colour.setAlpha(170)
    places = np.full(len(bar.windows), row + _DODGE)
    return pg.ScatterPlotItem(
        list(bar.windows), places, size=6, brush=pg.mkBrush(colour), pen=pg.mkPen(None)
    )


def _interval(row: int, low: float, high: float, colours: ChartColours) -> pg.PlotCurveItem:
    """A line with an end on either side."""
    end = _HEIGHT / 4
    x = np.array([low, low, low, high, high, high])
    y = np.array([row - end, row + end, row, row, row - end, row + end])
    return pg.PlotCurveItem(x, y, pen=pg.mkPen(colours.text, width=2), connect="pairs")
