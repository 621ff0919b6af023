"""Caches of the server: hit ratios of the window, not since the start, and what size would do."""

from __future__ import annotations

from ldap_workbench.advice import series
from ldap_workbench.advice.autosize import autosize
from ldap_workbench.advice.series import Samples
from ldap_workbench.advice.view import WindowView
from ldap_workbench.advice.wording import finding, limits, percent
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.units import format_size

PERCENT, SPLIT = "nsslapd-cache-autosize", "nsslapd-cache-autosize-split"


def find(view: WindowView) -> list[Finding]:
    found = []
    for name, entry in series.backends(view.samples).items():
        found += entry_cache(view, name, entry)
        found += dn_cache(view, name, entry)
    return found + db_cache(view) + ndn_cache(view.samples)


def entry_cache(view: WindowView, name: str, entry: str) -> list[Finding]:
    """The entry cache of one back end is full and misses: entries push each other out."""
    limit, samples = limits("entry_cache"), view.samples
    ratio, tries = series.hit_ratio(samples, entry, "entrycachehits", "entrycachetries")
    size, most, count = _gauges(
        samples, entry, "currententrycachesize", "maxentrycachesize", "currententrycachecount"
    )
    if ratio is None or not size or not most or not count or tries < limit["tries"]:
        return []
    if ratio >= limit["hit_ratio"] or size < limit["full"] * most:
        return []
    mean = size / count
    names = _gauges(samples, entry, "currentdncachecount")[0] or 0.0
    entries = max(count, names)  # the fewest there can be
    wanted = round(entries * mean * limit["room"])
    misses = round(tries * (1 - ratio))
    numbers = {
        "backend": name,
        "hit_ratio": ratio,
        "tries": int(tries),
        "misses": misses,
        "size_bytes": int(size),
        "max_bytes": int(most),
        "entries_held": int(count),
        "entries": int(entries),
        "mean_entry_bytes": round(mean),
        "wanted_bytes": wanted,
    }
    return [
        finding(
            "entry_cache",
            numbers=numbers,
            evidence=[_evidence(view, entry, "entrycachehits"), *_autosized(view)],
            ratio=percent(ratio),
            full=format_size(int(most)),
            held=f"{int(count):,}",
            mean=format_size(round(mean)),
            of=f"{int(entries):,}",
            wanted=format_size(wanted),
        )
    ]


def dn_cache(view: WindowView, name: str, entry: str) -> list[Finding]:
    """The DN cache of one back end is full: a rename or a subtree search reads names from disk."""
    limit = limits("dn_cache")
    ratio, tries = series.hit_ratio(view.samples, entry, "dncachehits", "dncachetries")
    size, most, count = _gauges(
        view.samples, entry, "currentdncachesize", "maxdncachesize", "currentdncachecount"
    )
    if ratio is None or not size or not most or not count or tries < limit["tries"]:
        return []
    if ratio >= limit["hit_ratio"] or size < limit["full"] * most:
        return []
    known = series.last(series.get(view.samples, entry, "currententrycachecount")) or 0.0
    wanted = round(max(known, count) * size / count * limit["room"])
    numbers = {
        "backend": name,
        "hit_ratio": ratio,
        "tries": int(tries),
        "max_bytes": int(most),
        "wanted_bytes": max(wanted, round(most * limit["grow"])),
    }
    return [
        finding(
            "dn_cache",
            numbers=numbers,
            evidence=[_evidence(view, entry, "dncachehits")],
            ratio=percent(ratio),
            full=format_size(int(most)),
        )
    ]


def db_cache(view: WindowView) -> list[Finding]:
    """The DB cache misses, so pages come from the file system."""
    limit, samples = limits("db_cache"), view.samples
    ratio, tries = series.hit_ratio(samples, series.LDBM, "dbcachehits", "dbcachetries")
    if ratio is None or tries < limit["tries"] or ratio >= limit["hit_ratio"]:
        return []
    pages = series.growth(series.get(samples, series.LDBM, "dbcachepagein"))
    evicted = series.growth(series.get(samples, series.LDBM, "dbcacheroevict"))
    evicted += series.growth(series.get(samples, series.LDBM, "dbcacherwevict"))
    if evicted <= 0:
        return []  # it is still filling: a larger one would miss the same pages
    size = series.last(series.get(samples, series.DATABASE, "nsslapd-db-cache-size-bytes"))
    numbers = {
        "hit_ratio": ratio,
        "tries": int(tries),
        "pages_in_per_s": round(pages / view.seconds, 2),
        "evicted_per_s": round(evicted / view.seconds, 2),
        "size_bytes": int(size) if size else None,
    }
    return [
        finding(
            "db_cache",
            numbers=numbers,
            evidence=[_evidence(view, series.LDBM, "dbcachehits"), *_autosized(view)],
            ratio=percent(ratio),
            size=f" of {format_size(int(size))}" if size else "",
            pages=f"{pages / view.seconds:,.0f}",
        )
    ]


def ndn_cache(samples: Samples) -> list[Finding]:
    """The cache of normalised DNs throws names out, so DNs are parsed again and again."""
    limit, entry = limits("ndn_cache"), series.LDBM
    ratio, tries = series.hit_ratio(
        samples, entry, "normalizeddncachehits", "normalizeddncachetries"
    )
    evictions = series.growth(series.get(samples, entry, "normalizeddncacheevictions"))
    size, most = _gauges(samples, entry, "currentnormalizeddncachesize", "maxnormalizeddncachesize")
    if ratio is None or not most or tries < limit["tries"]:
        return []
    if ratio >= limit["hit_ratio"] or evictions <= 0:
        return []
    numbers = {
        "hit_ratio": ratio,
        "tries": int(tries),
        "evictions": int(evictions),
        "size_bytes": int(size or 0),
        "max_bytes": int(most),
    }
    text = f"{int(evictions):,} names were thrown out."
    return [
        finding(
            "ndn_cache",
            numbers=numbers,
            evidence=[Evidence(text, series=f"{entry}:normalizeddncacheevictions")],
            ratio=percent(ratio),
            thrown=f"{int(evictions):,}",
            full=format_size(int(most)),
        )
    ]


def _gauges(samples: Samples, entry: str, *attributes: str) -> list[float | None]:
    return [series.last(series.get(samples, entry, a)) for a in attributes]


def _evidence(view: WindowView, entry: str, attribute: str) -> Evidence:
    name = f"{entry}:{attribute}"
    return Evidence(
        "Hits and tries counted in this window.",
        view.window.start_ns,
        view.window.end_ns,
        series=name,
    )


def _autosized(view: WindowView) -> list[Evidence]:
    """What the server's autosizing gives on this host, in words; nothing where it is off."""
    ram = view.facts.ram_bytes if view.facts else None
    share = view.number(PERCENT)
    if not ram or not share or (view.facts and view.facts.db_library == "mdb"):
        return []
    backends = len(view.facts.backends) if view.facts else 1
    version = view.facts.version if view.facts else ""
    sizes = autosize(ram, share, view.number(SPLIT), max(backends, 1), version)
    return [Evidence(f"Autosizing: {sizes.arithmetic}.")]
