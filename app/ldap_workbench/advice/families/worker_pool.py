"""The pool of workers by the server's own numbers: all at work, and operations in the queue.

wbusy and wqdepth of each answer in the access log (389 DS 3.2), which tell it at every operation;
else the thread-pool file (3.3), which takes no worker to read; else currentbusyworkers and
currentworkqueue of cn=monitor (2.8.1, 3.2.1 and later), which do not answer while the pool is full.
OpenDJ counts no busy workers, but its queue, in which a request waits only while all are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import Int64, client_operations

_FILE, _COUNTERS = ("threadpool", "busy", "queue"), (
    series.BASE, "currentbusyworkers", "currentworkqueue",
)  # fmt: skip
_OPENDJ_QUEUE = "cn=Work Queue,cn=monitor"


@dataclass(frozen=True, eq=False)
class _Readings:
    """The pool at some moments; `rows` are operations where the log shows it, else none.

    `threads` is 0 where nothing says how many there are.
    """

    times: Int64
    full: NDArray[np.bool_]
    queue: NDArray[np.int64]
    threads: int
    named: Message
    rows: NDArray[np.intp]
    series: str = ""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    seen = _by_log(view) or _by_file(view) or _by_counters(view) or _by_queue(view)
    if seen is None or seen.full.mean() < limits("pool_full")["share"]:
        return []
    queue, when = seen.queue[seen.full], seen.times[seen.full]
    workers = Message("all workers")
    if seen.threads > 1:
        workers = Message("all {threads} workers", threads=seen.threads)
    text = phrase(
        "pool_full",
        full=int(seen.full.sum()),
        readings=seen.named,
        workers=workers,
        queue=int(queue.max()),
    )
    waited = seen.rows
    if len(waited):
        waited = waited[seen.full][np.argsort(-queue, kind="stable")]
    span = (int(when.min()), int(when.max()))
    evidence = evidence_of_rows(view.operations, text, waited, span=span, series=seen.series)
    return [
        finding(
            "pool_full",
            numbers={
                "share": float(seen.full.mean()),
                "queue": int(queue.max()),
                "threads": seen.threads,
                "cpu_idle_percent": series.rounded(series.idle_percent(view.samples)),
            },
            evidence=[evidence],
            readings=seen.named,
            workers=workers,
        )
    ]


def _by_log(view: WindowView) -> _Readings | None:
    """The pool by the answers to clients."""
    operations = view.operations
    logged = client_operations(operations) & (operations.wbusy >= 0) & (operations.wqdepth >= 0)
    rows = np.flatnonzero(logged)
    # wmax follows the setting at once, the pool only after a restart: cn=monitor counts it.
    threads = working_threads(view) or int(operations.wmax.max(initial=0))
    if len(rows) < limits("pool_full")["answers"] or threads < 1:
        return None
    queue = operations.wqdepth[rows].astype(np.int64)
    # The worker that writes the answer is not counted in it any more (seen on 3.3.1).
    return _Readings(
        operations.end_ns[rows],
        (operations.wbusy[rows] >= threads - 1) & (queue >= 1),
        queue,
        threads,
        count_of(
            "{n} answer in the access log", "{n} answers in the access log", n=len(rows)
        ),
        rows,
    )  # fmt: skip


def _by_file(view: WindowView) -> _Readings | None:
    """The pool as the server's own file shows it."""
    workers = series.last(series.get(view.samples, "threadpool", "workers"))
    named = lambda n: count_of(  # noqa: E731
        "{n} reading of the thread-pool file", "{n} readings of the thread-pool file", n=n
    )
    return _sampled(view, _FILE, int(workers or 0), named)


def _by_counters(view: WindowView) -> _Readings | None:
    """The pool as cn=monitor counts it."""
    named = lambda n: count_of(  # noqa: E731
        "{n} reading of cn=monitor", "{n} readings of cn=monitor", n=n
    )
    return _sampled(view, _COUNTERS, working_threads(view) or 0, named)


def _by_queue(view: WindowView) -> _Readings | None:
    """The pool by the requests that OpenDJ has in its queue."""
    backlog = series.get(view.samples, _OPENDJ_QUEUE, "currentRequestBacklog")
    if backlog is None or len(backlog[1]) < limits("pool_full")["readings"]:
        return None
    times, waiting = backlog
    named = count_of("{n} reading of cn=monitor", "{n} readings of cn=monitor", n=len(times))
    return _Readings(
        times,
        waiting >= 1,
        waiting.astype(np.int64),
        round(view.number("num-worker-threads") or 0),
        named,
        np.empty(0, np.intp),
        f"{_OPENDJ_QUEUE}:currentRequestBacklog",
    )


def _sampled(
    view: WindowView, names: tuple[str, str, str], threads: int, named: Callable[[int], Message]
) -> _Readings | None:
    entry, busy_name, queue_name = names
    busy = series.get(view.samples, entry, busy_name)
    queue = series.get(view.samples, entry, queue_name)
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
        named(len(both)),
        np.empty(0, np.intp),
        f"{entry}:{queue_name}",
    )
