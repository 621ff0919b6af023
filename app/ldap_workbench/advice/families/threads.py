"""Worker threads: waiting for one, all at work, connections held back, too many.

wbusy and wqdepth of each answer in the access log (389 DS 3.2), which tell it at every operation;
else the thread-pool file (3.3), which takes no worker to read; else currentbusyworkers and
currentworkqueue of cn=monitor (2.8.1, 3.2.1 and later), which do not answer while the pool is full.
OpenDJ counts no busy workers, but its queue, in which a request waits only while all are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys
from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.cost import p95_of
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import in_flight
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.waits import (
    OWN_DOING,
    Queue,
    busy_workers,
    counted_from_answer,
    waited_for_worker,
)
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import (
    ABSENT,
    CHANGES,
    TYPES,
    Int64,
    Operations,
    client_operations,
)

KNOB = "nsslapd-threadnumber"
SLAPD_POOL = "cn=Max,cn=Threads,cn=Monitor"
_SHOWN = 100
_WRITES = tuple(map(TYPES.index, CHANGES))
_ONE_WRITER = ("389ds", "openldap")
"""Products whose databases take one writer at a time: LMDB; a back end of 389 DS has one lock."""
_COUNTED = (
    (series.BASE, "opsinitiated", "opscompleted"),
    ("cn=Operations,cn=Monitor", "monitorOpInitiated", "monitorOpCompleted"),
)

_ASK_LESS = Message(
    "Let the client wait for answers before it asks for more, or ask for many entries at once."
)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    parts = (
        queue_finding,
        client_pauses,
        picked_up_late,
        held_back,
        taken_and_unanswered,
        too_many,
    )
    return [seen for part in parts for seen in part(view)]


def queue_finding(view: WindowView) -> Iterator[Finding]:
    """Operations wait in the queue for a thread for a good part of their etime.

    With no processor idle it is those they wait for, whatever the number of threads.
    """
    limit, (wait, rows) = limits("work_queue"), _in_queue(view)
    share, p95 = _share(view.operations, wait, rows), p95_of(wait[rows]) or 0
    if rows.sum() < limit["operations"] or share < limit["share"] or p95 < limit["p95_ms"] * 1e6:
        return
    idle = series.idle_percent(view.samples)
    busy = idle is not None and idle < limit["busy_percent"]
    queue = Queue(view.operations, np.flatnonzero(rows), wait[rows])
    own, reason = _own_queue(view, queue)
    writes, turns = _behind_writes(view, queue)
    if own < OWN_DOING:
        reason = turns if writes >= OWN_DOING else _processors(idle, limit["idle_percent"])
    seen = finding(
        "processors_busy" if busy else "work_queue",
        numbers={
            "wait_share": share,
            "wait_p95_ns": p95,
            "own_share": round(own, 3),
            "writes_share": round(writes, 3),
            "operations": int(rows.sum()),
            "cpu_idle_percent": series.rounded(idle),
            "threads": working_threads(view),
            "cores": view.facts.cores if view.facts else None,
            "queue_max": series.last(series.get(view.samples, series.BASE, "maxworkqueue")),
        },
        evidence=[_evidence(view, wait, rows)],
        user_ns=int(wait[rows].sum()),
        processors=reason,
        idle=round(idle or 0),
    )
    yield replace(seen, owner_steps=(_ASK_LESS,)) if own >= OWN_DOING and not busy else seen


def _own_queue(view: WindowView, queue: Queue) -> tuple[float, Message]:
    """The share of a queue in which clients wait behind their own requests, and that in words.

    By connection: behind one address are many users of a proxy or an application server, and each
    of them waits for others.
    """
    own, mine = queue.behind_own(group_keys(view.operations, "connection"))
    client = view.asked.describe(np.flatnonzero(np.isin(view.asked.rows, mine)))
    return own, phrase("work_queue", "own", own=own, client=client.name, n=len(mine))


def _behind_writes(view: WindowView, queue: Queue) -> tuple[float, Message]:
    """The share of a queue that is behind writes, of which one ends before the next begins."""
    writes = np.isin(view.operations.kind, _WRITES)
    if view.product not in _ONE_WRITER or not writes.any():
        return 0.0, NOTHING
    share, client = (
        queue.behind(writes),
        view.asked.describe(np.flatnonzero(writes[view.asked.rows])),
    )
    return share, phrase("work_queue", "writes", share=share, client=client.name)


def client_pauses(view: WindowView) -> Iterator[Finding]:
    """wtime while workers were free: what the clients did between two requests is in the etime."""
    limit, (wait, rows) = limits("client_pauses"), _before_queue(view)
    share, idle = _share(view.operations, wait, rows), series.idle_percent(view.samples)
    if rows.sum() < limit["operations"] or share < limit["share"]:
        return
    # A worker that is free may itself wait for a processor: then nobody knows whose pause it was.
    if idle is not None and idle < limit["idle_percent"]:
        return
    etimes = view.operations.etime_ns[rows]
    etime, served = int(np.median(etimes)), int(np.median(etimes - wait[rows]))
    if etime - served < limit["difference_ms"] * 1e6:
        return
    yield finding(
        "client_pauses",
        numbers={
            "pause_share": share,
            "operations": int(rows.sum()),
            "etime_p50_ns": etime,
            "served_p50_ns": served,
        },
        evidence=[_evidence(view, wait, rows)],
        without_turbo=view.setting("nsslapd-enable-turbo-mode") == "off",
    )


def picked_up_late(view: WindowView) -> Iterator[Finding]:
    """wtime of requests of most clients that is no pause of theirs, while workers were free."""
    limit, operations = limits("picked_up_late"), view.operations
    if view.product != "389ds":
        return
    rows = client_operations(operations) & (operations.wtime_ns != ABSENT)
    rows &= (operations.wqtime_ns == ABSENT) & ~_short_of_workers(view)
    share = _share(operations, operations.wtime_ns, rows)
    if rows.sum() < limit["operations"] or share < limit["share"]:
        return
    wait, late = operations.wtime_ns, operations.wtime_ns >= limit["wait_ms"] * 1e6
    clients = operations.client[rows]
    rows &= ~counted_from_answer(operations)
    share = _share(operations, wait, rows)
    if rows.sum() < limit["operations"] or share < limit["share"]:
        return
    waiting = np.unique(operations.client[rows & late])
    usual = int(np.median(wait[rows]))
    most = len(waiting) >= max(limit["clients"], limit["of_clients"] * len(np.unique(clients)))
    if not most or usual < limit["wait_ms"] * 1e6:
        return
    busy = int(np.quantile(busy_workers(operations, rows), 0.9))
    yield finding(
        "picked_up_late",
        numbers={
            "operations": int(rows.sum()),
            "share": share,
            "wait_p50_ns": usual,
            "connections": _most_open(operations),
            "busy": busy,
            "threads": working_threads(view),
            "listeners": view.setting("nsslapd-numlisteners"),
        },
        evidence=[_evidence(view, wait, rows)],
        user_ns=int(wait[rows].sum()),
        waiting=len(waiting),
        meanwhile=count_of(
            "at most {n} other operation is", "at most {n} other operations are", n=busy
        )
        if busy
        else Message("no other operation is"),
    )


def _most_open(operations: Operations) -> int:
    """Connections between the begin of their first and the end of their last operation, at most."""
    keys = group_keys(operations, "connection")
    distinct, number = np.unique(keys, return_inverse=True)
    first = np.full(len(distinct), np.iinfo(np.int64).max)
    last = np.zeros(len(distinct), np.int64)
    np.minimum.at(first, number, operations.start_ns)
    np.maximum.at(last, number, operations.end_ns)
    return in_flight(first, last)[0]


def held_back(view: WindowView) -> Iterator[Finding]:
    """Connections that may not have more operations at work, though they asked for more.

    By cn=monitor of 389 DS: in the window, or in all the time before its only reading.
    """
    counter = series.get(view.samples, series.BASE, "maxthreadsperconnhits") or series.get(
        view.samples, "cn=snmp,cn=monitor", "connectionsmaxthreadscount"
    )
    name = f"{series.BASE}:maxthreadsperconnhits"
    allowed = view.number("nsslapd-maxthreadsperconn")
    most = round(allowed) if allowed else Message("5 by default")
    if counter is not None and len(counter[1]) == 1:
        limit, hits = limits("held_back_so_far"), int(counter[1][0])
        operations = series.last(series.get(view.samples, series.BASE, "opsinitiated"))
        if operations and hits >= max(limit["hits"], limit["share"] * operations):
            yield finding(
                "held_back_so_far",
                numbers={"hits": hits, "operations": int(operations), "allowed": allowed},
                window=view.window,
                series=name,
                share=hits / operations,
                most=most,
            )
        return
    hits = int(series.growth(counter))
    per_minute = series.growth(counter) / view.seconds * 60
    if per_minute < limits("connection_threads")["hits_per_minute"]:
        return
    yield finding(
        "connection_threads",
        numbers={"hits": hits, "hits_per_minute": round(per_minute, 1), "allowed": allowed},
        window=view.window,
        series=name,
        n=hits,
        rate=round(per_minute),
        most=most,
    )


def taken_and_unanswered(view: WindowView) -> Iterator[Finding]:
    """Operations that were open when cn=monitor was read, where no log shows which."""
    limit, threads = limits("operations_open"), working_threads(view)
    if len(view.operations) or not threads:
        return
    for entry, begun, ended in _COUNTED:
        taken, answered = (series.get(view.samples, entry, name) for name in (begun, ended))
        if taken is None or answered is None or len(taken[1]) != len(answered[1]):
            continue
        # What is open at every reading are persistent searches, or one long hang.
        open_now = int((taken[1] - answered[1]).max())
        if open_now >= max(limit["operations"], limit["times_threads"] * threads):
            waiting = series.last(series.get(view.samples, series.BASE, "readwaiters"))
            yield finding(
                "operations_open",
                numbers={"open": open_now, "threads": threads, "readwaiters": waiting},
                window=view.window,
                series=f"{entry}:{begun}".lower(),
                begun=begun,
                ended=ended,
                times=open_now / threads,
            )
            return


def too_many(view: WindowView) -> Iterator[Finding]:
    """Many more threads than cores on a host whose processors are all busy."""
    limit, idle = limits("too_many_threads"), series.idle_percent(view.samples)
    threads, cores = working_threads(view), view.facts.cores if view.facts else None
    if not threads or not cores or idle is None or idle > limit["idle_percent"]:
        return
    if threads >= max(limit["times_cores"] * cores, limit["threads"]):
        yield finding(
            "too_many_threads",
            numbers={
                "threads": threads,
                "cores": cores,
                "cpu_idle_percent": round(idle, 1),
                "run_queue": series.median(series.vmstat(view.samples, "r")),
            },
            series="iostat:cpu:idle",
            idle=round(idle),
        )


def working_threads(view: WindowView) -> int | None:
    """Workers at work: cn=monitor counts them live, the attribute lies after a change."""
    live = series.last(series.get(view.samples, series.BASE, "threads"))
    if live:
        listeners = view.number("nsslapd-numlisteners") or 0
        return max(int(live) - 1 - int(listeners), 1)
    if pool := series.last(series.get(view.samples, SLAPD_POOL, "monitoredInfo")):
        return int(pool)
    setting = view.number(KNOB) or view.number("olcThreads")
    return int(setting) if setting and setting > 0 else None


def _processors(idle: float | None, limit: float) -> Message:
    if idle is None:
        return phrase("work_queue", "unknown")
    return phrase("work_queue", "idle" if idle >= limit else "busy", idle=round(idle))


def _in_queue(view: WindowView) -> tuple[Int64, NDArray[np.bool_]]:
    """Time each operation waited in the workers' queue, and the rows for which it is known.

    wqtime of newer servers is that wait and nothing else. Without it wtime counts, of operations
    that came while workers were short.
    """
    operations, clients = view.operations, client_operations(view.operations)
    queued = operations.wqtime_ns != ABSENT
    if queued.any():
        return operations.wqtime_ns, clients & queued
    return operations.wtime_ns, clients & _short_of_workers(view)


def _before_queue(view: WindowView) -> tuple[Int64, NDArray[np.bool_]]:
    """Time before each operation was queued, and the rows for which it is a pause of the client."""
    operations = view.operations
    timed = client_operations(operations) & (operations.wtime_ns != ABSENT)
    queued = operations.wqtime_ns != ABSENT
    if queued.any():
        before, rows = np.maximum(operations.wtime_ns - operations.wqtime_ns, 0), timed & queued
    else:
        before, rows = operations.wtime_ns, timed & ~_short_of_workers(view)
    if _share(operations, before, rows) < limits("client_pauses")["share"]:
        return before, np.zeros(len(operations), np.bool_)
    return before, rows & counted_from_answer(operations)


def _short_of_workers(view: WindowView) -> NDArray[np.bool_]:
    """Rows that came while workers were short.

    OpenLDAP has no turbo mode: its qtime is the wait for a thread and nothing else.
    """
    threads = None if view.product == "openldap" else working_threads(view)
    return waited_for_worker(view.operations, threads)


def _share(operations: Operations, wait: Int64, rows: NDArray[np.bool_]) -> float:
    """Part of the etime of all client operations with a wtime that some waits are."""
    timed = client_operations(operations) & (operations.wtime_ns != ABSENT)
    etime = operations.etime_ns[timed].sum()
    return float(wait[rows].sum() / etime) if etime else 0.0


def _evidence(view: WindowView, wait: Int64, rows: NDArray[np.bool_]) -> Evidence:
    chosen = np.flatnonzero(rows)
    longest = np.argsort(-wait[chosen], kind="stable")[:_SHOWN]
    text, span = Message("wtime against etime of client operations."), view.window
    return evidence_of_rows(
        view.operations, text, chosen, chosen[longest], span=(span.start_ns, span.end_ns)
    )


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


def find_worker_pool(view: WindowView) -> list[Finding]:
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
