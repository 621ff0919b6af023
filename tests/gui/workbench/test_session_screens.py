"""Tails, timeline, operations and report over a session file, offline."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.message import NOTHING, verbatim
from ldap_workbench.model.units import format_duration, format_ratio
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle, opened
from tests.gui.pictures import strip
from tests.gui.watch import aside

pytestmark = pytest.mark.one_window


def test_tails_show_the_verdict_of_the_experiment(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    assert screen._band.heading.text().startswith("Operations are 2.1 times faster: p50 ")
    assert "×0.5" in screen.chart.reading() or "fell" in screen.chart.reading()
    assert "A, as it was" in screen.chart.legend_label.text()
    assert screen._metrics.rows.rowCount() > 4


def test_every_pair_is_a_dot_that_agrees_with_the_verdict(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    experiment = window.workbench.opened.summary.experiment
    assert screen._charts.isTabVisible(screen._charts.indexOf(screen._pairs))
    assert screen._pairs.reading() == "B is better in 6 of 6 pairs."
    rows = screen._pairs.numbers().rows
    firsts = [s.arm for s in experiment.plan.steps][::2]
    assert [row[1].split()[0] for row in rows] == firsts
    measured = {(w.arm, w.pair): w.p50 for w in experiment.verdict.details.windows}
    assert str(rows[0][2]) == format_ratio(measured["B", 0] / measured["A", 0])


def test_two_windows_are_no_pairs(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    windows = window.workbench.opened.summary.windows
    screen._a.set_windows(windows, [w for w in windows if w.name == "A1"])
    screen._b.set_windows(windows, [w for w in windows if w.name == "B1"])
    screen._ask()
    idle(qtbot, window)
    assert not screen._charts.isTabVisible(screen._charts.indexOf(screen._pairs))


def test_the_numbers_table_is_what_the_core_computes(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    with aside(), Session.open(session_file) as session:
        window_a = session.window("A1")
        told = next(t for t in tails(session.operations(window_a), window="A1") if t.type == "ALL")
    shown = next(t for t in screen._rows.rows.rows if (t.window, t.type) == ("A1", "ALL"))
    assert shown == told
    row = screen._rows.rows.rows.index(shown)
    assert screen._rows.rows.index(row, 3).data() == format_duration(told.p50_ns)


def test_other_windows_can_only_suggest(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    windows = window.workbench.opened.summary.windows
    screen._a.set_windows(windows, [w for w in windows if w.name == "A1"])
    screen._b.set_windows(windows, [w for w in windows if w.name == "B1"])
    screen._ask()
    idle(qtbot, window)
    assert screen._band.isVisible()
    assert screen._band.heading.text() == "Not enough data"


def test_without_b_there_is_one_curve_and_no_verdict(qtbot, window, capture_file):
    screen = opened(qtbot, window, capture_file, "tails")
    assert len(screen.chart._picture.curves) == 1
    assert not screen._band.isVisible()
    assert not screen._tables.isTabVisible(0)


def test_a_type_can_be_looked_at_alone(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    every = screen.chart._picture.curves[0].n
    screen._kind.setCurrentIndex(screen._kind.findData("BIND"))
    screen._kind.activated.emit(screen._kind.currentIndex())
    idle(qtbot, window)
    assert 0 < screen.chart._picture.curves[0].n < every
    assert "BIND" in screen.chart.accessibleName()


@pytest.mark.one_window(False)
def test_the_limit_is_a_line_and_is_remembered(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    screen._slo.setValue(50)
    idle(qtbot, window)
    assert screen.chart._picture.slo_ns == 50_000_000
    assert window.workbench.settings.slo_ms == 50


def test_ticking_windows_changes_the_curves(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    before = screen.chart._picture.curves[0].n
    next(action for action in screen._a._windows if action.isChecked()).setChecked(False)
    idle(qtbot, window)
    assert screen.chart._picture.curves[0].n < before
    assert screen._a.text() == "A: 5 windows"


def test_the_timeline_has_strips_on_one_time_axis(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "timeline")
    titles = [chart._title for chart in screen.stack.charts()]
    assert "Operations" in titles
    assert "Disk busy" in titles
    [flight] = [c for c in screen.stack.charts() if c._title == "Operations in flight"]
    assert np.nanmax(flight._strip.lines[0].values) > 5, "a stall is seen in it"
    leader = screen.heatmap.plot.getViewBox()
    leader.setXRange(leader.viewRange()[0][0], leader.viewRange()[0][0] + 30, padding=0)
    for chart in screen.stack.charts():
        assert chart.plot.getViewBox().viewRange()[0] == leader.viewRange()[0]
    other = screen.stack.charts()[-1]
    qtbot.keyClick(other, Qt.Key.Key_Right)
    assert leader.viewRange()[0] == other.plot.getViewBox().viewRange()[0]


def test_every_chart_has_a_turn_of_its_own(qtbot):
    stack = StripStack()
    qtbot.addWidget(stack)
    strips = [replace(strip(), title=verbatim(f"strip {i}")) for i in range(5)]
    stack.set_strips(strips)
    for made in range(5):
        assert len(stack.charts()) == made
        stack._on_turn()
    assert [chart._title for chart in stack.charts()] == [str(s.title) for s in strips]
    assert not stack._waiting


def test_newer_values_leave_no_chart_behind(qtbot):
    stack = StripStack()
    qtbot.addWidget(stack)
    strips = [replace(strip(), title=verbatim(f"strip {i}")) for i in range(3)]
    for _ in range(3):
        stack.set_strips(strips)  # they come faster than they are drawn
        stack._on_turn()
    assert len(stack.charts()) == 3


def test_charts_of_others_go_and_the_order_is_kept(qtbot):
    stack = StripStack()
    qtbot.addWidget(stack)
    first, second, third = (replace(strip(), title=verbatim(f"strip {i}")) for i in range(3))
    with qtbot.waitSignal(stack.complete):
        stack.set_strips([first, third])
    with qtbot.waitSignal(stack.complete):
        stack.set_strips([second, third])
    assert [chart._title for chart in stack.charts()] == ["strip 1", "strip 2"]
    assert stack._grid.itemAtPosition(0, 0).widget() is stack.charts()[0]
    assert stack._grid.itemAtPosition(0, 1).widget() is stack.charts()[1]


def test_a_source_that_is_missing_is_named(qtbot, window, capture_file):
    screen = opened(qtbot, window, capture_file, "timeline")
    first = screen._sources.rows.rows[0]
    assert first.source.state.value != "complete"
    assert first.source.why


def test_the_report_is_shown_and_written(qtbot, window, session_file, tmp_path):
    screen = opened(qtbot, window, session_file, "report")
    qtbot.waitUntil(lambda: "What was changed" in screen._text.toPlainText())
    assert "\ufffc" in screen._text.toPlainText(), "the charts are there"
    for suffix in (".html", ".md", ".pdf"):
        screen.write_to(tmp_path / f"report{suffix}")
        idle(qtbot, window)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert not window.error_bar.isVisible()


def test_a_copy_can_be_saved(qtbot, window, session_file, tmp_path, monkeypatch):
    opened(qtbot, window, session_file, "tails")
    copy = tmp_path / "copy.ldapwb"
    monkeypatch.setattr(
        "ldap_workbench.gui.shell.files.QFileDialog.getSaveFileName", lambda *_: (str(copy), "")
    )
    window.actions_["save"].trigger()
    idle(qtbot, window)
    with aside(), Session.open(copy) as session:
        assert len(session.windows()) == 12


def test_a_copy_without_names_can_be_saved(qtbot, window, session_file, tmp_path, monkeypatch):
    opened(qtbot, window, session_file, "tails")
    copy = tmp_path / "copy.ldapwb"
    monkeypatch.setattr(
        "ldap_workbench.gui.shell.files.QFileDialog.getSaveFileName", lambda *_: (str(copy), "")
    )
    assert window.actions_["nameless"].isEnabled()
    window.actions_["nameless"].trigger()
    idle(qtbot, window)
    assert not window.error_bar.isVisible()
    with aside(), Session.open(copy) as session:
        assert len(session.windows()) == 12
        assert "example" not in session.facts.host
        names = session.operations(session.windows()[0]).bases
        assert names
        assert not any("example" in name for name in names)


def test_f5_reads_again(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    screen._rows.rows.set_rows(())
    window.actions_["reload"].trigger()
    idle(qtbot, window)
    assert screen._rows.rows.rowCount() > 0


def test_the_evidence_of_a_verdict_is_shown(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    qtbot.waitUntil(lambda: screen._shift._curve is not None)
    assert screen._charts.isTabVisible(2)
    assert "known up to p" in screen._shift.reading()
    assert all(rung.material > 1 for rung in screen._ladder._rungs)
    assert screen._tables.isTabVisible(2)
    stalls = [row[1] for row in screen._ledger.rows.rows[:2]]
    assert all(int(str(count)) > 0 for count in stalls), "there are stalls on both sides"
    screen._show_no_verdict(NOTHING)
    assert screen._shift._curve is None
    assert not screen._tables.isTabVisible(2)
    assert not screen._charts.isTabVisible(2)


def test_the_preview_is_readable_and_does_not_scroll_sideways(qtbot, window, session_file):
    report = opened(qtbot, window, session_file, "report")
    qtbot.waitUntil(lambda: bool(report._text.toPlainText()))
    assert not report._text.horizontalScrollBar().isVisible()
    cell = report._text.document().find("Order of windows")
    assert cell.charFormat().fontPointSize() >= 9
