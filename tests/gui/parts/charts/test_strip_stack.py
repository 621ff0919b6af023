"""Strips in a stack: one time axis under all of them, and the windows of A and B behind them."""

import itertools
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtWidgets import QGraphicsPathItem

from ldap_workbench.figures.timeline.strips import ArmSpan
from ldap_workbench.gui.parts.charts.menu import as_image
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.model.message import verbatim
from tests.gui.pictures import strip


@pytest.fixture(params=[1, 2])
def stack(request, qtbot):
    made = StripStack(columns=request.param)
    qtbot.addWidget(made)
    made.resize(900, 420)
    made.show()
    with qtbot.waitSignal(made.complete):
        made.set_strips([replace(strip(), title=verbatim(f"strip {i}")) for i in range(6)])
    qtbot.waitUntil(lambda: all(chart.isVisible() for chart in made.charts()))
    return made


def test_one_time_axis_stands_under_every_column(qtbot, stack):
    charts = stack.charts()
    assert not any(chart.plot.getAxis("bottom").style["showValues"] for chart in charts)
    rulers = stack.rulers()
    assert [ruler.chart for ruler in rulers] == charts[: len(rulers)]
    for ruler in rulers:
        qtbot.waitUntil(lambda ruler=ruler: len(ruler.ticks()) > 1)
        assert ruler.geometry().top() > stack.viewport().geometry().bottom()
        box, canvas = ruler.chart.plot.getViewBox(), ruler.chart.canvas
        for x, text in ruler.ticks():
            hours, minutes, seconds = (*map(int, text.split(":")), 0)[:3]
            at = canvas.mapFromGlobal(ruler.mapToGlobal(QPointF(x, 0)))
            second = box.mapSceneToView(canvas.mapToScene(at.toPoint())).x()
            assert second % 86400 == pytest.approx(3600 * hours + 60 * minutes + seconds, abs=0.5)
    before = [text for _, text in rulers[0].ticks()]
    charts[0].plot.setXRange(strip().lines[0].seconds[10], strip().lines[0].seconds[13])
    assert [text for _, text in rulers[0].ticks()] != before


def test_the_axis_is_painted(qtbot, stack):
    [ruler, *_] = stack.rulers()
    qtbot.waitUntil(lambda: len(ruler.ticks()) > 1)
    painted = ruler.grab().toImage()
    colours = {painted.pixel(x, y) for x in range(painted.width()) for y in range(painted.height())}
    assert len(colours) > 2


def test_without_strips_there_is_no_axis_and_no_bar(qtbot, stack):
    assert stack.verticalScrollBar().isVisible()
    with qtbot.waitSignal(stack.complete):
        stack.set_strips([])
    assert all(ruler.ticks() == [] for ruler in stack.rulers())
    assert stack.viewportMargins().bottom() == 0
    qtbot.waitUntil(lambda: not stack.verticalScrollBar().isVisible())


def test_a_picture_of_one_strip_has_its_times(qtbot):
    pictures = []
    for in_stack in (False, True):
        chart = StripChart(strip())
        qtbot.addWidget(chart)
        chart.resize(600, 200)
        chart.show_time(not in_stack)
        chart.show()
        qtbot.waitExposed(chart)
        pictures.append(as_image(chart))
    assert pictures[0] == pictures[1]
    assert not chart.plot.getAxis("bottom").style["showValues"], "and in the stack it has none"


def test_windows_of_a_and_b_are_shaded_unlike_each_other(qtbot):
    seconds = strip().lines[0].seconds
    arms = (
        ArmSpan(seconds[10], seconds[20], "A"),
        ArmSpan(seconds[30], seconds[40], "B"),
        ArmSpan(seconds[50], seconds[60], "B"),
    )
    chart = StripChart(replace(strip(), arms=arms))
    qtbot.addWidget(chart)
    chart.draw_now()
    shades = [i for i in chart.plot.items_shown if isinstance(i, QGraphicsPathItem)]
    spans = [shade.path().boundingRect() for shade in shades]
    assert [(s.left(), s.right()) for s in spans] == [
        (seconds[10], seconds[20]),
        (seconds[30], seconds[60]),
    ]
    edges = [i for i in chart.plot.items_shown if isinstance(i, pg.PlotCurveItem)][:2]
    assert edges[0].opts["pen"].style() != edges[1].opts["pen"].style(), "not by colour alone"
    assert np.array_equal(edges[1].getData()[0], [s for a in arms[1:] for s in a[:2]])
    assert (
        chart.legend_label.text().count("&nbsp;A")
        == chart.legend_label.text().count("&nbsp;B")
        == 1
    )


def test_a_chart_stays_where_it_is_when_the_next_one_comes(qtbot):
    stack = StripStack(columns=1)
    qtbot.addWidget(stack)
    stack.resize(900, 420)
    stack.show()
    places = defaultdict(list)
    stack.chartMade.connect(lambda chart: chart.installEventFilter(watch))

    class Watch(QObject):
        def eventFilter(self, chart, event):
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and chart.isVisible():
                places[chart.title].append(chart.geometry().getRect())
            return False

    watch = Watch()
    with qtbot.waitSignal(stack.complete):
        stack.set_strips([replace(strip(), title=verbatim(f"strip {i}")) for i in range(6)])
    qtbot.waitUntil(lambda: len(stack.charts()) == 6 and stack.charts()[-1].isVisible())
    qtbot.wait(20)
    assert {chart.title: len(places[chart.title]) for chart in stack.charts()} == dict.fromkeys(
        (chart.title for chart in stack.charts()), 0
    )
    tops = [chart.geometry().top() for chart in stack.charts()]
    heights = {chart.height() for chart in stack.charts()}
    assert len(heights) == 1
    assert {b - a for a, b in itertools.pairwise(tops)} == {heights.pop() + 8}
