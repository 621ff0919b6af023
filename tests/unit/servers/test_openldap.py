"""OpenLDAP: what a slapd says of itself, and its monitor as one recorded it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.target import Backend, TargetFacts, names_in_commands
from ldap_workbench.resources import resource
from ldap_workbench.servers.entry import current_run
from ldap_workbench.servers.monitor import monitor_entries
from ldap_workbench.servers.product import in_place, product_of
from ldap_workbench.servers.target import read_facts

_CORPUS = Path(
    os.environ.get("LDAP_WORKBENCH_CORPUS")
    or Path(__file__).parents[3].parent / "shared" / "corpus"
)
DATABASE = "olcDatabase={1}mdb,cn=config"
ENTRIES: dict[str, dict[str, list[str]]] = {
    "": {"objectClass": ["top", "OpenLDAProotDSE"], "configContext": ["cn=config"]},
    "cn=config": {"cn": ["config"], "olcLogFile": ["/var/log/slapd.log"]},
    DATABASE: {
        "olcDatabase": ["{1}mdb"],
        "olcSuffix": ["dc=example,dc=com"],
        "olcDbDirectory": ["/var/lib/ldap"],
    },
    "cn=Monitor": {"monitoredInfo": ["OpenLDAP: slapd 2.5.13+dfsg-5 (Feb  8 2023 01:56:12)"]},
    "cn=Start,cn=Time,cn=Monitor": {"monitorTimestamp": ["20261121023843Z"]},
    "cn=Operations,cn=Monitor": {"monitorOpInitiated": ["7974"]},
}


class FakeSlapd:
    """Entries by DN, in any case; the databases are below cn=config."""

    url = "ldap://ldap1"

    def __init__(self, entries: dict[str, dict[str, list[str]]], refused: str = "") -> None:
        self._entries = {dn.lower(): (dn, found) for dn, found in entries.items()}
        self._refused = refused.lower()

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "",  # noqa: A002
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        if self._refused and base.lower().endswith(self._refused):
            raise DirectoryError("refused: insufficientAccessRights (50).", code=50)
        below = f",{base}".lower()
        dns = [base.lower()] if scope == "base" else [d for d in self._entries if d.endswith(below)]
        found = [self._entries[dn] for dn in dns if dn in self._entries]
        return [Entry(dn, {k: tuple(v) for k, v in each.items()}) for dn, each in found]

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        raise AssertionError("reading facts writes nothing")

    def close(self) -> None: ...


def without(*dns: str) -> dict[str, dict[str, list[str]]]:
    return {dn: found for dn, found in ENTRIES.items() if dn not in dns}


def test_what_slapd_tells() -> None:
    facts = read_facts(FakeSlapd(ENTRIES), "corp", "ldap1")
    assert (facts.product, facts.version, facts.host) == ("OpenLDAP", "2.5.13", "ldap1")
    assert facts.backends == (Backend("{1}mdb", "dc=example,dc=com", DATABASE, "/var/lib/ldap"),)
    assert (facts.db_library, facts.db_directory) == ("mdb", "/var/lib/ldap")
    assert facts.access_log == "/var/log/slapd.log"
    assert facts.started_ns == 1_795_228_723_000_000_000
    assert facts.unknown == {}
    assert product_of(facts) == "openldap"


def test_commands_never_mix_the_names_of_two_databases() -> None:
    """The accesslog may be defined first; its files are not those that slapadd makes anew."""
    log, second = "olcDatabase={1}mdb,cn=config", "olcDatabase={2}mdb,cn=config"
    entries = without(DATABASE) | {
        log: {"olcDatabase": ["{1}mdb"], "olcSuffix": ["cn=accesslog"], "olcDbDirectory": ["/log"]},
        second: {"olcDatabase": ["{2}mdb"], "olcSuffix": ["dc=b"], "olcDbDirectory": ["/b"]},
    }
    facts = read_facts(FakeSlapd(entries), "corp", "ldap1")
    named = ("database", "suffix", "database_entry", "database_folder")
    assert itemgetter(*named)(names_in_commands(facts)) == ("{2}mdb", "dc=b", second, "/b")
    assert facts.db_directory == "/b"

    older = replace(facts, backends=tuple(replace(one, folder=None) for one in facts.backends))
    assert names_in_commands(older)["database_folder"] == "DATABASE-FOLDER"
    older = replace(older, backends=older.backends[1:])
    assert names_in_commands(older)["database_folder"] == "/b"

    third = Backend("{3}mdb", "dc=c", "olcDatabase={3}mdb,cn=config", "/c")
    several = names_in_commands(replace(facts, backends=(*facts.backends, third)))
    words = ("BACKEND", "SUFFIX", "DATABASE-ENTRY", "DATABASE-FOLDER")
    assert itemgetter(*named)(several) == words


def test_a_root_dse_of_another_product_is_not_taken_for_openldap() -> None:
    entries = ENTRIES | {"": {"objectClass": ["top"], "vendorName": ["389 Project"]}}
    facts = read_facts(FakeSlapd(entries), "corp", "ldap1")
    assert facts.product == "389 Project"
    assert product_of(facts) == "389ds"


def test_a_slapd_without_monitor_and_log_file_is_said() -> None:
    entries = without("cn=Monitor", "cn=Start,cn=Time,cn=Monitor", "cn=Operations,cn=Monitor")
    entries["cn=config"] = {"cn": ["config"]}
    facts = read_facts(FakeSlapd(entries), "corp", "ldap1")
    assert facts.version == "unknown"
    assert "not readable" in str(facts.unknown["cn=Monitor"])
    assert "--access-log" in str(facts.unknown["access_log"])
    assert current_run(FakeSlapd(entries), "openldap") is None


def test_a_bind_that_may_not_see_the_configuration_is_said() -> None:
    facts = read_facts(FakeSlapd(ENTRIES, refused="cn=config"), "corp", "ldap1")
    assert facts.backends == ()
    assert "insufficientAccessRights" in str(facts.unknown["backends"])
    assert facts.db_library is None


def test_one_run_of_slapd_is_told_from_the_next() -> None:
    before = current_run(FakeSlapd(ENTRIES), "openldap")
    again = ENTRIES | {"cn=Operations,cn=Monitor": {"monitorOpInitiated": ["3"]}}
    later = ENTRIES | {"cn=Operations,cn=Monitor": {"monitorOpInitiated": ["8000"]}}
    after = current_run(FakeSlapd(again), "openldap")
    same = current_run(FakeSlapd(later), "openldap")
    assert before
    assert after
    assert same
    assert before.ended_before(after)
    assert not before.ended_before(same)


def test_a_database_is_named_and_numbered() -> None:
    assert in_place("olcDatabase={backend},cn=config", "{12}mdb") == (
        "olcDatabase={12}mdb,cn=config"
    )
    assert in_place("cn=Database {number},cn=Databases", "{12}mdb") == "cn=Database 12,cn=Databases"
    assert in_place("cn={backend},cn=ldbm database", "userRoot") == "cn=userRoot,cn=ldbm database"


def facts_of(*names: str) -> TargetFacts:
    backends = tuple(Backend(name, "", f"olcDatabase={name},cn=config") for name in names)
    return TargetFacts("p", "OpenLDAP", "2.5.13", "h", backends=backends)


def test_each_database_has_its_monitor_entry_and_connections_are_not_listed() -> None:
    entries = monitor_entries(facts_of("{1}mdb", "{3}mdb"))
    dns = [entry.dn for entry in entries]
    assert "cn=Database 1,cn=Databases,cn=Monitor" in dns
    assert "cn=Database 3,cn=Databases,cn=Monitor" in dns
    assert not [e.dn for e in entries if e.dn == "cn=Connections,cn=Monitor"]
    assert all("*" not in entry.attributes for entry in entries), "they are operational"


def test_every_entry_asked_for_is_in_a_recorded_monitor() -> None:
    path = _CORPUS / "monitor" / "gen-openldap-2.5.13-cn-monitor-nowrap.ldif"
    if not path.is_file():
        pytest.skip(f"{path} is not here (LDAP_WORKBENCH_CORPUS)")
    recorded = _attributes(path.read_text())
    for entry in monitor_entries(facts_of("{1}mdb")):
        below = f",{entry.dn}".lower()
        wanted = {name.lower() for name in entry.attributes}
        found = [
            names & wanted
            for dn, names in recorded.items()
            if (dn == entry.dn.lower() if entry.scope == "base" else dn.endswith(below))
        ]
        assert any(found), f"{entry.dn} ({entry.scope}) gives none of {wanted}"
        assert set().union(*found) == wanted


def test_what_is_drawn_over_time_is_among_what_is_read() -> None:
    """OpenLDAP's: operations done and begun, connections, what waits for a thread."""
    strips = tomllib.loads(resource("strips/389ds.toml").read_text("utf-8"))["strip"]
    drawn = [name for strip in strips for name in strip.get("series", ()) if "monitor" in name]
    ours = [name for name in drawn if name.rpartition(":")[2].startswith("monitor")]
    assert len(ours) == 4
    for name in ours:
        dn, _, attribute = name.rpartition(":")
        assert [
            entry.dn
            for entry in monitor_entries(facts_of("{1}mdb"))
            if attribute in [each.lower() for each in entry.attributes]
            and (dn.endswith(f",{entry.dn}".lower()) or dn == entry.dn.lower())
        ], name


def _attributes(ldif: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    dn = ""
    for line in ldif.splitlines():
        name, _, value = line.partition(": ")
        if name == "dn":
            dn = value.lower()
        elif dn:
            found.setdefault(dn, set()).add(name.lower())
    return found
