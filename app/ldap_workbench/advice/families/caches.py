"""Caches and databases that run full: hit ratios, maps, readers, free pages, locks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.autotune import autosize
from ldap_workbench.advice.evidence.cost import served_ns, user_ns
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.series import HitRatio, Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, verbatim

PERCENT, SPLIT = "nsslapd-cache-autosize", "nsslapd-cache-autosize-split"
_LEAST_SHARE = 0.2
"""Below, what a cache holds says little of how much there is: a pass over all entries hits none."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    findings: list[Finding] = []
    for name, entry in series.backends(view.samples).items():
        findings += entry_cache(view, name, entry)
        findings += dn_cache(view, name, entry)
    return [*findings, *db_cache(view), *ndn_cache(view.samples)]


def entry_cache(view: WindowView, name: str, entry: str) -> Iterator[Finding]:
    """The entry cache of one back end is full and misses: entries push each other out."""
    limit, samples = limits("entry_cache"), view.samples
    asked = series.hit_ratio(samples, entry, "entrycachehits", "entrycachetries")
    size, most, count, named = series.gauges(
        samples,
        entry,
        *("currententrycachesize", "maxentrycachesize", "currententrycachecount"),
        "currentdncachecount",
    )
    if not size or not most or size < limit["full"] * most:
        return
    sizes = {"backend": name, "size_bytes": int(size), "max_bytes": int(most)}
    if asked is None and not _counts_hits(samples, entry):
        # A reading that has no look-ups, as that of dbmon.sh.
        yield finding(
            "entry_cache_no_room",
            numbers=sizes,
            series=f"{entry}:currententrycachesize",
            free=1 - min(size / most, 1.0),
            count=int(count) if count else None,
        )
    if not _misses(asked, limit):
        return
    ratio: dict[str, Any] = {"ratio": asked.share, "when": asked.when}
    if count is None:
        # A reading that does not say how many entries the cache holds.
        yield finding(
            "entry_cache_full",
            numbers={**sizes, **_counted(asked), "size_bytes": int(most)},
            evidence=[view.evidence(_counters(asked), f"{entry}:entrycachehitratio")],
            **ratio,
        )
    if not count:
        return
    mean = size / count
    # What the cache holds says what fits into it, not what there is. The DN cache still names
    # entries that were evicted: where it names more, that many there are at least.
    entries = int(named) if named and named > count else None
    yield finding(
        "entry_cache",
        numbers={
            **sizes,
            **_counted(asked),
            "entries_held": int(count),
            "entries": entries,
            "mean_entry_bytes": round(mean),
            "wanted_bytes": round(entries * mean * limit["room"]) if entries else None,
        },
        evidence=[
            view.evidence(_counters(asked), f"{entry}:entrycachehits"),
            *_estimate(asked, count, named or 0.0, mean),
            *_autosized(view),
        ],
        **ratio,
    )


def dn_cache(view: WindowView, name: str, entry: str) -> Iterator[Finding]:
    """The DN cache of one back end is full: a rename or a subtree search reads names from disk."""
    limit = limits("dn_cache")
    asked = series.hit_ratio(view.samples, entry, "dncachehits", "dncachetries")
    size, most, count, known = series.gauges(
        view.samples,
        entry,
        *("currentdncachesize", "maxdncachesize", "currentdncachecount"),
        "currententrycachecount",
    )
    if not _misses(asked, limit) or not size or not most or not count:
        return
    if size < limit["full"] * most:
        return
    wanted = round(max(known or 0.0, count) * size / count * limit["room"])
    yield finding(
        "dn_cache",
        numbers={
            "backend": name,
            **_counted(asked),
            "max_bytes": int(most),
            "wanted_bytes": max(wanted, round(most * limit["grow"])),
        },
        evidence=[view.evidence(_counters(asked), f"{entry}:dncachehits")],
        ratio=asked.share,
        when=asked.when,
    )


def db_cache(view: WindowView) -> Iterator[Finding]:
    """The DB cache misses, so pages come from the file system."""
    limit, samples = limits("db_cache"), view.samples
    entry, settings = series.LDBM, series.DATABASE
    if series.get(samples, series.DB_STAT, "dbcachetries") is not None:
        entry = settings = series.DB_STAT
    asked = series.hit_ratio(samples, entry, "dbcachehits", "dbcachetries")
    if not _misses(asked, limit):
        return
    pages = _count(samples, entry, "dbcachepagein", asked)
    evicted = _count(samples, entry, "dbcacheroevict", asked)
    evicted += _count(samples, entry, "dbcacherwevict", asked)
    if evicted <= 0:
        return  # it is still filling: a larger one would miss the same pages
    size = series.last(series.get(samples, settings, "nsslapd-db-cache-size-bytes"))
    rated = view.counted_per_second and not asked.since_start
    read = count_of("{n} page", "{n} pages", n=round(pages))
    if rated:
        read = Message("{pages} pages/s", pages=round(pages / view.seconds))
    yield finding(
        "db_cache",
        numbers={
            **_counted(asked),
            "pages_in_per_s": round(pages / view.seconds, 2) if rated else None,
            "evicted_per_s": round(evicted / view.seconds, 2) if rated else None,
            "size_bytes": int(size) if size else None,
        },
        evidence=[view.evidence(_counters(asked), f"{entry}:dbcachehits"), *_autosized(view)],
        ratio=asked.share,
        when=asked.when,
        pages=read,
    )


