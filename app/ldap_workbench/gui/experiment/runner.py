"""One experiment into a session file of its own. Knows no Qt; runs in the server's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.experiment import ExperimentRun
from ldap_workbench.gui.capture.live import LiveFeed
from ldap_workbench.gui.tails.reader import TailsReader, TailsSight
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.target import Target
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import Tuner

Ask = Callable[["Decision"], Then | None]


@dataclass(frozen=True, eq=False)
class Decision:
    """What the operator looks at before keeping or reverting."""

    verdict: Verdict
    sight: TailsSight


class Trial:
    """A run of an experiment; `experiment` may be looked at from another thread."""

    def __init__(self, path: Path, plan: Plan, feed: LiveFeed, ask: Ask) -> None:
        self.path = path
        self.plan = plan
        self.feed = feed
        self._ask = ask
        self._run: ExperimentRun | None = None
        self._writer: SessionWriter | None = None

    @property
    def experiment(self) -> Experiment | None:
        """Its state now; None before it began."""
        return self._run.experiment if self._run else None

    def run(self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel) -> Experiment:
        """Run to kept or reverted; whatever goes wrong, the change is reverted and it is raised."""
        with SessionWriter.create(self.path, target.facts) as writer:
            self._writer = writer
            self._run = ExperimentRun(
                target,
                tuner,
                writer,
                self.plan,
                progress=progress,
                cancel=cancel,
                on_live=self.feed.put,
                decide=self._decide,
            )
            return self._run.run()

    def _decide(self, verdict: Verdict) -> Then:
        """Nobody answers: what was there before comes back."""
        return self._ask(Decision(verdict, self._sight(verdict))) or Then.REVERT

    def _sight(self, verdict: Verdict) -> TailsSight:
        assert self._writer is not None
        assert self._run is not None
        measured = set(self._run.experiment.windows)
        kind = verdict.primary.type or ALL
        with self._writer.reader() as session:
            windows = [w for w in session.windows() if w.id in measured]
            a = [w for w in windows if w.arm == "A"]
            b = [w for w in windows if w.arm == "B"]
            return TailsReader(session).sight(a, b, kind, self.plan.slo_ns)
