"""The last question before a run says first what its users will notice."""

import re
from dataclasses import replace

import pytest

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.experiment.agreement import Agreement
from ldap_workbench.model.knob import Treatment
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS

pytestmark = pytest.mark.one_window

SERVER = replace(FACTS, identity="389ds:here")
QUESTION = (
    r"This restarts the server \S+ (\d+) times: about (\d+) min without service in all, "
    r"until about (?:\d{4}-\d\d-\d\d )?\d\d:\d\d \(local time\)\."
)


@pytest.fixture
def asked(window, monkeypatch):
    """The questions, each answered with no."""
    questions = []
    monkeypatch.setattr(ConsentBox, "agreed", lambda box: questions.append(box.text()) or False)
    connect(window, Server(SERVER))
    return questions


def test_restarts_their_number_and_the_time_without_service_come_first(window, asked):
    plan = ExperimentForm(pairs=8).plan(Treatment(()), restart=True)
    assert not Agreement(window.workbench, window).ask(plan, None, None)
    match = re.fullmatch(QUESTION, asked[0])
    assert match, asked[0]
    assert int(match[1]) == 16
    assert int(match[2]) >= 2


def test_a_plan_without_restarts_and_changes_asks_nothing(window, asked):
    plan = ExperimentForm(pairs=8).plan(Treatment(()), restart=False)
    assert Agreement(window.workbench, window).ask(plan, None, None)
    assert asked == []
