"""Data far away: every kind of search has the same floor, and the server is quick about itself."""

from __future__ import annotations

import pytest

from ldap_workbench.advice.families import far_data
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import Log, only, view

PEOPLE = "ou=people,dc=example,dc=com"


def log(floor_s=0.03, own_s=0.001, kinds=("(uid=?)", "(mail=?)"), own=40, **columns):
    seen = Log()
    for n in range(300):
        took = floor_s + n % 7 / 1000
        seen.add("SRCH", n, took, filter=kinds[n % len(kinds)], base=PEOPLE, nentries=1, **columns)
    for n in range(own):
        base = ("cn=snmp,cn=monitor", "cn=monitor")[n % 2]
        seen.add("SRCH", 7 * n, own_s, filter="(objectclass=*)", base=base, nentries=1)
    return seen


def test_a_floor_under_every_kind_of_search_is_the_way_to_the_data():
    finding = only(far_data.find(view(log())), "far_data")
    assert finding.numbers["floor_ns"] == 30_000_000
    assert finding.numbers["kinds"] == 2
    assert finding.user_ns == 300 * 30_000_000
    assert "takes less than 30.0 ms" in str(finding.sentence)
    assert "elsewhere." not in str(finding.sentence)


@pytest.mark.parametrize(
    "seen",
    [
        log(floor_s=0.004),
        log(own_s=0.02),
        log(own=10),
        log(kinds=("(uid=?)",)),
        log(notes="A"),
        log(kinds=tuple(f"(a{n}=?)" for n in range(60))),
    ],
    ids=["quick", "itself slow", "itself hardly asked", "one kind", "no index", "rare kinds"],
)
def test_other_slow_searches_are_not_far_away(seen):
    assert far_data.find(view(seen)) == []


def test_one_quick_kind_of_search_is_enough_to_say_that_data_are_near():
    seen = log()
    for n in range(30):
        seen.add("SRCH", 300 + n, 0.001, filter="(cn=?)", base=PEOPLE, nentries=1)
    assert far_data.find(view(seen)) == []


@pytest.mark.parametrize(
    ("dn", "attributes", "name"),
    [
        ("ds-cfg-backend-id=userRoot,cn=Backends,cn=config",
         {"ds-cfg-java-class": ("org.opends.server.backends.jdbc.Backend",)},
         "userRoot (org.opends.server.backends.jdbc.Backend)"),
        ("cn=farm,cn=chaining database,cn=plugins,cn=config",
         {"nsslapd-suffix": ("ou=people,dc=example,dc=com",)}, "farm"),
        ("olcDatabase={2}meta,cn=config", {"olcsuffix": ("dc=example,dc=com",)}, "meta"),
    ],
)  # fmt: skip
def test_data_that_another_server_has_are_named(dn, attributes, name):
    configuration = Configuration((ConfigurationEntry(dn, attributes),))
    finding = only(far_data.find(view(log(), configuration=configuration)), "far_data")
    assert f"the data of {name} are elsewhere" in str(finding.sentence)


def test_slapd_does_not_note_a_missing_index_so_its_configuration_must_say_it():
    source = Source(
        1, 1, SourceKind.ACCESS_LOG, "slapd.log", SourceState.COMPLETE, dialect="openldap"
    )
    near = ConfigurationEntry("olcDatabase={1}mdb,cn=config", {"olcsuffix": ("dc=example,dc=com",)})
    far = ConfigurationEntry("olcDatabase={1}ldap,cn=config", {"olcsuffix": ("dc=example,dc=com",)})
    for entry, says in ((near, False), (far, True)):
        seen = view(log(), sources=(source,), configuration=Configuration((entry,)), facts=None)
        assert bool(far_data.find(seen)) is says


def test_the_two_chaining_entries_of_every_instance_hold_no_data():
    names = ("cn=config", "cn=default instance config")
    entries = tuple(
        ConfigurationEntry(f"{name},cn=chaining database,cn=plugins,cn=config") for name in names
    )
    seen = view(log(), configuration=Configuration(entries))
    assert "elsewhere." not in str(only(far_data.find(seen), "far_data").sentence)
