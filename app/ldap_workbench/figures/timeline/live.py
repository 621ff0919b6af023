"""What comes in while a capture runs, on its way to the strips.

Sources call `put` from their own threads; the window drains the feed on a timer, so a flood of
samples never becomes a flood of repaints.

What comes in from the replicas of a canary, and how far each is behind.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ldap_workbench.experiment.lag import CSN, Lag, lags
from ldap_workbench.figures.formats import NOT_KNOWN, amount
from ldap_workbench.figures.names import STATE_WORDS
from ldap_workbench.figures.table import Column
from ldap_workbench.figures.timeline.strips import (
    PEAK,
    ArmSpan,
    Line,
    Series,
    Strip,
    build_strips,
    span_of,
    wanted,
    with_gaps,
)
from ldap_workbench.model.experiment import Experiment, Plan, State
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LiveBatch, SourceKind, SourceState

SECONDS = 300
"""How much of the past the strips show."""
_WAITING = 20_000


class LiveStep(NamedTuple):
    """The step of a plan that is measured: its arm, and which measurement of how many it is."""

    arm: str
    number: tuple[int, ...]


NO_STEP = LiveStep("", ())
"""Outside of experiments."""


def live_step(plan: Plan, experiment: Experiment | None) -> LiveStep:
    """What is measured now; a pair that is measured again is another one."""
    if experiment is None or experiment.step >= len(plan.steps):
        return NO_STEP
    return LiveStep(plan.steps[experiment.step].arm, (len(experiment.void), experiment.step))


@dataclass
class LiveSource:
    """How one source stands: what has come, when the last of it came, how it ended."""

    samples: int = 0
    operations: int = 0
    bytes_read: int = 0
    last: float | None = None
    """On the monotonic clock; None while nothing has come."""
    state: SourceState | None = None
    why: Message = NOTHING
    note: Message = NOTHING
    """What to know of it at work: its link is cut or too slow."""


class LiveFeed:
    """Gathers batches; `drain` and `strips` belong to the thread that draws."""

    def __init__(self, device: str | None = None) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._waiting: deque[tuple[float, LiveBatch, LiveStep]] = deque(maxlen=_WAITING)
        self._step = NO_STEP
        self._arms: deque[ArmSpan] = deque(maxlen=SECONDS)
        self._series: dict[str, deque[tuple[int, float]]] = {}
        self._worst: deque[tuple[int, float]] = deque(maxlen=SECONDS * 4)
        self.sources: dict[SourceKind, LiveSource] = {}
        self.operations = 0
        self.bytes_read = 0
        self.samples = 0

    @property
    def answering(self) -> bool:
        """Whether the server answers, as far as its counters tell: not while their link is cut."""
        monitor = self.sources.get(SourceKind.MONITOR)
        if monitor is None:
            return True
        return monitor.state is not SourceState.FAILED and not monitor.note

    def put(self, batch: LiveBatch, step: LiveStep = NO_STEP) -> None:
        """From any thread."""
        with self._lock:
            self._waiting.append((time.monotonic(), batch, step))

    def drain(self) -> bool:
        """Take in what has come; whether there was anything."""
        with self._lock:
            batches, self._waiting = self._waiting, deque(maxlen=_WAITING)
        for moment, batch, step in batches:
            self._take_step(step, batch.time_ns)
            self._take(batch)
            self._take_source(batch, moment)
        return bool(batches)

    def strips(self) -> list[Strip]:
        """The strips as they are now."""
        names = list(self._series)
        strips = build_strips(names, lambda name: _arrays(self._series[name]), self._device)
        if self._worst:
            times, values = _arrays(self._worst)
            line = with_gaps(NOTHING, times, values)
            # Near the top: what is tuned for must be seen without scrolling.
            strips.insert(1, Strip(PEAK, lines=(line,), duration=True))
        lines = [line for strip in strips for line in strip.lines if len(line.seconds)]
        if not lines:
            return strips
        span = span_of(lines)
        arms = tuple(arm for arm in self._arms if arm.end_s >= span[0])
        return [replace(strip, span=span, arms=arms) for strip in strips]

    def _take_step(self, step: LiveStep, time_ns: int) -> None:
        """A window of an arm grows with what comes; a new one begins apart from that before."""
        second = time_ns / NS_PER_S
        if step != self._step:
            self._step = step
            self._part(time_ns)
            if step.arm:
                self._arms.append(ArmSpan(second, second, step.arm))
        elif self._arms and step.arm:
            last = self._arms[-1]
            self._arms[-1] = last._replace(end_s=max(last.end_s, second))

    def _part(self, time_ns: int) -> None:
        """What comes next has nothing to do with what came before."""
        for points in (self._worst, *self._series.values()):
            if points and points[-1][0] < time_ns - 1:
                points.append(((points[-1][0] + time_ns) // 2, float("nan")))

    def _take(self, batch: LiveBatch) -> None:
        self.operations += batch.operations
        self.bytes_read += batch.bytes_read
        self.samples += len(batch.samples)
        if batch.worst_ns:
            self._worst.append((batch.time_ns, float(batch.worst_ns)))
        shown = set(wanted({s.series for s in batch.samples} - self._series.keys(), self._device))
        for name in shown:
            self._series[name] = deque(maxlen=SECONDS)
        for sample in batch.samples:
            if (points := self._series.get(sample.series)) is not None:
                points.append((sample.time_ns, sample.value))

    def _take_source(self, batch: LiveBatch, moment: float) -> None:
        if batch.source is None:
            return
        source = self.sources.setdefault(batch.source, LiveSource())
        source.samples += len(batch.samples)
        source.operations += batch.operations
        source.bytes_read += batch.bytes_read
        if batch.samples or batch.bytes_read:
            source.last = moment
        if batch.note is not None:
            source.note = batch.note
        if batch.state is not None:
            source.state, source.why = batch.state, batch.why


def _arrays(pairs: deque[tuple[int, float]]) -> Series:
    times = np.array([time_ns for time_ns, _ in pairs], np.int64)
    return times, np.array([value for _, value in pairs], np.float64)


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
