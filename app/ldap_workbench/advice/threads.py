"""Worker threads: operations that wait for one, connections held back, too many for the cores."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice import series
from ldap_workbench.advice.view import WindowView
from ldap_workbench.advice.wording import finding, limits, percent
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.operations import ABSENT, Operations, client_operations
from ldap_workbench.model.units import format_duration

KNOB = "nsslapd-threadnumber"


def find(view: WindowView) -> list[Finding]:
    return queue_finding(view) + held_back(view) + too_many(view)


def queue_share(operations: Operations) -> tuple[float, int, int]:
    """Share of etime spent waiting for a worker, p95 of that wait (ns), operations counted."""
    rows = client_operations(operations) & (operations.wtime_ns != ABSENT)
    wait, etime = operations.wtime_ns[rows], operations.etime_ns[rows]
    if not len(wait) or not etime.sum():
        return 0.0, 0, len(wait)
    at = (len(wait) * 95 + 99) // 100 - 1
    return float(wait.sum() / etime.sum()), int(np.partition(wait, at)[at]), len(wait)


def queue_finding(view: WindowView) -> list[Finding]:
    """Operations wait in the queue for a thread for a good part of their etime.

    With no processor idle it is those they wait for, whatever the number of threads.
    """
    limit = limits("work_queue")
    share, p95, counted = queue_share(view.operations)
    if counted < limit["operations"] or share < limit["share"] or p95 < limit["p95_ms"] * 1e6:
        return []
    idle = series.mean(series.cpu_idle(view.samples))
    numbers = {
        "wait_share": share,
        "wait_p95_ns": p95,
        "operations": counted,
        "cpu_idle_percent": round(idle, 1) if idle is not None else None,
        "threads": working_threads(view),
        "cores": view.facts.cores if view.facts else None,
        "queue_max": series.last(series.get(view.samples, series.BASE, "maxworkqueue")),
    }
    busy = idle is not None and idle < limit["busy_percent"]
    return [
        finding(
            "processors_busy" if busy else "work_queue",
            numbers=numbers,
            evidence=[
                Evidence(
                    "wtime against etime of all client operations.",
                    view.window.start_ns,
                    view.window.end_ns,
                    _longest_waits(view.operations),
                )
            ],
            share=percent(share),
            p95=format_duration(p95),
            processors=_processors(idle, limit["idle_percent"]),
            idle=f"{idle or 0:.0f}",
        )
    ]


def held_back(view: WindowView) -> list[Finding]:
    """Connections that may not have more operations at work, though they asked for more."""
    limit = limits("connection_threads")
    counter = series.get(view.samples, series.BASE, "maxthreadsperconnhits") or series.get(
        view.samples, "cn=snmp,cn=monitor", "connectionsmaxthreadscount"
    )
    hits = series.growth(counter)
    per_minute = hits / view.seconds * 60
    if per_minute < limit["hits_per_minute"]:
        return []
    allowed = view.number("nsslapd-maxthreadsperconn")
    numbers = {"hits": int(hits), "hits_per_minute": round(per_minute, 1), "allowed": allowed}
    return [
        finding(
            "connection_threads",
            numbers=numbers,
            evidence=[
                Evidence(
                    f"{int(hits):,} times in the window.",
                    view.window.start_ns,
                    view.window.end_ns,
                    series=f"{series.BASE}:maxthreadsperconnhits",
                )
            ],
            rate=f"{per_minute:,.0f}",
            allowed_words=f"{allowed:g}" if allowed else "5 by default",
        )
    ]


def too_many(view: WindowView) -> list[Finding]:
    """Many more threads than cores on a host whose processors are all busy."""
    limit = limits("too_many_threads")
    threads, cores = working_threads(view), view.facts.cores if view.facts else None
    idle = series.mean(series.cpu_idle(view.samples))
    if not threads or not cores or idle is None:
        return []
    if (
        threads < max(limit["times_cores"] * cores, limit["threads"])
        or idle > limit["idle_percent"]
    ):
        return []
    running = series.median(series.vmstat(view.samples, "r"))
    numbers = {
        "threads": threads,
        "cores": cores,
        "cpu_idle_percent": round(idle, 1),
        "run_queue": running,
    }
    return [
        finding(
            "too_many_threads",
            numbers=numbers,
            evidence=[Evidence("Idle processors.", series="iostat:cpu:idle")],
            idle=f"{idle:.0f}",
        )
    ]


def working_threads(view: WindowView) -> int | None:
    """Workers at work: cn=monitor counts them live, the attribute lies after a change."""
    live = series.last(series.get(view.samples, series.BASE, "threads"))
    if live:
        return max(int(live) - 1, 1)
    setting = view.number(KNOB)
    return int(setting) if setting and setting > 0 else None


def _processors(idle: float | None, limit: float) -> str:
    if idle is None:
        return "Whether processors were idle is not known: iostat or vmstat would tell."
    if idle >= limit:
        return f"Meanwhile {idle:.0f} % of the processors were idle: more threads may help."
    return f"Only {idle:.0f} % of the processors were idle: more threads would only queue there."


def _longest_waits(operations: Operations) -> tuple[int, ...]:
    rows = np.flatnonzero(client_operations(operations) & (operations.wtime_ns != ABSENT))
    order = np.argsort(-operations.wtime_ns[rows], kind="stable")[:100]
    return tuple(int(r) for r in rows[order])
