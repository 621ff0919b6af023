"""The run at work: its job in the server's thread, its question to the operator, its page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.figures.running_experiment import Decision, RunningExperiment
from ldap_workbench.gui.experiment.run_page import RunPage
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.progress import Progress

_BEAT_MS = 500


class Execution(QObject):
    """One run at a time; `latest` stays when it has ended.

    *Signals:* begun(), ended() whatever came of it, then done(Experiment, Path) where it is whole
    """

    begun = Signal()
    ended = Signal()
    done = Signal(object, object)

    def __init__(self, workbench: Workbench, page: RunPage, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._page = workbench, page
        self.latest: RunningExperiment | None = None
        self._job: Job | None = None
        self._question: Question | None = None
        page.pauseWanted.connect(self._on_pause)
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._on_beat)

    def at_work(self) -> bool:
        """Whether a run has begun and not ended."""
        return self._job is not None

    def begin(self, plan: Plan, path: Path) -> None:
        """Run a plan into a new session file."""
        connection = self._workbench.connection
        feed = LiveFeed(connection.target.facts.device if connection else None)
        rate = connection.target.facts.clock_rate if connection else 1.0
        run = RunningExperiment(path, plan, feed, self._ask, rate)
        self.latest = run
        self._job = self._workbench.ask_server(
            self.tr("Noise floor") if plan.changes_nothing else self.tr("Experiment"),
            lambda c, progress, cancel: run.run(c.target, c.tuner, progress, cancel),
            on_done=self._on_done,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_cancelled,
        )
        server = connection.profile.name if connection else ""
        self._workbench.running.begin(run, self._job, server, self._workbench)
        self._page.begin(plan)
        self._timer.start()
        self.begun.emit()

    def stop(self) -> None:
        """End the run; the change is reverted."""
        if self._job:
            self._page.stopping()
            self._job.cancel()
            self.answer(Then.REVERT)

    @Slot(bool)
    def _on_pause(self, wanted: bool) -> None:
        """Rest at the next pair, or go on."""
        if self.latest:
            self.latest.pause.ask(wanted)
            self._on_beat()

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

    @Slot()
    def _on_beat(self) -> None:
        if self.latest:
            self._page.beat(self.latest.feed)
            run = self.latest
            self._page.show_state(run.experiment, run.plan, run.pause, run.ends_s())
            self._page.show_so_far(self.latest.so_far)
        self._workbench.running.look()

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._page.show_progress(progress)

    @Slot(object)
    def _on_done(self, experiment: Experiment) -> None:
        assert self.latest is not None
        self._end()
        self.done.emit(experiment, self.latest.path)

    @Slot(object)
    def _on_failed(self, error: WorkbenchError) -> None:
        self._end()
        self._page.show_outcome(shown(sentences(error.what, error.safe)))
        self._workbench.fail(error)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        stopped = self.tr("The experiment was stopped and its change reverted.")
        if self.latest and self.latest.plan.changes_nothing:
            stopped = self.tr("The measurement was stopped; nothing had been changed.")
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)

    def _end(self) -> None:
        self._timer.stop()
        self._on_beat()
        self._job = None
        self._question = None
        self._workbench.running.end()
        self.ended.emit()
