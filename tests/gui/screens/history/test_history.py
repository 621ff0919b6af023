"""What was tried, in the window; recent sessions are told apart by their badges."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from ldap_workbench.experiment.history import history_path
from ldap_workbench.figures.overview.session_summary import SessionBadges, badges_of, read_summary
from ldap_workbench.gui.screens.start.screen import badge_row
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.model.experiment import State
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.watch import aside
from tests.unit.experiment.test_history import ENDED, WHERE, remember_tried
from tests.unit.tuning.fakes import FACTS

MINUTE = 60 * 10**9


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
    window.show_screen("history")
    idle(qtbot, window)
    return window.history


def cells(screen, *headings):
    """These columns of all rows, as a person reads them."""
    model = screen.model
    heads = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]
    columns = {head: column for column, head in enumerate(heads)}
    rows = range(model.rowCount())
    return [tuple(model.index(row, columns[h]).data() for h in headings) for row in rows]


def test_everything_that_was_tried_is_listed_newest_first(screen):
    assert cells(screen, "When (UTC)", "Server", "Verdict", "Outcome", "Duration") == [
        ("1970-01-01 00:05", "a", "no verdict", "aborted", "60 s"),
        ("1970-01-01 00:04", "b", "better", "kept", "60 s"),
        ("1970-01-01 00:01", "a", "better", "kept", "2 min"),
    ]
    assert cells(screen, "Treatment", "B / A", "Interval")[2] == (
        "nsslapd-cachememsize@userRoot=9", "×0.5", "×0.4 to ×0.6",
    )  # fmt: skip
    assert screen._words.text() == "3 experiments"


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


def test_a_line_that_cannot_be_read_is_counted(qtbot, window, tried):
    with history_path().open("a") as file:
        file.write('{"server": \n')
    window.show_screen("history")
    idle(qtbot, window)
    assert window.history._words.text() == "3 experiments; lines that cannot be read: 1"


def test_a_file_that_cannot_be_read_is_an_error(qtbot, window, home):
    history_path().parent.mkdir(parents=True, exist_ok=True)
    history_path().mkdir()
    window.show_screen("history")
    idle(qtbot, window)
    assert "cannot be read" in window.error_bar.heading.text()
    assert window.history._pages.currentWidget() is window.history._empty


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
