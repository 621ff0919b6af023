"""The name of an instance: the same by every URL, another for every other instance."""

from __future__ import annotations

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.ds389 import read_facts
from ldap_workbench.servers.entry import identity_of_389ds, identity_of_openldap
from ldap_workbench.session.codec import from_json
from tests.unit.servers.test_facts import ENTRIES, FakeDirectory

ROOT = {"createTimestamp": "20261122050535Z"}
CONFIG = {
    "nsslapd-localhost": "ldap1.example.com",
    "nsslapd-port": "389",
    "nsslapd-certdir": "/etc/dirsrv/slapd-corp",
    "nsslapd-threadnumber": "16",
}
SLAPD = {
    "entryUUID": "1fdd0794-7a7e-1041-8ee7-8d0a376d5117",
    "createTimestamp": "20261122050548Z",
    "olcPidFile": "/run/slapd/slapd.pid",
    "olcThreads": "16",
}


def entry(values: dict[str, str]) -> Entry:
    return Entry("", {name: (value,) for name, value in values.items()})


def test_it_does_not_depend_on_the_url_nor_on_the_profile() -> None:
    one = read_facts(FakeDirectory(ENTRIES), "corp", "localhost")
    other = read_facts(FakeDirectory(ENTRIES), "another", "127.0.0.1")
    assert one.identity
    assert one.identity == other.identity


def test_a_knob_does_not_change_it() -> None:
    tuned = entry(CONFIG | {"nsslapd-threadnumber": "32"})
    assert identity_of_389ds(entry(ROOT), tuned) == identity_of_389ds(entry(ROOT), entry(CONFIG))
    tuned = entry(SLAPD | {"olcThreads": "32"})
    assert identity_of_openldap(tuned) == identity_of_openldap(entry(SLAPD))


@pytest.mark.parametrize("name", ["nsslapd-localhost", "nsslapd-port", "nsslapd-certdir"])
def test_another_instance_of_389ds_is_another(name: str) -> None:
    other = entry(CONFIG | {name: CONFIG[name] + "1"})
    assert identity_of_389ds(entry(ROOT), other) != identity_of_389ds(entry(ROOT), entry(CONFIG))


def test_an_instance_made_anew_is_another() -> None:
    anew = entry(ROOT | {"createTimestamp": "20261123050535Z"})
    assert identity_of_389ds(anew, entry(CONFIG)) != identity_of_389ds(entry(ROOT), entry(CONFIG))


@pytest.mark.parametrize("name", ["entryUUID", "createTimestamp", "olcPidFile"])
def test_another_slapd_is_another(name: str) -> None:
    other = entry(SLAPD | {name: SLAPD[name] + "1"})
    assert identity_of_openldap(other) != identity_of_openldap(entry(SLAPD))


def test_it_is_unknown_without_the_right_to_read_cn_config() -> None:
    assert identity_of_389ds(entry(ROOT), None) == ""
    assert identity_of_389ds(entry(ROOT), entry({"cn": "config"})) == ""
    assert identity_of_openldap(None) == ""


def test_facts_of_an_older_session_open_without_it() -> None:
    text = '{"profile": "p", "product": "389 Project", "version": "2.3.1", "host": "h"}'
    assert from_json(TargetFacts, text).identity == ""


def test_it_tells_nothing_of_host_and_folder() -> None:
    found = identity_of_389ds(entry(ROOT), entry(CONFIG))
    assert "corp" not in found
    assert "example" not in found
