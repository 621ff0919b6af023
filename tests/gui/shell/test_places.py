"""The places: which can be reached, what leads to a screen, and what never moves one."""

import threading

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QPushButton, QTabBar

from ldap_workbench.gui.shell.palette import CommandPalette
from ldap_workbench.model.errors import CancelledError, ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.practice.samples import samples
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS

pytestmark = pytest.mark.one_window

SESSION = ["Summary", "Timeline", "Latency", "Operations"]


def reachable(window):
    """The places that the rail offers besides Home."""
    items = [window.rail.item(row) for row in range(window.rail.count())]
    return [item.text() for item in items if item.flags() & Qt.ItemFlag.ItemIsEnabled][1:]


def test_the_keyboard_on_the_rail_leads_nowhere_by_itself(window):
    """A place of the header is none of the rail's, and Qt would take the first instead."""
    window.show_screen("journal")
    QApplication.sendEvent(
        window.rail, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.TabFocusReason)
    )
    assert window.current_screen().name == "journal"
    assert window.rail.currentRow() == -1, "and none is marked"


def test_a_group_can_be_reached_when_there_is_what_it_shows(qtbot, window, capture_file):
    assert reachable(window) == ["Tests"]
    connect(window, Server(FACTS))
    window.show_screen("start")
    assert reachable(window) == ["Record", "Settings", "Tests", "Summary"]
    window.workbench.disconnect_server()
    opened(qtbot, window, capture_file, "start")
    assert reachable(window) == ["Settings", "Tests", *SESSION]
    assert window.actions_["show report"].isEnabled()
    window.actions_["close"].trigger()
    idle(qtbot, window)
    assert reachable(window) == ["Tests"]
    assert not window.actions_["show report"].isEnabled()


def test_the_place_in_front_says_what_it_lacks_and_stays(window):
    window.show_screen("timeline")
    assert reachable(window) == ["Tests", "Timeline"]
    assert window.rail.currentItem().text() == "Timeline"


def test_without_a_session_the_summary_of_a_server_is_what_it_can_be_asked(window):
    connect(window, Server(FACTS))
    window.actions_["show overview"].trigger()
    assert window.current_screen() is window.overview
    assert window.overview.findings.references.isVisible()
    assert not window.overview.tails.isVisible(), "no operations, no charts"
    window.workbench.disconnect_server()
    assert not window.overview.findings.isVisible()


def click(qtbot, window, title):
    """On a place of the rail."""
    (item,) = window.rail.findItems(title, Qt.MatchFlag.MatchExactly)
    at = window.rail.visualItemRect(item).center()
    qtbot.mouseClick(window.rail.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_the_rail_leads_to_what_was_seen_last_and_on_to_the_first(qtbot, window, session_file):
    opened(qtbot, window, session_file, "fleet")
    click(qtbot, window, "Timeline")
    click(qtbot, window, "Home")
    assert window.current_screen().name == "fleet"
    click(qtbot, window, "Home")
    assert window.current_screen().name == "start"
    idle(qtbot, window)


def test_a_tab_leads_to_the_other_screen_of_its_place_and_keys_go_on(qtbot, window):
    tabs = window.start.findChild(QTabBar)
    tabs.setFocus()
    qtbot.keyClick(tabs, Qt.Key.Key_Right)
    assert window.current_screen().name == "fleet"
    assert window.fleet.heading() == "Fleet"
    assert window.start.heading() == "Home", "each is always on its own"


def test_a_screen_within_a_place_is_no_tab_and_leads_back(qtbot, window):
    window.show_screen("campaign")
    assert window.campaign.heading() == "Several in turn"
    assert window.rail.currentItem().text() == "Tests"
    assert window.campaign.findChild(QTabBar) is None
    [back] = [
        each
        for each in window.campaign.findChildren(QPushButton)
        if each.isVisible() and each.text() == "‹ Tests"
    ]
    back.setFocus()
    qtbot.keyClick(back, Qt.Key.Key_Space)
    assert window.current_screen().name == "tests"
    window.show_screen("canary")
    window.actions_["show tests"].trigger()
    assert window.current_screen().name == "tests", "the key of the place leads to the list"


@pytest.mark.parametrize(
    ("typed", "line"),
    [("tails", "Latency"), ("knobs", "Settings"), ("overview", "Summary"), ("capture", "Record")],
)
def test_the_palette_knows_a_place_by_its_other_words(qtbot, window, session_file, typed, line):
    connect(window, Server(FACTS))
    opened(qtbot, window, session_file, "start")
    palette = CommandPalette(list(window.actions_.by_name.values()), window)
    qtbot.addWidget(palette)
    palette._line.setText(typed)
    assert palette.chosen().text() == line


def test_no_message_moves_what_is_below_the_pointer(qtbot, window):
    def where():
        qtbot.wait(5)
        start = window.start
        return [part.mapTo(window, QPoint(0, 0)).y() for part in (start, start.add_button)]

    before, foot = where(), window.statusBar().height()
    window.workbench.notice("Only its host is captured.", "Connect again.")
    assert window.notice.isVisible()
    assert where() == before
    window.workbench.fail(ConnectError(Message("ldap1 is gone."), remedy=Message("See it. " * 40)))
    assert window.error_bar.isVisible()
    assert not window.notice.isVisible(), "one at a time"
    assert where() == before
    assert window.statusBar().height() == foot
    window.error_bar.hide()
    assert window.notice.isVisible()


def test_a_failed_connection_is_tried_again_at_a_click(qtbot, window, monkeypatch):
    tried = []

    def refuse(profile, *_):
        tried.append(profile.name)
        raise ConnectError(Message("ldap1 is gone."), remedy=Message("See the host."))

    monkeypatch.setattr("ldap_workbench.gui.workbench.state.open_connection", refuse)
    window.workbench.connect_to(Profile("ldap1", "ldap://ldap1:389", None))
    idle(qtbot, window)
    qtbot.mouseClick(window.error_bar.again, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert tried == ["ldap1", "ldap1"]
    window.workbench.fail(ConnectError(Message("Other."), remedy=Message("See.")))
    assert not window.error_bar.again.isVisible(), "that is no connection"


def test_what_is_tried_again_is_the_server_that_failed_as_it_is_stored_now(
    qtbot, window, monkeypatch
):
    tried, both_begun = [], threading.Event()

    def refuse(profile, *_):
        both_begun.wait(10)
        tried.append(profile)
        if profile.name == "ldap2":
            raise CancelledError(Message("Stopped."))
        raise ConnectError(Message("ldap1 is gone."), remedy=Message("See the host."))

    monkeypatch.setattr("ldap_workbench.gui.workbench.state.open_connection", refuse)
    window.workbench.connect_to(Profile("ldap1", "ldap://ldap1:389", None))
    window.workbench.connect_to(Profile("ldap2", "ldap://ldap2:389", None))
    both_begun.set()
    idle(qtbot, window)
    edited = Profile("ldap1", "ldap://ldap1:1389", None)
    window.workbench.profiles.add(edited)
    qtbot.mouseClick(window.error_bar.again, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert tried[2:] == [edited]
    window.workbench.profiles.remove("ldap1")


def test_a_recording_is_listed_once(qtbot, window):
    sample = samples()[0]
    window.workbench.settings.remember(sample.copy())
    window.start.fill()
    qtbot.wait(1)  # the rows before are gone
    named = [button.accessibleName() for button in window.start.findChildren(QPushButton)]
    assert [name for name in named if str(sample.path) in name] == []
    assert f"Open {sample.title}" in named
