"""The list of tests: what is open comes first; sessions are told apart by their badges."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from ldap_workbench.campaign.state import CAMPAIGNS
from ldap_workbench.experiment.history import history_path
from ldap_workbench.figures.overview.session_summary import SessionBadges, badges_of, read_summary
from ldap_workbench.gui.screens.experiment.change_page import Planned
from ldap_workbench.gui.screens.experiment.stepper import CHANGE, VERDICT
from ldap_workbench.gui.screens.series.screen import RESULT
from ldap_workbench.gui.screens.start.screen import badge_row
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.model.experiment import State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session.reader import Session
from tests.gui import sight
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.watch import aside
from tests.unit.campaign.test_forecast import campaign
from tests.unit.experiment.test_history import ENDED, PLAN, WHERE, remember_tried
from tests.unit.tuning.fakes import FACTS

MINUTE = 60 * 10**9
SETTING = Setting("nsslapd-cache-autosize", "0")


@pytest.fixture
def tried(home, session_file):
    """Two experiments on one server, one of them aborted, and one on another."""
    home.mkdir(exist_ok=True)
    here = WHERE | {"session": str(session_file), "began_ns": MINUTE, "ended_ns": 3 * MINUTE}
    remember_tried(ENDED, **here)
    aborted = replace(ENDED, state=State.ABORTED, verdict=None)
    remember_tried(aborted, **here | {"began_ns": 5 * MINUTE, "ended_ns": 6 * MINUTE})
    there = {"server": "ldap://b:389", "identity": "other", "profile": "b"}
    remember_tried(ENDED, **here | there | {"began_ns": 4 * MINUTE, "ended_ns": 5 * MINUTE})


@pytest.fixture
def screen(qtbot, tried, window):
    window.show_screen("tests")
    idle(qtbot, window)
    return window.screens.tests


def cells(screen, *headings):
    """These columns of all rows, as a person reads them."""
    model = screen.model
    heads = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]
    columns = {head: column for column, head in enumerate(heads)}
    rows = range(model.rowCount())
    return [tuple(model.index(row, columns[h]).data() for h in headings) for row in rows]


def test_everything_that_was_tried_is_listed_newest_first(screen):
    assert cells(screen, "When (UTC)", "Server", "Verdict", "State", "Duration") == [
        ("1970-01-01 00:05", "a", "no verdict", "aborted", "60 s"),
        ("1970-01-01 00:04", "b", "better", "kept", "60 s"),
        ("1970-01-01 00:01", "a", "better", "kept", "2 min"),
    ]
    assert cells(screen, "Change", "B / A", "Interval")[2] == (
        "nsslapd-cachememsize@userRoot=9", "×0.5", "×0.4 to ×0.6",
    )  # fmt: skip
    assert "3 tests." in sight.words(screen)


def test_only_what_was_tried_on_the_connected_server(qtbot, window, screen):
    assert not screen.here.isEnabled()
    connect(window, Server(replace(FACTS, identity="other")))
    assert screen.here.isEnabled()
    screen.here.setChecked(True)
    assert cells(screen, "Server") == [("b",)]
    window.workbench.disconnect_server()
    idle(qtbot, window)
    assert screen.model.rowCount() == 3


def test_a_row_leads_to_its_session(qtbot, window, screen, session_file):
    screen.table.selectRow(2)
    qtbot.mouseClick(screen.open, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.workbench.opened.path == session_file
    assert window.current_screen().name == "experiment"
    assert window.experiment.stepper.step() == VERDICT


def open_oldest(qtbot, window, screen):
    window.show_screen("tests")
    idle(qtbot, window)
    screen.table.activated.emit(screen.model.index(screen.model.rowCount() - 1, 0))
    idle(qtbot, window)


def test_a_row_leads_to_its_verdict_whatever_was_planned(qtbot, window, screen):
    connect(window, Server(FACTS))
    window.experiment.change.planned = Planned(Treatment((SETTING,)), ())
    open_oldest(qtbot, window, screen)
    assert window.current_screen().name == "experiment"
    assert window.experiment.stepper.step() == VERDICT
    window.experiment.go_to(CHANGE)
    open_oldest(qtbot, window, screen)
    assert window.experiment.stepper.step() == VERDICT
    window.experiment.change.planned = None


def test_a_row_leads_to_its_verdict_after_a_run(qtbot, window, screen):
    plan = replace(PLAN, treatment=Treatment((SETTING,)))
    window.experiment.execution.latest = AtWork(plan)
    open_oldest(qtbot, window, screen)
    assert window.current_screen().name == "experiment"
    assert window.experiment.stepper.step() == VERDICT


def test_a_row_leads_to_the_summary_while_a_test_runs(qtbot, window, screen, monkeypatch):
    with monkeypatch.context() as running:
        running.setattr(window.experiment.execution, "_job", object())
        open_oldest(qtbot, window, screen)
        assert window.workbench.opened is not None
        assert window.current_screen().name == "overview"


def test_a_row_whose_session_is_gone_says_so_and_leads_nowhere(qtbot, window, screen, capture_file):
    window.open_paths([capture_file])
    idle(qtbot, window)
    gone = replace(screen.model.rows[0], session="/nowhere/gone.ldapwb")
    window.show_screen("tests")
    idle(qtbot, window)
    screen.testWanted.emit(gone)
    idle(qtbot, window)
    assert window.error_bar.isVisible()
    assert window.current_screen() is screen


def names_of(screen):
    return [(row.state, row.treatment) for row in screen.model.rows]


def test_what_is_planned_or_runs_stands_above_what_is_done(qtbot, window, screen):
    connect(window, Server(FACTS))
    window.experiment.change.planned = Planned(Treatment((SETTING,)), ())
    window.show_screen("start")
    window.show_screen("tests")
    idle(qtbot, window)
    assert names_of(screen)[0] == ("planned", (SETTING.argument,))
    assert cells(screen, "When (UTC)", "Verdict", "Duration")[0] == ("", "", "")
    assert len(names_of(screen)) == 4
    screen.table.activated.emit(screen.model.index(0, 0))
    assert window.current_screen().name == "experiment"
    window.show_screen("tests")
    plan = replace(PLAN, treatment=Treatment((SETTING,)))
    screen.table.selectRow(2)
    chosen = screen.model.rows[2]
    name = window.workbench.connection.profile.name
    window.workbench.running.begin(AtWork(plan), None, name, window.workbench)
    assert names_of(screen)[0] == ("running", (SETTING.argument,))
    assert screen.model.rows[screen.table.currentIndex().row()] == chosen
    screen.here.setChecked(True)
    assert names_of(screen)[0] == ("running", (SETTING.argument,)), "it is its own server"
    screen.here.setChecked(False)
    assert [state for state, _ in names_of(screen)].count("planned") == 0
    window.workbench.running.end()
    window.experiment.change.planned = None
    window.workbench.disconnect_server()
    idle(qtbot, window)


class AtWork:
    """A run at work, as Running looks at it."""

    experiment = None
    path = Path("/nowhere/run.ldapwb")
    sessions = frozenset({str(path)})

    def __init__(self, plan):
        self.plan = plan


def test_an_interrupted_campaign_is_open_and_leads_to_its_result(qtbot, window, tried, tmp_path):
    CAMPAIGNS.write(campaign(output=str(tmp_path / "c.ldapwb")))
    window.show_screen("tests")
    idle(qtbot, window)
    screen = window.screens.tests
    assert [state for state, _ in names_of(screen)].count("interrupted") == 1
    assert names_of(screen)[0][0] == "interrupted"
    screen.table.activated.emit(screen.model.index(0, 0))
    idle(qtbot, window)
    assert window.current_screen().name == "campaign"
    assert window.campaign.step() == RESULT


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("One setting", "experiment"),
        ("Several in turn", "campaign"),
        ("One replica at a time", "canary"),
        ("Levels of one setting", "campaign"),
    ],
)
def test_a_new_test_begins_with_its_kind_and_leads_back(qtbot, window, screen, kind, name):
    menu = screen.new.menu()
    [action] = [each for each in menu.actions() if each.text().replace("&", "") == kind]
    action.trigger()
    idle(qtbot, window)
    shown = window.current_screen()
    assert shown.name == name
    assert window.campaign.queue.queue.is_ladder() == (kind == "Levels of one setting")
    assert shown.heading() == kind
    [back] = [b for b in shown.findChildren(QPushButton) if b.text() == "‹ Tests"]
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    assert window.current_screen() is screen


def test_a_new_test_leaves_the_queue_of_a_campaign_alone(window, screen):
    queue = window.campaign.queue.queue
    queue.candidates = (object(),)
    screen.newWanted.emit("levels")
    assert queue.candidates
    assert not queue.is_ladder()
    assert window.campaign.heading() == "Several in turn", "what the queue has, not what was asked"
    queue.candidates = ()


def test_a_line_that_cannot_be_read_is_counted(qtbot, window, tried):
    with history_path().open("a") as file:
        file.write('{"server": \n')
    window.show_screen("tests")
    idle(qtbot, window)
    assert "3 tests. Cannot be read: 1." in sight.words(window.screens.tests)


def test_a_file_that_cannot_be_read_is_an_error(qtbot, window, home):
    history_path().parent.mkdir(parents=True, exist_ok=True)
    history_path().mkdir()
    window.show_screen("tests")
    idle(qtbot, window)
    assert "cannot be read" in window.error_bar.heading.text()
    assert "No tests yet" in sight.words(window.screens.tests)


def test_a_session_that_was_open_is_known_by_its_badges(qtbot, window, session_file, tmp_path):
    window.open_paths([session_file])
    idle(qtbot, window)
    window.show_screen("start")
    labels = window.start.findChildren(QLabel)
    words = [each.text() for each in labels if each.property("role") == "badge"]
    assert words[:3] == ["ldap1.example.com", "389 Directory Server 2.3.1", "better, reverted"]
    with aside():
        window.workbench.settings.sync()
    with aside(), Session.open(session_file) as session:
        assert Settings().badges(session_file) == badges_of(read_summary(session))


def test_badges_go_with_the_sessions_they_belong_to(tmp_path):
    settings = Settings(tmp_path / "window.json")
    paths = [tmp_path / f"{n}.ldapwb" for n in range(14)]
    for path in paths:
        path.touch()
        settings.remember(path, SessionBadges(server=path.stem))
    assert settings.badges(paths[-1]).server == "13"
    assert settings.badges(paths[0]) == SessionBadges(), "no longer a recent one"
    settings.remember(paths[-1])
    assert settings.badges(paths[-1]).server == "13"
    with aside():  # it waits for the disk
        settings.close()


@pytest.mark.parametrize("kept", ['{"badges": "["}', '{"badges": "[1]"}', '{"badges": "{}"}'])
def test_settings_of_anything_have_no_badges(tmp_path, kept):
    (tmp_path / "window.json").write_text(kept)
    settings = Settings(tmp_path / "window.json")
    assert settings.badges(tmp_path / "a") == SessionBadges()
    with aside():
        settings.close()


def test_a_badge_is_short_plain_and_in_its_mood(qtbot):
    row = badge_row(SessionBadges("<b>x</b>" * 30, "", "worse", "kept"))
    qtbot.addWidget(row)
    server, verdict = row.findChildren(QLabel)
    assert len(server.text()) == 32
    assert server.textFormat() is Qt.TextFormat.PlainText
    assert (verdict.text(), verdict.property("mood")) == ("worse, kept", "bad")
    assert badge_row(SessionBadges()) is None
