"""Caches of the server: hit ratios of the window, not since the start, and what size would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.autotune import autosize
from ldap_workbench.advice.evidence.series import HitRatio, Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of

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