def ndn_cache(samples: Samples) -> Iterator[Finding]:
    """The cache of normalised DNs throws names out, so DNs are parsed again and again."""
    limit, entry = limits("ndn_cache"), series.LDBM
    asked = series.hit_ratio(samples, entry, "normalizeddncachehits", "normalizeddncachetries")
    if not _misses(asked, limit):
        return
    evictions = int(_count(samples, entry, "normalizeddncacheevictions", asked))
    size, most = series.gauges(
        samples, entry, "currentnormalizeddncachesize", "maxnormalizeddncachesize"
    )
    if not most or evictions <= 0:
        return
    yield finding(
        "ndn_cache",
        numbers={
            **_counted(asked),
            "evictions": evictions,
            "size_bytes": int(size or 0),
            "max_bytes": int(most),
        },
        series=f"{entry}:normalizeddncacheevictions",
        n=evictions,
        ratio=asked.share,
        when=asked.when,
    )


def _count(samples: Samples, entry: str, attribute: str, asked: HitRatio) -> float:
    """What a counter grew by in the period of a hit ratio."""
    counter = series.get(samples, entry, attribute)
    return (series.last(counter) if asked.since_start else series.growth(counter)) or 0.0


def _counts_hits(samples: Samples, entry: str) -> bool:
    """Whether look-ups of the entry cache were read at all."""
    names = ("entrycachetries", "entrycachehitratio")
    return any(series.get(samples, entry, name) is not None for name in names)


def _misses(asked: HitRatio | None, limit: Mapping[str, float]) -> TypeGuard[HitRatio]:
    """Whether a cache misses more than it may, over enough look-ups to say so."""
    if asked is None or asked.share >= limit["hit_ratio"]:
        return False
    return asked.tries is None or asked.tries >= limit["tries"]


def _counted(asked: HitRatio) -> dict[str, Any]:
    """Numbers of a finding: the ratio, and what it is a ratio of."""
    tries = None if asked.tries is None else int(asked.tries)
    return {
        "hit_ratio": asked.share,
        "tries": tries,
        "misses": None if tries is None else round(tries * (1 - asked.share)),
        "since_start": asked.since_start,
    }


def _counters(asked: HitRatio) -> Message:
    """The period that the counters behind a hit ratio cover."""
    if asked.since_start:
        return Message("One reading: its counters cover all the time since the server started.")
    return Message("Hits and tries counted in this window.")


def _estimate(asked: HitRatio, cached: float, names: float, mean: float) -> list[Evidence]:
    """An estimate of the entries of the suffix from the cache alone, where nothing counts them."""
    if names or asked.share < _LEAST_SHARE:
        return []
    entries = cached / asked.share
    text = phrase(
        "entry_cache",
        held=int(cached),
        share=asked.share,
        entries=round(entries),
        size=round(entries * mean * limits("entry_cache")["room"]),
    )
    return [Evidence(text)]


def _autosized(view: WindowView) -> list[Evidence]:
    """What the server's autosizing gives on this host, in words; nothing where it is off."""
    ram = view.facts.ram_bytes if view.facts else None
    share = view.number(PERCENT)
    if not ram or not share or (view.facts and view.facts.db_library == "mdb"):
        return []
    backends = len(view.facts.backends) if view.facts else 1
    version = view.facts.version if view.facts else ""
    sizes = autosize(ram, share, view.number(SPLIT), max(backends, 1), version)
    return [Evidence(Message("Autosizing: {arithmetic}.", arithmetic=sizes.arithmetic))]


PAGE = 4096
"""Bytes of a page of slapd's LMDB, which counts in pages: that of memory on nearly all hosts."""
_OF_389 = ("dbenvmapsize", "dbenvmapmaxsize", "dbenvnumreaders", "dbenvmaxreaders")
_OF_SLAPD = ("olmmdbpagesused", "olmmdbpagesmax", "olmmdbreadersused", "olmmdbreadersmax")
"""What is used of the map and the most there may be, then the same of readers."""
_LOCKS = "nsslapd-db-current-locks"


@dataclass(frozen=True)
class Map:
    """One LMDB environment as its server shows it; `backend` is '' where all share one."""

    entry: str
    backend: str
    names: tuple[str, ...]
    """Its attributes, for the charts."""
    used_bytes: float
    most_bytes: float
    readers: float
    slots: float

    @property
    def map_share(self) -> float:
        return self.used_bytes / self.most_bytes if self.most_bytes else 0.0

    @property
    def reader_share(self) -> float:
        return self.readers / self.slots if self.slots else 0.0

    @property
    def fullest(self) -> float:
        return max(self.map_share, self.reader_share)


def find_lmdb(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_map(view), *_free_list(view), *_locks(view)]


