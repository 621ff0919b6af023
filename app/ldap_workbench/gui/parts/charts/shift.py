"""The shift plot: B / A at every quantile, as far into the tail as the windows reach."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from ldap_workbench.figures.formats import ratio
from ldap_workbench.figures.table import Numbers, Row, every_nth
from ldap_workbench.figures.verdict.stored import SAME, ShiftCurve
from ldap_workbench.gui.parts.charts.axes import PercentileAxis, RatioAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message, verbatim

_SAME = float(np.log2(SAME))


class ShiftChart(ChartView):
    """Where in the distribution B differs from A: below ×1 it is quicker."""

    def __init__(self) -> None:
        self._curve: ShiftCurve | None = None
        axes = {"bottom": PercentileAxis("bottom"), "left": RatioAxis("left")}
        super().__init__(Message("B / A at every percentile, all operations"), axes)
        self.plot.setLabel("bottom", Message("percentile (ends where too few stalls remain)"))
        self.plot.setLabel("left", verbatim("B / A"))

    def set_curve(self, curve: ShiftCurve | None) -> None:
        """Show this one; None where the verdict has none."""
        self._curve = curve
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        same = QColor(colours.dim)
        same.setAlpha(40)
        band = pg.LinearRegionItem((-_SAME, _SAME), "horizontal", brush=same, movable=False)
        for line in band.lines:
            line.setPen(pg.mkPen(None))
        plot.addItem(band)
        plot.addItem(pg.InfiniteLine(0.0, angle=0, pen=pg.mkPen(colours.dim)))
        if self._curve is None:
            return
        x = -np.log10(1.0 - self._curve.p)
        edge = pg.mkPen(colours.b, width=1, style=Qt.PenStyle.DashLine)
        for values in (self._curve.low, self._curve.high):
            plot.addItem(pg.PlotCurveItem(x, np.log2(values), pen=edge))
        line = pg.mkPen(colours.b, width=2)
        plot.addItem(pg.PlotCurveItem(x, np.log2(self._curve.ratio), pen=line, antialias=True))

    def legend(self, colours: ChartColours) -> str:
        return legend_of(
            swatch(colours.b, "━━━", Message("B / A: below ×1, B is quicker")),
            swatch(colours.b, "╍╍╍", Message("95 % band at each percentile")),
            swatch(colours.dim, "▒▒▒", Message("within 10 %")),
        )

    def reading(self) -> str:
        if self._curve is None:
            return self.tr("nothing to compare yet.")
        ratios = tuple(
            Message("p{p:g} {ratio:ratio}", p=100 * p, ratio=self._at(p)) for p in (0.5, 0.9, 0.99)
        )
        last = 100 * float(self._curve.p[-1])
        return shown(Message("B / A: {ratios}; known up to p{last:.5g}.", ratios=ratios, last=last))

    def numbers(self) -> Numbers:
        curve = self._curve
        rows: list[Row] = []
        if curve is not None:
            for p, *ratios in zip(curve.p, curve.ratio, curve.low, curve.high, strict=True):
                rows.append((f"p{100 * p:.5g}", *map(ratio, map(float, ratios))))
        return Numbers(
            (Message("Percentile"), verbatim("B / A"), Message("Low"), Message("High")),
            every_nth(rows, 60),
        )

    def fit(self) -> None:
        curve = self._curve
        if curve is None:
            self.plot.setRange(xRange=(0, 3), yRange=(-1, 1), padding=0)
            return
        # The band may be wide open at the end of the tail; the line itself must fit.
        low = max(float(np.log2(curve.low).min()), float(np.log2(curve.ratio).min()) - 2)
        high = min(float(np.log2(curve.high).max()), float(np.log2(curve.ratio).max()) + 2)
        right = float(-np.log10(1.0 - curve.p[-1]))
        limits = (min(low, -2 * _SAME), max(high, 2 * _SAME))
        self.plot.setRange(xRange=(0, right), yRange=limits, padding=0.04)

    def _at(self, p: float) -> float:
        assert self._curve is not None
        return float(self._curve.ratio[int(np.abs(self._curve.p - p).argmin())])
