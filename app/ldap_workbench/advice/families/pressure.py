"""The host beside its disk, and the memory of the server's process."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import Samples, share_over
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message

THROTTLED = "cgroup:cpu:throttled"
_THREAD, _TOP = "thread:", ":top"
_STEAL = ("vmstat:st", "iostat:cpu:steal", "iostat:avg-cpu:steal")
_PRESSURES = {"cpu": "psi:cpu:some", "io": "psi:io:full", "memory": "psi:memory:full"}


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [
        *_memory(view.samples, view.facts.cores if view.facts else None),
        *_throttled(view),
        *_single_thread(view),
        *_stolen(view),
        *_pressure(view),
    ]


def _memory(samples: Samples, cores: int | None) -> Iterator[Finding]:
    """Swapping, the page scanner of Solaris at work, or a long run queue."""
    limit = limits("memory")
    swaps = max(share_over(series.vmstat(samples, way), limit["swap_kb_s"]) for way in ("so", "si"))
    scans = share_over(series.vmstat(samples, "sr"), limit["scan_rate"])
    queue = series.median(series.vmstat(samples, "r"))
    crowded = bool(cores and queue and queue >= limit["run_queue_times_cores"] * cores)
    shortages = []
    if max(swaps, scans) >= limit["share_of_time"]:
        shortages.append(phrase("memory", "short", share=max(swaps, scans)))
    if crowded:
        shortages.append(phrase("memory", "crowded", processes=queue, cores=cores))
    if shortages:
        yield finding(
            "memory",
            numbers={
                "swapping_share": swaps,
                "scanning_share": scans,
                "run_queue": queue,
                "cores": cores,
            },
            series="vmstat:r" if crowded else "vmstat:so",
            text=tuple(shortages),
        )


def _throttled(view: WindowView) -> Iterator[Finding]:
    """The kernel holds the server's group back at its processor limit."""
    share = series.mean(view.samples.get(THROTTLED))
    if share is None or share < limits("cpu_throttled")["percent"]:
        return
    yield finding(
        "cpu_throttled",
        numbers={
            "throttled_percent": round(share, 1),
            "limit_cpus": series.last(view.samples.get("cgroup:cpu:limit")),
            "used_cpus": series.mean(view.samples.get("cgroup:cpu:used")),
        },
        window=view.window,
        series=THROTTLED,
        share=share / 100,
    )


def _single_thread(view: WindowView) -> Iterator[Finding]:
    """One thread has a processor for itself while others idle: what it does has no room to grow."""
    limit, idle = limits("single_thread"), series.idle_percent(view.samples)
    cores = view.facts.cores if view.facts else None
    if idle is None or idle < limit["idle_percent"] or not cores or cores < limit["cores"]:
        return
    for name in view.samples:
        busy = view.samples[name] if name.startswith(_THREAD) and name.endswith(_TOP) else None
        mean = series.mean(busy)
        if mean is None or share_over(busy, limit["percent"]) < limit["share_of_time"]:
            continue
        yield finding(
            "single_thread",
            numbers={
                "thread": name[len(_THREAD) : -len(_TOP)],
                "busy_percent": round(mean, 1),
                "idle_percent": round(idle, 1),
            },
            window=view.window,
            series=name,
            busy=mean / 100,
            idle=idle / 100,
        )


def _stolen(view: WindowView) -> Iterator[Finding]:
    limit = limits("cpu_stolen")
    name = next((column for column in _STEAL if column in view.samples), "")
    if not name or len(view.samples[name][1]) < limit["samples"]:
        return
    values = view.samples[name][1]
    if values.mean() < limit["steal_percent"]:
        return
    numbers = {"steal": float(values.mean()), "most": float(values.max())}
    yield finding("cpu_stolen", numbers=numbers, series=name)


def _pressure(view: WindowView) -> Iterator[Finding]:
    """Shares of the window in which processes waited, by the kernel's own count."""
    limit, idle = limits("host_pressure"), series.idle_percent(view.samples)
    shares = {
        # The mean of what the kernel counted in every second, in percent of it.
        name: (series.mean(view.samples.get(pressed)) or 0.0) / 100
        for name, pressed in _PRESSURES.items()
    }
    # Processes that wait for processors while some idle are held back by a limit of the cgroup.
    if idle is None or idle < limit["idle_percent"]:
        shares["cpu"] = 0.0
    high = {name: share for name, share in shares.items() if share >= limit[name]}
    waits = {name: phrase("host_pressure", name, share=share) for name, share in high.items()}
    evidence = [
        Evidence(Message("{what}.", what=text), series=_PRESSURES[name])
        for name, text in waits.items()
    ]
    if high:
        yield finding("host_pressure", numbers=high, evidence=evidence, waits=tuple(waits.values()))


RESIDENT, OWN = "process:memory:resident", "process:memory:own"
FILES = "process:files:limit"
_GROUP = "cgroup:memory:limit"
_CACHES = ("currententrycachesize", "currentdncachesize", "currentnormalizeddncachesize")
_HOUR_S = 3600
MIB = 1 << 20


def find_resident(view: WindowView) -> list[Finding]:
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
