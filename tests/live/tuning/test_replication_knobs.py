"""Knobs of replication and its changelog on a supplier: set, read back, put back exactly."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.families import configuration, replication
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import ChangeError, KnobError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.knob import Knob, Setting
from ldap_workbench.model.window import Window
from ldap_workbench.servers.configuration import read_configuration
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import SUFFIX, Lab
from tests.live.lab.host import chosen
from tests.live.lab.steps import unchanged_config
from tests.live.lab.walks import REPLICATION, another_value, one_of_each_kind

_REPLICA = f'cn=replica,cn="{SUFFIX}",cn=mapping tree,cn=config'


# What the server does not let be deleted again is not set by the workbench while it is absent.
_OF_REPLICA = {"nsds5ReplicaPurgeDelay": "604800", "nsds5ReplicaTombstonePurgeInterval": "86400"}
_OF_AGREEMENT = {
    "nsds5ReplicaBusyWaitTime": "0", "nsds5ReplicaSessionPauseTime": "0",
    "nsds5ReplicaFlowControlWindow": "1000", "nsds5ReplicaFlowControlPause": "2000",
    "nsds5ReplicaTimeout": "120",
}  # fmt: skip


def add_agreement(lab: Lab, name: str, settings: Mapping[str, str]) -> None:
    """One that is switched off: nobody listens there."""
    link = lab.slapd.link()
    link.add(
        f"cn={name},{_REPLICA}",
        "nsds5replicationagreement",
        {
            "nsDS5ReplicaRoot": SUFFIX, "nsDS5ReplicaHost": "localhost", "nsDS5ReplicaPort": "1",
            "nsDS5ReplicaBindDN": "cn=nobody,cn=config", "nsDS5ReplicaCredentials": "none",
            "nsDS5ReplicaBindMethod": "SIMPLE", "nsDS5ReplicaTransportInfo": "LDAP",
            "nsds5ReplicaEnabled": "off",
            **settings,
        },
    )  # fmt: skip
    assert link.result["description"] == "success", link.result
    link.unbind()


@pytest.fixture(scope="module")
def supplier() -> Iterator[Lab]:
    if not chosen("389ds"):
        pytest.skip("this run is about another product")
    with Lab().start(100) as lab:
        link = lab.slapd.link()
        link.add(
            _REPLICA,
            "nsds5replica",
            {
                "cn": "replica", "nsDS5ReplicaRoot": SUFFIX, "nsDS5ReplicaType": "3",
                "nsDS5ReplicaId": "1", "nsDS5Flags": "1",
                "nsDS5ReplicaBindDN": "cn=nobody,cn=config",
                **_OF_REPLICA,
            },
        )  # fmt: skip
        assert link.result["description"] == "success", link.result
        link.unbind()
        add_agreement(lab, "first", _OF_AGREEMENT)
        yield lab


@pytest.fixture
def target(supplier: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    """Connected; the test must leave its cn=config as it was."""
    for name, value in supplier.environment.items():
        monkeypatch.setenv(name, value)
    supplier.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    with unchanged_config(supplier), closing(connect(supplier.profile, Secrets())) as target:
        yield target


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", one_of_each_kind(REPLICATION), ids=lambda knob: knob.name)
def test_every_knob(target: Target, tuner: Tuner, knob: Knob, tried: Tried) -> None:
    if knob.name not in {each.name for each in tuner.catalogue.knobs}:
        pytest.skip("this version lacks it")
    knob = tuner.catalogue.knob(knob.name)
    place = "userRoot" if knob.of_backend else ""
    before = tuner.read(knob.name, place).value
    wanted = Setting(knob.name, another_value(knob, before), place)
    applied = tuner.apply(tuner.catalogue.treatment([wanted], target.facts))
    assert applied.changes[-1].got == (wanted.value,)
    tuner.revert(applied.group)
    assert tuner.read(knob.name, place).value == before
    tried(knob, applied.proofs[-1])


def test_knobs_of_replication_are_read_where_there_is_one(target: Target, tuner: Tuner) -> None:
    read = {reading.knob.name for reading in tuner.readings()}
    here = {knob.name for knob in tuner.catalogue.knobs}
    assert {knob.name for knob in REPLICATION} & here <= read


def test_of_several_agreements_one_has_to_be_named_and_what_cannot_be_deleted_is_left_alone(
    supplier: Lab, target: Target, tuner: Tuner
) -> None:
    add_agreement(supplier, "second", {})
    asked = [f"nsds5ReplicaTimeout{place}=60" for place in ("", "@second")]
    unnamed, named = (tuner.catalogue.treatment([each], target.facts) for each in asked)
    try:
        with pytest.raises(KnobError, match="name of an agreement") as caught:
            tuner.plan(unnamed)
        assert "nsds5ReplicaTimeout@second" in str(caught.value.remedy)
        assert "cn=second," in tuner.plan(named)[0].location.dn
        with pytest.raises(ChangeError, match="does not set") as refused:
            tuner.apply(named)
        assert "does not let it be deleted again" in str(refused.value.remedy)
    finally:
        link = supplier.slapd.link()
        link.delete(f"cn=second,{_REPLICA}")
        link.unbind()


def test_without_replication_its_knobs_are_not_listed(lab: Lab) -> None:
    with (
        closing(connect(lab.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        listed = {reading.knob.name for reading in tuner.readings()}
    assert not listed & {knob.name for knob in REPLICATION}
    assert "nsslapd-threadnumber" in listed


def test_an_agreement_that_fails_is_named_and_one_that_is_off_is_not(
    supplier: Lab, target: Target
) -> None:
    add_agreement(supplier, "gone", {"nsds5ReplicaEnabled": "on"})
    try:
        end = time.monotonic() + 60
        while not (found := replication.find(seen_now(target))) and time.monotonic() < end:
            time.sleep(0.2)
    finally:
        link = supplier.slapd.link()
        link.delete(f"cn=gone,{_REPLICA}")
        link.unbind()
    assert [each.numbers["agreements"] for each in found] == [["gone"]]
    assert found[0].numbers["codes"] != [0]
    assert "has sent nothing" in str(found[0].evidence[0].text)


def test_a_changelog_without_an_end_is_named(supplier: Lab, target: Target) -> None:
    [unlimited] = without_an_end(target)
    assert len(unlimited.numbers["changelogs"]) == 1
    link = supplier.slapd.link()
    entry = target.directory.search(
        "cn=config", scope="sub", filter="(cn=changelog)", attributes=("cn",)
    )[0]
    age = "nsslapd-changelogmaxage"
    assert link.modify(entry.dn, {age: [(ldap3.MODIFY_REPLACE, ["7d"])]}), link.result
    try:
        assert without_an_end(target) == []
    finally:
        assert link.modify(entry.dn, {age: [(ldap3.MODIFY_DELETE, [])]}), link.result
        link.unbind()


def without_an_end(target: Target) -> list[Finding]:
    return [
        finding
        for finding in configuration.find(seen_now(target))
        if finding.id == "changelog_unlimited"
    ]


def seen_now(target: Target) -> WindowView:
    """A window of which nothing is known but the configuration."""
    window = Window(1, "now", 0, 1)
    return WindowView(window, configuration=read_configuration(target.directory, "389ds"))
