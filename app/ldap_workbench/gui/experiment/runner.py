"""One experiment into a session file of its own. Knows no Qt; runs in the server's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.experiment import ExperimentRun
from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.figures.tails import TailsReader, TailsView
from ldap_workbench.gui.experiment.form import primary_kind
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session import Session, SessionWriter
from ldap_workbench.tuning import Tuner

Ask = Callable[["Decision"], Then | None]


@dataclass(frozen=True, eq=False)
class Decision:
    """What the operator looks at before keeping or reverting."""

    verdict: Verdict
    view: TailsView


@dataclass(frozen=True, eq=False)
class SoFar:
    """What the finished windows show, which is no verdict; `why` where they cannot be shown."""

    a: int
    b: int
    view: TailsView | None = None
    why: str = ""


class Trial:
    """A run of an experiment; `experiment` and `so_far` may be looked at from another thread."""

    def __init__(self, path: Path, plan: Plan, feed: LiveFeed, ask: Ask) -> None:
        self.path = path
        self.plan = plan
        self.feed = feed
        self._ask = ask
        self._run: ExperimentRun | None = None
        self._session: Session | None = None
        self._reader: TailsReader | None = None
        self._seen = 0
        self.so_far: SoFar | None = None

    @property
    def experiment(self) -> Experiment | None:
        """Its state now; None before it began."""
        return self._run.experiment if self._run else None

    def run(self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel) -> Experiment:
        """Run to kept or reverted; whatever goes wrong, the change is reverted and it is raised."""
        with tuner.held(), SessionWriter.create(self.path, target.facts) as writer:
            self._session = writer.reader()
            self._reader = TailsReader(self._session)

            def tell(report: Progress) -> None:
                progress(report)
                self._look()

            self._run = ExperimentRun(
                target,
                tuner,
                writer,
                self.plan,
                progress=tell,
                cancel=cancel,
                on_live=self.feed.put,
                decide=self._decide,
            )
            try:
                return self._run.run()
            finally:
                self._reader = None
                self._session.close()

    def _decide(self, verdict: Verdict) -> Then:
        """Nobody answers: what was there before comes back."""
        a, b = self._measured()
        return self._ask(Decision(verdict, self._view(a, b))) or Then.REVERT

    def _look(self) -> None:
        """Read what a window that has just ended adds: before the next one begins, so that this
        never takes a processor from one that is measured here."""
        done = len(self._run.experiment.windows) if self._run else 0
        if done == self._seen:
            return
        self._seen = done
        a, b = self._measured()
        try:
            self.so_far = SoFar(len(a), len(b), self._view(a, b))
        except Exception as error:  # noqa: BLE001 - told in its place; a picture ends no experiment
            self.so_far = SoFar(len(a), len(b), why=str(error))

    def _measured(self) -> tuple[list[Window], list[Window]]:
        """The finished windows of both arms."""
        assert self._session is not None
        assert self._run is not None
        measured = set(self._run.experiment.windows)
        windows = [w for w in self._session.windows() if w.id in measured]
        return [w for w in windows if w.arm == "A"], [w for w in windows if w.arm == "B"]

    def _view(self, a: list[Window], b: list[Window]) -> TailsView:
        """Of the operations the plan looks at."""
        assert self._reader is not None
        return self._reader.view(a, b, primary_kind(self.plan), self.plan.slo_ns)
