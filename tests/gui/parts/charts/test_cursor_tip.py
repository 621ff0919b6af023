"""The tip at the pointer: time, series and value with its unit, as text and never as markup."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from ldap_workbench.figures.timeline.heat_grid import StallAt, heat_cell, heat_grid
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.units import NS_PER_S
from tests.gui.pictures import strip
from tests.unit.figures.material import START_NS

START_S = START_NS / NS_PER_S


def shown_at(qtbot, chart: ChartView) -> ChartView:
    qtbot.addWidget(chart)
    chart.resize(600, 320)
    chart.show()
    qtbot.waitExposed(chart)
    return chart


def place(chart: ChartView, x: float, y: float) -> QPoint:
    return chart.canvas.mapFromScene(chart.plot.getViewBox().mapViewToScene(QPointF(x, y)))


def point_at(qtbot, chart: ChartView, x: float, y: float) -> str:
    """The text beside the pointer there."""
    where = place(chart, x, y)
    QTest.mouseMove(chart.canvas.viewport(), where - QPoint(1, 0))
    QTest.mouseMove(chart.canvas.viewport(), where)
    qtbot.waitUntil(chart._tip.isVisible)
    return chart._tip.text()


@pytest.fixture
def one_operation(qtbot):
    """A heat map with one operation of 5 ms at 10 s."""
    ends = np.array([START_NS + 10 * NS_PER_S])
    grid = heat_grid(ends, np.array([5_000_000]), START_NS, START_NS + 60 * NS_PER_S)
    heatmap = Heatmap()
    heatmap.set_grid(grid.with_stalls([StallAt(START_S + 9, START_S + 11, 7, 300_000_000)]))
    return shown_at(qtbot, heatmap)


def test_a_strip_tells_time_and_value_with_unit(qtbot):
    chart = shown_at(qtbot, StripChart(strip()))
    [line] = strip().lines
    time, value = point_at(qtbot, chart, line.seconds[40] + 0.5, 100.0).splitlines()
    assert time.endswith(" UTC")
    assert time.count(":") == 2
    assert value == f"Operations {line.values[40]:.3g}/s"


def test_the_heat_map_tells_the_cell(qtbot, one_operation):
    x, y = START_S + 10.1, np.log10(5e6) + 0.001
    told = point_at(qtbot, one_operation, x, y).splitlines()
    assert told[0].endswith(":10 UTC") or told[0].endswith(":10.0 UTC")
    assert told[1].startswith("etime 4.64 ms to 5.62 ms: 1 operation in ")
    assert told[2] == "stall 300 ms, 7 operations"


def test_beside_the_cells_there_is_no_tip(qtbot, one_operation):
    grid = one_operation.grid
    assert heat_cell(grid, grid, grid.start_s - 1, grid.bottom + 0.1) == ()
    assert heat_cell(grid, grid, grid.start_s + 1, grid.top + 0.1) == ()
    point_at(qtbot, one_operation, START_S + 10, grid.bottom + 0.1)
    box = one_operation.plot.getViewBox()
    box.hovered.emit(box.mapViewToScene(QPointF(START_S + 10, grid.top + 1)))
    assert not one_operation._tip.isVisible()


def test_it_goes_with_the_pointer(qtbot, one_operation):
    point_at(qtbot, one_operation, START_S + 10, one_operation.grid.bottom + 0.1)
    one_operation.plot.getViewBox().hovered.emit(None)
    assert not one_operation._tip.isVisible()


def test_markup_stays_text(qtbot):
    evil = "<img src=file:///etc/passwd><b>x</b>"
    chart = shown_at(qtbot, StripChart(replace(strip(), title=verbatim(evil))))
    assert evil in point_at(qtbot, chart, strip().lines[0].seconds[40], 100.0)
    assert chart._tip.textFormat() == Qt.TextFormat.PlainText


def test_it_stays_inside_and_clear_of_the_pointer(qtbot):
    chart = shown_at(qtbot, StripChart(strip()))
    low, high = chart.plot.getViewBox().viewRange()[0]
    for share in (0.01, 0.5, 0.99):
        x = low + share * (high - low)
        point_at(qtbot, chart, x, 101.0)
        tip = chart._tip.geometry()
        assert chart.canvas.rect().contains(tip)
        assert not tip.contains(place(chart, x, 101.0))
