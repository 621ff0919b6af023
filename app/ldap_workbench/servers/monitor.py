"""Which entries of the cn=monitor family to read, and how often; data in resources/servers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from ldap_workbench.model.target import TargetFacts
from ldap_workbench.resources import resource


@dataclass(frozen=True)
class MonitorEntry:
    """An entry to read every `every` seconds of server time."""

    dn: str
    every: float = 1.0


def monitor_entries(facts: TargetFacts) -> list[MonitorEntry]:
    """The monitor entries of this server: per backend where the entry is a backend's."""
    table = tomllib.loads(resource("servers/389ds.toml").read_text("utf-8"))
    entries = []
    for row in table["monitor"]:
        if row.get("db_library", facts.db_library) != facts.db_library:
            continue
        names = [backend.name for backend in facts.backends] if "{backend}" in row["dn"] else [""]
        entries += [MonitorEntry(row["dn"].format(backend=n), row["every"]) for n in names]
    return entries
