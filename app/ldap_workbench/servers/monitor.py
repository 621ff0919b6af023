"""Which entries of the cn=monitor family to read, and how often; data in resources/servers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import in_place, product_of


@dataclass(frozen=True)
class MonitorEntry:
    """An entry to read every `every` seconds of server time."""

    dn: str
    every: float = 1.0
    scope: str = "base"
    """one: the entries below `dn` instead, in one search."""
    attributes: tuple[str, ...] = ("*",)
    named: str = ""
    """A filter that finds, one level below `dn`, the entries to read: their names hold addresses
    and ports. Searched once (`resolved`): for each such search the server makes every entry there.
    """
    filter: str = "(objectClass=*)"
    csns: bool = False
    """Tells up to which change of each supplier the server has come (`servers/replication.py`)."""


def resolved(entries: list[MonitorEntry], directory: Directory) -> list[MonitorEntry]:
    """The entries with those known by a filter looked up, each as a base entry of its own."""
    return [located for entry in entries for located in _looked_up(entry, directory)]


def _looked_up(entry: MonitorEntry, directory: Directory) -> list[MonitorEntry]:
    if not entry.named:
        return [entry]
    there = directory.search(entry.dn, scope="one", filter=entry.named, attributes=("cn",))
    return [replace(entry, dn=located.dn, named="") for located in there]


def monitor_entries(facts: TargetFacts) -> list[MonitorEntry]:
    """The monitor entries of this server: per backend where the entry is a backend's."""
    monitored: list[MonitorEntry] = []
    for entry in _templates(product_of(facts)):
        names = [b.name for b in facts.backends] if "{" in entry.dn else [""]
        monitored += [replace(entry, dn=in_place(entry.dn, name)) for name in names]
    return monitored


@cache
def _templates(product: str) -> tuple[MonitorEntry, ...]:
    document = tomllib.loads(resource(f"servers/{product}.toml").read_text("utf-8"))
    return tuple(
        MonitorEntry(
            row["dn"],
            row["every"],
            row.get("scope", "base"),
            tuple(row.get("attributes", ("*",))),
            row.get("named", ""),
        )
        for row in document["monitor"]
    )
