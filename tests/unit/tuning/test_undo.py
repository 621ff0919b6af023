"""Reverting, keeping and recovering: exactly, and never over somebody else's value."""

from __future__ import annotations

import copy

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import (
    ChangeError,
    ConflictError,
)
from ldap_workbench.model.knob import Treatment
from ldap_workbench.tuning import Journal, Tuner
from tests.unit.tuning.fakes import (
    BACKEND,
    BDB,
    CONFIG,
    LDBM,
    FakeTarget,
)


def treatment(tuner: Tuner, target: FakeTarget, *settings: str) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def test_reverts_to_absent(tuner: Tuner, target: FakeTarget) -> None:
    applied = tuner.apply(treatment(tuner, target, "maxthreadsperconn=10"))
    assert applied.changes[0].before is None
    tuner.revert(applied.group)
    assert "nsslapd-maxthreadsperconn" not in target.directory.entries[CONFIG]


def test_somebody_elses_value_is_not_overwritten(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    target.directory.entries[BDB]["nsslapd-cache-autosize"] = ("10",)
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    assert tuple(map(str, (caught.value.before, caught.value.ours, caught.value.now))) == (
        "25",
        "0",
        "10",
    )
    assert target.directory.entries[BACKEND]["nsslapd-cachememsize"] == ("209715200",)
    assert len(journal.open_changes(tuner.server)) == 2
    target.directory.entries[BDB]["nsslapd-cache-autosize"] = ("0",)
    target.directory.entries[BACKEND]["nsslapd-cachememsize"] = ("999999999",)
    tuner.revert(applied.group, force=True)
    assert target.directory.entries[BACKEND]["nsslapd-cachememsize"] == ("4294967296",)


def test_a_value_changed_between_plan_and_write_is_a_conflict(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    def meddle(_: str) -> None:
        target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("7000",)

    target.directory.before_write = meddle
    with pytest.raises(ConflictError):
        tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    assert target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] == ("7000",)
    assert journal.changes(open_only=True) == []


def test_one_change_at_a_time(tuner: Tuner, target: FakeTarget) -> None:
    applied = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    with pytest.raises(ChangeError, match="still open"):
        tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    tuner.keep(applied.group)
    tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))


def test_a_kept_change_stays_and_can_be_reverted_later(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    (kept,) = tuner.keep(applied.group)
    assert kept.state is ChangeState.KEPT
    assert journal.open_changes(tuner.server) == []
    assert tuner.recover() == []
    tuner.revert(applied.group)
    assert target.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("on",)


def test_a_conflict_leaves_a_kept_change_kept(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    tuner.keep(applied.group)
    target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("9",)
    with pytest.raises(ConflictError):
        tuner.revert(applied.group)
    assert journal.group(applied.group)[0].state is ChangeState.KEPT


class Crash(BaseException):
    """Stands for kill -9: nothing of ours runs afterwards."""


@pytest.mark.parametrize("when", ["before_write", "after_write"])
@pytest.mark.parametrize("member", ["nsslapd-cache-autosize", "nsslapd-cachememsize"])
def test_a_crash_is_recovered(target: FakeTarget, journal: Journal, when: str, member: str) -> None:
    before = copy.deepcopy(target.directory.entries)

    def gone(*_: object, **__: object) -> list[Entry]:
        raise Crash

    def crash(attribute: str) -> None:
        if attribute == member:
            patch.setattr(target.directory, "search", gone)
            raise Crash

    tuner = Tuner(target, journal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target.directory, when, crash)
        with pytest.raises(Crash):
            tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    tuner.close()
    recovered = Tuner(target, journal).recover()
    assert recovered
    assert {each.state for each in recovered} == {ChangeState.REVERTED}
    assert target.directory.entries == before
    if when == "before_write":
        assert "never reached the server" in str(recovered[0].message)
    assert Tuner(target, journal).recover() == []


def test_a_crash_during_revert_is_recovered(target: FakeTarget, journal: Journal) -> None:
    before = copy.deepcopy(target.directory.entries)
    tuner = Tuner(target, journal)
    applied = tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))

    def crash(attribute: str) -> None:
        raise Crash

    target.directory.after_write = crash
    with pytest.raises(Crash):
        tuner.revert(applied.group)
    target.directory.after_write = None
    tuner.recover()
    assert target.directory.entries == before
    assert journal.changes(open_only=True) == []


def test_recovery_goes_on_after_a_conflict_and_tells_it(
    target: FakeTarget, journal: Journal
) -> None:
    tuner = Tuner(target, journal)
    tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off", "lookthroughlimit=20000"))
    target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("7",)
    with pytest.raises(ConflictError):
        tuner.recover()
    assert target.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("on",)
    assert target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] == ("7",)
    tuner.recover(force=True)
    assert target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] == ("5000",)
