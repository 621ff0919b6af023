"""Who made whom wait: time in the queue, charged to the operations that held the workers.

Each nanosecond in which an operation waits for a worker is split evenly over the operations at work
in that moment. A holder that was itself blocked passes its part on to what blocked it, and its own
work is net of that time. Sums are conserved, to the nanosecond:

    queue + blocked = charged to operations + charged to stalls of unknown cause + unattributed
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.phases import Mask, Phases
from ldap_workbench.model.operations import Int64, Operations

Rows = NDArray[np.intp]
Float64 = NDArray[np.float64]

_SLICE = 500_000
"""Operations that waited, in one slice of time: some 200 MB at work."""


@dataclass(frozen=True, eq=False)
class Block:
    """A time in which some operations at work were held up: `rows`, from start to end, ns.

    `blocker` is the row of the operation that held them up, None where it is not known.
    """

    start_ns: int
    end_ns: int
    rows: Rows
    blocker: int | None = None


@dataclass(frozen=True, eq=False)
class Blame:
    """`charged_ns`: what others waited for each operation, [n], ns.

    `stalls_ns` is the waiting charged to stalls whose blocker is not known, `unattributed_ns` that
    at times when no operation of the log held a worker.
    """

    charged_ns: Int64
    stalls_ns: int
    unattributed_ns: int


def used_of(operations: Operations, phases: Phases, blocks: Sequence[Block]) -> Int64:
    """The work of each operation, net of the time it was blocked, [n] ns."""
    begun = operations.end_ns - phases.work_ns
    used: Int64 = phases.work_ns - _Blocked(begun, operations.end_ns, blocks).ns
    return used


def blame_of(
    operations: Operations,
    phases: Phases,
    blocks: Sequence[Block] = (),
    waiting: Mask | None = None,
) -> Blame:
    """Charge the waiting of operations, of all or of those of a mask, to those that caused it."""
    begun = operations.end_ns - phases.work_ns
    blocked = _Blocked(begun, operations.end_ns, blocks)
    queued = phases.queue_ns > 0
    blocked_ns = blocked.ns
    if waiting is not None:
        queued &= waiting
        blocked_ns = np.where(waiting, blocked_ns, 0)
    charged, to_stalls, unattributed = np.zeros(len(operations) + 1), len(operations), 0
    for cost in _costs(operations.end_ns, begun, phases, queued):
        unattributed += cost.unattributed_ns
        charged[cost.rows] += cost.whole
        for block, rows in blocked.parts:
            behind = rows[cost.holds[rows]]
            ended = np.minimum(operations.end_ns[behind], block.end_ns)
            passed = cost.of(np.maximum(begun[behind], block.start_ns), ended)
            charged[behind] -= passed
            charged[to_stalls if block.blocker is None else block.blocker] += passed.sum()
    for block, rows in blocked.parts:
        charged[to_stalls if block.blocker is None else block.blocker] += blocked_ns[rows].sum()
    total = int(phases.queue_ns[queued].sum()) + int(blocked_ns.sum())
    whole = _whole(charged, total - unattributed)
    return Blame(whole[:-1], int(whole[-1]), unattributed)


def _costs(ended: Int64, begun: Int64, phases: Phases, queued: Mask) -> Iterator[_Cost]:
    """The cost of holding a worker, slice by slice of the time: a day of a log has many moments."""
    rows = np.flatnonzero(queued)
    if not len(rows):
        return
    since = begun - phases.queue_ns
    limits = np.sort(begun[rows])[_SLICE::_SLICE]
    edges = [int(since[rows].min()), *limits.tolist(), int(begun[rows].max())]
    for start, end in pairwise(dict.fromkeys(edges)):
        mine = rows[(since[rows] < end) & (begun[rows] > start)]
        queue = np.clip(since[mine], start, end), np.clip(begun[mine], start, end)
        work = np.clip(begun, start, end), np.clip(ended, start, end)
        yield _Cost(*queue, *work, phases.counted)


class _Blocked:
    """How long each operation was blocked at work; an operation belongs to one block."""

    def __init__(self, begun: Int64, ended: Int64, blocks: Sequence[Block]) -> None:
        self.ns: Int64 = np.zeros(len(begun), np.int64)
        self.parts: list[tuple[Block, Rows]] = []
        for block in blocks:
            rows = block.rows[self.ns[block.rows] == 0]
            rows = rows[rows != (-1 if block.blocker is None else block.blocker)]
            overlap = np.minimum(ended[rows], block.end_ns) - np.maximum(
                begun[rows], block.start_ns
            )
            rows, overlap = rows[overlap > 0], overlap[overlap > 0]
            self.ns[rows] = overlap
            self.parts.append((block, rows))


class _Cost:
    """What holding a worker costs others from one moment of a slice of time to another.

    `since` and `until` are those of the waiting, `begun` and `ended` of all operations, of which
    those of a mask may hold a worker; all within the slice.
    """

    def __init__(self, since: Int64, until: Int64, begun: Int64, ended: Int64, may: Mask) -> None:
        self.holds = may & _overlapping(begun, ended, since, until)
        self.rows: Rows = np.flatnonzero(self.holds)
        edges = np.concatenate((since, until, begun[self.rows], ended[self.rows]))
        self._times, places = np.unique(edges, return_inverse=True)
        first, second, third = (places[: len(since)], places[len(since) : 2 * len(since)],
                                places[2 * len(since) :])  # fmt: skip
        size = len(self._times)
        waiting = _open(first, second, size)
        holding = _open(third[: len(self.rows)], third[len(self.rows) :], size)
        lasting = np.diff(self._times, append=self._times[-1:])
        self.unattributed_ns = int((waiting * lasting)[holding == 0].sum())
        rate = np.divide(waiting, holding, out=np.zeros(size), where=holding > 0)
        self._until = np.concatenate(([0.0], np.cumsum(rate * lasting)))[:-1]
        self.whole: Float64 = (
            self._until[third[len(self.rows) :]] - self._until[third[: len(self.rows)]]
        )
        """What is charged to each of `rows` for all of its work in the slice."""

    def of(self, start: Int64, end: Int64) -> Float64:
        """The waiting charged to one holder at work from start to end, [n] each."""
        # Nanoseconds since 1970 are too long for floating point, those since the first moment not.
        times, first = (self._times - self._times[0]).astype(np.float64), self._times[0]
        before, behind = (np.interp(at - first, times, self._until) for at in (start, end))
        charged: Float64 = np.where(end > start, behind - before, 0.0)
        return charged


def _overlapping(start: Int64, end: Int64, other_start: Int64, other_end: Int64) -> Mask:
    """Which intervals [start, end) share time with any of the others."""
    shared: Mask = end > start
    order = np.argsort(other_start, kind="stable")
    starts, ends = other_start[order], np.maximum.accumulate(other_end[order])
    # The last of the others to begin before an interval ends: one has to end behind its start.
    last = np.searchsorted(starts, end[shared], "left") - 1
    shared[shared] = (last >= 0) & (ends[np.maximum(last, 0)] > start[shared])
    return shared


def _open(starts: Rows, ends: Rows, size: int) -> Int64:
    """How many intervals are open behind each of `size` moments."""
    steps = np.bincount(starts, minlength=size) - np.bincount(ends, minlength=size)
    opened: Int64 = np.cumsum(steps)
    return opened


def _whole(parts: Float64, total: int) -> Int64:
    """The parts as whole numbers whose sum is exactly `total`, which they are in floating point."""
    ends = np.cumsum(np.maximum(parts, 0.0))
    if not ends[-1]:
        return np.zeros(len(parts), np.int64)
    rounded = np.rint(ends * (total / ends[-1])).astype(np.int64)
    rounded[-1] = total
    whole: Int64 = np.diff(rounded, prepend=np.int64(0))
    return whole
