"""Experiment: findings, change, design, run, verdict; a run goes on while you look elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from ldap_workbench.experiment.origin import Origin
from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.figures.running_experiment import Decision, RunningExperiment
from ldap_workbench.figures.session_summary import describe_server
from ldap_workbench.gui.experiment.agreement import Agreement
from ldap_workbench.gui.experiment.change_page import ChangePage
from ldap_workbench.gui.experiment.design_page import DesignPage
from ldap_workbench.gui.experiment.footer import Footer
from ldap_workbench.gui.experiment.run_page import RunPage
from ldap_workbench.gui.experiment.steps import StepBar
from ldap_workbench.gui.experiment.stored import StoredExperiment
from ldap_workbench.gui.experiment.verdict_page import VerdictPage
from ldap_workbench.gui.findings.page import FindingsPage
from ldap_workbench.gui.free_path import free_path
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.empty import EmptyState
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.progress import Progress

FINDINGS, CHANGE, DESIGN, RUN, VERDICT = range(5)
_BEAT_MS = 500


class ExperimentScreen(Screen):
    """*Signals:* reportWanted(), runningChanged(bool), operationsWanted(from_ns, to_ns),
    momentWanted(from_ns, to_ns, title of a strip or ''), planTaken(), revertWanted(group)
    """

    name = "experiment"
    icon = "experiment"
    title = "Experiment"

    reportWanted = Signal()
    runningChanged = Signal(bool)
    planTaken = Signal()
    revertWanted = Signal(str)
    momentWanted = Signal(object, object, str)
    operationsWanted = Signal(object, object)

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        self._job: Job | None = None
        self._trial: RunningExperiment | None = None
        self._question: Question | None = None
        self._decided = False
        self._judged: Plan | None = None
        self._judged_in: Origin | None = None
        self._make_pages()
        self._stored = StoredExperiment(workbench, self.verdict, self)
        self._agreement = Agreement(workbench, self)
        self._agreement.refused.connect(self.design.forget_file)
        self._body = self._make_body()
        self._empty = EmptyState(
            "experiment",
            self.tr("No server is connected"),
            self.tr(
                "Connect to a server to test one change here. Windows with and without "
                "it are compared; then you keep or revert it."
            ),
            actions,
        )
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        self.add_bodies(self._empty, self._body)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.sessionChanged.connect(self._on_session)
        workbench.readOnlyChanged.connect(self._enable)
        self.go_to(CHANGE)

    def running(self) -> bool:
        return self._job is not None

    def ended_with(self) -> str:
        """Why the last run ended early, and what became of the server; '' where it did not."""
        experiment = self._trial.experiment if self._trial else None
        return str(experiment.why) if experiment else ""

    def makes(self, change: Change) -> bool:
        """Whether the run at work has made a change, and will take it back itself."""
        trial = self._trial if self.running() else None
        return trial is not None and change.session == str(trial.path)

    def shown(self) -> None:
        if self._steps.currentIndex() == FINDINGS:
            self.findings.shown()
        elif self._steps.currentIndex() == VERDICT:
            self._stored.shown()

    def try_settings(self, settings: list[str]) -> None:
        """Plan to test these settings, in place of what was planned."""
        if self.running() or self.workbench.connection is None:
            self.workbench.show_status(self.tr("Connect to the server first to try this."))
            return
        self.go_to(CHANGE)
        self.change.take(settings)

    def add_setting(self, setting: str) -> None:
        """Plan to test a setting 'KNOB@PLACE=VALUE'."""
        if not self.running():
            self.go_to(CHANGE)
            self.change.add(setting)

    def go_to(self, step: int) -> None:
        """Show a step."""
        self._steps.setCurrentIndex(step)
        self._enable()
        if self.isVisible():
            self.shown()

    def start(self) -> None:
        """Begin the run, after a last look at what it will do."""
        plan, planned = self.design.plan(), self.change.planned
        if plan and planned and not self.running() and self._agreed(plan):
            self.design.origin = None  # agreed to, whole
            self._begin(plan, self.design.path())

    @Slot()
    def measure_noise(self) -> None:
        """Measure the same windows without a change; the plan is judged by them afterwards."""
        plan, connection = self.design.noise_floor(), self.workbench.connection
        if plan and connection and not self.running() and self._agreed(plan):
            self._begin(plan, self._free_path("noise-floor"))

    def _begin(self, plan: Plan, path: Path) -> None:
        facts = self.workbench.connection.target.facts if self.workbench.connection else None
        feed = LiveFeed(facts.device if facts else None)
        trial = RunningExperiment(path, plan, feed, self._ask)
        self._trial = trial
        self._decided = False
        self._job = self.workbench.ask_server(
            self.tr("Noise floor") if plan.changes_nothing else self.tr("Experiment"),
            lambda c, progress, cancel: trial.run(c.target, c.tuner, progress, cancel),
            on_done=self._on_done,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_cancelled,
        )
        self.run.begin(plan)
        self._timer.start()
        self.runningChanged.emit(True)
        self.go_to(RUN)

    def stop(self) -> None:
        """End the run; the change is reverted."""
        if self._job:
            self.run.stopping()
            self._job.cancel()
            self._answer(Then.REVERT)

    def decide(self, question: Question) -> None:
        """The verdict is in; the run waits for an answer."""
        self._question = question
        assert self._trial is not None
        self.verdict.show_decision(question.about, self._trial.plan)
        self._decided, self._judged, self._judged_in = True, self._trial.plan, None
        if self._job:
            self._job.progressed.emit(Progress(self.tr("Waiting for your decision")))
        self.go_to(VERDICT)

    def _ask(self, decision: Decision) -> Then | None:
        """In the worker."""
        answer: Then | None = self.workbench.prompts.ask("decide", decision)
        return answer

    def _make_pages(self) -> None:
        self.findings = FindingsPage(self.workbench)
        self.findings.momentWanted.connect(self.momentWanted)
        self.findings.operationsWanted.connect(self.operationsWanted)
        self.findings.treatmentWanted.connect(self.try_settings)
        self.change = ChangePage(self.workbench)
        self.design = DesignPage(self.workbench)
        self.run = RunPage()
        self.verdict = VerdictPage()
        self.splits = (self.run.split, *self.verdict.splits)
        self.change.plannedChanged.connect(self._on_planned)
        self.design.changed.connect(self._enable)
        self.design.noiseFloorWanted.connect(self.measure_noise)
        self.run.stopWanted.connect(self.stop)
        self.verdict.decided.connect(self._on_decided)
        self.verdict.againWanted.connect(self._on_again)
        self.verdict.reportWanted.connect(self.reportWanted)

    def _make_body(self) -> QWidget:
        self._bar = StepBar(
            (
                self.tr("Findings"),
                self.tr("Change"),
                self.tr("Design"),
                self.tr("Run"),
                self.tr("Verdict"),
            )
        )
        self._bar.wanted.connect(self.go_to)
        self._steps = QStackedWidget()
        for page in (self.findings, self.change, self.design, self.run, self.verdict):
            self._steps.addWidget(page)
        self._footer = Footer()
        self._footer.back.clicked.connect(lambda: self.go_to(self._steps.currentIndex() - 1))
        self._footer.onward.clicked.connect(lambda: self.go_to(self._steps.currentIndex() + 1))
        self._footer.start.clicked.connect(self.start)
        body = QWidget()
        whole = QVBoxLayout(body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self._bar)
        whole.addWidget(self._steps, 1)
        whole.addWidget(self._footer)
        return body

    @Slot()
    def _enable(self) -> None:
        step = self._steps.currentIndex()
        planned = self.change.planned is not None
        reachable = {FINDINGS, RUN} if self.running() else {FINDINGS}
        if self.workbench.connection and not self.running():
            reachable.add(CHANGE)
        if (planned or self._stored.experiment) and not self.running():
            reachable.add(DESIGN)
        if self._trial:
            reachable.add(RUN)
        if self._decided:
            reachable.add(VERDICT)
        self._bar.show_step(step, reachable | {step})
        self._show_footer(step, reachable, planned=planned)

    def _show_footer(self, step: int, reachable: set[int], *, planned: bool) -> None:
        foot, read_only = self._footer, self.workbench.read_only
        foot.setVisible(step in (FINDINGS, CHANGE, DESIGN))
        foot.back.setVisible(step in (CHANGE, DESIGN))
        foot.back.setEnabled(step - 1 in reachable)
        foot.onward.setVisible(step in (FINDINGS, CHANGE))
        foot.set_next_label(
            self.tr("&Next: change") if step == FINDINGS else self.tr("&Next: design"),
            possible=planned if step == CHANGE else CHANGE in reachable,
        )
        foot.start.setVisible(step == DESIGN)
        ready = planned and self.design.plan() is not None
        foot.start.setEnabled(ready and not read_only)
        foot.set_hint(
            connected=self.running() or self.workbench.connection is not None,
            read_only=read_only,
            planned=planned,
            designing=step == DESIGN,
        )

    def _agreed(self, plan: Plan) -> bool:
        return self._agreement.given(plan, self.change.planned, self.design.origin)

    @Slot(object)
    def _answer(self, then: Then) -> None:
        if self._question:
            self._question.answer(then)
            self._question = None

    @Slot(object)
    def _on_decided(self, then: Then) -> None:
        """For the run that waits, or for a change an earlier run has left open."""
        if self._question:
            self._answer(then)
        elif then is Then.KEEP:
            self._stored.keep()
        elif change := self._stored.open_change():
            self.revertWanted.emit(change.group)

    @Slot()
    def _on_planned(self) -> None:
        planned = self.change.planned
        treatment = planned.treatment if planned else None
        self.design.set_treatment(treatment, restart=bool(planned and planned.restart))
        if self._judged and self.design.form().seed == self._judged.seed:
            self.design.throw_coin()  # what it was drawn for has been run
        self._enable()

    @Slot()
    def _on_connection(self) -> None:
        connection = self.workbench.connection
        self._name_what_is_shown()
        if connection is None:
            self._enable()
            self._show_what_there_is()
            return
        self.change.set_knobs([knob.name for knob in connection.tuner.catalogue.knobs])
        self.change.clear()
        self._suggest_path()
        self._enable()
        self._show_what_there_is()

    @Slot()
    def _on_session(self) -> None:
        """What a capture found is looked at first; a plan at work stays where it is."""
        self._name_what_is_shown()
        self._take_stored()
        if not self._trial and self.change.planned is None:
            self.go_to(FINDINGS if self.workbench.opened else CHANGE)
        self._show_what_there_is()

    def _take_stored(self) -> None:
        """The verdict and the plan of the session's experiment, unless another is at work."""
        opened = self.workbench.opened
        if self.running():
            return
        trial = self._trial
        own = bool(opened and trial and trial.path == opened.path)
        if experiment := self._stored.take(opened, fills_page=not own):
            self._decided, self._judged = True, experiment.plan
            ours = own and trial and trial.plan == experiment.plan
            self._judged_in = None if ours else self._stored.origin()
            if self.change.planned is None:
                self.design.take_plan(experiment.plan, self._judged_in)
                self.planTaken.emit()
        elif not own:
            self._decided, self._judged = False, None
        self._enable()

    def _name_what_is_shown(self) -> None:
        """The server, or without one the session."""
        connection, opened = self.workbench.connection, self.workbench.opened
        stored = shown(opened.summary.headline()) if opened else ""
        self.set_subtitle(describe_server(connection.target.facts) if connection else stored)

    def _show_what_there_is(self) -> None:
        anything = self.workbench.connection or self.workbench.opened or self._trial
        self.show_body(self._body if anything else self._empty)

    def _suggest_path(self) -> None:
        if self.workbench.connection:
            self.design.set_path(self._free_path("experiment"))

    def _free_path(self, what: str) -> Path:
        assert self.workbench.connection is not None
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M")
        name = f"{self.workbench.connection.profile.name}-{what}-{stamp}"
        return free_path(self.workbench.settings.folder, name)

    @Slot()
    def _on_beat(self) -> None:
        if self._trial:
            self.run.beat(self._trial.feed)
            self.run.show_state(self._trial.experiment, self._trial.plan)
            self.run.show_so_far(self._trial.so_far)

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self.run.show_progress(progress)

    @Slot(object)
    def _on_done(self, experiment: Experiment) -> None:
        self._end()
        assert self._trial is not None
        if experiment.plan.changes_nothing:
            self.design.set_baseline(self._trial.path)
            self.go_to(DESIGN)
        else:
            self.verdict.show_end(experiment)
        self.workbench.open_session(self._trial.path)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._end()
        self.workbench.fail(error)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        stopped = self.tr("The experiment was stopped and its change reverted.")
        if self._trial and self._trial.plan.changes_nothing:
            stopped = self.tr("The measurement was stopped; nothing had been changed.")
        self.workbench.show_status(stopped)

    def _end(self) -> None:
        self._timer.stop()
        self._on_beat()
        self._job = None
        self._question = None
        self.design.throw_coin()
        self._suggest_path()
        self.workbench.reload_journal()
        self.runningChanged.emit(False)
        self._enable()
        if self._trial and (experiment := self._trial.experiment):
            self.verdict.show_end(experiment)

    @Slot()
    def _on_again(self) -> None:
        if self.workbench.connection is None:
            self.workbench.show_status(self.tr("Connect to the server first to rerun this."))
        elif self._judged:
            self.design.take_plan(self._judged, self._judged_in)
            self.design.throw_coin()
            self.planTaken.emit()
            self.change.plan_again(self._judged.treatment)
            self.go_to(DESIGN)
