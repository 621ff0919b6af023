"""Memory of the server's process: it grows, nears its limit, or goes with open files (slapd)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message

RESIDENT, OWN = "process:memory:resident", "process:memory:own"
FILES = "process:files:limit"
_GROUP = "cgroup:memory:limit"
_CACHES = ("currententrycachesize", "currentdncachesize", "currentnormalizeddncachesize")
_HOUR_S = 3600
MIB = 1 << 20


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_growth(view), *_limit(view), *_descriptors(view)]


def _growth(view: WindowView) -> Iterator[Finding]:
    """Memory that grows steadily, and by more than the caches of the server grow."""
    limit, own = limits("memory_growth"), view.samples.get(OWN)
    if own is None or len(own[1]) < limit["samples"] or view.seconds < limit["window_s"]:
        return
    quarters = [float(np.median(part)) for part in np.array_split(own[1], 4)]
    first, last = quarters[0], quarters[-1]
    caches = sum(max(growth, 0.0) for growth in cache_growth(view.samples))
    unexplained = last - first - caches
    # Steady: a cache that fills, or one large answer, makes a step and is done.
    steady = bool((np.diff(quarters) >= limit["steady"] * (last - first)).all())
    if not steady or unexplained < max(limit["mib"] * MIB, limit["share"] * first):
        return
    # The medians of the first and the last quarter are three quarters of the window apart.
    pace = unexplained / (0.75 * view.seconds) * _HOUR_S
    yield finding(
        "memory_growth",
        numbers={
            "first_bytes": round(first),
            "last_bytes": round(last),
            "caches_bytes": round(caches),
            "bytes_per_h": round(pace),
        },
        window=view.window,
        series=OWN,
        until=_until(view, last, pace),
    )


def cache_growth(samples: Samples) -> Iterator[float]:
    """By how many bytes each cache that cn=monitor counts grew in the window."""
    for name in samples:
        if name.rpartition(":")[2].lower() in _CACHES:
            values = samples[name][1]
            yield float(values[-1] - values[0]) if len(values) else 0.0


def _until(view: WindowView, now: float, pace: float) -> Message:
    most = _allowed(view)
    if most is None or most <= now:
        return NOTHING
    return phrase("memory_growth", "until", n=math.ceil((most - now) / pace), most=round(most))


def _allowed(view: WindowView) -> float | None:
    """Bytes the process may have: the limit of its group, or the memory of the host."""
    ram = float(view.facts.ram_bytes) if view.facts and view.facts.ram_bytes else None
    group = series.last(view.samples.get(_GROUP))
    known = [size for size in (ram, group) if size]
    return min(known, default=None)


def _limit(view: WindowView) -> Iterator[Finding]:
    own, most = view.samples.get(OWN), _allowed(view)
    if own is None or not len(own[1]) or not most:
        return
    highest = float(own[1].max())
    if highest >= limits("memory_limit")["share"] * most:
        yield finding(
            "memory_limit",
            numbers={"bytes": round(highest), "most_bytes": round(most)},
            window=view.window,
            series=OWN,
            first=round(float(own[1][0])),
            share=highest / most,
        )


def _descriptors(view: WindowView) -> Iterator[Finding]:
    """The table of connections of slapd: one place for each file it may open."""
    limit = limits("descriptor_memory")
    files, own = series.last(view.samples.get(FILES)), series.last(view.samples.get(OWN))
    if view.product != "openldap" or files is None or not own:
        return
    table = files * limit["bytes_each"]
    # A limit that was raised after the start, or that slapd was told to ignore, takes no memory.
    if table >= limit["mib"] * MIB and limit["share"] * table <= own:
        yield finding(
            "descriptor_memory",
            numbers={"files": round(files), "table_bytes": round(table), "own_bytes": round(own)},
            window=view.window,
            series=FILES,
        )
