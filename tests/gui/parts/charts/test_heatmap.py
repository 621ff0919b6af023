"""The heat map: fine enough to look into a stall, which is a band with words; marks say why."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsRectItem

from ldap_workbench.advice.evidence.stalls import find_stalls
from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    MarkAt,
    StallAt,
    heat_grid,
)
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle
from tests.gui.watch import aside
from tests.gui.workbench.test_selection import place
from tests.unit.figures.material import START_NS, etimes

pytestmark = pytest.mark.one_window

START_S = START_NS / NS_PER_S
MS = NS_PER_S // 1000


def spread(seconds: int, per_second: int) -> HeatGrid:
    ends = START_NS + np.linspace(0, seconds * 1e9, seconds * per_second).astype(np.int64)
    return heat_grid(ends, etimes(len(ends)), START_NS, START_NS + seconds * NS_PER_S)


def test_zooming_in_reads_finer_columns_and_zooming_out_lets_them_go(qtbot, window, timeline):
    heatmap = timeline.heatmap
    first = window.workbench.opened.summary.windows[0].start_ns / NS_PER_S
    coarse = heatmap.grid.step_s
    assert heatmap.finer is None
    heatmap.plot.setXRange(first + 2, first + 5)
    qtbot.waitUntil(lambda: heatmap.finer is not None)
    assert heatmap.finer.step_s < coarse / 4
    assert f"{heatmap.finer.step_s:g} s" in heatmap.legend_label.text()
    assert f" in {heatmap.finer.step_s:g} s" in heatmap.describe_at(first + 3)
    seen = heatmap.finer.count_between(first + 2, first + 5)
    with aside(), Session.open(window.workbench.opened.path) as session:
        ends = session.client_columns(session.windows()[0], ("end_ns",))["end_ns"] / NS_PER_S
    assert seen == ((ends >= first + 2) & (ends < first + 5)).sum() > 0
    step = heatmap.finer.step_s
    heatmap.plot.setXRange(first + 2, first + 2.5)
    qtbot.waitUntil(lambda: heatmap.finer.step_s < step)
    qtbot.keyClick(heatmap, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: heatmap.finer is None)
    assert f"{coarse:g} s" in heatmap.legend_label.text()


@pytest.fixture
def wanted(window, timeline):
    """The stalls of the session. A test that read them would hold up the window itself."""
    summary = window.workbench.opened.summary
    with Session.open(summary.path) as session:
        return [e for w in summary.windows for e in find_stalls(session.operations(w))]


def test_a_stall_is_a_band_with_an_outline_words_and_numbers(qtbot, timeline, wanted):
    heatmap = timeline.heatmap
    assert len(heatmap.grid.stalls) == len(wanted) > 0
    stall, episode = heatmap.grid.stalls[0], wanted[0]
    assert stall.operations == len(episode.rows)
    assert (stall.start_s, stall.end_s) == (
        episode.start_ns / NS_PER_S,
        episode.end_ns / NS_PER_S,
    )
    assert "stalls, the longest of" in heatmap.accessibleName()
    assert f"stalls: {len(wanted)}" in heatmap.legend_label.text()
    band = _band_at(heatmap, stall)
    assert band.pen().style() is not Qt.PenStyle.NoPen, "colour is not the only carrier"
    told = heatmap.tip_at((stall.start_s + stall.end_s) / 2, heatmap.grid.bottom + 0.01)
    assert str(told[-1]) == f"stall {_length(stall)}, {stall.operations:,} operations"
    rows = [tuple(map(str, row)) for row in heatmap.numbers().rows if str(row[1]) == "stall"]
    assert [row[3] for row in rows] == [f"{s.operations:,}" for s in heatmap.grid.stalls]
    assert f"stall {_length(stall)}" in heatmap.describe_at((stall.start_s + stall.end_s) / 2)


def _band_at(heatmap: Heatmap, stall: StallAt) -> QGraphicsRectItem:
    heatmap.plot.setXRange(stall.start_s - 2, stall.end_s + 2)
    middle = place(heatmap, (stall.start_s + stall.end_s) / 2)
    items = heatmap._canvas.items(middle)
    return next(
        i
        for i in items
        if isinstance(i, QGraphicsRectItem) and i.parentItem() in heatmap.plot.items_shown
    )


def _length(stall: StallAt) -> str:
    from ldap_workbench.model.units import format_duration

    return format_duration(stall.longest_ns)


def test_a_stall_is_seen_in_what_is_in_flight(timeline):
    heatmap = timeline.heatmap
    [chart] = [c for c in timeline.stack.charts() if c._title == "Concurrency (access log)"]
    [line] = chart._strip.lines
    longest = max(heatmap.grid.stalls, key=lambda stall: stall.operations)
    inside = (line.seconds > longest.start_s) & (line.seconds < longest.end_s)
    assert np.nanmax(line.values[inside]) > longest.operations / 2
    windows = heatmap.grid.spans
    assert np.isnan(line.values).sum() == len(windows) - 1, "it breaks between windows"


def test_stalls_of_windows_that_are_not_looked_at_go(qtbot, window, timeline):
    every = len(timeline.heatmap.grid.stalls)
    next(a for a in timeline._windows._windows if a.isChecked()).setChecked(False)
    idle(qtbot, window)
    assert 0 < len(timeline.heatmap.grid.stalls) < every


def test_marks_carry_their_words(qtbot, window, timeline):
    marks = timeline.heatmap.grid.marks
    told = {(m.kind, m.text) for m in window.workbench.opened.summary.marks}
    assert {(m.kind, m.text) for m in marks} <= told
    assert any(m.text for m in marks)
    rows = {str(row[1]) for row in timeline.heatmap.numbers().rows}
    tips = {item.toolTip() for _, item in timeline.heatmap._mark_names._labels}
    for mark in marks:
        assert str(mark.description) in rows
        assert str(mark.description) in tips
    assert str(marks[0].description) in timeline.heatmap.describe_at(marks[0].second)


def test_a_thousand_stalls_are_drawn_without_a_stall_of_ours(qtbot):
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.set_grid(spread(600, 100))
    heatmap.show()
    qtbot.waitExposed(heatmap)
    moments = START_S + np.linspace(1, 590, 1000)
    heatmap.set_stalls([StallAt(t, t + 0.3, 7, 300_000_000) for t in moments])
    for low in range(0, 500, 50):
        heatmap.plot.setXRange(START_S + low, START_S + low + 100)
        qtbot.wait(5)
    assert "1,000 stalls" in heatmap.accessibleName()
    assert "stalls: 1,000, the longest 150 shown" in heatmap.legend_label.text()
    assert sum(str(row[1]) == "stall" for row in heatmap.numbers().rows) == 1000


def test_rare_slow_operations_are_the_most_visible_cells(qtbot):
    """Three among 60,000: each a mark of some pixels, in a colour that no other cell has."""
    spent = etimes(60_000, 2e5)
    spent[[9_000, 30_000, 51_000]] = 2 * NS_PER_S
    ends = START_NS + np.linspace(0, 300e9, len(spent)).astype(np.int64)
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.set_grid(heat_grid(ends, spent, START_NS, START_NS + 300 * NS_PER_S))
    heatmap.resize(700, 400)
    heatmap.show()
    qtbot.waitExposed(heatmap)
    picture = heatmap._canvas.grab().toImage()
    bad = QColor(heatmap.colours().bad).rgb()
    box = heatmap.plot.getViewBox()
    upper = range(round(box.sceneBoundingRect().height() / 3))
    marked = {(x, y) for x in range(picture.width()) for y in upper if picture.pixel(x, y) == bad}
    columns = sorted({x for x, _ in marked})
    gaps = sum(b - a > 1 for a, b in pairwise(columns))
    assert gaps == 2, "three marks"
    assert len(marked) >= 3 * 4 * 4
    assert heatmap._slow_count() < 60
    assert f"the slowest {heatmap._slow_count()}" in heatmap.legend_label.text()


def test_no_name_lies_over_a_cell(qtbot):
    grid = replace(
        spread(60, 100),
        spans=((START_S, START_S + 60, "A1", "A"),),
        marks=(MarkAt(START_S + 20, "change"), MarkAt(START_S + 21, "restart")),
    )
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.set_grid(grid)
    heatmap.set_stalls([StallAt(START_S + 59, START_S + 60, 7, 300_000_000)])
    for size, all_seen in (((560, 255), False), ((700, 300), True), ((900, 600), True)):
        heatmap.resize(*size)
        heatmap.show()
        qtbot.wait(50)
        box = heatmap.plot.getViewBox()
        top = box.mapViewToScene(QPointF(START_S, grid.top)).y()
        names = [i for i in heatmap.plot.items_shown if isinstance(i, pg.TextItem)]
        boxes = [name.mapRectToScene(name.boundingRect()) for name in names if name.isVisible()]
        assert (len(boxes) == 4) is all_seen, size
        assert max(each.bottom() for each in boxes) <= top
        assert max(each.right() for each in boxes) <= box.mapRectToScene(box.rect()).right() + 1
        assert min(each.top() for each in boxes) >= box.mapRectToScene(box.rect()).top() - 1
        within = [each.adjusted(1, 1, -1, -1) for each in boxes]
        assert not any(a.intersects(b) for i, a in enumerate(within) for b in within[:i])


def test_where_a_finer_grid_is_only_its_cells_are_marked(qtbot):
    grid = spread(600, 100)
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.set_grid(grid)
    heatmap.draw_now()
    whole = heatmap._slowest.path().elementCount()
    finer = replace(grid, step_s=grid.step_s / 2, counts=np.zeros_like(grid.counts))
    heatmap.set_finer(finer)
    hidden = heatmap._slowest.path()
    starts = [hidden.elementAt(i).x for i in range(0, hidden.elementCount(), 2)]
    assert 0 < len(starts) < whole / 2
    assert min(starts) >= finer.end_s


def test_etimes_have_ticks_and_names_above_them_none(qtbot):
    grid = replace(spread(60, 100), spans=((START_S, START_S + 60, "A1", "A"),))
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.set_grid(grid)
    heatmap.resize(600, heatmap.minimumSizeHint().height())
    heatmap.show()
    qtbot.waitExposed(heatmap)
    low, high = heatmap.plot.getViewBox().viewRange()[1]
    assert high > grid.top + 0.2
    levels = heatmap.plot.getAxis("left").tickValues(low, high, heatmap.plot.getViewBox().height())
    assert max(at for _, places in levels for at in places) <= grid.top


def test_the_heat_map_keeps_its_height_in_a_small_window(qtbot, window, timeline):
    window.resize(800, 600)
    idle(qtbot, window)
    box = timeline.heatmap.plot.getViewBox()
    assert timeline.heatmap.height() >= timeline.heatmap.minimumSizeHint().height()
    bottom, top = box.viewRange()[1]
    cells = (timeline.heatmap.grid.top - bottom) / (top - bottom) * box.height()
    assert cells >= 6 * timeline.fontMetrics().height()
