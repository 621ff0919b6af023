"""A server is asked only for attributes that its product has."""

from __future__ import annotations

import tomllib
from contextlib import closing
from functools import cache
from typing import Any

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.experiment.seat import Watch
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import SourceKind, Window
from ldap_workbench.resources import resource
from ldap_workbench.servers.configuration import may_be_kept, read_configuration
from ldap_workbench.servers.monitor import monitor_entries, resolved
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.replication import csn_entries, read_agreements
from ldap_workbench.servers.target import read_facts
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.servers import test_opendj, test_openldap
from tests.unit.servers.test_openldap import FakeSlapd
from tests.unit.tuning.fakes import FACTS, FakeTarget

_EVERY_SERVER = {"*", "+", "1.1", "cn", "objectclass", "vendorversion"}


class Asked(FakeSlapd):
    """A server of these entries that notes the names of the attributes it is asked for."""

    def __init__(self, entries: dict[str, dict[str, list[str]]]) -> None:
        super().__init__(entries)
        self.names: set[str] = set()

    def search(self, base: str, **how: Any) -> list[Entry]:
        self.names |= {name.lower() for name in how.get("attributes", ("*",))}
        return super().search(base, **how)


@cache
def names_of(product: str) -> set[str]:
    """Attributes of its knobs, of their proofs and of what is kept of its configuration."""
    knobs = tomllib.loads(resource(f"knobs/{product}.toml").read_text("utf-8"))["knob"]
    names = {knob["attribute"] for knob in knobs if "attribute" in knob}
    names |= {knob["name"] for knob in knobs}
    names |= set(configuration_of(product))
    return {name.lower() for name in names}


def configuration_of(product: str) -> list[str]:
    document = tomllib.loads(resource("servers/configuration.toml").read_text("utf-8"))
    attributes: dict[str, list[str]] = document["attributes"]
    return attributes.get(product, [])


def target_of(entries: dict[str, dict[str, list[str]]]) -> tuple[FakeTarget, Asked]:
    directory = Asked(entries)
    target = FakeTarget(facts=read_facts(directory, "fake", "fake.example"))
    target.directory = directory  # type: ignore[assignment]
    target.shell = None
    return target, directory


def treatment_for(facts: TargetFacts) -> str:
    return {"openldap": "olcThreads=8", "opendj": "size-limit=500"}[product_of(facts)]


@pytest.mark.parametrize(
    ("product", "entries"), [("openldap", test_openldap.ENTRIES), ("opendj", test_opendj.ENTRIES)]
)
def test_no_server_is_asked_for_what_another_product_has(product, entries, tmp_path):
    target, directory = target_of(entries)
    assert product_of(target.facts) == product
    with (
        closing(Journal(tmp_path / "journal.sqlite3")) as journal,
        SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer,
    ):
        tuner = Tuner(target, journal)
        watch = Watch(target)
        watch.begin()
        writer.put_window(Window(1, "w", 0, 10))
        remember_settings(writer, tuner, Window(1, "w", 0, 10))
        watch.changed()
        tuner.plan(tuner.catalogue.treatment([treatment_for(target.facts)], target.facts))
    for entry in resolved(monitor_entries(target.facts), directory):
        directory.search(entry.dn, scope=entry.scope, attributes=entry.attributes)
    csn_entries(directory, target.facts)
    read_agreements(directory, target.facts)
    others = {"389ds", "openldap", "opendj"} - {product}
    foreign = set().union(*map(names_of, others)) - names_of(product) - _EVERY_SERVER
    assert directory.names & foreign == set()
    assert not [name for name in directory.names if name.startswith(("nsslapd-", "nsds"))]


def test_389_ds_is_asked_for_its_own_configuration_only():
    directory = Asked({"cn=config": {"nsslapd-threadnumber": ["16"], "nsslapd-rootpw": ["x"]}})
    kept = read_configuration(directory, product_of(FACTS))
    assert {name for entry in kept.entries for name in entry.attributes} <= {"nsslapd-threadnumber"}
    assert "nsslapd-threadnumber" in directory.names
    assert not [name for name in directory.names if name.startswith("olc")]


def test_a_product_of_which_nothing_is_kept_is_not_asked():
    directory = Asked({"cn=config": {"cn": ["config"]}})
    assert not read_configuration(directory, "unboundid")
    assert directory.names == set()


def test_what_may_be_kept_is_of_any_product():
    """A configuration from a file says by itself of which product it is."""
    assert may_be_kept("nsslapd-threadnumber")
    assert may_be_kept("olcDbIndex")
    assert may_be_kept("nsslapd-pluginarg3")
    assert not may_be_kept("nsslapd-rootpw")


def test_settings_of_slapd_are_still_remembered(tmp_path):
    entries = test_openldap.ENTRIES | {
        "cn=config": {"cn": ["config"], "olcThreads": ["16"], "olcRootPW": ["secret"]}
    }
    target, _ = target_of(entries)
    with (
        closing(Journal(tmp_path / "journal.sqlite3")) as journal,
        SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer,
    ):
        writer.put_window(Window(1, "w", 0, 10))
        source = remember_settings(writer, Tuner(target, journal), Window(1, "w", 0, 10))
    assert source.kind is SourceKind.CONFIG
    assert source.details["settings"]["olcThreads"] == "16"
