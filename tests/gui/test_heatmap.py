"""The heat map: fine enough to look into a stall, which is a band with words; marks say why."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsRectItem

from ldap_workbench.advice.episodes import episodes
from ldap_workbench.gui.charts.grid import (
    HeatGrid,
    MarkAt,
    Rows,
    StallAt,
    closer,
    heat_grid,
    step_ns,
)
from ldap_workbench.gui.charts.heatmap import Heatmap
from ldap_workbench.gui.timeline.closer import covered, look_at
from ldap_workbench.gui.timeline.flight import flight_strip, in_flight
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session
from tests.gui.conftest import idle
from tests.gui.pictures import START_NS, etimes
from tests.gui.test_stretch import place

START_S = START_NS / NS_PER_S
MS = NS_PER_S // 1000


def spread(seconds: int, per_second: int) -> HeatGrid:
    ends = START_NS + np.linspace(0, seconds * 1e9, seconds * per_second).astype(np.int64)
    return heat_grid(ends, etimes(len(ends)), START_NS, START_NS + seconds * NS_PER_S)


@pytest.mark.parametrize(
    ("seconds", "operations", "step"),
    [
        (10, 1_000, 50 * MS),
        (10, 1_000_000, 10 * MS),
        (600, 10**6, NS_PER_S),
        (6000, 10**7, 10 * NS_PER_S),
        (1, 10, 10 * MS),
        (10 * 86_400, 10**6, 900 * NS_PER_S),
    ],
)
def test_columns_are_as_narrow_as_time_and_operations_allow(seconds, operations, step):
    assert step_ns(seconds * NS_PER_S, operations) == step


def test_a_closer_look_counts_the_same_operations():
    ends = START_NS + np.sort(np.random.default_rng(3).integers(0, 60 * NS_PER_S, 30_000))
    spent = etimes(len(ends))
    whole = heat_grid(ends, spent, START_NS, START_NS + 60 * NS_PER_S)
    within = START_NS + 20 * NS_PER_S, START_NS + 22 * NS_PER_S
    finer = closer([(ends, spent)], within, 10 * MS, whole.rows, to_the_end=False)
    assert finer.counts.shape == (200, whole.counts.shape[1])
    inside = (ends >= within[0]) & (ends < within[1])
    assert finer.counts.sum() == inside.sum()
    assert (finer.counts.sum(axis=0) == whole.counts[_columns(whole, 20, 22)].sum(axis=0)).all()


def _columns(grid: HeatGrid, first: float, last: float) -> slice:
    return slice(round(first / grid.step_s), round(last / grid.step_s))


def test_what_ended_after_the_last_window_stays_in_the_last_column():
    ends = START_NS + np.array([5, 70]) * NS_PER_S
    part = ends, np.full(2, 10**6)
    within = START_NS + 50 * NS_PER_S, START_NS + 60 * NS_PER_S
    assert closer([part], within, NS_PER_S, Rows(5.0, 30), to_the_end=False).counts.sum() == 0
    finer = closer([part], within, NS_PER_S, Rows(5.0, 30), to_the_end=True)
    assert finer.counts[-1].sum() == 1


def test_a_look_is_wanted_only_where_it_shows_more():
    whole = spread(600, 1000)
    assert look_at(whole, START_S - 10, START_S + 700) is None
    assert look_at(whole, START_S - 100, START_S - 50) is None
    look = look_at(whole, START_S + 100, START_S + 110)
    assert look.step_ns == 10 * MS
    assert (look.from_ns, look.to_ns) == (START_NS + 90 * NS_PER_S, START_NS + 120 * NS_PER_S)
    finer = HeatGrid(START_S + 90, 0.01, 5.0, 1 / 12, np.zeros((3000, 9), np.int64))
    assert covered(finer, START_S + 92, START_S + 102, look.step_ns, whole)
    assert not covered(finer, START_S + 115, START_S + 125, look.step_ns, whole)
    assert not covered(finer, START_S + 100, START_S + 110, 2 * look.step_ns, whole)
    assert not covered(None, START_S + 100, START_S + 110, look.step_ns, whole)


def test_zooming_in_reads_finer_columns_and_zooming_out_lets_them_go(qtbot, window, timeline):
    heatmap = timeline.heatmap
    first = window.workbench.opened.story.windows[0].start_ns / NS_PER_S
    coarse = heatmap.grid.step_s
    assert heatmap.finer is None
    heatmap.plot.setXRange(first + 2, first + 5)
    qtbot.waitUntil(lambda: heatmap.finer is not None, timeout=5000)
    assert heatmap.finer.step_s < coarse / 4
    assert f"{heatmap.finer.step_s:g} s" in heatmap._legend.text()
    assert f" in {heatmap.finer.step_s:g} s" in heatmap.told_at(first + 3)
    seen = heatmap.finer.count_between(first + 2, first + 5)
    with Session.open(window.workbench.opened.path) as session:
        ends = session.client_columns(session.windows()[0], ("end_ns",))["end_ns"] / NS_PER_S
    assert seen == ((ends >= first + 2) & (ends < first + 5)).sum() > 0
    step = heatmap.finer.step_s
    heatmap.plot.setXRange(first + 2, first + 2.5)
    qtbot.waitUntil(lambda: heatmap.finer.step_s < step, timeout=5000)
    qtbot.keyClick(heatmap, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: heatmap.finer is None, timeout=5000)
    assert f"{coarse:g} s" in heatmap._legend.text()


def test_a_stall_is_a_band_with_an_outline_words_and_numbers(qtbot, window, timeline):
    heatmap = timeline.heatmap
    story = window.workbench.opened.story
    with Session.open(story.path) as session:
        known = [(w, session.operations(w)) for w in story.windows]
    wanted = [(ops, e) for _, ops in known for e in episodes(ops)]
    assert len(heatmap.grid.stalls) == len(wanted) > 0
    stall, (_, episode) = heatmap.grid.stalls[0], wanted[0]
    assert stall.operations == len(episode.rows)
    assert (stall.start_s, stall.end_s) == (
        episode.start_ns / NS_PER_S,
        episode.end_ns / NS_PER_S,
    )
    assert "stalls, the longest of" in heatmap.accessibleName()
    assert f"stalls: {len(wanted)}" in heatmap._legend.text()
    band = _band_at(heatmap, stall)
    assert band.pen().style() is not Qt.PenStyle.NoPen, "colour is not the only carrier"
    assert band.toolTip() == f"stall {_length(stall)}, {stall.operations:,} operations"
    rows = [row for row in heatmap.numbers().rows if row[1] == "stall"]
    assert [row[3] for row in rows] == [f"{s.operations:,}" for s in heatmap.grid.stalls]
    assert f"stall {_length(stall)}" in heatmap.told_at((stall.start_s + stall.end_s) / 2)


def _band_at(heatmap: Heatmap, stall: StallAt) -> QGraphicsRectItem:
    heatmap.plot.setXRange(stall.start_s - 2, stall.end_s + 2)
    middle = place(heatmap, (stall.start_s + stall.end_s) / 2)
    items = heatmap._canvas.items(middle)
    return next(i for i in items if isinstance(i, QGraphicsRectItem) and i.toolTip())


def _length(stall: StallAt) -> str:
    from ldap_workbench.model.units import format_duration

    return format_duration(stall.longest_ns)


def test_what_is_in_flight_is_counted_out_of_the_log():
    rng = np.random.default_rng(6)
    window = Window(1, "w", START_NS, START_NS + 10 * NS_PER_S)
    starts = START_NS + rng.integers(0, 10 * NS_PER_S, 3000)
    spent = rng.integers(10**5, 2 * NS_PER_S, 3000)
    seconds, values = in_flight((starts + spent, spent), window, 1000)
    assert len(seconds) == len(values) == 1000
    for i in (10, 400, 700):
        moment = START_NS + (i + 1) * 10 * MS
        assert seconds[i] == pytest.approx(moment / NS_PER_S)
        assert values[i] == ((starts < moment) & (starts + spent >= moment)).sum()
    fewer, most = in_flight((starts + spent, spent), window, 300)
    assert len(fewer) == 250
    assert most.tolist() == values.reshape(250, 4).max(axis=1).tolist(), "no peak is lost"
    assert fewer[-1] == pytest.approx(window.end_ns / NS_PER_S)


def test_windows_without_a_log_have_no_strip_of_it():
    none = np.empty(0, np.int64), np.empty(0, np.int64)
    assert flight_strip([none], [Window(1, "w", START_NS, START_NS + NS_PER_S)], ()) is None


def test_a_stall_is_seen_in_what_is_in_flight(timeline):
    heatmap = timeline.heatmap
    [chart] = [c for c in timeline.stack.charts() if c._title == "In flight, as the log shows it"]
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
    told = {(m.kind, m.text) for m in window.workbench.opened.story.marks}
    assert {(m.kind, m.text) for m in marks} <= told
    assert any(m.text for m in marks)
    rows = {row[1] for row in timeline.heatmap.numbers().rows}
    tips = {item.toolTip() for _, item in timeline.heatmap._mark_names._labels}
    for mark in marks:
        assert mark.words in rows
        assert mark.words in tips
    assert marks[0].words in timeline.heatmap.told_at(marks[0].second)


def test_the_operators_own_words_stand_beside_a_mark():
    assert MarkAt(0.0, "change", "cachememsize").label == "change"
    assert MarkAt(0.0, "mark", "index rebuilt").label == "index rebuilt"
    long = MarkAt(0.0, "mark", "x" * 100)
    assert len(long.label) == 32
    assert "x" * 100 in long.words


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
    assert "stalls: 1,000, the longest 150 of them drawn" in heatmap._legend.text()
    assert sum(row[1] == "stall" for row in heatmap.numbers().rows) == 1000
