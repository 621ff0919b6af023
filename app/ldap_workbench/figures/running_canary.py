"""A running canary: what each replica does, how far it is behind, when it will end."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ldap_workbench.campaign.canary import Canary
from ldap_workbench.campaign.canary_begin import Servers, refuse_other_servers
from ldap_workbench.campaign.canary_run import CanaryRun, ReplicasPause
from ldap_workbench.campaign.lag import CSN, Lag, lags
from ldap_workbench.capture.live.plan import LiveBatch
from ldap_workbench.figures.timeline.log_strips import PEAK
from ldap_workbench.figures.timeline.strips import Line, Strip, with_gaps
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.verdict import Verdict

_KEPT = 2_000
"""Samples of each series that are drawn."""
Ask = Callable[[Verdict], Then | None]
Points = deque[tuple[int, float]]


class ReplicaFeed:
    """What comes in from all replicas, on the clock of this machine; one line a replica.

    `put` may be called from any thread; the rest belongs to the thread that draws.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self.offsets_ns = [0] * len(self._names)
        """Each server's clock minus ours."""
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, LiveBatch]] = deque(maxlen=20_000)
        self._csns: list[dict[str, Points]] = [{} for _ in self._names]
        self._peaks: list[Points] = [deque(maxlen=_KEPT) for _ in self._names]
        self.lags: list[Lag] = lags(self._arrays())

    def put(self, replica: int, batch: LiveBatch) -> None:
        """From the threads of the sources."""
        with self._lock:
            self._waiting.append((replica, batch))

    def drain(self) -> bool:
        """Take in what has come; whether there was anything."""
        with self._lock:
            batches, self._waiting = self._waiting, deque(maxlen=20_000)
        for replica, batch in batches:
            self._take(replica, batch)
        if batches:
            self.lags = lags(self._arrays())
        return bool(batches)

    def strips(self) -> list[Strip]:
        """Those of which anything is known, one line a replica."""
        strips = [self._strip(Message("Replication lag"), [lag.lag_s for lag in self.lags])]
        strips += [self._strip(Message("CSN distance"), [lag.distance_s for lag in self.lags])]
        peaks = [_array(points) for points in self._peaks]
        lines = [self._line(i, *points) for i, points in enumerate(peaks) if len(points[0])]
        strips.append(Strip(PEAK, lines=tuple(lines), duration=True))
        return [strip for strip in strips if strip.lines]

    def _strip(self, title: Message, values: Sequence[np.ndarray]) -> Strip:
        lines = [
            self._line(i, lag.times_ns, known)
            for i, (lag, known) in enumerate(zip(self.lags, values, strict=True))
            if len(known)
        ]
        return Strip(title, "s", tuple(lines))

    def _line(self, replica: int, times_ns: np.ndarray, values: np.ndarray) -> Line:
        return with_gaps(verbatim(self._names[replica]), times_ns, values)

    def _take(self, replica: int, batch: LiveBatch) -> None:
        offset = self.offsets_ns[replica]
        for sample in batch.samples:
            if sample.series.startswith(CSN):
                points = self._csns[replica].setdefault(sample.series, deque(maxlen=_KEPT))
                points.append((sample.time_ns - offset, sample.value))
        if batch.operations and batch.worst_ns:
            self._peaks[replica].append((batch.time_ns - offset, float(batch.worst_ns)))

    def _arrays(self) -> list[dict[str, tuple[np.ndarray, np.ndarray]]]:
        return [{name: _array(p) for name, p in series.items()} for series in self._csns]


def _array(points: Points) -> tuple[np.ndarray, np.ndarray]:
    times = np.array([at for at, _ in points], np.int64)
    return times, np.array([value for _, value in points], np.float64)


@dataclass(frozen=True)
class ReplicaNow:
    """One replica at this moment; lag and distance in seconds, None where no CSN can be read."""

    number: int
    name: str
    state: State = State.PLANNED
    treated: bool = False
    lag_s: float | None = None
    distance_s: float | None = None


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
