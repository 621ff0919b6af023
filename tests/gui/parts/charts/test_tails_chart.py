"""The tails chart: what tells B from A, its bands, and the line of the limit."""

import html
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsPathItem, QGraphicsTextItem

from ldap_workbench.figures.tails.curve import (
    BETWEEN,
    COUNTING,
    TailsPicture,
    curve_of,
    distribution_of,
)
from ldap_workbench.gui.parts.charts.shape import CcdfChart, Histogram
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.units import format_duration
from tests.gui.pictures import tails_picture
from tests.unit.figures.material import etimes


def banded(arm: str, band: str):
    """A curve whose band is known in its middle only."""
    curve = curve_of(verbatim(f"{arm}, a label"), arm, etimes(5000))
    low, high = curve.etime_ns / 3, curve.etime_ns * 3
    low[0] = high[0] = low[-1] = high[-1] = np.nan
    return type(curve)(curve.label, arm, curve.percentile, curve.etime_ns, 5000, low, high, band)


@pytest.fixture
def banded_chart(qtbot):
    made = TailsChart()
    qtbot.addWidget(made)
    made.set_picture(
        TailsPicture(
            (banded("A", BETWEEN), banded("B", COUNTING)),
            tuple(curve_of(verbatim(f"{arm}1"), arm, etimes(500)) for arm in "AB"),
            100_000_000,
        )
    )
    made.draw_now()
    return made


def test_b_is_told_from_a_without_colour(banded_chart):
    """Whoever sees no difference between orange and blue sees dashes."""
    lines = [i for i in banded_chart.plot.items_shown if isinstance(i, pg.PlotCurveItem)]
    pens = [(line.opts["pen"].width(), line.opts["pen"].style()) for line in lines]
    solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
    assert pens == [(1, solid), (1, dashed), (2, solid), (2, dashed)]
    bands = [i for i in banded_chart.plot.items_shown if isinstance(i, QGraphicsPathItem)]
    assert [band.pen().style() for band in bands] == [Qt.PenStyle.NoPen, dashed]
    legend = html.unescape(banded_chart.legend_label.text())
    assert "B: 95 % band within one window" in legend
    assert "dashed edge: B" in legend
    assert "A: 95 % band across windows" in legend
    assert legend.index("thin lines: single windows of A") < legend.index(
        "thin lines: single windows of B"
    )


def test_the_band_is_in_the_numbers_where_it_is_known(banded_chart):
    told = banded_chart.numbers()
    assert tuple(map(str, told.headings)) == (
        "Percentile", "A, a label", "A low", "A high", "B, a label", "B low", "B high", "B / A",
    )  # fmt: skip
    median = banded_chart._picture.curves[0].at(50.0)
    rows = {str(row[0]): tuple(map(str, row)) for row in told.rows}
    row = rows["p50"]
    assert row[2:4] == (format_duration(round(median / 3)), format_duration(round(median * 3)))
    assert banded_chart._picture.curves[0].limits_at(99.999999) == (None, None)
    assert rows["p99.99"][2:4] == ("–", "–")


@pytest.mark.parametrize("kind", [Histogram, CcdfChart])
def test_the_limit_of_a_good_answer_is_in_every_shape(qtbot, kind):
    made = kind()
    qtbot.addWidget(made)
    made.set_arms((distribution_of(verbatim("A"), "A", etimes(5000)),), 2 * 10**9)
    made.draw_now()
    [limit] = [item for item in made.plot.items_shown if isinstance(item, pg.InfiniteLine)]
    assert limit.angle == 90
    assert "latency target (SLO), 2.00 s" in made.legend_label.text()
    (left, right), _ = made.plot.getViewBox().viewRange()
    assert limit.value() == pytest.approx(np.log10(2e9))
    assert left < limit.value() < right, "it is in sight"
    made.set_arms((distribution_of(verbatim("A"), "A", etimes(5000)),))
    made.draw_now()
    assert not [item for item in made.plot.items_shown if isinstance(item, pg.InfiniteLine)]


def test_no_words_lie_over_a_curve(qtbot):
    """The limit is named in the legend: its line may cross the curves anywhere."""
    chart = TailsChart()
    qtbot.addWidget(chart)
    chart.set_picture(replace(tails_picture(), slo_ns=1_000_000))
    chart.draw_now()
    assert "latency target (SLO), 1.00 ms" in chart.legend_label.text()
    box = chart.plot.getViewBox()
    words = [i for i in box.allChildItems() if isinstance(i, (pg.TextItem, QGraphicsTextItem))]
    assert words == []
