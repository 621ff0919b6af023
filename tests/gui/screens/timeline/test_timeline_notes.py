"""Notes at moments of the timeline: written into the session, changed, taken out, in the report."""

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton

from ldap_workbench.gui.screens.timeline.screen import MarkDialog
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import MARK
from ldap_workbench.report.html import to_html
from ldap_workbench.report.model import report_model
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle, opened
from tests.gui.test_accessibility import beyond_tab, clashes, keyless, nameless
from tests.gui.watch import aside


@pytest.fixture
def copy(qtbot, window, session_file, tmp_path):
    """A copy of the session on the timeline of the window, with a part of it in view."""
    path = tmp_path / "noted.ldapwb"
    shutil.copy2(session_file, path)
    screen = opened(qtbot, window, path, "timeline")
    first = window.workbench.opened.summary.windows[0].start_ns / NS_PER_S
    screen.heatmap.plot.setXRange(first + 20, first + 60)
    screen.heatmap.setFocus()
    return path


def own(window) -> dict[float, str]:
    """The operator's marks of the open session."""
    marks = window.workbench.opened.summary.marks
    return {mark.time_ns / NS_PER_S: str(mark.text) for mark in marks if mark.kind == MARK}


def dialog_of(qtbot, window) -> MarkDialog:
    qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(MarkDialog)))
    return next(d for d in window.findChildren(MarkDialog) if d.isVisible())


@pytest.mark.stall_allowed  # it reads the file itself
def test_a_note_is_written_changed_and_taken_out(qtbot, window, copy):
    timeline = window.timeline
    before, view = own(window), timeline.heatmap.plot.getViewBox()
    low, high = view.viewRange()[0]
    middle, there = (low + high) / 2, ""
    for text in ("backup <b>began</b>", "backup ended", ""):
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        assert window.focusWidget() is timeline.heatmap, "one note after another by key"
        qtbot.keyClick(timeline.heatmap, Qt.Key.Key_N)
        dialog = dialog_of(qtbot, window)
        assert dialog.note == there
        there = text
        dialog._note.setText(text)
        dialog.accept()
        idle(qtbot, window)
        added = {k: v for k, v in own(window).items() if k not in before}
        assert list(added.values()) == ([text] if text else [])
        assert list(added) == pytest.approx([middle] if text else [])
        assert view.viewRange()[0] == pytest.approx([low, high]), "what is seen stays"
        drawn = [str(mark.text) for mark in timeline.heatmap.grid.marks]
        assert (text in drawn) is bool(text)
    assert own(window) == before


@pytest.mark.stall_allowed  # it reads the file itself
def test_a_note_is_in_the_report(qtbot, window, copy):
    qtbot.keyClick(window.timeline.heatmap, Qt.Key.Key_N)
    dialog = dialog_of(qtbot, window)
    dialog._note.setText("the backup began")
    dialog.accept()
    idle(qtbot, window)
    window.workbench.close_session()
    idle(qtbot, window)
    with aside(), Session.open(copy) as session:
        assert "the backup began" in to_html(report_model(session))
        assert session.experiments(), "all else is as it was"


def test_the_menu_of_a_chart_offers_it_where_it_was_opened(qtbot, window, copy):
    timeline = window.timeline
    low, high = timeline.heatmap.plot.getViewBox().viewRange()[0]
    timeline.axis._on_pointed(low + 0.25 * (high - low))
    timeline.heatmap.show_menu(timeline.heatmap.mapToGlobal(timeline.heatmap.rect().center()))
    [menu] = timeline.heatmap.findChildren(QMenu)
    timeline.axis._on_pointed(None)  # the pointer is over the menu now
    with qtbot.waitSignal(timeline.axis.noted) as noted:
        menu.actions()[0].trigger()
    assert noted.args == pytest.approx([low + 0.25 * (high - low), high - low])
    menu.close()
    dialog_of(qtbot, window).reject()


def test_a_read_only_session_takes_no_note(qtbot, window, copy):
    copy.chmod(0o400)
    qtbot.keyClick(window.timeline.heatmap, Qt.Key.Key_N)
    dialog = dialog_of(qtbot, window)
    assert dialog._note.isReadOnly()
    keep = next(b for b in dialog.findChildren(QPushButton) if "Keep" in b.text())
    assert not keep.isEnabled()
    dialog.reject()


def test_every_control_of_the_note_has_a_name_and_a_key(qtbot, window, copy):
    qtbot.keyClick(window.timeline.heatmap, Qt.Key.Key_N)
    dialog = dialog_of(qtbot, window)
    assert [*nameless(dialog), *keyless(dialog), *clashes(dialog), *beyond_tab(dialog)] == []
    dialog.reject()
