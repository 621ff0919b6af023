"""The phases of operations: waiting for a worker thread, and being worked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.waits import waited_before_work
from ldap_workbench.model.operations import (
    ABSENT,
    TYPES,
    Int64,
    Operations,
    client_operations,
)
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import asks_for_changes

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
    sessions = _sessions(operations, request_of)
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


def _sessions(operations: Operations, request_of: Callable[[int], str] | None) -> Mask:
    """Operations of sessions that stay open on purpose."""
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