def _map(view: WindowView) -> Iterator[Finding]:
    """The map or its table of readers is nearly full: the next write or read may fail."""
    values = _values(view.samples, series.DATABASE, _OF_389)
    maps = [Map(series.DATABASE, "", _OF_389, *values), *_of_slapd(view)]
    worst = max(maps, key=lambda item: item.fullest)
    if worst.fullest < limits("lmdb_map")["full"]:
        return
    by_map = worst.map_share >= worst.reader_share
    yield finding(
        "lmdb_map",
        numbers={
            "map_share": worst.map_share,
            "map_max_bytes": int(worst.most_bytes),
            "reader_share": worst.reader_share,
            "readers_max": int(worst.slots),
            "backend": worst.backend,
        },
        series=f"{worst.entry}:{worst.names[0 if by_map else 2]}",
        by_map=by_map,
        used=round(worst.readers),
    )


def used_bytes(view: WindowView) -> float:
    """What the databases take within their maps; 0 where no reading says it."""
    [used] = _values(view.samples, series.DATABASE, _OF_389[:1])
    return used or sum(item.used_bytes for item in _of_slapd(view))


def _of_slapd(view: WindowView) -> Iterator[Map]:
    """One map for each database; pages that are free within it are used before it grows."""
    for entry in _databases(view.samples, "olmmdbpagesmax"):
        used, most, readers, slots = _values(view.samples, entry, _OF_SLAPD)
        [free] = _values(view.samples, entry, ("olmmdbpagesfree",))
        sizes = (used - free) * PAGE, most * PAGE, readers, slots
        yield Map(entry, _backend(view, entry), _OF_SLAPD, *sizes)


def _databases(samples: Samples, attribute: str) -> dict[str, str]:
    """Monitor entries of slapd that have an attribute -> the series of it."""
    names = (name for name in samples if name.lower().endswith(f":{attribute}"))
    return {name.rpartition(":")[0]: name for name in names}


def _backend(view: WindowView, entry: str) -> str:
    """{1}mdb of 'cn=database 1,cn=databases,cn=monitor'; '' where the facts do not say."""
    number = re.match(r"cn=database (\d+),", entry.lower())
    known = [backend.name for backend in view.facts.backends] if view.facts else []
    return next((n for n in known if number and n.startswith(f"{{{number[1]}}}")), "")


def _values(samples: Samples, entry: str, names: tuple[str, ...]) -> list[float]:
    return [value or 0.0 for value in series.gauges(samples, entry, *names)]


def _free_list(view: WindowView) -> Iterator[Finding]:
    """Writes of slapd that are slow while a large part of its pages is free."""
    limit, operations = limits("lmdb_free_list"), view.operations
    writes = client_writes(operations)
    if writes.sum() < limit["writes"]:
        return
    usual = float(np.median(served_ns(operations)[writes]))
    # A reading by itself says nothing of a window's counters, but pages do not go in minutes.
    samples = view.samples if _databases(view.samples, "olmmdbpagesfree") else view.monitor_apart
    for entry, name in _databases(samples, "olmmdbpagesfree").items():
        free, used = _values(samples, entry, ("olmmdbpagesfree", "olmmdbpagesused"))
        enough = free >= limit["pages"] and used and free >= limit["share"] * used
        if enough and usual >= limit["write_ms"] * 1e6:
            yield finding(
                "lmdb_free_list",
                numbers={"free": int(free), "used": int(used), "share": free / used},
                series=name if samples is view.samples else "",
                user_ns=user_ns(operations, writes),
                entry=entry,
                write=round(usual),
            )
            return


def _locks(view: WindowView) -> Iterator[Finding]:
    lines, numbers = matching(view.errors, "db_locks"), _locks_taken(view)
    if lines:
        evidence = Evidence(verbatim(lines[0].text), lines[0].time_ns, lines[-1].time_ns)
        how = phrase("db_locks", "logged", line=lines[0].text)
        numbers |= {"lines": len(lines)}
    elif numbers and numbers["share"] >= limits("db_locks")["share"]:
        how = phrase("db_locks", "taken", peak=numbers["locks"], most=numbers["most"])
        evidence = Evidence(Message("{how}.", how=how), series=f"{series.DATABASE}:{_LOCKS}")
    else:
        return
    yield finding("db_locks", numbers=numbers, evidence=[evidence], how=how)


def _locks_taken(view: WindowView) -> dict[str, float]:
    """The most `locks` that were taken, of how many (`most`), as a `share`; {} if not counted."""
    entry = series.DATABASE
    if series.get(view.samples, series.DB_STAT, _LOCKS) is not None:
        entry = series.DB_STAT
    taken = series.get(view.samples, entry, _LOCKS)
    names = ("nsslapd-db-configured-locks", "nsslapd-db-max-locks")
    most, highest = series.gauges(view.samples, entry, *names)
    now = float(taken[1].max()) if taken is not None and len(taken[1]) else 0.0
    peak = max(now, highest or 0.0)
    return {"locks": round(peak), "most": round(most), "share": peak / most} if most else {}
