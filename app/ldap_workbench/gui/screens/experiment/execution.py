"""The run at work: its job in the server's thread, its question to the operator, its page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot

from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.screens.experiment.run_page import RunPage
from ldap_workbench.gui.screens.experiment.running import RunningExperiment
from ldap_workbench.gui.workbench.execution import DecidableExecution
from ldap_workbench.model.experiment import Experiment, Plan


class ExperimentExecution(DecidableExecution):
    """One experiment at a time, which may wait for an answer to its verdict.

    *Signals:* done(Experiment, Path) after ended(), where it is whole
    """

    done = Signal(object, object)
    latest: RunningExperiment | None
    _page: RunPage
    _question_kind = "decide"

    def begin(self, plan: Plan, path: Path) -> None:
        """Run a plan into a new session file."""
        connection = self._workbench.connection
        feed = LiveFeed(connection.target.facts.device if connection else None)
        run = RunningExperiment(path, plan, feed, self._ask, self._workbench.clock_rate)
        self._begin(
            self.tr("Noise floor") if plan.changes_nothing else self.tr("Experiment"),
            run,
            lambda c, progress, cancel: run.run(c.target, c.tuner, progress, cancel),
        )

    def _show_begun(self) -> None:
        assert self.latest is not None
        self._page.begin(self.latest.plan)

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
