"""When a run has ended its verdict stays in sight, whatever session was open before it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from ldap_workbench.experiment.further import further_plan
from ldap_workbench.gui.screens.experiment.running import Decision
from ldap_workbench.gui.screens.experiment.screen import CHANGE, DESIGN, RUN, VERDICT
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.inference.significance.paired import takes
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.gui.pictures import tails_picture


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """What was open before: a capture."""
    path = tmp_path_factory.mktemp("before") / "capture.ldapwb"
    sessions.build_capture_session(path)
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run as the window knows it, and the verdict of its file."""
    path = tmp_path_factory.mktemp("run") / "run.ldapwb"
    sessions.build_experiment_session(path, seconds=3, per_second=20)
    with Session.open(path) as session:
        [experiment] = session.experiments()
        verdict = experiment.verdict
    latest = SimpleNamespace(path=path, plan=experiment.plan, experiment=experiment)
    return latest, verdict


def end(qtbot, window, latest):
    screen = window.experiment
    screen.execution.ended.emit()
    step = screen.stepper.step()
    screen.execution.done.emit(latest.experiment, latest.path)
    idle(qtbot, window)
    return step


def test_a_run_that_was_decided_stays_at_its_verdict(qtbot, window, captured, run):
    latest, verdict = run
    screen = opened(qtbot, window, captured, "experiment")
    assert screen.stepper.step() == CHANGE
    screen.execution.latest = latest
    screen.verdict.show_verdict(verdict)
    screen._decided, screen._judged, screen._verdict_is_live = True, latest.plan, True
    screen.go_to(VERDICT)
    assert end(qtbot, window, latest) == VERDICT
    assert screen.stepper.step() == VERDICT
    assert screen.verdict._report.isVisible()
    assert screen.verdict._metrics.rows


def test_a_run_that_decided_by_itself_has_its_verdict(qtbot, window, captured, run):
    latest, _ = run
    screen = opened(qtbot, window, captured, "experiment")
    screen.execution.latest = latest
    screen.go_to(RUN)
    assert end(qtbot, window, latest) == RUN
    assert screen.verdict._metrics.rows
    screen.go_to(VERDICT)
    idle(qtbot, window)
    assert len(screen.verdict.chart._picture.curves) == 2


@pytest.fixture(scope="module")
def undecided(tmp_path_factory):
    """A finished run whose question more pairs would answer."""
    path = tmp_path_factory.mktemp("undecided") / "run.ldapwb"
    sessions.build_experiment_session(path, seconds=3, per_second=20)
    with Session.open(path) as session:
        [experiment] = session.experiments()
    seen = np.array([0.3, -0.1, 0.25, 0.05, -0.2, 0.35, 0.1, 0.2])
    primary = replace(
        experiment.verdict.primary, metric="p50", verdict="inconclusive", takes=takes(seen, 0.05)
    )
    verdict = replace(experiment.verdict, primary=primary)
    experiment = replace(experiment, verdict=verdict)
    with SessionWriter.append(path) as writer:
        writer.put_experiment(experiment)
    return SimpleNamespace(path=path, plan=experiment.plan, experiment=experiment)


def test_more_pairs_at_the_decision_revert_first_and_are_planned_next(
    qtbot, window, captured, undecided
):
    latest, experiment = undecided, undecided.experiment
    connect(window, Server(sessions.FACTS))
    screen = opened(qtbot, window, captured, "experiment")
    screen.execution.latest = latest
    question = Question("decide", Decision(experiment.verdict, tails_picture()))
    screen.decide(question)
    further = screen.verdict._further
    assert "reverted first" in further.toolTip()
    qtbot.mouseClick(further, Qt.MouseButton.LeftButton)
    assert question.wait() is Then.REVERT
    assert not further.isEnabled()
    assert not screen.verdict._keep.isEnabled()
    end(qtbot, window, latest)
    assert screen.stepper.step() == DESIGN
    plan = screen.design.plan()
    wanted = further_plan(experiment.plan, experiment.verdict, "run.ldapwb")
    assert len(plan.steps) == len(wanted.steps) > 0
    assert "Measured before in run.ldapwb" in str(plan.earlier[0])


def test_another_session_in_between_takes_the_page(qtbot, window, captured, run):
    latest, verdict = run
    screen = opened(qtbot, window, captured, "experiment")
    screen.execution.latest = latest
    screen.verdict.show_verdict(verdict)
    screen._verdict_is_live = True
    end(qtbot, window, latest)
    for path in (captured, latest.path):
        window.open_paths([path])
        idle(qtbot, window)
    screen.go_to(VERDICT)
    idle(qtbot, window)
    assert screen.verdict._metrics.rows
    assert len(screen.verdict.chart._picture.curves) == 2


def test_a_run_stopped_before_its_verdict_leaves_the_verdict_of_another_session_alone(
    qtbot, window, run, tmp_path
):
    latest, _ = run
    screen = opened(qtbot, window, latest.path, "experiment")
    bar = screen.verdict._bar
    end_of_a = (bar.heading.text(), bar.sentence.text())
    why = Message("Stopped by the operator.")
    stopped = replace(latest.experiment, state=State.ABORTED, verdict=None, why=why)
    screen.execution.latest = SimpleNamespace(
        path=tmp_path / "b.ldapwb", plan=latest.plan, experiment=stopped
    )
    screen._on_begun()
    screen.execution.ended.emit()
    idle(qtbot, window)
    assert (bar.heading.text(), bar.sentence.text()) == end_of_a
    screen.go_to(VERDICT)
    assert screen.verdict._metrics.rows
    assert not screen.stepper.bar.button(RUN).isEnabled(), "a run of another test"
