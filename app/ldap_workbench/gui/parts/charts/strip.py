"""A strip: one quantity over time, live or of a window. Several stand above one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainterPath, QResizeEvent
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.thinning import POINTS, thin_series
from ldap_workbench.figures.ticks import time_text
from ldap_workbench.figures.timeline.strips import (
    ArmSpan,
    Line,
    Strip,
    last_known,
    span_of,
    strip_at,
    value_at,
    value_text,
)
from ldap_workbench.gui.parts.charts.axes import ClockAxis, CountAxis, DurationAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView, left_width
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import LINE_STYLES, ChartColours
from ldap_workbench.model.message import Message, verbatim

Floats = NDArray[np.float64]
_ROWS = 600
"""Rows of the table of numbers."""
_WIDTH = 1.6
_DENSE = 400
"""A line of more points is drawn segment by segment, in a third of the time; dashes need it whole,
so a dashed line gets no more points than these."""
_NARROW_EM = 36
"""In heights of a line: too narrow for a title, its values and buttons side by side."""
_AFTER_TITLE = 2
"""Place of the values in the row of the title."""
_BARE_AXIS = 4
"""Height of a time axis without words."""
_SAMPLES = ("━━━", "╍╍╍", "┈┈┈")

_FILL = 38
"""Of 255: lines and grid are read through it."""
_ARM_STYLES = {"A": Qt.PenStyle.SolidLine, "B": Qt.PenStyle.DashLine}
_ARM_SAMPLES = {"A": "━", "B": "╍"}


class StripChart(ChartView):
    """One strip; its last value stands in the reading."""

    size_em = (24, 9)
    has_y_zoom = False
    compact = True

    def __init__(self, strip: Strip) -> None:
        self._strip = strip
        self._redrawing = False
        self._narrow = False
        self._time_shown = True
        left = DurationAxis("left") if strip.duration else CountAxis("left", whole=not strip.unit)
        super().__init__(strip.title, {"bottom": ClockAxis("bottom"), "left": left})
        left.setWidth(left_width(self))

    def show_time(self, wanted: bool) -> None:
        """Whether the times stand below it; in a stack one axis below all of them says them."""
        bottom = self.plot.getAxis("bottom")
        bottom.setStyle(showValues=wanted)
        bottom.setHeight(None if wanted else _BARE_AXIS)
        self._time_shown = wanted

    @contextmanager
    def as_picture(self) -> Iterator[None]:
        """With its times below it, for a picture that stands alone."""
        before = self._time_shown
        self._lay_out_with(time=True)
        yield
        self._lay_out_with(time=before)

    def _lay_out_with(self, *, time: bool) -> None:
        self.show_time(time)
        self.plot.layout().activate()
        self.plot.settle()

    def set_strip(self, strip: Strip) -> None:
        """Show newer values."""
        self._strip = strip
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()

    def _give_room(self) -> None:
        """In a narrow chart the values stand below the title; its menu and keys have the rest.

        By its width alone: charts beside each other look alike, and no value moves anything.
        """
        narrow = self.width() < _NARROW_EM * self.fontMetrics().height()
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for button in self._buttons():
            button.setVisible(not narrow)
        self.legend_label.setWordWrap(narrow)
        if narrow:
            self._whole.insertWidget(1, self.legend_label)
        else:
            self._top.insertWidget(_AFTER_TITLE, self.legend_label, 1)

    def minimumSizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(em * 12, em * (7 + self._time_shown + self._narrow))

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        for shade in _arm_shades(self._strip.arms, self._shown_limits(), colours):
            plot.addItem(shade, ignoreBounds=True)
        for i, line in enumerate(self._strip.lines):
            style = LINE_STYLES[i % len(LINE_STYLES)]
            most = POINTS if style is Qt.PenStyle.SolidLine else _DENSE
            x, y = thin_series(line.seconds, self._scaled(line.values), most)
            pen = pg.mkPen(colours.series[i % len(colours.series)], width=_WIDTH, style=style)
            item = pg.PlotCurveItem(x, y, pen=pen, connect="finite", antialias=True)
            item.setSegmentedLineMode("on" if len(x) > _DENSE else "off")
            plot.addItem(item)
        if self._strip.marks and (limits := self._shown_limits()):
            plot.addItem(mark_lines([mark.second for mark in self._strip.marks], limits, colours))

    def legend(self, colours: ChartColours) -> str:
        if not self._strip.lines:
            return ""
        entries = [
            swatch(
                colours.series[i % len(colours.series)],
                _SAMPLES[i % len(_SAMPLES)],
                self._named(line, self._latest(line)),
            )
            for i, line in enumerate(self._strip.lines)
        ]
        return legend_of(*entries, *_arm_swatches(self._strip.arms, colours))

    def _latest(self, line: Line) -> Message:
        """The last value; live, it needs no word that it is the last."""
        value = value_text(self._strip, last_known(line.values))
        return value if self._strip.span else Message("latest {value}", value=value)

    def reading(self) -> str:
        known = [(line, last_known(line.values)) for line in self._strip.lines]
        values = tuple(
            self._named(line, value_text(self._strip, last))
            for line, last in known
            if last is not None
        )
        return shown(Message("latest {values}.", values=values) if values else NO_DATA)

    def describe_at(self, second: float) -> str:
        at = [(line, self._value_at(line, second)) for line in self._strip.lines]
        return ", ".join(shown(self._named(line, value)) for line, value in at)

    def tip_at(self, x: float, y: float) -> Sequence[Message]:
        low, high = self.plot.getViewBox().viewRange()[0]
        pixel_s = (high - low) / max(self.plot.getViewBox().width(), 1.0)
        return strip_at(self._strip, x, min(1.0, pixel_s))

    def numbers(self) -> Numbers:
        lines = self._strip.lines
        if not lines:
            return Numbers((Message("Time (UTC)"),))
        first = lines[0].seconds
        listed = first[np.isfinite(lines[0].values)][:: max(1, len(first) // _ROWS)]
        rows: list[Row] = [
            (time_text(second, 1), *(self._value_at(line, second) for line in lines))
            for second in map(float, listed)
        ]
        headings = (Message("Time (UTC)"), *(line.label or self._strip.title for line in lines))
        return Numbers(headings, tuple(rows))

    def draw_now(self) -> None:
        self._redrawing = True
        try:
            super().draw_now()
        finally:
            self._redrawing = False

    def fit(self) -> None:
        lines = [line for line in self._strip.lines if len(line.seconds)]
        if not lines:
            return
        first, last = self._strip.span or span_of(lines)
        limits = self._shown_limits()
        if self.follows and self._redrawing:
            self.plot.getViewBox().setYRange(*limits, padding=0)
            return
        self.plot.setRange(xRange=(first, max(last, first + 1)), yRange=limits, padding=0)

    def _shown_limits(self) -> tuple[float, float]:
        """Lowest and highest of the value axis."""
        every = [self._scaled(line.values) for line in self._strip.lines]
        joined = np.concatenate(every) if every else np.empty(0)
        return self._limits(joined[np.isfinite(joined)])

    def _limits(self, known: Floats) -> tuple[float, float]:
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        if self._strip.duration:
            return low - 0.2, high + 0.2
        if self._strip.floor is not None:
            low = min(low, self._strip.floor)
        if self._strip.ceiling is not None:
            high = max(high, self._strip.ceiling)
        room = (high - low) * 0.16 or abs(high) * 0.1 or 1.3
        return low, high + room

    def _scaled(self, values: Floats) -> Floats:
        if not self._strip.duration:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled: Floats = np.where(values > 0, np.log10(np.maximum(values, 1.0)), np.nan)
        return scaled

    def _value_at(self, line: Line, second: float) -> Message:
        return value_text(self._strip, value_at(line, second))

    def _named(self, line: Line, value: Message) -> Message:
        return Message("{line} {value}", line=line.label, value=value) if line.label else value


def mark_lines(
    seconds: list[float], limits: tuple[float, float], colours: ChartColours
) -> pg.PlotCurveItem:
    """Vertical lines as one item: an InfiniteLine each takes a millisecond."""
    x = np.repeat(np.asarray(seconds, float), 2)
    y = np.tile(np.asarray(limits, float), len(seconds))
    pen = pg.mkPen(colours.mark, style=Qt.PenStyle.DashLine)
    return pg.PlotCurveItem(x, y, pen=pen, connect="pairs")


def _arm_shades(
    spans: Sequence[ArmSpan], limits: tuple[float, float], colours: ChartColours
) -> list[QGraphicsItem]:
    """A shade for each arm, and along its top a line, dashed for B; one item for all windows."""
    items: list[QGraphicsItem] = []
    for arm, style in _ARM_STYLES.items():
        if chosen := [span for span in spans if span.arm == arm]:
            colour = _colour(arm, colours)
            items += [_shade(chosen, limits, colour), _edge(chosen, limits[1], colour, style)]
    return items


def _arm_swatches(spans: Sequence[ArmSpan], colours: ChartColours) -> list[str]:
    """Their entries in a legend."""
    there = {span.arm for span in spans}
    return [
        swatch(_colour(arm, colours), sample, verbatim(arm))
        for arm, sample in _ARM_SAMPLES.items()
        if arm in there
    ]


def _colour(arm: str, colours: ChartColours) -> str:
    return colours.b if arm == "B" else colours.a


def _shade(spans: Sequence[ArmSpan], limits: tuple[float, float], colour: str) -> QGraphicsPathItem:
    path = QPainterPath()
    for span in spans:
        height = limits[1] - limits[0]
        path.addRect(QRectF(span.start_s, limits[0], span.end_s - span.start_s, height))
    fill = QColor(colour)
    fill.setAlpha(_FILL)
    item = QGraphicsPathItem(path)
    item.setPen(pg.mkPen(None))
    item.setBrush(fill)
    item.setZValue(-20)
    return item


def _edge(
    spans: Sequence[ArmSpan], height: float, colour: str, style: Qt.PenStyle
) -> pg.PlotCurveItem:
    x = np.array([end for span in spans for end in (span.start_s, span.end_s)])
    pen = pg.mkPen(colour, width=3, style=style)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pg.PlotCurveItem(x, np.full(len(x), height), pen=pen, connect="pairs")
