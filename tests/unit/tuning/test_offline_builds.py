"""Edits after which indexes are built: before the start, and again where the edit is put back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.tuning import offline, stopped_host, undo
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.revive import revive
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import Clock
from tests.unit.tuning.test_offline import START, STOP, Host, StoppedTarget

SETTING = "db-durable-transaction=off"


class IndexingHost(Host):
    """Notes what is asked of slapindex."""

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        if argv[0] != "sh" or argv[3] != "slapd-index":
            return super().run(argv, stdin=stdin, sudo=sudo, timeout=timeout)
        assert sudo
        self.log.append(f"{argv[5]} {argv[6]}")
        failure = self.fails.get(self.log[-1])
        return CommandResult(1 if failure else 0, b"", (failure or "").encode())

    @property
    def steps(self) -> list[str]:
        """What was done but for reading and copies."""
        steps = [line for line in self.log if line.split()[0] not in ("read", "keep", "forget")]
        self.log.clear()
        return [line.split()[0] if line.startswith("restore") else line for line in steps]


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every setting needed it."""

    def databases(locations: Iterable[object]) -> list[str]:
        return ["all"] if list(locations) else []

    monkeypatch.setattr(offline, "time", Clock(1000.0))
    for module in (offline, stopped_host):
        monkeypatch.setattr(module, "databases_of", databases)
    monkeypatch.setattr(undo, "built_for", lambda place: "all")


@pytest.fixture
def target() -> StoppedTarget:
    target = StoppedTarget()
    target.host = IndexingHost(target)
    target.shell = target.host
    return target


@pytest.fixture
def host(target: StoppedTarget) -> IndexingHost:
    assert isinstance(target.host, IndexingHost)
    return target.host


@pytest.fixture
def tuner(target: StoppedTarget, journal: Journal) -> Iterator[Tuner]:
    tuner = Tuner(target, journal)
    tuner.may_stop = True
    yield tuner
    tuner.close()


def apply(tuner: Tuner, target: StoppedTarget) -> str:
    return tuner.apply(tuner.catalogue.treatment([SETTING], target.facts)).group


def test_it_is_looked_at_before_the_stop_and_built_before_the_start(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    group = apply(tuner, target)
    assert host.steps == ["check all", STOP, "put", "build all", START]
    (change,) = tuner.journal.group(group)
    assert "slapindex built the indexes" in str(change.message)
    tuner.revert(group)
    assert host.steps == [STOP, "put", "build all", START]


def test_without_room_nothing_is_stopped(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    host.fails["check all"] = "100 bytes left"
    with pytest.raises(ChangeError, match="100 bytes left"):
        apply(tuner, target)
    assert host.steps == ["check all"]


def test_a_build_that_fails_leaves_all_as_it_was(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    host.fails["build all"] = "no room"
    with pytest.raises(ChangeError, match="no room") as caught:
        apply(tuner, target)
    assert host.steps == ["check all", STOP, "put", "build all", "whole all", "restore", START]
    assert "put back" in str(caught.value.safe)
    assert tuner.journal.changes(open_only=True) == []


def test_with_half_an_index_the_server_is_not_started(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    host.fails = {"build all": "no room", "whole all": "ended halfway"}
    with pytest.raises(ChangeError, match="no room") as caught:
        apply(tuner, target)
    assert host.steps[-2:] == ["restore", "build all"], "tried again, and no start"
    assert "slapindex -q -t" in str(caught.value.remedy)
    assert len(tuner.journal.changes(open_only=True)) == 1


def test_where_it_cannot_be_asked_whether_an_index_is_whole_it_is_built(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    host.fails["build all"] = "no room"
    real = host.run

    def cut(argv: Sequence[str], **options: object) -> CommandResult:
        if argv[0] == "sh" and argv[5:6] == ["whole"]:
            host.fails.clear()
            raise ConnectError(Message("The link broke."))
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = cut  # type: ignore[method-assign, assignment]
    with pytest.raises(ChangeError, match="no room"):
        apply(tuner, target)
    assert host.steps[-3:] == ["restore", "build all", START]
    assert not target.down


def test_where_the_server_does_not_start_the_index_is_as_before_too(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    host.bad_word = "transaction: off"
    with pytest.raises(ChangeError):
        apply(tuner, target)
    assert host.steps[-5:] == [START, STOP, "restore", "build all", START]
    assert not target.down


def test_a_revert_that_was_interrupted_builds_once_more(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost
) -> None:
    """The file is as before by then, and the server may run: only the journal tells."""
    group = apply(tuner, target)
    tuner.revert(group)
    (change,) = tuner.journal.group(group)
    tuner.journal.update(change, state=ChangeState.REVERTING)
    assert host.steps
    tuner.recover()
    assert "build all" in host.steps
    tuner.journal.update(change, state=ChangeState.INTENDED, got=None)
    tuner.recover()
    assert host.steps == []


def test_a_server_that_a_crash_left_stopped_is_built_before_it_starts(
    tuner: Tuner, target: StoppedTarget, host: IndexingHost, journal: Journal
) -> None:
    apply(tuner, target)
    tuner.close()
    assert host.steps
    revive(tuner.server, host, journal, lambda: target)
    assert host.steps == [STOP, "put", "build all", START]
    host.fails["build all"] = "no room"
    with pytest.raises(ChangeError, match="no room"):
        revive(tuner.server, host, journal, lambda: target)
    assert START not in host.steps
