"""The tails screen over a session file: bands, limits, and what its charts are about."""

import pytest

from ldap_workbench.figures.tails.curve import BETWEEN, COUNTING
from tests.gui.conftest import idle, opened

pytestmark = pytest.mark.one_window


def test_a_band_says_what_it_comes_from(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    assert "across windows" in screen.chart.legend_label.text()
    windows = window.workbench.opened.summary.windows
    screen._b.set_windows(windows, [w for w in windows if w.name == "B1"])
    screen._ask()
    idle(qtbot, window)
    a, b = screen.chart._picture.curves
    assert (a.band, b.band) == (BETWEEN, COUNTING)
    assert (
        "B: 95 % band within one window (sampling error only)" in screen.chart.legend_label.text()
    )
    for curve in (a, b):
        low, high = curve.limits_at(90.0)
        assert low < curve.at(90.0) < high
        assert curve.limits_at(99.99) == (None, None), "a few hundred operations do not tell it"


def test_the_limit_stands_in_every_chart_of_etimes(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    screen._slo.setValue(50)
    idle(qtbot, window)
    assert screen.chart._picture.slo_ns == 50_000_000
    assert screen._histogram._slo_ns == screen._ccdf._slo_ns == 50_000_000


def test_charts_of_a_verdict_say_that_they_are_of_all_operations(qtbot, window, session_file):
    """The verdict's evidence is kept for all operations: a chosen type does not change it."""
    screen = opened(qtbot, window, session_file, "tails")
    screen._kind.setCurrentIndex(screen._kind.findData("BIND"))
    screen._kind.activated.emit(screen._kind.currentIndex())
    idle(qtbot, window)
    assert "BIND operations" in screen.chart.accessibleName()
    for chart in (screen._shift, screen._pairs):
        assert "all operations" in chart.accessibleName()
        assert "all operations" in chart._heading.toolTip()
