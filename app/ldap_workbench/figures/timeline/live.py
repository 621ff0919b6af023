"""What comes in while a capture runs, on its way to the strips.

Sources call `put` from their own threads; the window drains the feed on a timer, so a flood of
samples never becomes a flood of repaints.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ldap_workbench.figures.timeline.strips import (
    PEAK,
    ArmSpan,
    Series,
    Strip,
    build_strips,
    span_of,
    wanted,
    with_gaps,
)
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.message import NOTHING, Message
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
