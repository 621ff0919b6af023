"""Episodes in which operations wait together: checkpoints, referint trains, log flushes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.knobs import Knobs
from ldap_workbench.practice.model.scenario import GIB, Host
from ldap_workbench.practice.model.workload import WRITES, Drift, Float

PAGE = 8192
PAGES_PER_WRITE = 3.0
LOOK_EVERY = 2.5
"""The checkpoint thread of 389 DS looks at its timer every 2.5 s."""
LOG_BUFFER = 512 * 1024
LOG_BYTES_PER_OPERATION = 330.0
LOG_BANDWIDTH = 250e6

_ALL = np.ones(len(TYPES))
_CHECKPOINT = np.where(WRITES, 1.0, 0.7)
_TRAIN = np.where(WRITES, 0.9, 0.1)


@dataclass
class Interruption:
    """From `start` for `length` s; an arriving operation is caught with `caught[kind]`."""

    start: float
    length: float
    caught: Float
    cause: str
    work: float = 0.0
    """Dirty pages written (checkpoint) or deleted entries followed up (train)."""
    holding: int = 0
    """Operations caught so far: when they fill the thread pool, everything waits."""

    @property
    def end(self) -> float:
        return self.start + self.length


class Checkpoints:
    """A checkpoint every interval: it blocks while dirty pages go out, then works on behind.

    blocked    L = (dirty x page_write_s + cache/GiB x scan_s) x drift x lognormal(0.3)
    dirty      U (1 - exp(-3 writes/U)) with U = pages of the database cache
    background for background_s x cache/GiB after it, every operation costs (1 + slowdown)
    """

    def __init__(self, host: Host, drift: Drift, rng: np.random.Generator) -> None:
        self._host, self._drift, self._rng = host, drift, rng
        self._last = 0.0
        self.next = 0.0
        self.background: list[tuple[float, float]] = []

    def begin(self, at: float, knobs: Knobs) -> None:
        """As of a server that has been running: somewhere inside an interval."""
        self._last = at - self._rng.random() * knobs.checkpoint_interval
        self._plan(self._last, knobs)
        self.next = max(self.next, at)

    def restart(self, at: float, knobs: Knobs) -> None:
        self._last = at
        self._plan(at, knobs)

    def now(self, at: float) -> None:
        """A new interval makes 389 DS write a checkpoint at once."""
        self.next = at

    def between(self, end: float, knobs: Knobs, writes: float) -> list[Interruption]:
        """The checkpoints that begin before `end`; `writes` a second."""
        episodes = []
        while self.next < end:
            episode = self._checkpoint(knobs, writes)
            episodes.append(episode)
            behind = self._host.background_s * knobs.db_cache / GIB
            self.background.append((episode.end, episode.end + behind))
            self._last = episode.start
            self._plan(episode.end, knobs)
        return episodes

    def slow(self, at: Float) -> Float:
        """The factor on every cost at these times; forgets what is past them."""
        factor = np.ones(len(at))
        for start, end in self.background:
            factor[slice(*np.searchsorted(at, (start, end)))] = 1 + self._host.background_slowdown
        if len(at):
            self.background = [span for span in self.background if span[1] > at[-1]]
        return factor

    def _plan(self, after: float, knobs: Knobs) -> None:
        interval = max(LOOK_EVERY, knobs.checkpoint_interval)
        self.next = after + interval + self._rng.random() * LOOK_EVERY

    def _checkpoint(self, knobs: Knobs, writes: float) -> Interruption:
        pages = knobs.db_cache / PAGE
        touched = PAGES_PER_WRITE * writes * (self.next - self._last)
        dirty = pages * -np.expm1(-touched / pages)
        length = dirty * self._host.page_write_s + knobs.db_cache / GIB * self._host.scan_s
        length *= float(self._drift.stall(np.array([self.next]))[0])
        length *= self._rng.lognormal(-0.045, 0.3)
        return Interruption(self.next, float(length), _CHECKPOINT, "checkpoint", float(dirty))


class Trains:
    """Referential integrity: deletions wait for the next train, which holds the write lock.

    Every `delay` s (after the last train has ended) one train of (deletions x member_update_s).
    With a delay of 0 the deletion itself pays; with -1 nobody does.
    """

    def __init__(self, host: Host, rng: np.random.Generator) -> None:
        self._host, self._rng = host, rng
        self._last = 0.0

    def begin(self, at: float, knobs: Knobs) -> None:
        self._last = at - self._rng.random() * max(0.0, knobs.referint_delay)

    def between(self, end: float, knobs: Knobs, deletions: float) -> list[Interruption]:
        if not (knobs.referint and knobs.referint_delay > 0):
            self._last = end
            return []
        episodes = []
        while (start := self._last + knobs.referint_delay) < end:
            due = float(self._rng.poisson(deletions * knobs.referint_delay))
            episode = Interruption(start, due * self._host.member_update_s, _TRAIN, "train", due)
            episodes.append(episode)
            self._last = episode.end
        return episodes


class LogFlushes:
    """The access log's 512 KiB buffer goes out in one write while everybody waits for it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._filled = 0.0

    def between(self, start: float, end: float, knobs: Knobs, rate: float) -> list[Interruption]:
        if not knobs.log_buffering or rate <= 0:
            self._filled = 0.0
            return []
        speed = rate * LOG_BYTES_PER_OPERATION
        first = start + (LOG_BUFFER - self._filled) / speed
        times = np.arange(first, end, LOG_BUFFER / speed)
        self._filled = (self._filled + speed * (end - start)) % LOG_BUFFER
        lengths = LOG_BUFFER / LOG_BANDWIDTH * self._rng.lognormal(0.0, 0.3, len(times))
        return [
            Interruption(float(at), float(length), _ALL, "log flush")
            for at, length in zip(times, lengths, strict=True)
        ]
