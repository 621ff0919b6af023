"""A server whose workers are all stuck: the first connection is to its host, as of `capture`."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.advice.families.find import findings
from ldap_workbench.model.errors import NoAnswerError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle
from tests.gui.watch import aside

SILENT = Message("ldap://127.0.0.1:389 cannot be reached: timed out.")


@pytest.fixture
def stuck(monkeypatch):
    def open_directory(*_):
        raise NoAnswerError(SILENT)

    monkeypatch.setattr("ldap_workbench.connect.ldap.open_directory", open_directory)


def connect(qtbot, window, **how):
    window.workbench.connect_to(Profile("stuck", "ldap://127.0.0.1:389", None, **how))
    idle(qtbot, window)


def badge(window):
    return window.context.server.mood


def test_its_host_is_captured(qtbot, window, stuck, tmp_path):
    connect(qtbot, window, local=True)
    assert window.current_screen().name == "capture"
    assert window.notice.heading.text() == str(SILENT)
    sentence = window.notice.sentence.text()
    assert "Only its host is captured" in sentence
    assert "Connect again once the server answers." in sentence
    assert badge(window) == "bad"
    assert not window.workbench.may_log_index_keys
    screen, path = window.capture, tmp_path / "stuck.ldapwb"
    screen._seconds.setValue(4)  # an outage is 3 s or more
    screen._path.setText(str(path))
    qtbot.mouseClick(screen._start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not screen.running(), timeout=120_000)
    idle(qtbot, window)
    assert badge(window) == "bad"
    with aside(), Session.open(path) as session:
        kinds = {source.kind for source in session.sources()}
        found = {finding.id for finding in findings(session)}
    assert SourceKind.HOST in kinds
    assert "no_answer" in found


def test_every_screen_bears_a_server_that_says_nothing(qtbot, window, stuck):
    errors = []
    window.workbench.failed.connect(lambda _, error: errors.append(error))
    connect(qtbot, window, local=True)
    for screen in window.screens:
        window.show_screen(screen.name)
        idle(qtbot, window)
    assert errors == []
    assert window.knobs.model.rowCount() > 0, "each with the reason why it was not read"


def test_without_a_way_to_its_host_the_reason_is_shown(qtbot, window, stuck):
    connect(qtbot, window)
    assert window.workbench.connection is None
    assert str(SILENT) in window.error_bar.heading.text()
