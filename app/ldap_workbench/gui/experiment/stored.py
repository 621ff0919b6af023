"""The experiment of the open session on the verdict page: the same as on the day it was run."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from ldap_workbench.experiment.origin import Origin
from ldap_workbench.figures.tail_curve import TailsPicture
from ldap_workbench.figures.tails import TailsReader, TailsView
from ldap_workbench.gui.experiment.verdict_page import VerdictPage
from ldap_workbench.gui.workbench import OpenSession, Workbench
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.session import Session


class StoredExperiment(QObject):
    """Fills a verdict page from a session; its operations are read when somebody looks at them."""

    def __init__(self, workbench: Workbench, page: VerdictPage, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._page = page
        self._opened: OpenSession | None = None
        self._unread = False
        self.experiment: Experiment | None = None
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
        self._unread = there and fills_page
        if self.experiment and verdict and fills_page:
            self._page.show_verdict(verdict)
            self._page.show_tails(TailsPicture())
        self._show_end()
        return self.experiment

    def origin(self) -> Origin | None:
        """The file its plan comes from."""
        if self._opened is None or self.experiment is None:
            return None
        summary = self._opened.summary
        return Origin(summary.path, summary.facts, self.experiment.plan)

    def shown(self) -> None:
        """Somebody looks at the page: read what the chart shows."""
        if self._unread and self.experiment and self._opened:
            self._unread = False
            experiment = self.experiment
            title = self.tr("Reading the tails of the verdict")
            self._workbench.ask_session(
                title, lambda session: (experiment, _view(session, experiment)), self._on_view
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
    def _on_view(self, found: tuple[Experiment, TailsView]) -> None:
        experiment, view = found
        if experiment is self.experiment:  # another session may have been opened meanwhile
            self._page.show_tails(view.picture)

    @Slot(object)
    def _on_kept(self, changes: list[Change]) -> None:
        self._workbench.show_status(
            self.tr("The change was kept. You can still revert it in the journal.")
        )
        self._workbench.journal.reload()

    @Slot()
    def _show_end(self) -> None:
        """What became of the change; buttons where that is still open."""
        if self.experiment is None:
            return
        change = self.open_change()
        if change is None:
            self._page.show_end(self.experiment)
            return
        bench = self._workbench
        allowed = not bench.read_only and bench.is_connected_to(change)
        hint = self.tr("Connect to {server} first.").format(server=change.server_name)
        hint = "" if allowed else hint
        if bench.read_only:
            hint = self.tr("Read-only mode is on. Turn it off in the Server menu.")
        self._page.show_open(self.experiment.plan, hint, self.experiment.left_stored)


def _view(session: Session, experiment: Experiment) -> TailsView:
    measured = set(experiment.windows)
    windows = [window for window in session.windows() if window.id in measured]
    a = [window for window in windows if window.arm == "A"]
    b = [window for window in windows if window.arm == "B"]
    plan = experiment.plan
    return TailsReader(session).view(a, b, plan.primary_metric.operation_type, plan.slo_ns)
