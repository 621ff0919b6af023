"""Experiment: findings, change, design, run, verdict; a run goes on while you look elsewhere."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction

from ldap_workbench.experiment.further import further_plan, with_longer_wait
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.experiment.plan import is_built, usual_design
from ldap_workbench.figures.overview.knobs import Match
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.screens.experiment.agreement import Agreement
from ldap_workbench.gui.screens.experiment.change_page import ChangePage
from ldap_workbench.gui.screens.experiment.design_page import DesignPage
from ldap_workbench.gui.screens.experiment.run_page import ExperimentExecution, RunPage
from ldap_workbench.gui.screens.experiment.stepper import (
    CHANGE,
    DESIGN,
    RUN,
    VERDICT,
    Situation,
    Stepper,
)
from ldap_workbench.gui.screens.experiment.stored import StoredExperiment
from ldap_workbench.gui.screens.experiment.verdict_page import VerdictPage
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.target import distinct_names


class ExperimentScreen(Screen):
    """An experiment from its plan to keep or revert.

    *Signals:* reportWanted(), runningChanged(bool), planTaken(), revertWanted(group).
    """

    name = "experiment"

    reportWanted = Signal()
    runningChanged = Signal(bool)
    planTaken = Signal()
    revertWanted = Signal(str)

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._decided = False
        self._dressed = False
        self._metric_for: tuple[tuple[Setting, ...], str] = ((), "")
        """Settings asked for last, and their metric, which waits until the server accepts them."""
        self._verdict_is_live = False
        """Whether the verdict's page shows what the run itself has told, and not a file."""
        self._further_wanted = False
        """Whether more pairs are to be planned once the session of the run is open."""
        self._shows_run = False
        """Whether the run's page belongs to what is open: run and verdict are of one test."""
        self._judged: Plan | None = None
        self._judged_in: Origin | None = None
        self._make_pages()
        self.execution = ExperimentExecution(workbench, self.run, self)
        self.execution.begun.connect(self._on_begun)
        self.execution.ended.connect(self._on_ended)
        self.execution.done.connect(self._on_done)
        self._stored = StoredExperiment(workbench, self.verdict, self)
        self._agreement = Agreement(workbench, self)
        self._agreement.refused.connect(self.design.forget_file)
        self.stepper = Stepper((self.change, self.design, self.run, self.verdict))
        self.stepper.wanted.connect(self.go_to)
        self.stepper.startWanted.connect(self.start)
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self.stepper)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.sessionChanged.connect(self._on_session)
        workbench.readOnlyChanged.connect(self._enable)
        self.go_to(CHANGE)

    def running(self) -> bool:
        return self.execution.at_work()

    def planned_treatment(self) -> Treatment | None:
        """The change that is chosen and checked, where there is one."""
        return self.change.planned.treatment if self.change.planned else None

    def ended_with(self) -> str:
        """Why the last run ended early, and what became of the server; '' where it did not."""
        experiment = self.execution.latest.experiment if self.execution.latest else None
        return str(experiment.why) if experiment else ""

    def shown(self) -> None:
        if self.stepper.step() == VERDICT and not self.execution.waits():
            self._stored.shown()

    def dress(self) -> None:
        """Only the step that is seen: all four at once are felt."""
        self._dressed = True
        self.dress_apart(self._empty, *self.stepper.in_sight())

    def show_verdict(self) -> bool:
        """Go to the verdict of the open session; False where it has none, or a test runs."""
        if self.running() or self._stored.experiment is None:
            return False
        self.go_to(VERDICT)
        return True

    def try_advice(self, advice: Advice) -> None:
        """Plan to test this, in place of what was planned, judged by the metric it is about."""
        if self.running() or self.workbench.connection is None:
            self.workbench.show_status(self.tr("Connect to the server first to try this."))
            return
        if why := self._of_another_server():
            self.workbench.show_status(shown(why))
            return
        self.try_treatment(advice.treatment, advice.primary)

    def try_treatment(self, treatment: Treatment, metric: str) -> None:
        """Plan to test this, in place of what was planned, judged by a metric."""
        if self.running():
            return
        self.design.forget_file()
        self.go_to(CHANGE)
        self._metric_for = (treatment.settings, metric)
        self.change.take(treatment.settings)

    def add_setting(self, setting: Setting) -> None:
        """Plan to test a setting, together with what is planned."""
        if not self.running():
            self.design.forget_file()
            self.go_to(CHANGE)
            self.change.add(setting)

    def _of_another_server(self) -> Message:
        """Why advice of the open session is not for the connected server; nothing where it may."""
        opened, connection = self.workbench.opened, self.workbench.connection
        facts = opened.summary.facts if opened else None
        if facts is None or connection is None:
            return NOTHING
        if self.workbench.session_match() is not Match.OTHER:
            return NOTHING
        other, server = distinct_names(facts, connection.target.facts)
        return Message(
            "This advice is for {other}; the connected server is {server}. Nothing was planned.",
            other=other,
            server=server,
        )

    def go_to(self, step: int) -> None:
        """Show a step."""
        self.stepper.show_step(step)
        if self._dressed:
            self.dress()
        self._name_what_is_shown()
        self._enable()
        if self.isVisible():
            self.shown()

    def start(self) -> None:
        """Begin the run, after a last look at what it will do."""
        plan, planned = self.design.plan(), self.change.planned
        if self.workbench.connection is None or self._at_work():
            return
        if plan and planned and self.workbench.may_change_a_server() and self._agreed(plan):
            self.design.take_over()
            path = self.design.path()
            self.workbench.settings.new_folder = path.parent
            self._begin(plan, path)

    @Slot()
    def measure_noise(self) -> None:
        """Measure the same windows without a change; the plan is judged by them afterwards."""
        plan, connection = self.design.noise_floor(), self.workbench.connection
        if plan is None or connection is None or self._at_work():
            return
        if self.workbench.may_change_a_server() and self._agreed(plan):
            self._begin(plan, self._free_path("noise-floor"))

    def _at_work(self) -> bool:
        """Whether an experiment or a campaign of this window runs."""
        bench = self.workbench
        return bench.running.run is not None and not bench.runs_elsewhere()

    def _begin(self, plan: Plan, path: Path) -> None:
        self._decided = self._verdict_is_live = self._further_wanted = False
        self.execution.begin(plan, path, self.design.replicas())

    @Slot()
    def stop(self) -> None:
        """End the run; the change is reverted."""
        self.execution.stop()

    def decide(self, question: Question) -> None:
        """The verdict is in; the run waits for an answer."""
        assert self.execution.latest is not None
        run = self.execution.latest
        plan = run.plan
        left = run.experiment.left_stored if run.experiment else ()
        self.execution.wait_for(question)
        self.verdict.show_decision(question.about, plan, left)
        further = further_plan(plan, question.about.verdict, run.path.name)
        self.verdict.offer_further(further, self.workbench.clock_rate)
        self._verdict_is_live = True
        self._decided, self._judged, self._judged_in = True, plan, None
        self.go_to(VERDICT)

    def _make_pages(self) -> None:
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
        self.verdict.furtherWanted.connect(self._on_further)
        self.verdict.reportWanted.connect(self.reportWanted)

    @Slot()
    def _enable(self) -> None:
        self.stepper.follow(
            Situation(
                running=self.running(),
                connected=self.workbench.connection is not None,
                read_only=self.workbench.read_only,
                planned=self.change.planned is not None,
                complete=self.design.plan() is not None,
                stored=self._stored.experiment is not None,
                has_run=self._shows_run,
                judged=self._decided,
            )
        )

    def _is_of_this_server(self) -> bool:
        """Whether the plan of the session may be used here; else it is said why not."""
        connection = self.workbench.connection
        if connection is None or self._judged_in is None:
            return connection is not None
        try:
            self._judged_in.check_server(connection.target.facts)
        except ExperimentError as error:
            self.workbench.fail(error)
            return False
        return True

    def _agreed(self, plan: Plan) -> bool:
        return self._agreement.ask(plan, self.change.planned, self.design.origin)

    @Slot(object)
    def _on_decided(self, then: Then) -> None:
        """For the run that waits, or for a change an earlier run has left open."""
        if self.execution.answer(then):
            return
        if then is Then.KEEP:
            self._stored.keep()
        elif change := self._stored.open_change():
            self.revertWanted.emit(change.group)

    @Slot()
    def _on_planned(self) -> None:
        planned, treatment = self.change.planned, self.planned_treatment()
        self.design.set_treatment(treatment, restart=bool(planned and planned.restart))
        connection = self.workbench.connection
        if treatment and connection and is_built(treatment):
            on_test = connection.target.profile.test_server
            self.design.set_design(usual_design(treatment, test_server=on_test))
        (settings, metric), self._metric_for = self._metric_for, ((), "")
        if settings and self.change.settings() == settings:
            self._judge_by(metric)
        if self._judged and self.design.form().seed == self._judged.seed:
            self.design.throw_coin()  # what it was drawn for has been run
        self._enable()

    def _judge_by(self, metric: str) -> None:
        """The metric of advice for the connected server; a file that names none chooses nothing."""
        if metric and self.workbench.session_match() in (None, Match.SAME):
            self.design.set_primary(PrimaryMetric.parse(metric))

    @Slot()
    def _on_connection(self) -> None:
        connection = self.workbench.connection
        self._name_what_is_shown()
        if connection is None:
            self.change.clear()
            self._enable()
            self._show_what_there_is()
            return
        self.change.set_knobs([knob.name for knob in connection.tuner.catalogue.knobs])
        self.change.clear()
        self.design.forget_file()
        self._suggest_path()
        self._enable()
        self._show_what_there_is()

    @Slot()
    def _on_session(self) -> None:
        """The session's verdict is looked at first; a plan at work stays where it is."""
        self._name_what_is_shown()
        self._shows_run = self._run_is_of_session()
        self._take_stored()
        if not self.execution.latest and self.change.planned is None:
            self.go_to(VERDICT if self._stored.experiment else CHANGE)
        elif self.stepper.step() == RUN and not self._shows_run:
            self.go_to(VERDICT)
        self._show_what_there_is()
        run, opened = self.execution.latest, self.workbench.opened
        if self._further_wanted and run and opened and run.path == opened.path:
            self._further_wanted = False
            self._on_further()

    def _run_is_of_session(self) -> bool:
        """Whether the page of the run may stand beside the verdict of the open session."""
        opened, run = self.workbench.opened, self.execution.latest
        if run is None or self.running() or opened is None:
            return run is not None
        return run.path == opened.path or opened.summary.experiment is None

    def _take_stored(self) -> None:
        """The verdict and the plan of the session's experiment, unless another is at work."""
        opened = self.workbench.opened
        if self.running():
            return
        run = self.execution.latest
        own = bool(opened and run and run.path == opened.path)
        self._verdict_is_live = own and self._verdict_is_live
        if experiment := self._stored.take(opened, fills_page=not self._verdict_is_live):
            self._decided, self._judged = True, experiment.plan
            ours = own and run and run.plan == experiment.plan
            self._judged_in = None if ours else self._stored.origin()
            if self.change.planned is None and self._may_show_plan():
                self.design.take_plan(experiment.plan, self._judged_in)
                self.planTaken.emit()
        elif not own:
            self._decided, self._judged = False, None
            self.verdict.clear()
            if self.stepper.step() == VERDICT:
                self.go_to(CHANGE)
        self._enable()

    def _may_show_plan(self) -> bool:
        """To be read, without a server; with one only what was planned here, and not in a file."""
        return self.workbench.connection is None or self._judged_in is None

    def _name_what_is_shown(self) -> None:
        """The session where its verdict is shown, else the server."""
        connection, opened = self.workbench.connection, self.workbench.opened
        stored = shown(opened.summary.headline()) if opened else ""
        here = describe_server(connection.target.facts) if connection else stored
        of_session = self.stepper.step() == VERDICT and not self.running()
        self.set_subtitle(stored if of_session and stored else here)

    def _show_what_there_is(self) -> None:
        stored = self._stored.experiment
        anything = self.workbench.connection or stored or self.execution.latest
        self.show_body(self.stepper if anything else self._empty)

    def _suggest_path(self) -> None:
        if self.workbench.connection:
            self.design.set_path(self._free_path("experiment"))

    def _free_path(self, what: str) -> Path:
        assert self.workbench.connection is not None
        name = f"{self.workbench.connection.profile.name}-{what}"
        return self.workbench.settings.new_session(name, stamped=True)

    @Slot()
    def _on_begun(self) -> None:
        self._shows_run = True
        self.runningChanged.emit(True)
        self.go_to(RUN)

    @Slot()
    def _on_ended(self) -> None:
        self.design.throw_coin()
        self._suggest_path()
        self.workbench.journal.reload()
        self.runningChanged.emit(False)
        if not self._verdict_is_live:  # else its session opens next
            self._shows_run = self._run_is_of_session()
            self._take_stored()
        self._name_what_is_shown()
        if self.execution.latest and (experiment := self.execution.latest.experiment):
            self._show_end(experiment)

    def _show_end(self, experiment: Experiment) -> None:
        """What became of the change of the run, unless the page shows another test."""
        if self._verdict_is_live or self._run_is_of_session():
            self.verdict.show_end(experiment)

    @Slot(object, object)
    def _on_done(self, experiment: Experiment, path: Path) -> None:
        if experiment.plan.changes_nothing:
            self.design.set_baseline(path)
            self.go_to(DESIGN)
        else:
            self._show_end(experiment)
        self.workbench.open_session(path)

    @Slot()
    def _on_again(self) -> None:
        if self.workbench.connection is None:
            self.workbench.show_status(self.tr("Connect to the server first to rerun this."))
        elif self._judged and self._is_of_this_server():
            self._plan_again(with_longer_wait(self._judged, self._stored.verdict))

    @Slot()
    def _on_further(self) -> None:
        """Plan more pairs; a run that waits for its answer puts the server back first."""
        if self.execution.waits():
            self._further_wanted = True
            self.execution.answer(Then.REVERT)
        elif self.workbench.connection is None:
            self.workbench.show_status(
                self.tr("Connect to the server first to measure more pairs.")
            )
        elif self._stored.further and self._is_of_this_server():
            self._plan_again(self._stored.further)

    def _plan_again(self, plan: Plan) -> None:
        """A plan of the session with a new coin, to be read before it is started."""
        self.design.take_plan(plan, self._judged_in)
        self.design.throw_coin()
        self.planTaken.emit()
        self.change.take(plan.treatment.settings)
        self.go_to(DESIGN)
