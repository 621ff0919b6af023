"""The pool of workers by the server's own numbers: all at work, and operations in the queue.

wbusy and wqdepth of each answer in the access log (389 DS 3.2), which tell it at every operation;
else currentbusyworkers and currentworkqueue of cn=monitor (2.8.1, 3.2.1 and later). The search
that reads those holds a worker itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import Int64, client_operations

_BUSY, _QUEUE = "currentbusyworkers", "currentworkqueue"


@dataclass(frozen=True, eq=False)
class _Readings:
    """The pool at some moments; `rows` are operations where the log told it, else none."""

    times: Int64
    full: NDArray[np.bool_]
    queue: NDArray[np.int64]
    threads: int
    named: Message
    rows: NDArray[np.intp]


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    seen = _by_log(view) or _by_counters(view)
    if seen is None or seen.full.mean() < limits("pool_full")["share"]:
        return []
    longest = int(seen.queue[seen.full].max())
    text = Message(
        "{full} of {readings}: all {threads} workers busy, up to {queue} waiting.",
        full=int(seen.full.sum()),
        readings=seen.named,
        threads=seen.threads,
        queue=longest,
    )
    when = seen.times[seen.full]
    by_queue = np.argsort(-seen.queue[seen.full], kind="stable")[:EVIDENCE_ROWS]
    rows = seen.rows[seen.full][by_queue] if len(seen.rows) else seen.rows
    idle = series.mean(series.cpu_idle(view.samples))
    return [
        finding(
            "pool_full",
            numbers={
                "share": float(seen.full.mean()),
                "queue": longest,
                "threads": seen.threads,
                "cpu_idle_percent": round(idle, 1) if idle is not None else None,
            },
            evidence=[
                Evidence(
                    text,
                    int(when.min()),
                    int(when.max()),
                    tuple(int(row) for row in rows),
                    series="" if len(rows) else f"{series.BASE}:{_QUEUE}",
                )
            ],
            readings=seen.named,
        )
    ]


def _by_log(view: WindowView) -> _Readings | None:
    """The pool as the answers to clients tell it."""
    operations = view.operations
    told = client_operations(operations) & (operations.wbusy >= 0) & (operations.wqdepth >= 0)
    rows = np.flatnonzero(told)
    # wmax follows the setting at once, the pool only after a restart: cn=monitor counts it.
    threads = working_threads(view) or int(operations.wmax.max(initial=0))
    if len(rows) < limits("pool_full")["answers"] or threads < 1:
        return None
    queue = operations.wqdepth[rows].astype(np.int64)
    return _Readings(
        operations.end_ns[rows],
        (operations.wbusy[rows] >= threads) & (queue >= 1),
        queue,
        threads,
        count_of(
            "{n} answer in the access log", "{n} answers in the access log", n=len(rows)
        ),
        rows,
    )  # fmt: skip


def _by_counters(view: WindowView) -> _Readings | None:
    """The pool as cn=monitor counts it."""
    busy = series.get(view.samples, series.BASE, _BUSY)
    queue = series.get(view.samples, series.BASE, _QUEUE)
    threads = working_threads(view)
    if busy is None or queue is None or not threads:
        return None
    both, at_busy, at_queue = np.intersect1d(busy[0], queue[0], return_indices=True)
    if len(both) < limits("pool_full")["readings"]:
        return None
    waiting = queue[1][at_queue]
    return _Readings(
        both,
        (busy[1][at_busy] >= threads) & (waiting >= 1),
        waiting.astype(np.int64),
        threads,
        count_of("{n} reading of cn=monitor", "{n} readings of cn=monitor", n=len(both)),
        np.empty(0, np.intp),
    )
