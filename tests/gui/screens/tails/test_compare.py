"""Any windows of any two sessions, side by side."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ldap_workbench.gui.screens.tails.compare import CompareDialog
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle, opened
from tests.gui.test_accessibility import beyond_tab, clashes, keyless, nameless
from tests.gui.watch import aside

pytestmark = pytest.mark.one_window


@pytest.fixture
def tails(qtbot, window, session_file):
    return opened(qtbot, window, session_file, "tails")


def asked(qtbot, window):
    """The dialog, opened by its button, its sessions read."""
    [button] = [b for b in window.tails.findChildren(QPushButton) if b.text() == "C&ompare …"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    [dialog] = [d for d in window.findChildren(CompareDialog) if d.isVisible()]
    return dialog


def tick(side, *names: str) -> None:
    """Tick windows of a side, as with the space bar."""
    for row in range(side._list.count()):
        item = side._list.item(row)
        if item.text().split(",")[0].split(" ")[0] in names:
            item.setCheckState(Qt.CheckState.Checked)


def clients(path, name: str) -> int:
    """How many operations clients asked for in a window."""
    with aside(), Session.open(path) as session:
        operations = session.operations(session.window(name))
    return int((~operations.internal & ~operations.own).sum())


def test_windows_of_two_sessions_are_shown_and_can_only_suggest(
    qtbot, window, tails, session_file, capture_file
):
    dialog = asked(qtbot, window)
    assert not dialog.go.isEnabled()
    tick(dialog.a, "A1", "A2")
    dialog.b.choose_file(capture_file)
    idle(qtbot, window)
    assert dialog.b.side().path == capture_file, "its only window is ticked"
    with aside(), Session.open(capture_file) as session:
        [only] = session.windows()
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    curves = {curve.arm: curve for curve in tails.chart._picture.curves}
    assert curves["A"].n == clients(session_file, "A1") + clients(session_file, "A2")
    assert curves["B"].n == clients(capture_file, only.name)
    assert capture_file.stem in str(curves["B"].label)
    assert tails.comparison.band.isVisible()
    assert session_file.name in tails.comparison.band.heading.text()
    assert tails._band.heading.text() == "A and B are not comparable"
    assert {row.window[:2] for row in tails._rows.rows.rows} == {"A:", "B:"}
    assert window.workbench.opened.path == session_file, "which stays open"


def test_from_two_sessions_one_comes_back_to_the_open_one(qtbot, window, tails, capture_file):
    dialog = asked(qtbot, window)
    dialog.a.choose_file(capture_file)
    dialog.b.choose_file(capture_file)
    idle(qtbot, window)
    dialog.accept()
    idle(qtbot, window)
    assert tails._b.count() == 1
    [back] = tails.comparison.band.findChildren(QPushButton)
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert not tails.comparison.band.isVisible()
    assert tails._a.count() == 12
    assert tails._band.heading.text().startswith("Operations are 2.1 times faster: p50 ")


def test_another_session_ends_the_comparison(qtbot, window, tails, capture_file):
    dialog = asked(qtbot, window)
    tick(dialog.a, "A1")
    tick(dialog.b, "B1")
    dialog.accept()
    idle(qtbot, window)
    assert tails.comparison.sides is not None
    window.open_paths([capture_file])
    idle(qtbot, window)
    assert tails.comparison.sides is None
    assert tails._a.count() == 1


def test_two_sessions_can_be_compared_without_an_open_one(qtbot, window, capture_file):
    window.show_screen("tails")
    dialog = window.tails.comparison.ask()
    dialog.a.choose_file(capture_file)
    dialog.b.choose_file(capture_file)
    idle(qtbot, window)
    dialog.accept()
    idle(qtbot, window)
    assert len(window.tails.chart._picture.curves) == 2
    assert window.tails._pages.currentWidget() is window.tails._body


def test_a_file_that_is_no_session_can_not_be_chosen(qtbot, window, tails, tmp_path):
    dialog = asked(qtbot, window)
    broken = tmp_path / "broken.ldapwb"
    broken.write_bytes(b"no database")
    dialog.b.choose_file(broken)
    idle(qtbot, window)
    assert dialog.b.side() is None
    assert not dialog.go.isEnabled()
    assert window.error_bar.isVisible()
    dialog.reject()


def test_every_control_of_the_dialog_can_be_named_and_reached(qtbot, window, tails):
    dialog = asked(qtbot, window)
    assert nameless(dialog) == []
    assert keyless(dialog) == []
    assert beyond_tab(dialog) == []
    assert clashes(dialog) == []
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
