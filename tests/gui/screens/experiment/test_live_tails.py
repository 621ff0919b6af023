"""A against B while an experiment runs, over windows that were recorded before."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.experiment import experiment_job as jobs
from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.screens.experiment.run_page import RunPage
from ldap_workbench.gui.screens.experiment.running import RunningExperiment, SoFar
from ldap_workbench.model.experiment import Experiment, State, Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Progress
from ldap_workbench.session.reader import Session
from tests import sessions
from tests.gui.pictures import strip

SECONDS, PER_SECOND = 5, 200


class Recorded:
    """An ExperimentRun whose windows are written at once, one whenever the test lets it."""

    go = threading.Semaphore(0)

    def __init__(self, target, tuner, writer, plan, *, progress, cancel, **_) -> None:
        self._writer, self._tell, self._cancel = writer, progress, cancel
        self.experiment = Experiment(1, plan, State.MEASURING, 0)

    def run(self) -> Experiment:
        rng = np.random.default_rng(3)
        for index, step in enumerate(self.experiment.plan.steps):
            self._tell(Progress(Message("Settling")))
            assert self.go.acquire(timeout=60)
            self._cancel.check()
            window = sessions._window(index, step, SECONDS)
            slower = 0.5 if step.arm == "B" else 1.0
            operations = sessions._operations(rng, window, PER_SECOND, slower, hostile=False)
            sessions._put_window(self._writer, window, operations, rng)
            windows = (*self.experiment.windows, window.id)
            self.experiment = replace(self.experiment, windows=windows)
            self._writer.put_experiment(self.experiment)
        self._tell(Progress(Message("Judging")))
        return self.experiment


class Target:
    facts = sessions.FACTS


class Tuner:
    """Holds a server that nobody else wants."""

    locked = staticmethod(contextlib.nullcontext)


def a_plan(primary: str = "p50", kind: str = "ALL"):
    form = ExperimentForm(design="abba", pairs=2, window_s=SECONDS, primary=primary, kind=kind)
    return form.plan(sessions.TREATMENT, restart=False)


@pytest.fixture
def page(qtbot):
    made = RunPage()
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    return made


@pytest.fixture
def started(runner, page, tmp_path, monkeypatch):
    """A trial at work in a worker; yields it and a way to let one more window end."""
    monkeypatch.setattr(jobs, "ExperimentRun", Recorded)
    Recorded.go = threading.Semaphore(0)
    plan = a_plan()
    trial = RunningExperiment(tmp_path / "run.ldapwb", plan, LiveFeed(), lambda _: Then.REVERT)
    job = runner.start("server lab", "Experiment", lambda p, c: trial.run(Target(), Tuner(), p, c))
    trial.job = job
    page.begin(plan)
    yield trial
    job.cancel()
    Recorded.go.release(10)


def after(qtbot, page, trial, windows: int) -> SoFar:
    """Let one more window end, and show what the page then shows."""
    Recorded.go.release()
    qtbot.waitUntil(lambda: trial.so_far is not None and trial.so_far.a + trial.so_far.b == windows)
    page.show_so_far(trial.so_far)
    return trial.so_far


def test_each_finished_window_is_drawn_while_the_run_goes_on(qtbot, page, started):
    assert "after the first window" in page._words.text()
    first = after(qtbot, page, started, 1)
    assert (first.a, first.b) == (1, 0)
    assert len(page.chart._picture.curves) == 1
    second = after(qtbot, page, started, 2)
    assert (second.a, second.b) == (1, 1)
    assert "So far 1 of 2 windows of A and 1 of 2 of B. This is not a verdict" in page._words.text()
    assert "p50 fell" in page.chart.reading()
    before = page.chart._picture.curves[0].n
    after(qtbot, page, started, 3)
    after(qtbot, page, started, 4)
    assert "So far 2 of 2 windows of A and 2 of 2 of B" in page._words.text()
    assert page.chart._picture.curves[0].n > 1.5 * before
    assert len(page.chart._picture.windows) == 4
    qtbot.waitUntil(lambda: not started.job.running)
    assert len(windows_of(qtbot, started.path)) == 4
    assert list(started.path.parent.glob("run.ldapwb*")) == [started.path], "the log is folded in"


def windows_of(qtbot, path):
    """Read beside the window, as the program does."""

    def read():
        with Session.open(path) as session:
            return session.windows()

    with ThreadPoolExecutor(1) as worker:
        found = worker.submit(read)
        qtbot.waitUntil(found.done)
    return found.result()


def test_strips_and_curves_both_have_room(qtbot, page, started):
    page._stack.set_strips([strip()])
    after(qtbot, page, started, 1)
    left, right = page.split.sizes()
    assert min(left, right) > 0.4 * (left + right)


def test_another_run_starts_with_an_empty_chart(qtbot, page, started):
    after(qtbot, page, started, 1)
    page.begin(a_plan())
    assert page.chart._picture.curves == ()
    assert "after the first window" in page._words.text()


def test_curves_that_cannot_be_read_end_no_experiment(qtbot, page, started, monkeypatch):
    def broken(*_):
        raise ValueError("no such column")

    with monkeypatch.context() as patched:
        patched.setattr(TailsReader, "picture", broken)
        after(qtbot, page, started, 1)
    assert "The curves cannot be drawn: no such column" in page._words.text()
    after(qtbot, page, started, 2)
    assert "cannot be drawn" not in page._words.text()
    assert len(page.chart._picture.curves) == 2


def test_the_curves_are_of_the_operations_the_plan_looks_at():
    assert a_plan(kind="BIND", primary="p99.9").primary_metric.type == "BIND"
    assert a_plan().primary_metric.type == "ALL"
