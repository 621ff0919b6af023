"""What is peculiar to changing slapd: what must not be removed, and what has several values."""

from __future__ import annotations

import dataclasses

import pytest

from ldap_workbench.model.errors import ChangeError, KnobError
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import CONFIG, FACTS, FakeTarget

MDB = "olcDatabase={1}mdb,cn=config"


@pytest.fixture
def target() -> FakeTarget:
    backend = dataclasses.replace(FACTS.backends[0], name="{1}mdb", dn=MDB)
    facts = dataclasses.replace(
        FACTS, product="OpenLDAP", version="2.5.13", backends=(backend,), db_library="mdb"
    )
    target = FakeTarget(facts=facts)
    target.directory.entries = {
        CONFIG: {"olcConnMaxPending": ("200",)},
        MDB: {"olcDbEnvFlags": ("nometasync", "nordahead")},
    }
    return target


def test_a_removed_one_would_be_0_so_an_absent_one_is_left_alone(
    target: FakeTarget, tuner: Tuner
) -> None:
    wanted = tuner.catalogue.treatment(["olcThreads=8", "olcConnMaxPendingAuth=2000"], target.facts)
    assert "ldapmodify" in str(tuner.plan(wanted)[1].describe())
    with pytest.raises(ChangeError, match="does not set olcConnMaxPendingAuth") as caught:
        tuner.apply(wanted)
    assert "treats a removed one as 0" in str(caught.value.remedy)
    assert target.directory.written == []
    assert tuner.journal.changes(open_only=True) == []


def test_one_that_has_a_value_is_changed_and_put_back(
    target: FakeTarget, tuner: Tuner, journal: Journal
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["olcConnMaxPending=500"], target.facts))
    tuner.revert(applied.group)
    assert target.directory.written == [
        ("olcConnMaxPending", ("500",)),
        ("olcConnMaxPending", ("200",)),
    ]


def test_all_of_several_values_are_told_and_put_back(target: FakeTarget, tuner: Tuner) -> None:
    wanted = tuner.catalogue.treatment(["olcDbEnvFlags=nordahead"], target.facts)
    (planned,) = tuner.plan(wanted)
    assert "nometasync, nordahead → nordahead" in str(planned.describe())
    applied = tuner.apply(wanted)
    assert tuner.read("olcDbEnvFlags").value == "nordahead"
    tuner.revert(applied.group)
    assert tuner.read("olcDbEnvFlags").value == "nometasync, nordahead"


def test_a_change_that_breaks_a_running_slapd_is_not_written(
    target: FakeTarget, tuner: Tuner
) -> None:
    wanted = tuner.catalogue.treatment(["olcListenerThreads=2"], target.facts)
    with pytest.raises(ChangeError, match="cannot be set") as caught:
        tuner.apply(wanted)
    assert "in the entry 'cn=config' of its slapd.d" in str(caught.value.remedy)
    assert target.directory.written == []


FIRST, LAST = 'dn.exact="cn=sync" size=unlimited', "users size=50"


def test_limits_of_clients_are_added_and_removed_in_their_order(
    target: FakeTarget, tuner: Tuner
) -> None:
    """slapd numbers them; a crash between the write and the reading leaves what was asked."""
    there = ("{0}" + FIRST, "{1}users size=5", "{2}anonymous size=1")
    target.directory.entries[MDB]["olcLimits"] = there
    applied = tuner.apply(tuner.catalogue.treatment([f"olcLimits+={LAST}"], target.facts))
    assert target.directory.entries[MDB]["olcLimits"] == (*there, "{3}" + LAST)
    tuner.revert(applied.group)
    assert target.directory.entries[MDB]["olcLimits"] == there
    applied = tuner.apply(tuner.catalogue.treatment(["olcLimits-=users size=5"], target.facts))
    assert target.directory.entries[MDB]["olcLimits"] == (there[0], "{1}anonymous size=1")
    tuner.revert(applied.group)
    assert target.directory.entries[MDB]["olcLimits"] == there
    with pytest.raises(KnobError, match="no value 'users size=7'"):
        tuner.plan(tuner.catalogue.treatment(["olcLimits-=users size=7"], target.facts))


def test_the_first_of_the_limits_is_numbered_too(target: FakeTarget, tuner: Tuner) -> None:
    wanted = tuner.catalogue.treatment([f"olcLimits+={FIRST}"], target.facts)
    [planned] = tuner.plan(wanted)
    assert (planned.before, planned.asked) == (None, ("{0}" + FIRST,))
