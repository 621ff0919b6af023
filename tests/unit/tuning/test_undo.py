"""Reverting, keeping and recovering: exactly, and never over somebody else's value."""

from __future__ import annotations

import copy

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import (
    AnotherServerError,
    ChangeError,
    ConflictError,
    DirectoryError,
)
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.place import Places
from ldap_workbench.tuning.tuner import Tuner
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


@pytest.mark.parametrize(("back", "check"), [(True, 2), (False, 3)])
def test_a_name_that_moves_at_the_last_moment_notes_nothing_as_reverted(
    tuner: Tuner,
    target: FakeTarget,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    back: bool,
    check: int,
) -> None:
    """Whether the value was back already or has just been written: the answer is another's."""
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    if back:
        target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("5000",)
    checks: list[object] = []

    def moved(places: Places, noted: object = None) -> None:
        checks.append(noted)
        if len(checks) == check:
            raise AnotherServerError(Message("It leads to another server now."))

    with monkeypatch.context() as patch:
        patch.setattr(Places, "check_server", moved)
        with pytest.raises(AnotherServerError):
            tuner.revert(applied.group)
    assert journal.group(applied.group)[0].state.open
    tuner.revert(applied.group)
    assert journal.group(applied.group)[0].state is ChangeState.REVERTED


def test_what_was_put_back_and_could_not_be_noted_says_so(
    tuner: Tuner, target: FakeTarget, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = journal.update

    def full(change: Change, **fields: object) -> Change:
        if fields.get("state") in (None, ChangeState.REVERTING, ChangeState.REVERTED):
            raise ChangeError(Message("The disk is full."))
        return update(change, **fields)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(journal, "update", full)
        with pytest.raises(ChangeError) as caught:
            tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    assert str(caught.value.safe).endswith(
        " It was put back as before; the journal could not be written: The disk is full."
    )
    assert target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] == ("5000",)
    assert len(journal.open_changes(tuner.server)) == 1


def test_a_value_the_server_does_not_take_back_stays_open(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))

    def unwilling(_: str) -> None:
        raise DirectoryError(Message("It is unwilling."), code=53, message="")

    target.directory.before_write = unwilling
    with pytest.raises(ChangeError) as caught:
        tuner.revert(applied.group)
    assert str(caught.value.what) == (
        f"nsslapd-lookthroughlimit of {LDBM} could not be put back to 5000: It is unwilling."
    )
    assert journal.group(applied.group)[0].state is ChangeState.REVERTING
    target.directory.before_write = None
    target.directory.after_write = lambda _: target.directory.entries[LDBM].update(
        {"nsslapd-lookthroughlimit": ("6000",)}
    )
    with pytest.raises(ChangeError, match="was put back to 5000, but reads 6000"):
        tuner.revert(applied.group)
    assert journal.group(applied.group)[0].state is ChangeState.REVERTING


def test_why_a_change_was_already_back_is_added_to_what_it_said(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "maxdescriptors=8192"))
    said = str(applied.changes[0].message)
    assert said
    target.directory.entries[CONFIG]["nsslapd-maxdescriptors"] = ("20000",)
    (reverted,) = tuner.revert(applied.group)
    assert str(reverted.message) == f"{said} (was already back)"


def test_the_journal_knows_that_a_value_is_taken_back_before_the_server_does(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    seen: list[ChangeState] = []
    target.directory.before_write = lambda _: seen.append(journal.group(applied.group)[0].state)
    tuner.revert(applied.group)
    assert seen == [ChangeState.REVERTING]
