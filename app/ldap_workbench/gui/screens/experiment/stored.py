"""The experiment of the open session on the verdict page: the same as on the day it was run."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from ldap_workbench.experiment.further import further_plan
from ldap_workbench.experiment.in_force import NOT_READ, InForce, read_in_force, recorded_in_force
from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.figures.overview.knobs import Match
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.screens.experiment.verdict_page import VerdictPage
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.verdict import RULES, Verdict
from ldap_workbench.model.window import by_arm
from ldap_workbench.session.reader import Session


class StoredExperiment(QObject):
    """Fills a verdict page from a session; its operations are read when somebody looks at them."""

    def __init__(self, workbench: Workbench, page: VerdictPage, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._page = page
        self._opened: OpenSession | None = None
        self._unread = False
        self.experiment: Experiment | None = None
        self.verdict: Verdict | None = None
        """Its verdict, by today's rules once it was judged again."""
        self.further: Plan | None = None
        """More pairs where its verdict is open, and more of them can answer the question."""
        for changed in (
            workbench.journal.changed,
            workbench.connectionChanged,
            workbench.readOnlyChanged,
        ):
            changed.connect(self._show_end)

    def take(self, opened: OpenSession | None, *, fills_page: bool) -> Experiment | None:
        """Look at another session; its judged experiment, or None where it has none.

        `fills_page` is False for the run that has just ended: the page shows it already.
        """
        summary = opened.summary if opened else None
        experiment, verdict = (summary.experiment, summary.verdict) if summary else (None, None)
        judged = experiment is not None and verdict is not None
        there = judged and experiment is not None and not experiment.plan.changes_nothing
        self._opened, self.experiment = opened, experiment if there else None
        self.verdict = verdict if there else None
        self._unread = there and fills_page
        self.further = None
        if self.experiment and verdict and opened:
            self.further = further_plan(self.experiment.plan, verdict, opened.path.name)
        if self.experiment and verdict and fills_page:
            self._page.show_verdict(verdict)
            self._page.show_tails(TailsPicture())
        self._page.show_in_force(NOT_READ)
        self._show_end()
        return self.experiment

    def origin(self) -> Origin | None:
        """The file its plan comes from."""
        if self._opened is None or self.experiment is None:
            return None
        summary = self._opened.summary
        return Origin(summary.path, summary.facts, self.experiment.plan)

    def shown(self) -> None:
        """Somebody looks at the page: read what the chart shows, and what the server says now."""
        self._show_in_force()
        if self._unread and self.experiment and self._opened:
            self._unread = False
            experiment = self.experiment
            title = self.tr("Reading the latencies of the verdict")
            self._workbench.ask_session(
                title, lambda session: (experiment, _picture(session, experiment)), self._on_picture
            )
            self._judge_again(experiment)

    def _judge_again(self, experiment: Experiment) -> None:
        """By today's rules, where earlier ones gave the verdict on the page."""
        if experiment.verdict and experiment.verdict.rules < RULES:
            self._workbench.ask_session(
                self.tr("Judging the experiment by today's rules"),
                lambda session: (experiment, verdict_of_today(session, experiment)),
                self._on_judged,
            )

    def open_change(self) -> Change | None:
        """A change of the experiment that may be in force on its server."""
        groups = self.experiment.change_groups if self.experiment else ()
        return next((c for c in self._workbench.journal.open_changes() if c.group in groups), None)

    def keep(self) -> None:
        """Close the open change for good; the server is not touched."""
        if change := self.open_change():
            self._workbench.ask_server(
                self.tr("Keeping the change"),
                lambda connection, _, __: connection.tuner.keep(change.group),
                on_done=self._on_kept,
            )

    @Slot(object)
    def _on_picture(self, answer: tuple[Experiment, TailsPicture]) -> None:
        experiment, picture = answer
        if experiment is self.experiment:  # another session may have been opened meanwhile
            self._page.show_tails(picture)

    @Slot(object)
    def _on_judged(self, answer: tuple[Experiment, Verdict | None]) -> None:
        experiment, verdict = answer
        if experiment is not self.experiment or verdict is None or self._runs_here():
            return
        self.verdict = verdict
        self._page.show_verdict(verdict)
        if self._opened:
            name = self._opened.path.name
            self.further = further_plan(experiment.plan, verdict, name)
        self._show_end()

    def _show_in_force(self) -> None:
        """Ask the server what is in force, where it is the connected one and nothing runs there."""
        experiment, opened = self.experiment, self._opened
        if experiment is None or opened is None:
            return
        change = self.open_change()
        if self._may_ask(change):
            self._workbench.ask_server(
                self.tr("Reading the settings of the change"),
                partial(_read, experiment=experiment, deciding=change is not None),
                on_done=self._on_in_force,
            )
            return
        known = (*opened.summary.changes, *self._workbench.journal.changes)
        facts, deciding = opened.summary.facts, change is not None
        self._page.show_in_force(recorded_in_force(experiment, known, facts, deciding=deciding))

    def _runs_here(self) -> bool:
        """Whether a run of this window is at work, or waits for an answer on the page."""
        return self._workbench.running.run is not None and not self._workbench.runs_elsewhere()

    def _may_ask(self, change: Change | None) -> bool:
        bench = self._workbench
        if bench.connection is None or bench.running.run is not None:
            return False
        return bench.session_match() is Match.SAME or bool(change and bench.is_connected_to(change))

    @Slot(object)
    def _on_in_force(self, answer: tuple[Experiment, InForce]) -> None:
        experiment, now = answer
        if experiment is self.experiment and not self._runs_here():
            self._page.show_in_force(now)

    @Slot(object)
    def _on_kept(self, changes: list[Change]) -> None:
        self._workbench.show_status(
            self.tr("The change was kept. You can still revert it in the change log.")
        )
        self._workbench.journal.reload()

    @Slot()
    def _show_end(self) -> None:
        """What became of the change; buttons where that is still open.

        A run of this window has the page for itself: its own decision may be asked for there.
        """
        bench = self._workbench
        if self.experiment is None or self._runs_here():
            return
        change = self.open_change()
        if change is None:
            self._page.show_end(self.experiment)
            self._page.offer_further(self.further, bench.clock_rate)
        else:
            self._page.show_open(
                self.experiment.plan, self._hint(change), self.experiment.left_stored
            )
            self._page.offer_further(None)
        if self._page.isVisible():
            self._show_in_force()

    def _hint(self, change: Change) -> str:
        """Why an open change cannot be decided about now; '' where it can."""
        bench = self._workbench
        if bench.read_only:
            return self.tr("Read-only mode is on. Turn it off in the Server menu.")
        if run := bench.journal.run_of(change):
            return shown(run.why_not_revert)
        if bench.is_connected_to(change):
            return ""
        return self.tr("Connect to {server} first.").format(server=change.server_name)


def _read(
    connection: Connection, *_: object, experiment: Experiment, deciding: bool
) -> tuple[Experiment, InForce]:
    return experiment, read_in_force(connection.tuner, experiment, deciding=deciding)


def _picture(session: Session, experiment: Experiment) -> TailsPicture:
    measured = set(experiment.windows)
    a, b = by_arm(window for window in session.windows() if window.id in measured)
    plan = experiment.plan
    return TailsReader(session).picture(a, b, plan.primary_metric.operation_type, plan.slo_ns)
