"""Restarting, and waiting for the operator to do it."""

from __future__ import annotations

import threading

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CancelledError, CommandError, ExperimentError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.tuning import restart, wait_for_restart
from tests.unit.tuning.fakes import FakeTarget


def test_runs_the_command_as_words_with_sudo(target: FakeTarget) -> None:
    assert target.shell is not None
    texts: list[str] = []
    restart(target, progress=lambda report: texts.append(report.text))
    assert target.shell.ran == [(["restart-it", "now"], True)]
    assert str(texts[-1]) == "The server answers again"


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
