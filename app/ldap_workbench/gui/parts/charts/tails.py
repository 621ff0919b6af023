"""The tails of A and B on a log-percentile axis: the further right, the rarer the operation."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem

from ldap_workbench.figures.formats import amount, ratio
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.tails.curve import (
    BETWEEN,
    COUNTING,
    SHOWN,
    Float,
    TailCurve,
    TailsPicture,
)
from ldap_workbench.figures.ticks import percentile_position
from ldap_workbench.gui.parts.charts.axes import (
    ACROSS,
    DurationAxis,
    PercentileAxis,
    limit_at,
    limit_line,
    limit_swatch,
)
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message, Value, verbatim

_TITLE = Message("etime by percentile")
_READ = (50.0, 99.0, 99.9)
_BANDS = {
    COUNTING: Message("95 % band within one window (sampling error only)"),
    BETWEEN: Message("95 % band across windows"),
}
_DASHES = {"A": Qt.PenStyle.SolidLine, "B": Qt.PenStyle.DashLine}
_SAMPLES = {"A": "━━━", "B": "╍╍╍"}
_THIN = {"A": "───", "B": "┄┄┄"}


class TailsChart(ChartView):
    """A against B."""

    def __init__(self) -> None:
        self._picture = TailsPicture()
        axes = {"bottom": PercentileAxis("bottom"), "left": DurationAxis("left")}
        super().__init__(_TITLE, axes)
        self.plot.setLabel("bottom", Message("percentile"))
        self.plot.setLabel("left", verbatim("etime"))

    def set_picture(self, picture: TailsPicture) -> None:
        """Show these curves instead."""
        self._picture = picture
        of_kind = Message("etime by percentile of {kind} operations", kind=picture.kind)
        self.set_title(of_kind if picture.kind else _TITLE)
        self.refresh()

    def clear(self) -> None:
        """Show nothing."""
        self.set_picture(TailsPicture())

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        for curve in self._picture.windows:
            plot.addItem(_line(curve, _faint(_colour(curve.arm, colours), 90), 1))
        for curve in self._picture.curves:
            if curve.low_ns is not None and curve.high_ns is not None:
                plot.addItem(_band(curve, QColor(_colour(curve.arm, colours))))
        for curve in self._picture.curves:
            plot.addItem(_line(curve, QColor(_colour(curve.arm, colours)), 2))
        if self._picture.slo_ns:
            plot.addItem(limit_line(self._picture.slo_ns, colours, ACROSS))

    def legend(self, colours: ChartColours) -> str:
        entries = [
            swatch(
                _colour(c.arm, colours),
                _SAMPLES.get(c.arm, "━━━"),
                Message("{arm} ({count} operations)", arm=c.label, count=c.n),
            )
            for c in self._picture.curves
        ]
        thin = {curve.arm: curve for curve in self._picture.windows}
        for arm in thin:
            sample = _THIN.get(arm, "───")
            text = Message("single windows")
            if arm:
                text = Message("thin lines: single windows of {arm}", arm=arm)
            entries.append(swatch(_colour(arm, colours), sample, text))
        entries += self._describe_bands(colours)
        return legend_of(*entries, limit_swatch(self._picture.slo_ns, colours))

    def _describe_bands(self, colours: ChartColours) -> list[str]:
        """What the bands are; once where all are the same."""
        banded = [curve for curve in self._picture.curves if curve.band]
        entries = []
        for band in dict.fromkeys(curve.band for curve in banded):
            arms = [curve.arm for curve in banded if curve.band == band]
            text = _BANDS[band]
            if len(arms) == 1 < len(banded):
                text = Message("{arm}: {band}", arm=arms[0], band=text)
            if "B" in arms:
                text = Message("{band}; dashed edge: B", band=text)
            entries.append(swatch(colours.dim, "▒▒▒", text))
        return entries

    def reading(self) -> str:
        curves = self._picture.curves
        if not curves:
            return shown(NO_DATA)
        if len(curves) == 1:
            known = tuple(
                Message("p{p:g} is {etime}", p=p, etime=_etime(curves[0].at(p))) for p in _READ
            )
            return shown(Message("{curve}: {known}.", curve=curves[0].label, known=known))
        return " ".join(shown(_change(curves[0], curves[-1], p)) for p in (50.0, 99.9))

    def numbers(self) -> Numbers:
        curves = self._picture.curves
        compared = len(curves) == 2
        headings = [Message("Percentile")]
        for curve in curves:
            headings.append(curve.label)
            if curve.band:
                headings.append(Message("{arm} low", arm=curve.arm))
                headings.append(Message("{arm} high", arm=curve.arm))
        if compared:
            headings.append(verbatim("B / A"))
        rows: list[Row] = []
        for p in SHOWN:
            cells = [cell for curve in curves for cell in _cells(curve, p)]
            if compared:
                cells.append(_ratio(*(curve.at(p) for curve in curves)))
            rows.append((f"p{p:g}", *cells))
        return Numbers(tuple(headings), tuple(rows))

    def fit(self) -> None:
        curves = [c for c in self._picture.curves if len(c.etime_ns)]
        if not curves:
            self.plot.setRange(xRange=(0, 4), yRange=(5, 9), padding=0)
            return
        low = min(float(np.log10(max(1.0, c.etime_ns[0]))) for c in curves)
        high = max(float(np.log10(max(1.0, c.etime_ns[-1]))) for c in curves)
        if self._picture.slo_ns:
            high = max(high, limit_at(self._picture.slo_ns))
        right = max(percentile_position(float(c.percentile[-1])) for c in curves)
        self.plot.setRange(xRange=(0, right), yRange=(low, high), padding=0.04)


def _change(a: TailCurve, b: TailCurve, percentile: float) -> Message:
    """For example: p99.9 fell from 28.0 ms to 7.80 ms (×0.279)."""
    before, after = a.at(percentile), b.at(percentile)
    name = Message("p{percentile:g}", percentile=percentile)
    if before is None or after is None:
        return Message("{name} is missing on one side.", name=name)
    if abs(after / before - 1) < 0.01:
        return Message("{name} stayed at {etime:duration}.", name=name, etime=after)
    parameters: dict[str, Value] = {
        "name": name,
        "before": before,
        "after": after,
        "ratio": after / before,
    }
    if after < before:
        return Message(
            "{name} fell from {before:duration} to {after:duration} ({ratio:ratio}).", **parameters
        )
    return Message(
        "{name} rose from {before:duration} to {after:duration} ({ratio:ratio}).", **parameters
    )


def _colour(arm: str, colours: ChartColours) -> str:
    return {"A": colours.a, "B": colours.b}.get(arm, colours.a)


def _faint(colour: str, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made


def _places(curve: TailCurve) -> Float:
    return -np.log10(1.0 - np.asarray(curve.percentile) / 100.0)


def _log(ns: Float) -> Float:
    return np.log10(np.maximum(ns, 1.0))


def _line(curve: TailCurve, colour: QColor, width: int) -> pg.PlotCurveItem:
    """Colour is not the only thing that tells B: every line of it is dashed."""
    pen = pg.mkPen(colour, width=width, style=_DASHES.get(curve.arm, Qt.PenStyle.SolidLine))
    return pg.PlotCurveItem(_places(curve), _log(curve.etime_ns), pen=pen, antialias=True)


def _band(curve: TailCurve, colour: QColor) -> QGraphicsPathItem:
    """One filled path, as far as it is known; that of B has an edge of dashes.

    FillBetweenItem draws nothing between curves without a pen.
    """
    assert curve.low_ns is not None
    assert curve.high_ns is not None
    known = np.isfinite(curve.low_ns) & np.isfinite(curve.high_ns)
    x = _places(curve)[known]
    there, back = _log(curve.high_ns[known]), _log(curve.low_ns[known])
    path = QPainterPath()
    if len(x):
        path.moveTo(float(x[0]), float(there[0]))
    for a, b in zip(x[1:], there[1:], strict=True):
        path.lineTo(float(a), float(b))
    for a, b in zip(x[::-1], back[::-1], strict=True):
        path.lineTo(float(a), float(b))
    path.closeSubpath()
    item = QGraphicsPathItem(path)
    edge = pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine)
    item.setPen(edge if curve.arm == "B" else pg.mkPen(None))
    item.setBrush(pg.mkBrush(_faint(colour.name(), 60)))
    return item


def _etime(ns: float | None) -> Message:
    return amount(ns, "duration")


def _cells(curve: TailCurve, percentile: float) -> list[Message]:
    limits = curve.limits_at(percentile) if curve.band else ()
    return [_etime(value) for value in (curve.at(percentile), *limits)]


def _ratio(a: float | None, b: float | None) -> Message:
    return ratio(b / a) if a and b is not None else ratio(None)
