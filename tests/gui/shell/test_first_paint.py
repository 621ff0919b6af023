"""The program's window is there before its screens, which follow in turns of the event loop."""

import pytest

from ldap_workbench.gui.app import load_screens
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.places import PLACES, TABS, Group
from ldap_workbench.gui.workbench.state import Workbench
from tests.gui.conftest import idle


@pytest.fixture
def early(qapp, qtbot, home):
    """The window as the program shows it first: Start alone."""
    made = MainWindow(Workbench(), later=True)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()
    made.deleteLater()
    qapp.sendPostedEvents(None, 52)  # DeferredDelete: the window's timers end now
    qapp.processEvents()


def there(window):
    return window.pages.count()


def test_at_first_there_is_home_with_the_list_of_all_places(early):
    assert there(early) == 1
    assert early.current_screen() is early.start
    listed = [early.rail.item(row).text() for row in range(early.rail.count())]
    assert listed == [
        *("Home", "SERVER", "Record", "Settings", "Tests"),
        *("SESSION", "Summary", "Timeline", "Latency", "Operations"),
    ]
    assert not early.busy()


def test_the_screens_follow_by_themselves(early, qtbot):
    with qtbot.waitSignal(early.completed):
        load_screens(early.workbench, early.complete_in_turns)
    assert there(early) == len(TABS)
    idle(qtbot, early)
    assert early.current_screen() is early.start


@pytest.mark.stall_allowed  # it made a dozen screens at once
def test_whoever_asks_for_a_screen_gets_it_at_once(early):
    early.show_screen("journal")
    assert early.current_screen() is early.journal
    assert early.pages.currentWidget() is early.journal
    early.complete()
    assert there(early) == len(TABS), "nothing is made twice"


@pytest.mark.stall_allowed  # it made a dozen screens at once
def test_asking_while_they_are_being_made_makes_the_rest(early):
    early.complete_in_turns()
    early._on_next()
    early._on_next()
    early.show_screen("report")
    assert there(early) == len(TABS)
    assert early.pages.currentWidget() is early.report


@pytest.mark.stall_allowed  # it made a dozen screens at once
def test_a_session_opened_at_once_is_shown_by_all(early, qtbot, session_file):
    early.open_paths([session_file])
    idle(qtbot, early)
    assert early.current_screen() is early.overview
    assert early.workbench.opened.summary.headline()
    assert early.overview.findings.isVisibleTo(early.overview)


@pytest.mark.stall_allowed  # it made a dozen screens at once
def test_read_only_set_at_once_holds_in_every_screen(early):
    early.actions_["read_only"].trigger()
    assert there(early) == len(TABS)


@pytest.mark.stall_allowed  # it made a dozen screens at once
def test_every_screen_belongs_to_one_place_and_is_headed_by_its_name(early):
    headings = {screen.name: screen.heading() for screen in early.navigation.screens}
    assert headings == {name: str(tab.title) for name, tab in TABS.items()}
    assert sum(len(place.tabs) for place in PLACES) == len(TABS)
    keys = [place.key for place in PLACES] + [tab.key for tab in TABS.values() if tab.key]
    assert len(set(keys)) == len(keys) == len(TABS)
    assert [p.key for p in PLACES if p.group is not Group.HEADER] == list("12345678")


def test_a_window_closed_before_its_screens_are_made_ends(early):
    early.close()
    assert early.closed
