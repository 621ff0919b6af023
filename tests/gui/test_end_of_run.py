"""When a run has ended its verdict stays in sight, whatever session was open before it."""

from types import SimpleNamespace

import pytest

from ldap_workbench.gui.experiment.screen import CHANGE, RUN, VERDICT
from ldap_workbench.session import Session
from tests import sessions
from tests.gui.conftest import idle, opened


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
    screen._decided, screen._judged, screen._told = True, latest.plan, True
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


def test_another_session_in_between_takes_the_page(qtbot, window, captured, run):
    latest, verdict = run
    screen = opened(qtbot, window, captured, "experiment")
    screen.execution.latest = latest
    screen.verdict.show_verdict(verdict)
    screen._told = True
    end(qtbot, window, latest)
    for path in (captured, latest.path):
        window.open_paths([path])
        idle(qtbot, window)
    screen.go_to(VERDICT)
    idle(qtbot, window)
    assert screen.verdict._metrics.rows
    assert len(screen.verdict.chart._picture.curves) == 2
