"""Who may change a server, for how long, and by which links: locks of a tuner and its patience."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangeError,
    ConflictError,
    ConnectError,
    DirectoryError,
)
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.tuning import link
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.locks import ServerLock
from ldap_workbench.tuning.revive import revive
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import BDB, CONFIG, LDBM, Clock, FakeTarget

HASH = "nsslapd-enable-upgrade-hash"


def treatment(tuner: Tuner, target: FakeTarget, *settings: str) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


class Locks:
    """Which servers are locked now; `taken` are those of another workbench."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.log: list[str] = []
        self.taken: set[str] = set()


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> Locks:
    locks = Locks()

    def acquire(lock: ServerLock) -> None:
        if lock.server in locks.taken:
            raise ChangeError(Message("Another workbench is at work."))
        locks.held.append(lock.server)
        locks.log.append(lock.server)

    def release(lock: ServerLock) -> None:
        if lock.server in locks.held:
            locks.held.remove(lock.server)

    monkeypatch.setattr(ServerLock, "acquire", acquire)
    monkeypatch.setattr(ServerLock, "release", release)
    return locks


HERE, HOST = "ldap://fake.example:389", "ssh://admin@fake.example:22"


def test_a_server_is_held_from_the_first_write_until_its_change_is_closed(
    locks: Locks, tuner: Tuner, target: FakeTarget
) -> None:
    applied = tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    assert locks.held == [HERE]
    tuner.revert(applied.group)
    assert locks.held == []
    applied = tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    tuner.keep(applied.group)
    assert locks.held == []
    tuner.revert(applied.group)
    assert locks.log == [HERE] * 3, "and once more to revert what was kept"
    assert locks.held == []


def test_a_knob_of_the_host_holds_its_host_too(
    locks: Locks, tuner: Tuner, target: FakeTarget
) -> None:
    applied = tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
    assert locks.held == [HERE, HOST]
    tuner.revert(applied.group)
    assert locks.held == []


@pytest.mark.parametrize("taken", [HERE, HOST])
def test_who_gets_one_lock_and_not_the_other_holds_none(
    locks: Locks, tuner: Tuner, target: FakeTarget, taken: str
) -> None:
    locks.taken = {taken}
    with pytest.raises(ChangeError, match="Another workbench"):
        tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
    assert locks.held == []
    locks.taken = set()
    tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
    assert locks.held == [HERE, HOST]


@pytest.mark.parametrize("way", ["revert", "recover", "apply"])
def test_nothing_is_put_back_while_another_workbench_is_at_work(
    locks: Locks, target: FakeTarget, journal: Journal, way: str
) -> None:
    first = Tuner(target, journal)
    applied = first.apply(treatment(first, target, f"{HASH}=off"))
    first.close()
    locks.taken = {HERE}
    second = Tuner(target, journal)
    ways: dict[str, Callable[[], object]] = {
        "revert": lambda: second.revert(applied.group),
        "recover": second.recover,
        "apply": lambda: second.apply(treatment(second, target, "lookthroughlimit=9000")),
    }
    with pytest.raises(ChangeError, match="Another workbench"):
        ways[way]()
    assert target.directory.entries[CONFIG][HASH] == ("off",)
    locks.taken = set()
    assert [each.state for each in second.recover()] == [ChangeState.REVERTED]
    assert locks.held == []


def test_a_server_is_held_as_long_as_somebody_says_so(
    locks: Locks, tuner: Tuner, target: FakeTarget
) -> None:
    with tuner.locked():
        assert locks.held == [HERE]
        with tuner.locked():
            applied = tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
            tuner.revert(applied.group)
            assert locks.held == [HERE], "the host is given up, the server is not"
        assert locks.held == [HERE]
        applied = tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    assert locks.held == [HERE], "its change is still open"
    tuner.revert(applied.group)
    assert locks.held == []
    locks.taken = {HERE}
    with pytest.raises(ChangeError), tuner.locked():
        pytest.fail("it is not ours")


