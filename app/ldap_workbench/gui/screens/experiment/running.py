"""A running experiment: its live strips, and the tails of the windows that have ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ldap_workbench.campaign.description import ends_at
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.hours import Hours, Pause
from ldap_workbench.experiment.in_force import NOT_READ, InForce, read_in_force
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.plan import duration_s
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.live import LiveFeed, live_step
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import LiveBatch, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner

_GOES_ON = {
    *(State.CHECKING, State.APPLYING, State.REVERTING, State.RESTARTING),
    *(State.SETTLING, State.MEASURING),
}
Ask = Callable[["Decision"], Then | None]


@dataclass(frozen=True, eq=False)
class Decision:
    """What the operator looks at before keeping or reverting."""

    verdict: Verdict
    picture: TailsPicture
    in_force: InForce = NOT_READ
    """What the settings of the change say now, and what either answer leaves."""


@dataclass(frozen=True, eq=False)
class SoFar:
    """What the finished windows show, which is no verdict; `why` where they cannot be shown."""

    a: int
    b: int
    picture: TailsPicture | None = None
    why: Message = NOTHING


class RunningExperiment:
    """An experiment with its live samples and its tails so far.

    `experiment`, `so_far` and `pause` may be used from another thread.
    """

    def __init__(
        self,
        path: Path,
        plan: Plan,
        feed: LiveFeed,
        ask: Ask,
        clock_rate: float = 1.0,
        *,
        pause: Pause | None = None,
        hours: Hours | None = None,
        **how: Any,
    ) -> None:
        """`how` goes to ExperimentJob: whether it goes on with a stored one."""
        self.path = path
        self.plan = plan
        self.feed = feed
        self.pause = pause or Pause()
        self.hours = hours
        self._ask = ask
        self._job = ExperimentJob(
            path,
            plan,
            on_live=self._put,
            on_window=self._look,
            decide=self._decide,
            pause=self.pause,
            hours=hours,
            **how,
        )
        self._window_s = duration_s(plan, clock_rate) / len(plan.steps)
        self._step, self._since_s = -1, 0.0
        self._tuner: Tuner | None = None
        self._reader: TailsReader | None = None
        self.so_far: SoFar | None = None

    @property
    def experiment(self) -> Experiment | None:
        """Its state now; None before it began."""
        return self._job.experiment

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset({str(self.path)})

    def ends_s(self, now_s: float | None = None) -> float | None:
        """When it will end, about, in seconds since 1970; None where that is not known.

        Reckoned anew from the start of each window, so that a slow one does not make all the rest
        wrong. Ask every second or so, from one thread.
        """
        now_s = time.time() if now_s is None else now_s
        experiment = self.experiment
        known = experiment is not None and experiment.state in _GOES_ON
        if experiment is None or not known or self.pause.resting:
            self._step = -1
            return None
        if experiment.step != self._step:
            self._step, self._since_s = experiment.step, now_s
        left = self._window_s * (len(self.plan.steps) - experiment.step)
        if self.hours is None:
            return max(now_s, self._since_s + left)
        # Outside the hours nothing is measured: what is left begins when they do.
        now = datetime.fromtimestamp(now_s).astimezone()
        return ends_at(left, str(self.hours), now).timestamp()

    def run(
        self,
        target: Target,
        tuner: Tuner,
        progress: OnProgress,
        cancel: Cancel,
        lag: LagWatch | None = None,
    ) -> Experiment:
        """Run to kept or reverted; whatever goes wrong, the change is reverted and it is raised.

        `lag` watches the replicas where the plan limits how far they may be behind.
        """
        self._tuner = tuner
        self._job.lag = lag
        return self._job.run(target, tuner, progress, cancel)

    def _put(self, batch: LiveBatch) -> None:
        """From the threads of the sources: what came, with the step it was measured in."""
        self.feed.put(batch, live_step(self.plan, self.experiment))

    def _decide(self, verdict: Verdict) -> Then:
        """Without an answer the change is reverted."""
        assert self._tuner is not None
        assert self.experiment is not None
        in_force = read_in_force(self._tuner, self.experiment, deciding=True)
        picture = self._picture(*self._job.arms())
        return self._ask(Decision(verdict, picture, in_force)) or Then.REVERT

    def _look(self) -> None:
        """Read what a window that has just ended adds."""
        a, b = self._job.arms()
        try:
            self.so_far = SoFar(len(a), len(b), self._picture(a, b))
        except Exception as error:  # noqa: BLE001 - told in its place; a picture ends no experiment
            self.so_far = SoFar(len(a), len(b), why=verbatim(str(error)))

    def _picture(self, a: list[Window], b: list[Window]) -> TailsPicture:
        """Of the operations the plan looks at."""
        if self._reader is None:
            assert self._job.session is not None
            self._reader = TailsReader(self._job.session)
        kind = self.plan.primary_metric.operation_type
        return self._reader.picture(a, b, kind, self.plan.slo_ns)
