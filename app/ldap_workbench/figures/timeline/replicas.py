"""What comes in from the replicas of a canary, and how far each is behind."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldap_workbench.experiment.lag import CSN, Lag, lags
from ldap_workbench.figures.formats import NOT_KNOWN, amount
from ldap_workbench.figures.names import STATE_WORDS
from ldap_workbench.figures.table import Column
from ldap_workbench.figures.timeline.strips import PEAK, Line, Strip, with_gaps
from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.window import LiveBatch

_KEPT = 2_000
"""Samples of each series that are drawn."""
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


def _change(row: ReplicaNow) -> Message:
    return Message("yes: the canary") if row.treated else Message("no: a control")


def _seconds(value: float | None) -> Message:
    return NOT_KNOWN if value is None else amount(value, ".1f", " s")


def _is_canary(row: ReplicaNow) -> bool:
    return row.treated


NOW = (
    Column[ReplicaNow](Message("No."), lambda r: str(r.number)),
    Column[ReplicaNow](Message("Replica"), lambda r: r.name, strong=_is_canary),
    Column[ReplicaNow](Message("Has the change"), _change, strong=_is_canary),
    Column[ReplicaNow](Message("State"), lambda r: STATE_WORDS[r.state][0]),
    Column[ReplicaNow](Message("Lag"), lambda r: _seconds(r.lag_s), number=True),
    Column[ReplicaNow](Message("CSN distance"), lambda r: _seconds(r.distance_s), number=True),
)
