"""The bars before and after: every number is whole, however little room there is."""

import pyqtgraph as pg
import pytest

from ldap_workbench.figures.verdict.view import ArmBar, BeforeAfter
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.style.theme import chart_colours, palette
from ldap_workbench.gui.screens.experiment.run_page import RunPage
from ldap_workbench.gui.screens.experiment.verdict_page import VerdictPage
from ldap_workbench.model.experiment import Design, Plan, Step
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import verbatim

BEFORE = ArmBar("A", verbatim("A, as it was"), 2e9, verbatim("1,999.99 ms"), windows=(1.9e9, 2.1e9))
AFTER = ArmBar("B", verbatim("B"), 1.9e9, verbatim("1,900.00 ms"), 1.8e9, 2.3e9)


@pytest.mark.parametrize("width", [280, 400, 900])
def test_no_number_is_cut(qtbot, width):
    chart = BeforeAfterChart()
    qtbot.addWidget(chart)
    chart.set_bars(BeforeAfter(verbatim("p99 etime"), "ns", BEFORE, AFTER))
    chart.show()
    for now in (900, width):
        chart.resize(now, chart.minimumSizeHint().height())
        qtbot.waitUntil(lambda: bool(chart.plot.items_shown))
        qtbot.wait(20)
    box = chart.plot.getViewBox()
    right = box.mapRectToScene(box.rect()).right()
    texts = [item for item in chart.plot.items_shown if isinstance(item, pg.TextItem)]
    places = [text.mapRectToScene(text.boundingRect()) for text in texts]
    assert len(places) == 2
    assert max(place.right() for place in places) <= right + 1
    assert not places[0].intersects(places[1])
    interval = box.mapViewToScene(pg.Point(2.3e9, 1)).x()
    assert places[1].left() > interval, "beside the interval, not over it"


def test_what_shows_nothing_is_not_there(qtbot):
    page, run = VerdictPage(), RunPage()
    for widget in (page, run):
        qtbot.addWidget(widget)
    page.clear()
    assert page.bars.isHidden()
    assert page.chart.isHidden()
    run.begin(Plan(Treatment(()), Design(), (Step("A", 0), Step("B", 0)), 10.0, 1))
    assert run.chart.isHidden(), "before the first window has ended"
    page._show_bars(BeforeAfter(verbatim("p99 etime"), "ns", BEFORE, AFTER))
    assert not page.bars.isHidden()


def test_a_legend_said_while_hidden_follows_the_theme(qtbot):
    """What comes while another screen is seen speaks in the colours of the last theme."""
    chart = BeforeAfterChart()
    qtbot.addWidget(chart)
    chart.resize(500, 300)
    dark, light = palette(dark=True), palette(dark=False)
    chart.show()
    chart.hide()
    chart.setPalette(dark)
    chart.set_bars(BeforeAfter(verbatim("p99 etime"), "ns", BEFORE, AFTER))
    assert chart_colours(dark=True).text in chart.legend_label._words
    chart.setPalette(light)
    chart.show()
    qtbot.waitUntil(lambda: bool(chart.plot.items_shown))
    assert chart_colours(dark=False).text in chart.legend_label._words
    assert chart_colours(dark=True).text not in chart.legend_label._words
