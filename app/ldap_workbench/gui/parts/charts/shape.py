"""The shape of etimes: log2 histogram A against B, and the exceedance (CCDF)."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row, every_nth
from ldap_workbench.figures.tails.curve import Distribution
from ldap_workbench.gui.parts.charts.axes import (
    UPRIGHT,
    CountAxis,
    DurationAxis,
    LogShareAxis,
    limit_at,
    limit_line,
    limit_swatch,
)
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message, verbatim

_LOG10_2 = float(np.log10(2.0))


class _Shape(ChartView):
    """What histogram and CCDF share."""

    def __init__(self, title: Message, left: pg.AxisItem) -> None:
        self._arms: tuple[Distribution, ...] = ()
        self._slo_ns: int | None = None
        super().__init__(title, {"bottom": DurationAxis("bottom"), "left": left})
        self.plot.setLabel("bottom", verbatim("etime"))

    def set_arms(self, arms: tuple[Distribution, ...], slo_ns: int | None = None) -> None:
        """Show these arms instead, and the latency target (SLO)."""
        self._arms = tuple(arm for arm in arms if arm.n)
        self._slo_ns = slo_ns
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        for arm in self._arms:
            plot.addItem(self.curve(arm, colours))
        if self._slo_ns and self._arms:
            plot.addItem(limit_line(self._slo_ns, colours, UPRIGHT))

    def curve(self, arm: Distribution, colours: ChartColours) -> pg.PlotCurveItem:
        """The line of an arm."""
        raise NotImplementedError

    def legend(self, colours: ChartColours) -> str:
        return legend_of(
            *(
                swatch(
                    _colour(arm, colours),
                    _sample(arm),
                    Message("{arm} ({count})", arm=arm.label, count=arm.n),
                )
                for arm in self._arms
            ),
            limit_swatch(self._slo_ns if self._arms else None, colours),
        )

    def fit(self) -> None:
        """All of the curves, and the limit, which has no end that counts."""
        if not self._arms:
            return
        self.plot.getViewBox().autoRange(padding=0.03)
        left, right = self.plot.getViewBox().viewRange()[0]
        if self._slo_ns:
            limit = limit_at(self._slo_ns)
            room = 0.03 * (right - left)
            self.plot.setXRange(min(left, limit - room), max(right, limit + room))


class Histogram(_Shape):
    """Share of operations per power of two of their etime."""

    def __init__(self) -> None:
        super().__init__(Message("Histogram, powers of two"), CountAxis("left"))
        self.plot.setLabel("left", Message("% of operations"))

    def curve(self, arm: Distribution, colours: ChartColours) -> pg.PlotCurveItem:
        edges = (arm.first + np.arange(len(arm.counts) + 1)) * _LOG10_2
        share = 100.0 * arm.counts / arm.n
        pen = pg.mkPen(_colour(arm, colours), width=2, style=_style(arm))
        return pg.PlotCurveItem(edges, share, stepMode="center", pen=pen)

    def reading(self) -> str:
        if not self._arms:
            return shown(NO_DATA)
        usual = [arm.first + int(np.argmax(arm.counts)) for arm in self._arms]
        sentences = [
            Message("{arm}: most operations took {etimes}.", arm=arm.label, etimes=_bucket(power))
            for arm, power in zip(self._arms, usual, strict=True)
        ]
        return " ".join(map(shown, sentences))

    def numbers(self) -> Numbers:
        if not self._arms:
            return Numbers((verbatim("etime"),))
        first = min(arm.first for arm in self._arms)
        last = max(arm.first + len(arm.counts) for arm in self._arms)
        rows: list[Row] = [
            (_bucket(power), *(formats.amount(_count(arm, power)) for arm in self._arms))
            for power in range(first, last)
        ]
        return Numbers((verbatim("etime"), *(arm.label for arm in self._arms)), tuple(rows))


class CcdfChart(_Shape):
    """The share of operations slower than x, both axes logarithmic."""

    def __init__(self) -> None:
        super().__init__(Message("Exceedance (CCDF): share slower than …"), LogShareAxis("left"))

    def curve(self, arm: Distribution, colours: ChartColours) -> pg.PlotCurveItem:
        x = np.log10(np.maximum(arm.etime_ns, 1.0))
        y = np.log10(arm.drawn_shares())
        pen = pg.mkPen(_colour(arm, colours), width=2, style=_style(arm))
        return pg.PlotCurveItem(x, y, pen=pen, antialias=True)

    def reading(self) -> str:
        if not self._arms:
            return shown(NO_DATA)
        sentences = [
            Message(
                "{arm}: the longest took {etime:duration}.",
                arm=arm.label,
                etime=int(arm.etime_ns[-1]),
            )
            for arm in self._arms
        ]
        return " ".join(map(shown, sentences))

    def numbers(self) -> Numbers:
        rows: list[Row] = [
            (arm.label, formats.etime(int(ns)), formats.share(slower / arm.n))
            for arm in self._arms
            for ns, slower in zip(arm.etime_ns, arm.slower, strict=True)
        ]
        return Numbers((Message("Arm"), verbatim("etime"), Message("Slower")), every_nth(rows, 400))


def _colour(arm: Distribution, colours: ChartColours) -> str:
    return colours.b if arm.arm == "B" else colours.a


def _style(arm: Distribution) -> Qt.PenStyle:
    return Qt.PenStyle.DashLine if arm.arm == "B" else Qt.PenStyle.SolidLine


def _sample(arm: Distribution) -> str:
    return "╍╍╍" if arm.arm == "B" else "━━━"


def _bucket(power: int) -> Message:
    return Message("{low:duration} to {high:duration}", low=2**power, high=2 ** (power + 1))


def _count(arm: Distribution, power: int) -> int:
    at = power - arm.first
    return int(arm.counts[at]) if 0 <= at < len(arm.counts) else 0
