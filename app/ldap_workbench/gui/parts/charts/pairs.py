"""Pairs and ratios: what the verdict rests on, one dot a pair, one rung a metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from ldap_workbench.figures.formats import ratio
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.verdict.stored import PairRatio, Rung
from ldap_workbench.gui.parts.charts.axes import NamesAxis, RatioAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.verdict import Judgement

_SIDES = Message("left of ×1: B is better; right: B is worse")


class PairDotPlot(ChartView):
    """One dot a pair: do they agree?"""

    def __init__(self) -> None:
        self._pairs: tuple[PairRatio, ...] = ()
        names = NamesAxis("left")
        super().__init__(Message("Pair by pair"), {"bottom": RatioAxis("bottom"), "left": names})
        self.plot.getViewBox().invertY(True)

    def set_pairs(self, pairs: tuple[PairRatio, ...], metric: Message) -> None:
        """Show the ratios of these pairs for a metric, named in words."""
        self._pairs = pairs
        self.set_title(Message("Pair by pair: {metric}", metric=metric))
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        plot.getAxis("left").set_names(tuple(shown(_pair_name(pair)) for pair in self._pairs))
        plot.addItem(_one(colours))
        plot.addItem(_dots([_pair_dot(row, p, colours) for row, p in enumerate(self._pairs)]))

    def legend(self, colours: ChartColours) -> str:
        return legend_of(
            swatch(colours.good, "●", Message("B better in this pair")),
            swatch(colours.bad, "◆", Message("B worse")),
            swatch(colours.dim, "│", _SIDES),
        )

    def reading(self) -> str:
        if not self._pairs:
            return self.tr("no pair is complete yet.")
        better = sum(pair.ratio < 1 for pair in self._pairs)
        return shown(
            Message("B is better in {better} of {all} pairs.", better=better, all=len(self._pairs))
        )

    def numbers(self) -> Numbers:
        rows = tuple((_pair_name(p), p.order, ratio(p.ratio)) for p in self._pairs)
        return Numbers((Message("Pair"), Message("Order"), verbatim("B / A")), rows)

    def fit(self) -> None:
        limits = _limits([pair.ratio for pair in self._pairs])
        self.plot.setRange(xRange=limits, yRange=(-0.6, len(self._pairs) - 0.4), padding=0)


class RatioLadder(ChartView):
    """One rung a metric: its ratio with its interval."""

    def __init__(self) -> None:
        self._rungs: tuple[Rung, ...] = ()
        axes = {"bottom": RatioAxis("bottom"), "left": NamesAxis("left")}
        super().__init__(Message("B / A by metric, with interval"), axes)
        self.plot.getViewBox().invertY(True)

    def set_rungs(self, rungs: tuple[Rung, ...]) -> None:
        """Show these metrics, the first on top."""
        self._rungs = rungs
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        plot.getAxis("left").set_names(tuple(map(_name, self._rungs)))
        plot.addItem(_one(colours))
        known = [(row, rung) for row, rung in enumerate(self._rungs) if rung.ratio is not None]
        material = [_Span(1 / rung.material, rung.material, row) for row, rung in known]
        plot.addItem(_spans(material, _wide_pen(colours)))
        for (colour, width), spans in _intervals(known, colours).items():
            plot.addItem(_spans(spans, pg.mkPen(colour, width=width)))
        plot.addItem(_dots([_rung_dot(row, rung, colours) for row, rung in known]))
        for row, rung in enumerate(self._rungs):
            if rung.ratio is None:
                text = pg.TextItem(
                    shown(Judgement.named(rung.verdict)), color=colours.dim, anchor=(1.0, 0.5)
                )
                text.setPos(0.0, row)
                plot.addItem(text, ignoreBounds=True)

    def legend(self, colours: ChartColours) -> str:
        return legend_of(
            swatch(colours.good, "━●━", Message("better")),
            swatch(colours.bad, "━◆━", Message("worse")),
            swatch(colours.dim, "━●━", Message("inconclusive")),
            swatch(colours.dim, "▒▒▒", Message("too small to matter")),
            swatch(colours.dim, "│", _SIDES),
        )

    def reading(self) -> str:
        if not self._rungs:
            return self.tr("there is no verdict yet.")
        judgements = [
            f"{_name(rung)} {shown(Judgement.named(rung.verdict))}" for rung in self._rungs[:3]
        ]
        return f"{', '.join(judgements)}."

    def numbers(self) -> Numbers:
        rows = tuple(
            (
                r.name,
                Judgement.named(r.verdict),
                *map(ratio, (r.ratio, r.low, r.high)),
            )
            for r in self._rungs
        )
        return Numbers(
            (
                Message("Metric"),
                Message("Verdict"),
                verbatim("B / A"),
                Message("Low"),
                Message("High"),
            ),
            rows,
        )

    def fit(self) -> None:
        ratios = [v for r in self._rungs for v in (r.ratio, r.low, r.high) if v]
        limits = _limits(ratios)
        self.plot.setRange(xRange=limits, yRange=(-0.6, len(self._rungs) - 0.4), padding=0)


def _pair_name(pair: PairRatio) -> Message:
    return Message("pair {number}", number=pair.pair + 1)


def _name(rung: Rung) -> str:
    return shown(rung.name)


def _limits(ratios: list[float]) -> tuple[float, float]:
    """From the smallest to the largest ratio, with ×1 and some room on both of its sides.

    An interval that reaches from nowhere to nowhere must not squeeze the others.
    """
    logs = [float(np.clip(np.log2(max(ratio, 1e-9)), -6, 6)) for ratio in ratios]
    low, high = min([-0.4, *logs]), max([0.4, *logs])
    room = 0.06 * (high - low)
    return low - room, high + room


def _decided(rung: Rung) -> bool:
    return rung.verdict in ("better", "worse")


def _side(better: bool, colours: ChartColours) -> str:
    return colours.good if better else colours.bad


def _one(colours: ChartColours) -> pg.InfiniteLine:
    return pg.InfiniteLine(0.0, angle=90, pen=pg.mkPen(colours.dim, style=Qt.PenStyle.DotLine))


class _Dot(NamedTuple):
    ratio: float
    row: int
    colour: str
    round: bool


def _pair_dot(row: int, pair: PairRatio, colours: ChartColours) -> _Dot:
    better = pair.ratio < 1
    return _Dot(pair.ratio, row, _side(better, colours), better)


def _rung_dot(row: int, rung: Rung, colours: ChartColours) -> _Dot:
    assert rung.ratio is not None
    round_ = rung.ratio < 1 or not _decided(rung)
    return _Dot(rung.ratio, row, _rung_colour(rung, colours), round_)


def _rung_colour(rung: Rung, colours: ChartColours) -> str:
    better = rung.ratio is not None and rung.ratio < 1
    return _side(better, colours) if _decided(rung) else colours.dim


def _dots(dots: Sequence[_Dot]) -> pg.ScatterPlotItem:
    """All as one item: each of its own takes 2 ms to make and paint."""
    return pg.ScatterPlotItem(
        [float(np.log2(dot.ratio)) for dot in dots],
        [float(dot.row) for dot in dots],
        symbol=["o" if dot.round else "d" for dot in dots],
        size=11,
        brush=[pg.mkBrush(dot.colour) for dot in dots],
        pen=pg.mkPen(None),
    )


class _Span(NamedTuple):
    """From one ratio to another, in a row."""

    low: float
    high: float
    row: int


def _intervals(
    rungs: Sequence[tuple[int, Rung]], colours: ChartColours
) -> dict[tuple[str, int], list[_Span]]:
    """Those that are known, by colour and width of their line."""
    spans: dict[tuple[str, int], list[_Span]] = {}
    for row, rung in rungs:
        if rung.low and rung.high:
            kind = (_rung_colour(rung, colours), 3 if rung.primary else 2)
            spans.setdefault(kind, []).append(_Span(rung.low, rung.high, row))
    return spans


def _spans(spans: Sequence[_Span], pen: QPen) -> pg.PlotCurveItem:
    x = np.log2([end for span in spans for end in (span.low, span.high)])
    y = np.repeat([float(span.row) for span in spans], 2)
    return pg.PlotCurveItem(x, y, pen=pen, connect="pairs")


def _wide_pen(colours: ChartColours) -> QPen:
    same = QColor(colours.dim)
    same.setAlpha(60)
    pen: QPen = pg.mkPen(same, width=14)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # a round one would reach further than is true
    return pen
