"""The queue of a window run again without some operations: what others would have waited."""

from __future__ import annotations

import heapq

import numpy as np

from ldap_workbench.advice.account.phases import Mask, Phases
from ldap_workbench.advice.evidence.waits import busy_workers
from ldap_workbench.model.operations import Int64, Operations

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
