"""What a screen offers while there is nothing on it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.screens.tails.compare import CompareDialog
from tests.gui.conftest import idle

pytestmark = pytest.mark.one_window

WITH_TOOLS = (
    "timeline", "tails", "operations", "knobs", "journal", "tests", "fleet", "report",
)  # fmt: skip


def test_an_empty_screen_shows_no_tools_that_have_nothing_to_work_on(qtbot, window):
    """All in one window: to make one takes longer than to look at its screens."""
    for name in WITH_TOOLS:
        window.show_screen(name)
        idle(qtbot, window)
        screen = window.current_screen()
        assert screen.name == name
        assert isinstance(screen._pages.currentWidget(), EmptyState), name
        assert not screen._toolbar.isVisible(), name


def test_without_a_session_the_overview_says_how_to_get_one(qtbot, window):
    window.show_screen("overview")
    idle(qtbot, window)
    assert window.overview._pages.currentWidget() is window.overview._empty
    assert any(
        "Open a session" in b.text().replace("&", "")
        for b in window.overview._empty.findChildren(QPushButton)
    )


def test_the_tools_come_with_the_session(qtbot, window, session_file):
    window.show_screen("operations")
    window.open_paths([session_file])
    idle(qtbot, window)
    assert window.operations._toolbar.isVisible()
    assert window.operations._windows.text()


def test_two_sessions_are_compared_from_the_empty_tails(qtbot, window):
    window.show_screen("tails")
    buttons = window.tails._empty.findChildren(QPushButton)
    compare = next(button for button in buttons if "mpare" in button.text())
    qtbot.mouseClick(compare, Qt.MouseButton.LeftButton)
    dialog = window.findChild(CompareDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_a_screen_without_a_server_offers_one_to_practise_on(qtbot, window, monkeypatch):
    for name in ("capture", "knobs", "experiment"):
        started = []
        monkeypatch.setattr(window.practice, "start", started.append)
        window.show_screen(name)
        idle(qtbot, window)
        buttons = window.current_screen()._empty.findChildren(QPushButton)
        practise = next(button for button in buttons if "ractise" in button.text())
        assert practise.isVisible(), name
        offered = {action.text(): action for action in practise.menu().actions()}
        offered["Is it the directory?"].trigger()
        assert started == ["healthy"], name