def test_closing_gives_up_the_locks_and_leaves_the_changes_open(
    locks: Locks, tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    tuner.close()
    assert locks.held == []
    assert len(journal.open_changes(tuner.server)) == 1


def test_a_lock_is_of_the_instance_where_that_is_known_and_has_one_name_for_ever(
    home: Path, journal: Journal
) -> None:
    """Two versions of the workbench that name it differently would not keep each other out."""

    def names(*arguments: str) -> set[str]:
        folder = home / "state" / "locks"
        before = set(folder.glob("*")) if folder.exists() else set()
        lock = journal.lock(*arguments)
        lock.acquire()
        lock.release()
        return {path.name for path in set(folder.glob("*")) - before}

    assert names("ldap://a.example") == {"ebd49eba8ce52454eea9efb5.lock"}
    assert names("ldap://a.example") == set()
    assert len(names("ldap://localhost", "an instance")) == 1
    assert names("ldap://127.0.0.1", "an instance") == set()
    assert stat.S_IMODE((home / "state" / "locks").stat().st_mode) == 0o700


def test_a_tuner_holds_the_instance_of_its_server_and_the_name_of_its_host(
    target: FakeTarget, journal: Journal, home: Path
) -> None:
    target.facts = replace(target.facts, identity="an instance")
    tuner = Tuner(target, journal)
    applied = tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
    names = {path.name for path in (home / "state" / "locks").glob("*")}
    expected = (journal.lock("ldap://elsewhere", "an instance"), journal.lock(HOST))
    assert names == {lock._path.name for lock in expected}
    assert journal.open_changes("ldap://elsewhere", "an instance") == applied.changes
    tuner.revert(applied.group)
    tuner.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(link, "time", clock)
    return clock


def test_a_server_is_waited_for_once_and_not_again_until_it_answered(
    clock: Clock, tuner: Tuner, target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuner.patience_s = 30.0
    tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    target.directory.broken = True
    with monkeypatch.context() as patch:
        patch.setattr(target, "reconnect", lambda: None)
        for waited in (30.0, 30.0):
            with pytest.raises(ConnectError):
                tuner.put_back()
            assert clock.now == pytest.approx(waited), "only the first time"
    assert [each.state for each in tuner.put_back()] == [ChangeState.REVERTED]
    tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    target.directory.broken = True
    monkeypatch.setattr(target, "reconnect", lambda: None)
    with pytest.raises(ConnectError):
        tuner.put_back()
    assert clock.now == pytest.approx(60.0), "it had answered meanwhile"


def test_what_the_server_refuses_to_take_back_is_said(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    def refuse(attribute: str) -> None:
        target.directory.before_write = refuse_again
        raise ConnectError(Message("The answer was lost."))

    def refuse_again(attribute: str) -> None:
        raise DirectoryError(Message("It is unwilling."), code=53, message="unwilling")

    target.directory.after_write = refuse
    with pytest.raises(ConnectError) as caught:
        tuner.apply(treatment(tuner, target, f"{HASH}=off"))
    said = str(caught.value.safe)
    assert said.startswith("It could not be put back: ")
    assert "It is unwilling." in said
    assert said.endswith("It stays open in the journal: revert it.")
    assert len(journal.open_changes(tuner.server)) == 1


@pytest.mark.parametrize("setting", ["cachememsize=200 MiB", "db-transaction-batch-max-wait=20000"])
def test_whoever_is_refused_a_value_learns_what_the_knob_is_known_for(
    tuner: Tuner, target: FakeTarget, setting: str
) -> None:
    knob = tuner.catalogue.treatment([setting], target.facts).settings[-1].knob

    def set_back_by_another(attribute: str) -> None:
        target.directory.entries[BDB]["nsslapd-cache-autosize"] = ("25",)

    target.directory.before_write = set_back_by_another
    with pytest.raises(ChangeError) as caught:
        tuner.apply(treatment(tuner, target, setting))
    expected = tuner.catalogue.knob(knob).trap or "Choose another value."
    assert str(caught.value.remedy) == str(expected)


def test_several_conflicts_are_told_with_the_first(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    settings = (f"{HASH}=off", "lookthroughlimit=20000", "idlistscanlimit=9000")
    tuner.apply(treatment(tuner, target, *settings))
    target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("7",)
    target.directory.entries[LDBM]["nsslapd-idlistscanlimit"] = ("8",)
    with pytest.raises(ConflictError, match="idlistscanlimit") as caught:
        tuner.recover()
    (note,) = caught.value.__notes__
    assert "lookthroughlimit" in note
    assert [each.knob for each in journal.open_changes(tuner.server)] == [
        "nsslapd-lookthroughlimit",
        "nsslapd-idlistscanlimit",
    ]


def test_a_server_that_a_crash_left_stopped_is_revived_alone(
    locks: Locks, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def connect() -> str:
        seen.append(list(locks.held))
        return "connected"

    assert revive("ldap://fake.example", None, journal, connect) == "connected"  # type: ignore[arg-type]
    assert (locks.log, seen, locks.held) == ([HERE], [[]], [])
    locks.taken = {HERE}
    with pytest.raises(ChangeError, match="Another workbench"):
        revive("ldap://fake.example", None, journal, connect)  # type: ignore[arg-type]
    assert seen == [[]]


def test_a_revived_server_is_waited_for_and_a_wrong_password_is_not(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(import_module("ldap_workbench.tuning.revive"), "time", clock)
    tries: list[Exception | None] = []

    def connect() -> str:
        error = tries.pop(0) if tries else ConnectError(Message("Nothing answers."))
        if error is None:
            return "connected"
        raise error

    tries += [ConnectError(Message("Not yet.")), ConnectError(Message("Not yet.")), None]
    assert revive("ldap://fake.example", None, journal, connect) == "connected"  # type: ignore[arg-type]
    assert clock.now == 1.0
    tries += [AuthenticationError(Message("The password is wrong."))]
    with pytest.raises(AuthenticationError):
        revive("ldap://fake.example", None, journal, connect)  # type: ignore[arg-type]
    assert clock.now == 1.0
    with pytest.raises(ConnectError, match="Nothing answers"):
        revive("ldap://fake.example", None, journal, connect)  # type: ignore[arg-type]
    assert 300 < clock.now - 1.0 < 301
