"""A running canary: what each replica does, and when it will end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ldap_workbench.campaign.canary import Canary, Servers, refuse_other_servers
from ldap_workbench.campaign.canary_run import CanaryRun, ReplicasPause
from ldap_workbench.figures.timeline.live import ReplicaFeed, ReplicaNow
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.verdict import Verdict

Ask = Callable[[Verdict], Then | None]


class RunningCanary:
    """A canary at work; all but `feed` may be looked at from another thread."""

    def __init__(self, canary: Canary, ask: Ask) -> None:
        self.canary = canary
        self.pause = ReplicasPause()
        self.feed = ReplicaFeed([seat.profile for seat in canary.seats])
        self._ask = ask
        self._run: CanaryRun | None = None
        self._plan = canary.plan.of_replica(0, "")
        self._window_s = canary.plan.duration_s / len(canary.plan.windows)
        self._step, self._since_s = -1, 0.0

    @property
    def experiment(self) -> Experiment | None:
        """That of the first replica; None before it began."""
        seated = self._run.replicas if self._run else ()
        return seated[0].record.experiment if seated else None

    @property
    def plan(self) -> Plan:
        """As the first replica has it."""
        return self._plan

    @property
    def path(self) -> Path:
        """The session of the first replica."""
        return self.canary.output

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset(seat.session for seat in self.canary.seats)

    def replicas(self) -> list[ReplicaNow]:
        """Every replica as it is now, by what has been drained."""
        seated = self._run.replicas if self._run else ()
        rows = []
        for number, (seat, lag) in enumerate(zip(self.canary.seats, self.feed.lags, strict=True)):
            state, treated = State.PLANNED, False
            if number < len(seated):
                state = seated[number].record.experiment.state
                treated = seated[number].arms.treated
            last = [float(s[-1]) if len(s) else None for s in (lag.lag_s, lag.distance_s)]
            rows.append(ReplicaNow(number + 1, seat.profile, state, treated, *last))
        return rows

    def ends_s(self, now_s: float | None = None) -> float | None:
        """When it will end, about, in seconds since 1970; None where that is not known.

        Reckoned anew from the start of each window. Ask every second or so, from one thread.
        """
        now_s = time.time() if now_s is None else now_s
        step, of = len(self.canary.windows), len(self.canary.plan.windows)
        if self.experiment is None or self.canary.ended or self.pause.resting or step >= of:
            self._step = -1
            return None
        if step != self._step:
            self._step, self._since_s = step, now_s
        return max(now_s, self._since_s + self._window_s * (of - step))

    def run(self, servers: Servers, progress: OnProgress, cancel: Cancel) -> Canary:
        """Run to the end. Raises WorkbenchError, CancelledError too, as CanaryRun does."""
        return self._on(servers, progress, cancel).run()

    def revert_all(self, servers: Servers, progress: OnProgress, cancel: Cancel) -> Canary:
        """End one that was interrupted, without a verdict. Raises WorkbenchError."""
        return self._on(servers, progress, cancel).revert_all()

    def _on(self, servers: Servers, progress: OnProgress, cancel: Cancel) -> CanaryRun:
        refuse_other_servers(self.canary, servers)
        self.feed.offsets_ns = [target.clock.offset_ns for target, _ in servers]
        self._run = CanaryRun(
            servers,
            self.canary,
            progress=progress,
            cancel=cancel,
            decide=lambda verdict: self._ask(verdict) or Then.REVERT,
            on_change=self._put,
            on_live=self.feed.put,
            pause=self.pause,
        )
        return self._run

    def _put(self, canary: Canary) -> None:
        self.canary = canary
