"""One server under measurement: an experiment has one seat, a canary one on every replica."""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.experiment.aftermath import Aftermath, put_back
from ldap_workbench.experiment.arms import Arms
from ldap_workbench.experiment.configuration import Watch
from ldap_workbench.experiment.guards import (
    check_awake,
    check_guards,
    check_sources,
    check_window,
)
from ldap_workbench.experiment.measuring import Measuring
from ldap_workbench.experiment.record import Record
from ldap_workbench.experiment.restarts import Restarts
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.progress import OnProgress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.link import over_any_link
from ldap_workbench.tuning.tuner import Tuner

Decision = Callable[[Verdict], Then]
"""Asked after the verdict when the plan says 'ask': KEEP or REVERT."""


class Seat:
    """The server's arms, the watch over its configuration, and the record in its session.

    Used from the target's thread.
    """

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        writer: SessionWriter,
        plan: Plan,
        stored: Experiment,
        progress: OnProgress,
    ) -> None:
        """`stored` is where the experiment is: at its start, or where it was interrupted."""
        self._target, self._tuner, self._writer = target, tuner, writer
        self._plan = plan
        self._progress = progress
        self.record = Record(writer, target, stored)
        last_arm = plan.steps[stored.step - 1].arm if stored.step else "A"
        restarts = Restarts(
            target,
            writer,
            progress,
            with_treatment=plan.restart and last_arm == "B",
            wait_s=plan.restart_wait_s,
        )
        self.arms = Arms(target, tuner, self.record, restarts, progress)
        self.watch = Watch(target)

    def measure(self, index: int, measuring: Measuring) -> Window:
        """The window of a step, complete; raises LostWindowError where it does not count."""
        window, load_ended = measuring.measure(index)
        check_window(window, load_ended)
        with self.record.reader() as session:
            check_sources(session, window, first=not self.record.experiment.windows)
            check_awake(session, window, self._target.facts.clock_rate)
        remember_settings(self._writer, self._tuner, window)
        return window

    def count(self, index: int, window: Window) -> None:
        """Store that the window of a step counts."""
        windows = (*self.record.experiment.windows, window.id)
        self.record.enter(State.MEASURING, windows=windows, step=index + 1)

    def check_guards(self, window: Window) -> None:
        """Raise ExperimentError where the window crossed a safety limit."""
        with self.record.reader() as session:
            check_guards(session, window, self._plan.guards)

    def reach(self) -> None:
        """Ask the server, over a new link where the old one broke. Raises WorkbenchError."""
        over_any_link(
            self._target,
            lambda: self._target.directory.search("", attributes=("1.1",)),
            patience_s=self._plan.patience_s,
            progress=self._progress,
        )

    def put_back(self) -> Aftermath:
        """Put the server back by the journal alone; raises no Exception."""
        return put_back(
            self._tuner,
            self._plan,
            self._target.profile.name,
            progress=self._progress,
            restart=self.arms.restart_in_abort,
            left=self.record.experiment.left_stored,
        )


def choose(then: Then, verdict: Verdict, decide: Decision) -> Then:
    """KEEP or REVERT: by the plan where it says which, else by the verdict or whom it asks."""
    if then is Then.KEEP_IF_BETTER:
        return Then.KEEP if verdict.earns_keep else Then.REVERT
    return decide(verdict) if then is Then.ASK else then
