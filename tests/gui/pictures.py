"""Small data for charts, the same every time."""

from __future__ import annotations

import numpy as np

from ldap_workbench.figures.tails.curve import TailsPicture, curve_of, distribution_of
from ldap_workbench.figures.timeline.heat_grid import heat_grid
from ldap_workbench.figures.timeline.strips import Line, Strip
from ldap_workbench.figures.verdict.stored import PairRatio, Rung, ShiftCurve
from ldap_workbench.figures.verdict.view import ArmBar, BeforeAfter
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.pairs import PairDotPlot, RatioLadder
from ldap_workbench.gui.parts.charts.shape import CcdfChart, Histogram
from ldap_workbench.gui.parts.charts.shift import ShiftChart
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.model.message import NOTHING, Message, verbatim
from tests.unit.figures.material import START_NS, etimes


def tails_picture(**options) -> TailsPicture:
    """A, and B at half of it."""
    a, b = etimes(5000), etimes(5000, 0.5e6, 2)
    curves = (
        curve_of(verbatim("A, as it was"), "A", a),
        curve_of(verbatim("B, with the change"), "B", b),
    )
    return TailsPicture(curves, slo_ns=100_000_000, **options)


def strip(n: int = 100) -> Strip:
    """A wave."""
    seconds = START_NS / 1e9 + np.arange(n, dtype=float)
    return Strip(Message("Operations"), "/s", (Line(NOTHING, seconds, 100 + 10 * np.sin(seconds)),))


def all_charts() -> list[ChartView]:
    """One of each kind, filled."""
    tails, dots, ladder = TailsChart(), PairDotPlot(), RatioLadder()
    histogram, ccdf, heat, line = Histogram(), CcdfChart(), Heatmap(), StripChart(strip())
    tails.set_picture(tails_picture())
    dots.set_pairs((PairRatio(0, 0.5, "AB"), PairRatio(1, 1.25, "BA")), verbatim("p99"))
    ladder.set_rungs(
        (
            Rung(verbatim("p50"), 0.5, 0.4, 0.6, "better", True),
            Rung(verbatim("p99"), 1.5, 1.2, 1.9, "worse"),
            Rung(verbatim("stalls"), None, None, None, "not enough data"),
        )
    )
    arms = (
        distribution_of(verbatim("A"), "A", etimes(5000)),
        distribution_of(verbatim("B"), "B", etimes(5000, 3e5)),
    )
    histogram.set_arms(arms)
    ccdf.set_arms(arms)
    spent = etimes(5000)
    ends = START_NS + np.linspace(0, 60e9, 5000).astype(np.int64)
    heat.set_grid(heat_grid(ends, spent, START_NS, START_NS + 60 * 10**9))
    p = 1 - 10 ** -np.linspace(0.05, 3, 40)
    ratio = np.linspace(0.5, 1.2, 40)
    shift = ShiftChart()
    shift.set_curve(ShiftCurve(p, ratio, ratio * 0.9, ratio * 1.1))
    bars = BeforeAfterChart()
    before = ArmBar("A", verbatim("A"), 2e7, verbatim("20.0 ms"), windows=(1.9e7, 2.1e7))
    after = ArmBar("B", verbatim("B"), 1e7, verbatim("10.0 ms"), 0.9e7, 1.1e7)
    bars.set_bars(BeforeAfter(verbatim("p99 etime"), "ns", before, after))
    return [tails, dots, ladder, histogram, ccdf, heat, line, shift, bars]
