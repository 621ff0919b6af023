"""The run at work: its job in the server's thread, its question to the operator, its page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.figures.running_experiment import Decision, RunningExperiment
from ldap_workbench.gui.experiment.run_page import RunPage
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.execution import Execution
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Progress


class ExperimentExecution(Execution):
    """One experiment at a time, which may wait for an answer to its verdict.

    *Signals:* done(Experiment, Path) after ended(), where it is whole
    """

    done = Signal(object, object)
    latest: RunningExperiment | None
    _page: RunPage

    def __init__(self, workbench: Workbench, page: RunPage, parent: QObject) -> None:
        super().__init__(workbench, page, parent)
        self._question: Question | None = None

    def begin(self, plan: Plan, path: Path) -> None:
        """Run a plan into a new session file."""
        connection = self._workbench.connection
        feed = LiveFeed(connection.target.facts.device if connection else None)
        rate = connection.target.facts.clock_rate if connection else 1.0
        run = RunningExperiment(path, plan, feed, self._ask, rate)
        self._begin(
            self.tr("Noise floor") if plan.changes_nothing else self.tr("Experiment"),
            run,
            lambda c, progress, cancel: run.run(c.target, c.tuner, progress, cancel),
        )

    def stop(self) -> None:
        """End the run; the change is reverted."""
        super().stop()
        self.answer(Then.REVERT)

    def waits(self) -> bool:
        """Whether the run waits for an answer to its verdict."""
        return self._question is not None

    def wait_for(self, question: Question) -> Plan:
        """The run waits for an answer to its verdict; gives its plan."""
        assert self.latest is not None
        self._question = question
        if self._job:
            self._job.progressed.emit(Progress(Message("Waiting for your decision")))
        return self.latest.plan

    def answer(self, then: Then) -> bool:
        """Let a run that waits go on; False where none does."""
        question, self._question = self._question, None
        if question:
            question.answer(then)
        return question is not None

    def _ask(self, decision: Decision) -> Then | None:
        """In the worker."""
        answer: Then | None = self._workbench.prompts.ask("decide", decision)
        return answer

    def _show_begun(self) -> None:
        assert self.latest is not None
        self._page.begin(self.latest.plan)

    def _show_beat(self) -> None:
        assert self.latest is not None
        self._page.show_run(self.latest)

    @Slot(object)
    def _on_done(self, experiment: Experiment) -> None:
        assert self.latest is not None
        self._end()
        self.done.emit(experiment, self.latest.path)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        stopped = self.tr("The experiment was stopped and its change reverted.")
        if self.latest and self.latest.plan.changes_nothing:
            stopped = self.tr("The measurement was stopped; nothing had been changed.")
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)

    def _end(self) -> None:
        self._question = None
        super()._end()
