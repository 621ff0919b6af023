"""Restarting, and waiting for the operator to do it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import (
    AuthenticationError,
    CancelledError,
    CommandError,
    ExperimentError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.tuning.restart import restart, wait_for_restart
from tests.unit.tuning.fakes import Clock, FakeTarget


def test_runs_the_command_as_words_with_sudo(target: FakeTarget) -> None:
    assert target.shell is not None
    texts: list[str] = []
    restart(target, progress=lambda report: texts.append(report.text))
    assert target.shell.ran == [(["restart-it", "now"], True)]
    assert list(map(str, texts)) == [
        "Restarting the server: restart-it now",
        "The server answers again",
    ]


def test_reconnects_when_the_link_broke(target: FakeTarget) -> None:
    assert target.shell is not None
    run = target.shell.run

    def run_and_break(*args: object, **options: object) -> CommandResult:
        result = run(*args, **options)  # type: ignore[arg-type]
        target.directory.broken = True
        return result

    target.shell.run = run_and_break  # type: ignore[method-assign]
    restart(target)
    assert target.reconnects == 1


def test_without_a_command_it_says_what_to_do() -> None:
    with pytest.raises(ExperimentError) as caught:
        restart(FakeTarget())
    assert "systemctl restart dirsrv@fake" in str(caught.value.remedy)


def test_without_a_shell_it_says_what_to_do(target: FakeTarget) -> None:
    target.shell = None
    with pytest.raises(ExperimentError, match="shell on the host"):
        restart(target)


def test_a_failing_command_is_told(target: FakeTarget) -> None:
    assert target.shell is not None
    target.shell.run = lambda *_, **__: CommandResult(  # type: ignore[method-assign]
        1, b"", b"sudo: a password is required\n"
    )
    with pytest.raises(CommandError, match="password is required"):
        restart(target)


def test_a_server_that_was_not_restarted_is_noticed(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target.directory, "restart", lambda: None)
    with pytest.raises(ExperimentError, match="still runs since the same time"):
        restart(target, timeout_s=0.1)


def test_a_restart_within_one_second_is_seen_by_its_counters(target: FakeTarget) -> None:
    started = target.directory.entries["cn=monitor"]["starttime"]

    def quickly() -> None:
        target.directory.entries["cn=monitor"] = {"starttime": started, "opsinitiated": ("2",)}

    target.directory.restart = quickly  # type: ignore[method-assign]
    restart(target)
    assert target.directory.entries["cn=monitor"]["opsinitiated"] == ("2",)


def test_waits_for_the_operator(target: FakeTarget) -> None:
    operator = threading.Timer(0.2, target.directory.restart)
    operator.start()
    wait_for_restart(target, Cancel(), timeout_s=10)
    operator.join()
    assert target.directory.starts == 1


def test_waiting_for_the_operator_can_be_cancelled(target: FakeTarget) -> None:
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(CancelledError):
        wait_for_restart(target, cancel, timeout_s=10)


class Patient(Cancel):
    """Waits on the clock; `then` is what happens after so many waits."""

    def __init__(self, clock: Clock, then: dict[int, Callable[[], None]]) -> None:
        super().__init__()
        self._clock = clock
        self._then = then
        self.waits = 0

    def wait(self, seconds: float) -> bool:
        self._clock.now += seconds
        self.waits += 1
        self._then.get(self.waits, lambda: None)()
        return bool(self)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(import_module("ldap_workbench.tuning.restart"), "time", clock)
    return clock


def test_a_server_that_is_down_is_said_to_be_once_and_awaited(
    target: FakeTarget, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> None:
        target.directory.broken = True

    def up() -> None:
        target.directory.broken = False
        target.directory.restart()

    monkeypatch.setattr(target, "reconnect", lambda: None)
    texts: list[str] = []
    patient = Patient(clock, {2: down, 5: up})
    wait_for_restart(target, patient, progress=lambda step: texts.append(str(step.text)))
    assert texts == [
        "Waiting for the server to be restarted by its operator",
        "The server is down; waiting until it answers",
        "The server answers again",
    ]
    assert patient.waits == 5


@pytest.mark.parametrize(
    ("down", "said"), [(False, "still runs since the same time"), (True, "does not answer")]
)
def test_a_restart_that_does_not_come_ends_the_wait(
    target: FakeTarget, clock: Clock, monkeypatch: pytest.MonkeyPatch, down: bool, said: str
) -> None:
    monkeypatch.setattr(target, "reconnect", lambda: None)
    patient = Patient(clock, {1: lambda: setattr(target.directory, "broken", down)})
    with pytest.raises(ExperimentError) as caught:
        wait_for_restart(target, patient, timeout_s=20)
    assert str(caught.value.what) == f"20 s after the restart was requested, the server {said}."
    assert clock.now == 20


def test_a_wrong_password_is_not_awaited(
    target: FakeTarget, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise AuthenticationError(Message("The password is wrong."))

    monkeypatch.setattr(target, "reconnect", refused)
    patient = Patient(clock, {1: lambda: setattr(target.directory, "broken", True)})
    with pytest.raises(AuthenticationError):
        wait_for_restart(target, patient)
    assert patient.waits == 1


def test_a_restart_that_cannot_be_seen_is_not_begun(target: FakeTarget) -> None:
    assert target.shell is not None
    del target.directory.entries["cn=monitor"]
    with pytest.raises(ExperimentError, match="a restart would go unnoticed"):
        restart(target)
    assert target.shell.ran == []


def test_a_failing_command_without_a_word_says_its_status(target: FakeTarget) -> None:
    assert target.shell is not None
    target.shell.run = lambda *_, **__: CommandResult(3, b"", b"")  # type: ignore[method-assign]
    with pytest.raises(CommandError) as caught:
        restart(target)
    assert str(caught.value.what) == "The restart command 'restart-it now' failed: exit status 3."
    assert (caught.value.status, caught.value.stderr) == (3, "exit status 3")


@pytest.mark.parametrize(
    ("product", "unit"),
    [("OpenLDAP", "slapd"), ("OpenDJ", "opendj"), ("389-Directory", "dirsrv@fake")],
)
def test_the_unit_to_restart_by_hand_is_that_of_the_product(product: str, unit: str) -> None:
    target = FakeTarget()
    target.facts = replace(target.facts, product=product)
    with pytest.raises(ExperimentError, match="has no restart command") as caught:
        restart(target)
    assert f"(systemctl restart {unit})" in str(caught.value.remedy)
