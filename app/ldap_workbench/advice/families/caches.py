"""Caches of the server: hit ratios of the window, not since the start, and what size would do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.autosize import autosize
from ldap_workbench.advice.evidence.series import HitRatio, Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of

PERCENT, SPLIT = "nsslapd-cache-autosize", "nsslapd-cache-autosize-split"
_LEAST_SHARE = 0.2
"""Below, what a cache holds says little of how much there is: a pass over all entries hits none."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    findings = []
    for name, entry in series.backends(view.samples).items():
        findings += entry_cache(view, name, entry)
        findings += dn_cache(view, name, entry)
    return findings + db_cache(view) + ndn_cache(view.samples)


def entry_cache(view: WindowView, name: str, entry: str) -> list[Finding]:
    """The entry cache of one back end is full and misses: entries push each other out."""
    limit, samples = limits("entry_cache"), view.samples
    asked = series.hit_ratio(samples, entry, "entrycachehits", "entrycachetries")
    size, most, count = _gauges(
        samples, entry, "currententrycachesize", "maxentrycachesize", "currententrycachecount"
    )
    if not size or not most or size < limit["full"] * most:
        return []
    if asked is None and not _counts_hits(samples, entry):
        return _full_alone(name, entry, size, most, count)
    if not _misses(asked, limit):
        return []
    if count is None:
        return _full_and_missing(view, name, entry, asked, int(most))
    if not count:
        return []
    mean = size / count
    names = _gauges(samples, entry, "currentdncachecount")[0] or 0.0
    # What the cache holds says what fits into it, not what there is. The DN cache still names
    # entries that were evicted: where it names more, that many there are at least.
    entries = int(names) if names > count else None
    wanted = round(entries * mean * limit["room"]) if entries else None
    numbers = {
        "backend": name,
        **_counted(asked),
        "size_bytes": int(size),
        "max_bytes": int(most),
        "entries_held": int(count),
        "entries": entries,
        "mean_entry_bytes": round(mean),
        "wanted_bytes": wanted,
    }
    return [
        finding(
            "entry_cache",
            numbers=numbers,
            evidence=[
                view.evidence(_counters(asked), f"{entry}:entrycachehits"),
                *_estimate(asked, count, names, mean),
                *_autosized(view),
            ],
            ratio=asked.share,
            when=asked.when,
            full=int(most),
            held=int(count),
            mean=round(mean),
            need=_need(entries, wanted),
        )
    ]


def _need(entries: int | None, wanted: int | None) -> Message:
    if entries is None or wanted is None:
        return Message(
            "How many entries there are is not known from this session; what the cache holds only "
            "says what fits into it."
        )
    return Message(
        "{wanted:size} would hold at least the {of} entries known to exist, with room to grow.",
        wanted=wanted,
        of=entries,
    )


def dn_cache(view: WindowView, name: str, entry: str) -> list[Finding]:
    """The DN cache of one back end is full: a rename or a subtree search reads names from disk."""
    limit = limits("dn_cache")
    asked = series.hit_ratio(view.samples, entry, "dncachehits", "dncachetries")
    size, most, count = _gauges(
        view.samples, entry, "currentdncachesize", "maxdncachesize", "currentdncachecount"
    )
    if not _misses(asked, limit) or not size or not most or not count:
        return []
    if size < limit["full"] * most:
        return []
    known = series.last(series.get(view.samples, entry, "currententrycachecount")) or 0.0
    wanted = round(max(known, count) * size / count * limit["room"])
    numbers = {
        "backend": name,
        **_counted(asked),
        "max_bytes": int(most),
        "wanted_bytes": max(wanted, round(most * limit["grow"])),
    }
    return [
        finding(
            "dn_cache",
            numbers=numbers,
            evidence=[view.evidence(_counters(asked), f"{entry}:dncachehits")],
            ratio=asked.share,
            when=asked.when,
            full=int(most),
        )
    ]


