"""Waiting and work of operations, who made whom wait, and the queue without some of them.

Each nanosecond in which an operation waits for a worker is split evenly over the operations at work
in that moment. A holder that was itself blocked passes its part on to what blocked it, and its own
work is net of that time. Sums are conserved, to the nanosecond:

    queue + blocked = charged to operations + charged to stalls of unknown cause + unattributed
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.waits import busy_workers, waited_before_work
from ldap_workbench.model.operations import (
    ABSENT,
    TYPES,
    Int64,
    Operations,
    client_operations,
)
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import asks_for_changes

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


_FAITHFUL = 0.2
"""The queue run again with all operations has to come as near to the logged one."""
_MOST = 2_000_000
"""Operations near a queue that are run again, at about a microsecond each."""


def queue_without(
    operations: Operations, phases: Phases, threads: int | None, left_out: Mask
) -> int | None:
    """The time in the queue of all but those `left_out`, had these never come, ns.

    Requests come as they were logged, in one queue for `threads` workers (as many as were at work
    while others waited, where that is not known), each at work as long as it was. None where the
    queue of all operations, run in that way, is not the one that was logged.
    """
    rows = _near_a_queue(operations.end_ns, phases)
    if not len(rows) or len(rows) > _MOST:
        return None
    work_ns = phases.work_ns[rows]
    came = (operations.end_ns - phases.waited_ns)[rows]
    queued = phases.queue_ns[rows] > 0
    workers = threads or int(np.median(busy_workers(operations, rows[queued])))
    logged, again = int(phases.queue_ns.sum()), _queue_ns(came, work_ns, workers)
    if abs(again - logged) > _FAITHFUL * logged:
        return None
    stay = ~left_out[rows]
    return _queue_ns(came[stay], work_ns[stay], workers)


def _near_a_queue(ended: Int64, phases: Phases) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Rows by arrival, without times that begin and end idle and in which nobody queued."""
    rows = np.flatnonzero(phases.counted)
    rows = rows[np.argsort((ended - phases.waited_ns)[rows], kind="stable")]
    if not len(rows):
        return rows
    came = (ended - phases.waited_ns)[rows]
    idle = came[1:] >= np.maximum.accumulate(ended[rows])[:-1]
    part = np.concatenate(([0], np.cumsum(idle)))
    queued = np.bincount(part, phases.queue_ns[rows] > 0) > 0
    near: np.ndarray[tuple[int], np.dtype[np.intp]] = rows[queued[part]]
    return near


def _queue_ns(came: Int64, work_ns: Int64, workers: int) -> int:
    """What requests that come in this order wait in all for the first free worker."""
    free = [0] * max(workers, 1)
    waited = 0
    for at, work in zip(came.tolist(), work_ns.tolist(), strict=True):
        begun = max(at, free[0])
        waited += begun - at
        heapq.heapreplace(free, begun + work)
    return waited


Mask = NDArray[np.bool_]

_SRCH = TYPES.index("SRCH")
_REPLICATION = "2.16.840.1.113730.3.5."
"""Extended operations with which 389 DS begins and ends a replication session (repl5.h)."""
_OPEN_NS = 60 * NS_PER_S
_LINES = 500
"""Searches of so long may be persistent ones, which only their line says; lines read for that."""


@dataclass(frozen=True, eq=False)
class Phases:
    """What of each operation's etime is waiting for a worker and what is work; arrays [n], ns.

    Rows outside `counted` have 0 in both: the server's own operations, the workbench's, and
    `sessions`: persistent searches, synchronisation and replication, which wait for no answer.
    """

    queue_ns: Int64
    work_ns: Int64
    counted: Mask
    sessions: Mask
    split: Mask
    """Rows whose log says how long they waited for a worker; of others etime is one phase."""

    @cached_property
    def waited_ns(self) -> Int64:
        """What the user of each operation waited, ns."""
        waited: Int64 = self.queue_ns + self.work_ns
        return waited


def phases_of(
    operations: Operations,
    threads: int | None = None,
    request_of: Callable[[int], str] | None = None,
) -> Phases:
    """The phases of each operation.

    `threads` is the number of workers: while they are free, the wtime of 389 DS may be a pause of
    the client, which nobody waited for (evidence/waits.py). `request_of` gives the line of a row.
    """
    sessions = sessions_of(operations, request_of)
    counted = client_operations(operations) & ~sessions
    timed = operations.wtime_ns != ABSENT
    before_work = np.where(timed, np.maximum(operations.wtime_ns, 0), 0)
    queue = np.where(waited_before_work(operations, threads), before_work, 0)
    queued = operations.wqtime_ns != ABSENT
    # 389 DS 3.2 logs the time in the queue by itself, whatever the wtime before it held.
    queue = np.where(queued, np.clip(operations.wqtime_ns, 0, before_work), queue)
    work = np.maximum(operations.etime_ns - before_work, 0)
    return Phases(
        np.where(counted, queue, 0),
        np.where(counted, work, 0),
        counted,
        sessions,
        timed | queued,
    )


def sessions_of(operations: Operations, request_of: Callable[[int], str] | None = None) -> Mask:
    """Operations of sessions that stay open on purpose; persistent ones by their lines alone."""
    texts = operations.fingerprints
    places = [i for i, text in enumerate(texts) if text.startswith(_REPLICATION)]
    sessions = np.isin(operations.fingerprint, places)
    if sessions.any():
        keys = (operations.boot.astype(np.int64) << 42) + operations.conn
        sessions = np.isin(keys, np.unique(keys[sessions]))
    if request_of is not None:
        long = np.flatnonzero((operations.kind == _SRCH) & (operations.etime_ns >= _OPEN_NS))
        for row in long[np.argsort(-operations.etime_ns[long], kind="stable")][:_LINES]:
            sessions[row] |= asks_for_changes(request_of(int(row)))
    return sessions
