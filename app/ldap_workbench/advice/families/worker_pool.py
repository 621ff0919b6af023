"""The pool of workers by the server's own counters: all at work, and operations in the queue.

currentbusyworkers and currentworkqueue of cn=monitor (389 DS 2.8.1, 3.2.1 and later). The search
that reads them holds a worker itself.
"""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message

_BUSY, _QUEUE = "currentbusyworkers", "currentworkqueue"


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("pool_full")
    busy = series.get(view.samples, series.BASE, _BUSY)
    queue = series.get(view.samples, series.BASE, _QUEUE)
    threads = working_threads(view)
    if busy is None or queue is None or not threads:
        return []
    both, at_busy, at_queue = np.intersect1d(busy[0], queue[0], return_indices=True)
    full = (busy[1][at_busy] >= threads) & (queue[1][at_queue] >= 1)
    if len(both) < limit["readings"] or full.mean() < limit["share"]:
        return []
    longest = int(queue[1][at_queue][full].max())
    text = Message(
        "{full} of {readings} readings: all {threads} workers busy, up to {queue} waiting.",
        full=int(full.sum()),
        readings=len(both),
        threads=threads,
        queue=longest,
    )
    first, last = int(both[full][0]), int(both[full][-1])
    idle = series.mean(series.cpu_idle(view.samples))
    return [
        finding(
            "pool_full",
            numbers={
                "share": float(full.mean()),
                "queue": longest,
                "threads": threads,
                "cpu_idle_percent": round(idle, 1) if idle is not None else None,
            },
            evidence=[Evidence(text, first, last, series=f"{series.BASE}:{_QUEUE}")],
        )
    ]