def db_cache(view: WindowView) -> list[Finding]:
    """The DB cache misses, so pages come from the file system."""
    limit, samples = limits("db_cache"), view.samples
    entry, settings = series.LDBM, series.DATABASE
    if series.get(samples, series.DB_STAT, "dbcachetries") is not None:
        entry = settings = series.DB_STAT
    asked = series.hit_ratio(samples, entry, "dbcachehits", "dbcachetries")
    if not _misses(asked, limit):
        return []
    counted = series.last if asked.since_start else series.growth
    pages = counted(series.get(samples, entry, "dbcachepagein")) or 0.0
    evicted = counted(series.get(samples, entry, "dbcacheroevict")) or 0.0
    evicted += counted(series.get(samples, entry, "dbcacherwevict")) or 0.0
    if evicted <= 0:
        return []  # it is still filling: a larger one would miss the same pages
    size = series.last(series.get(samples, settings, "nsslapd-db-cache-size-bytes"))
    rated = view.counted_per_second and not asked.since_start
    numbers = {
        **_counted(asked),
        "pages_in_per_s": round(pages / view.seconds, 2) if rated else None,
        "evicted_per_s": round(evicted / view.seconds, 2) if rated else None,
        "size_bytes": int(size) if size else None,
    }
    return [
        finding(
            "db_cache",
            numbers=numbers,
            evidence=[
                view.evidence(_counters(asked), f"{entry}:dbcachehits"),
                *_autosized(view),
            ],
            ratio=asked.share,
            when=asked.when,
            size=Message(" of {size:size}", size=int(size)) if size else NOTHING,
            pages=_pages(pages / view.seconds if rated else pages, rated=rated),
        )
    ]


def ndn_cache(samples: Samples) -> list[Finding]:
    """The cache of normalised DNs throws names out, so DNs are parsed again and again."""
    limit, entry = limits("ndn_cache"), series.LDBM
    asked = series.hit_ratio(samples, entry, "normalizeddncachehits", "normalizeddncachetries")
    if not _misses(asked, limit):
        return []
    counted = series.last if asked.since_start else series.growth
    evictions = counted(series.get(samples, entry, "normalizeddncacheevictions")) or 0.0
    size, most = _gauges(samples, entry, "currentnormalizeddncachesize", "maxnormalizeddncachesize")
    if not most or evictions <= 0:
        return []
    numbers = {
        **_counted(asked),
        "evictions": int(evictions),
        "size_bytes": int(size or 0),
        "max_bytes": int(most),
    }
    text = count_of("{n} name was evicted.", "{n} names were evicted.", n=int(evictions))
    return [
        finding(
            "ndn_cache",
            numbers=numbers,
            evidence=[Evidence(text, series=f"{entry}:normalizeddncacheevictions")],
            ratio=asked.share,
            when=asked.when,
            thrown=int(evictions),
            full=int(most),
        )
    ]


def _pages(pages: float, *, rated: bool) -> Message:
    if rated:
        return Message("{pages} pages/s", pages=round(pages))
    return count_of("{n} page", "{n} pages", n=round(pages))


def _full_and_missing(
    view: WindowView, name: str, entry: str, asked: HitRatio, most: int
) -> list[Finding]:
    """The same of a reading that does not say how many entries the cache holds."""
    numbers = {"backend": name, **_counted(asked), "size_bytes": most, "max_bytes": most}
    return [
        finding(
            "entry_cache_full",
            numbers=numbers,
            evidence=[view.evidence(_counters(asked), f"{entry}:entrycachehitratio")],
            ratio=asked.share,
            when=asked.when,
            full=most,
        )
    ]


def _counts_hits(samples: Samples, entry: str) -> bool:
    """Whether look-ups of the entry cache were read at all."""
    names = ("entrycachetries", "entrycachehitratio")
    return any(series.get(samples, entry, name) is not None for name in names)


def _full_alone(
    name: str, entry: str, size: float, most: float, count: float | None
) -> list[Finding]:
    """The cache is full in a reading that has no look-ups, as that of dbmon.sh."""
    free = 1 - min(size / most, 1.0)
    text = Message("{size:size} of {most:size}.", size=int(size), most=int(most))
    return [
        finding(
            "entry_cache_no_room",
            numbers={"backend": name, "size_bytes": int(size), "max_bytes": int(most)},
            evidence=[Evidence(text, series=f"{entry}:currententrycachesize")],
            free=free,
            full=int(most),
            entries=Message(", with {n} entries", n=int(count)) if count else NOTHING,
        )
    ]


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


def _gauges(samples: Samples, entry: str, *attributes: str) -> list[float | None]:
    return [series.last(series.get(samples, entry, a)) for a in attributes]


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
    text = Message(
        "{held} entries answered {share:percent}: if all were requested equally often, there would "
        "be about {entries}, which need {size:size}. Count the entries of the suffix to find out.",
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
