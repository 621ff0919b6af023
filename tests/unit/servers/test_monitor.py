"""Which entries of the cn=monitor family are read, and how often."""

from __future__ import annotations

from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.monitor import monitor_entries


def facts(*backends: str) -> TargetFacts:
    found = tuple(Backend(name, f"dc={name}", f"cn={name}") for name in backends)
    return TargetFacts("p", "389", "2.3.1", "h", backends=found)


def test_an_entry_for_each_backend() -> None:
    dns = [entry.dn for entry in monitor_entries(facts("userRoot", "other"))]
    assert "cn=monitor,cn=other,cn=ldbm database,cn=plugins,cn=config" in dns
    assert len(dns) == len(monitor_entries(facts())) + 2


def test_the_entry_that_locks_every_connection_is_read_rarely() -> None:
    every = {entry.dn: entry.every for entry in monitor_entries(facts("userRoot"))}
    assert every.pop("cn=monitor") >= 10
    assert set(every.values()) == {1.0}
