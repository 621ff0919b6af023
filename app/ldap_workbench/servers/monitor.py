"""Which entries of the cn=monitor family to read, and how often; data in resources/servers."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from ldap_workbench.model.target import TargetFacts
from ldap_workbench.resources import resource


@dataclass(frozen=True)
class MonitorEntry:
    """An entry to read every `every` seconds of server time.

    `counters` are the attributes that count from the server's start, with * and ? in them.
    """

    dn: str
    every: float = 1.0
    counters: tuple[str, ...] = ()


def monitor_entries(facts: TargetFacts) -> list[MonitorEntry]:
    """The monitor entries of this server: per backend where the entry is a backend's."""
    found: list[MonitorEntry] = []
    for entry in _templates():
        names = [b.name for b in facts.backends] if "{backend}" in entry.dn else [""]
        dns = (entry.dn.format(backend=name) for name in names)
        found += [MonitorEntry(dn, entry.every, entry.counters) for dn in dns]
    return found


def is_counter(series: str) -> bool:
    """Whether the series 'dn:attribute' counts from the server's start, so that its growth counts.

    False for gauges and for everything this product's description does not know.
    """
    dn, _, attribute = series.lower().rpartition(":")
    return any(
        pattern.fullmatch(dn) and any(fnmatchcase(attribute, name) for name in counters)
        for pattern, counters in _counters()
    )


@cache
def _templates() -> tuple[MonitorEntry, ...]:
    rows = tomllib.loads(resource("servers/389ds.toml").read_text("utf-8"))["monitor"]
    return tuple(MonitorEntry(r["dn"], r["every"], tuple(r["counters"])) for r in rows)


@cache
def _counters() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple(
        (re.compile(re.escape(entry.dn.lower()).replace(r"\{backend\}", "[^,]+")), entry.counters)
        for entry in _templates()
    )
