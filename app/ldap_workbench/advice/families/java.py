"""OpenDJ by its own counters: pauses of its Java machine, and its database.

The names are those of OpenDJ 4.6.5 with Berkeley DB Java Edition 18.3; times in ms, sizes in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.cost import user_ns
from ldap_workbench.advice.evidence.rows import Rows, evidence_of_rows
from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.logs.server.collector import PAUSE
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.operations import CHANGES, TYPES, Int64, client_operations
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S

JVM, SYSTEM = "cn=JVM Memory Usage,cn=monitor", "cn=System Information,cn=monitor"

_COLLECTORS = (
    *("copy", "mark-sweep-compact", "ps-scavenge", "ps-marksweep", "parnew"),
    *("g1-young-generation", "g1-old-generation"),
    *("zgc-pauses", "zgc-minor-pauses", "zgc-major-pauses", "shenandoah-pauses"),
)
"""Collections that stop all threads. Others work beside them, and their time is no pause."""
_OLD_GENERATIONS = ("tenured-gen", "ps-old-gen", "cms-old-gen", "g1-old-gen")
_DATABASE = re.compile(r"(cn=(.+) JE Database,cn=monitor):EnvironmentNBINsFetch", re.IGNORECASE)
_NODES = ("NLNsFetch", "NBINsFetch", "NUpperINsFetch")
"""Entries, and the nodes of the trees that lead to them: what is fetched from the cache."""
_CHANGES = tuple(map(TYPES.index, CHANGES))
_FLUSHED = ("NFullINFlush", "NFullBINFlush", "NDeltaINFlush")
"""Nodes that checkpoints wrote."""


@dataclass(frozen=True, eq=False)
class Pauses:
    """Readings of the collectors between which they worked, and for how long (ms).

    `mean_ms` is the time of one collection, which is all that two readings tell of the longest. Of
    a log of the collector each pause has an interval of its own.
    """

    begins: Int64
    ends: Int64
    ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    series: str


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    result = [*_collector(view)]
    result += [] if result else _full(view)
    for name in view.samples:
        if database := _DATABASE.fullmatch(name):
            backend = _backend(view, database[2])
            result += [seen for part in _PARTS for seen in part(view, database[1], backend)]
    return result


def _collector(view: WindowView) -> Iterator[Finding]:
    """The collector stops the server for a good part of the time, or for long at once."""
    limit, every = limits("java_collector"), [*_pauses(view.samples)]
    share = sum(float(pauses.ms.sum()) for pauses in every) / 1000 / view.seconds
    if not every:
        return
    worst = max(every, key=lambda pauses: float(pauses.mean_ms.max()))
    long = worst.mean_ms >= limit["pause_ms"]
    if share < limit["share"] and not long.any():
        return
    longest_ns = round(float(worst.mean_ms.max()) * NS_PER_MS)
    text = phrase("java_collector", longest=longest_ns)
    rows = _caught(view, worst, long)
    at = int(worst.mean_ms.argmax())
    evidence = Evidence(text, int(worst.begins[at]), int(worst.ends[at]), series=worst.series)
    if len(rows):
        evidence = evidence_of_rows(view.operations, text, rows, series=worst.series)
    yield finding(
        "java_collector",
        numbers={
            "share": share,
            "longest_ns": longest_ns,
            "long_pauses": int(long.sum()),
            "heap_share": _used_after(view.samples) or None,
        },
        evidence=[evidence],
        user_ns=user_ns(view.operations, rows) if len(rows) else None,
    )


def _full(view: WindowView) -> Iterator[Finding]:
    """Old objects that fill the heap, by the last reading of it.

    A reading by itself says it too: what fills a heap stays from one window to the next.
    """
    limit = limits("java_heap_full")
    samples = view.samples if _used_after(view.samples) is not None else view.monitor_apart
    share = _used_after(samples)
    if share is None or share < limit["share"]:
        return
    mean, of_window = _mean_collection(view.samples)
    if not of_window:
        mean, _ = _mean_collection(samples)
    [tasks] = series.gauges(samples, "cn=tasks Backend,cn=monitor", "ds-backend-entry-count")
    yield finding(
        "java_heap_full",
        numbers={"share": share, "mean_ns": mean},
        meanwhile=mean if of_window and mean else None,
        series=f"{SYSTEM}:maxMemory" if samples is view.samples else "",
        severity=3 if mean >= limit["pause_ms"] * NS_PER_MS else None,
        most=round(series.last(series.get(samples, SYSTEM, "maxMemory")) or 0),
        mean=mean if mean and not of_window else None,
        tasks=round(tasks) if tasks and tasks >= limit["tasks"] else None,
    )


def _mean_collection(samples: Samples) -> tuple[int, bool]:
    """Mean time of the slowest collector, ns, and whether two readings tell it of the window.

    One reading tells that since the start: what collections took then says little of now.
    """
    means, of_window = [0.0], False
    for collector in _COLLECTORS:
        taken, count = (series.get(samples, JVM, name) for name in _counters_of(collector))
        if taken is None or count is None or not len(count[1]):
            continue
        several = len(count[1]) > 1
        of_window |= several
        ms, times = map(series.growth if several else series.last, (taken, count))
        if ms and times:
            means.append(ms / times * NS_PER_MS)
    return round(max(means)), of_window


def _counters_of(collector: str) -> tuple[str, str]:
    return f"{collector}-total-collection-duration", f"{collector}-total-collection-count"


def _pauses(samples: Samples) -> Iterator[Pauses]:
    """The pauses of each collector that worked in the window; one by one where its log has them."""
    if (logged := samples.get(PAUSE)) is not None and len(logged[0]):
        ended_ns, ms = logged
        yield Pauses(ended_ns - np.round(ms * NS_PER_MS).astype(np.int64), ended_ns, ms, ms, PAUSE)
        return
    for collector in _COLLECTORS:
        taken, count = (series.get(samples, JVM, name) for name in _counters_of(collector))
        if taken is None or count is None or len(taken[1]) != len(count[1]) or len(taken[1]) < 2:
            continue
        ms, times = np.diff(taken[1]), np.diff(count[1])
        worked = (ms > 0) & (times > 0)  # after a restart both begin again at 0
        if worked.any():
            yield Pauses(
                taken[0][:-1][worked],
                taken[0][1:][worked],
                ms[worked],
                ms[worked] / times[worked],
                f"{JVM}:{collector}-total-collection-duration",
            )


def _caught(view: WindowView, pauses: Pauses, long: NDArray[np.bool_]) -> Rows:
    """Operations that such a pause held up: at work within it, and at least half of its time."""
    operations = view.operations
    caught = np.zeros(len(operations), np.bool_)
    for at in np.flatnonzero(long):
        caught |= (
            (operations.start_ns < pauses.ends[at])
            & (operations.end_ns > pauses.begins[at])
            & (operations.etime_ns >= pauses.mean_ms[at] * NS_PER_MS / 2)
        )
    return np.flatnonzero(caught & client_operations(operations))


def _used_after(samples: Samples) -> float | None:
    """Part of the heap that the last collection of its old objects left in use; None if unknown."""
    most = series.last(series.get(samples, SYSTEM, "maxMemory"))
    for generation in _OLD_GENERATIONS:
        used = series.last(
            series.get(samples, JVM, f"{generation}-bytes-used-after-last-collection")
        )
        if used is not None and most:
            return used / most
    return None


def _backend(view: WindowView, name: str) -> str:
    """The back end as the server writes it: series have small letters."""
    known = [backend.name for backend in view.facts.backends] if view.facts else []
    return next((backend for backend in known if backend.lower() == name.lower()), name)


def _cache(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """The database cache of one back end evicts what is asked for again."""
    limit, samples = limits("je_cache"), view.samples
    fetched, missed = (
        sum(_grown(samples, entry, f"{node}{kind}") for node in _NODES) for kind in ("", "Miss")
    )
    evicted = _grown(samples, entry, "NNodesEvicted")
    if fetched < limit["fetches"] or missed < limit["misses"] * fetched or evicted <= 0:
        return  # one that is still filling evicts nothing
    yield finding(
        "je_cache",
        numbers={
            "backend": backend,
            "ratio": 1 - missed / fetched,
            "missed": round(missed),
            "evicted": round(evicted),
            "cache_bytes": _last(samples, entry, "CacheTotalBytes"),
            "log_bytes": _last(samples, entry, "ActiveLogSize"),
        },
        series=f"{entry}:EnvironmentNNotResident",
    )


def _cleaner(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """Files wait to be cleaned, and no fewer at the end than at the beginning."""
    backlog = series.get(view.samples, entry, "EnvironmentCleanerBacklog")
    if backlog is None or len(backlog[1]) < 2:
        return
    least, end = float(backlog[1].min()), float(backlog[1][-1])
    if least < limits("je_cleaner")["files"] or end < backlog[1][0]:
        return
    yield finding(
        "je_cleaner",
        numbers={
            "backend": backend,
            "files": int(end),
            "used_percent": _last(view.samples, entry, "LastKnownUtilization"),
        },
        series=f"{entry}:EnvironmentCleanerBacklog",
    )


def _eviction(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """Threads that serve requests make room in the cache, as its own threads do not keep up."""
    limit, samples = limits("je_eviction"), view.samples
    critical = _grown(samples, entry, "NBytesEvictedCritical")
    every = critical + _grown(samples, entry, "NBytesEvictedEvictorThread")
    if critical < limit["mib"] * 1024**2 or critical < limit["share"] * every:
        return
    yield finding(
        "je_eviction",
        numbers={"backend": backend, "bytes": round(critical), "share": critical / every},
        series=f"{entry}:EnvironmentNBytesEvictedCritical",
    )


def _checkpoints(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """Checkpoints follow each other so closely that nodes are written again and again."""
    limit = limits("je_checkpoints")
    count = _grown(view.samples, entry, "NCheckpoints")
    if count < limit["checkpoints"] or view.seconds / count > limit["every_s"]:
        return
    yield finding(
        "je_checkpoints",
        numbers={
            "backend": backend,
            "checkpoints": round(count),
            "nodes": round(sum(_grown(view.samples, entry, name) for name in _FLUSHED)),
        },
        series=f"{entry}:EnvironmentNCheckpoints",
        every=round(view.seconds / count * NS_PER_S),
    )


def _flushes(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """Changes take long while the log is flushed: Java Edition counts flushes, not their time.

    Without flushes about as often as changes it is not they that wait for the disk.
    """
    limit, operations = limits("je_flush"), view.operations
    flushes = _grown(view.samples, entry, "NFSyncs")
    changes = np.isin(operations.kind, _CHANGES) & (operations.err == 0)
    etimes = operations.etime_ns[changes & client_operations(operations)]
    if flushes < limit["a_second"] * view.seconds or len(etimes) < limit["changes"]:
        return
    if view.setting("db-txn-write-no-sync") == "true":
        return
    if not limit["of_change"] <= flushes / len(etimes) <= limit["most_of_change"]:
        return
    usual = int(np.median(etimes))
    if usual < limit["usual_ms"] * NS_PER_MS:
        return
    yield finding(
        "je_flush",
        numbers={
            "backend": backend,
            "flushes": round(flushes),
            "changes": len(etimes),
            "usual_ns": usual,
        },
        series=f"{entry}:EnvironmentNFSyncs",
    )


def _file_opens(view: WindowView, entry: str, backend: str) -> Iterator[Finding]:
    """Files of the database are closed and opened again all the time."""
    limit = limits("je_files")
    opens = _grown(view.samples, entry, "NFileOpens")
    if opens < limit["opens"] or opens < limit["a_second"] * view.seconds:
        return
    yield finding(
        "je_files",
        numbers={
            "backend": backend,
            "opens": round(opens),
            "open": _last(view.samples, entry, "NOpenFiles"),
        },
        series=f"{entry}:EnvironmentNFileOpens",
    )


_PARTS = (_cache, _eviction, _cleaner, _checkpoints, _flushes, _file_opens)


def _grown(samples: Samples, entry: str, name: str) -> float:
    return series.growth(series.get(samples, entry, f"Environment{name}"))


def _last(samples: Samples, entry: str, name: str) -> int | None:
    value = series.last(series.get(samples, entry, f"Environment{name}"))
    return None if value is None else int(value)
