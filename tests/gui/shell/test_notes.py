"""Notes on a session and its windows are kept in its file."""

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ldap_workbench.session.notes import session_note
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle, opened
from tests.gui.test_accessibility import beyond_tab, clashes, keyless, nameless
from tests.gui.watch import aside

pytestmark = pytest.mark.one_window


@pytest.fixture
def copy(qtbot, window, session_file, tmp_path):
    """A copy of the session, open in the window."""
    path = tmp_path / "noted.ldapwb"
    shutil.copy2(session_file, path)
    opened(qtbot, window, path, "journal")
    return path


@pytest.mark.stall_allowed  # it reads the file itself
def test_notes_are_written_shown_and_there_again(qtbot, window, copy):
    dialog = window.notes.ask()
    dialog._note.setPlainText("after the upgrade\nof the disks")
    dialog._windows.item(0, 1).setText("backup was running")
    dialog.accept()
    idle(qtbot, window)
    summary = window.workbench.opened.summary
    assert summary.note == "after the upgrade\nof the disks"
    assert summary.windows[0].note == "backup was running"
    assert summary.windows[1].note == ""
    assert "after the upgrade of the disks" in window.tails._subtitle._whole
    assert "backup was running" in next(iter(window.tails._a._windows)).text()
    assert window.notes.ask().note == summary.note
    window.workbench.close_session()
    idle(qtbot, window)
    with aside(), Session.open(copy) as session:
        assert session_note(session) == summary.note
        assert len(session.windows()) == 12
        assert session.experiments(), "all else is as it was"


def test_a_read_only_session_says_so_and_takes_no_note(qtbot, window, copy):
    copy.chmod(0o400)
    dialog = window.notes.ask()
    assert dialog._note.isReadOnly()
    keep = next(b for b in dialog.findChildren(QPushButton) if "Keep" in b.text())
    assert not keep.isEnabled()
    dialog.accept()
    idle(qtbot, window)
    assert "read-only" in window.error_bar.heading.text()
    assert window.workbench.opened.path == copy, "it is open as before"
    assert window.workbench.opened.summary.note == ""


def test_without_a_session_there_is_nothing_to_note(window):
    assert not window.actions_["notes"].isEnabled()
    assert window.notes.ask() is None


def test_every_control_of_the_dialog_can_be_named_and_reached(qtbot, window, copy):
    dialog = window.notes.ask()
    assert nameless(dialog) == []
    assert keyless(dialog) == []
    assert beyond_tab(dialog) == []
    assert clashes(dialog) == []
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
