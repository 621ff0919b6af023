"""A fleet's host is the machine it was at the first login, whatever its host key says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.conversation import Conversation
from ldap_workbench.connect.folders import state_folder
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.connect.ssh import SshShell
from ldap_workbench.fleet import engine, remote
from ldap_workbench.fleet.hosts import Host, describe_hosts, read_hosts
from ldap_workbench.fleet.remote import plan_hosts, start
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.message import Message
from ldap_workbench.servers.entry import digest_of_machine

HOSTS = """
[defaults]
user = "logreader"
logs = ["/logs"]
[hosts.ldap1]
address = "10.1.2.3"
[hosts.ldap2]
address = "10.1.2.3"
port = 2222
"""
FIRST, SECOND = digest_of_machine("1" * 32), digest_of_machine("2" * 32)


class Machine(SshShell):
    """A login on a host: says its machine-id, and counts what is started there."""

    def __init__(self, machine_id: str) -> None:
        self._machine_id = machine_id
        self.started = 0
        self.closed = False

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        assert list(argv) == ["cat", "/etc/machine-id"]
        missing = not self._machine_id
        return CommandResult(int(missing), f"{self._machine_id}\n".encode(), b"")

    def converse(self, argv: Sequence[str]) -> Conversation:
        self.started += 1
        raise ChangeError(Message("started"))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(engine, "PAUSE_S", 0.0)
    path = tmp_path / "hosts.toml"
    path.write_text(HOSTS)
    return path


@pytest.fixture
def hosts(path: Path) -> tuple[Host, ...]:
    return read_hosts(path)


def login(host: Host, machine_id: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, str]:
    """The shell of a login, and why no worker talks: 'started.' where one was started."""
    shell = Machine(machine_id)
    monkeypatch.setattr(remote, "open_shell", lambda *_: shell)
    with pytest.raises(ChangeError) as refused:
        start(host, Secrets())
    assert shell.closed
    return shell, str(refused.value)


def test_a_name_that_leads_to_another_machine_is_refused(
    hosts: tuple[Host, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = hosts[0]
    for _ in range(2):
        first, _ = login(host, "1" * 32, monkeypatch)
        assert first.started == 1
    second, why = login(host, "2" * 32, monkeypatch)
    assert second.started == 0
    for part in (FIRST, SECOND, "No program was started there", "correct the address of ldap1"):
        assert part in why
    again, _ = login(host, "1" * 32, monkeypatch)
    assert again.started == 1, "the refusal has changed nothing"


def test_a_reinstalled_host_is_accepted_where_the_file_names_it(
    hosts: tuple[Host, ...], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    login(hosts[0], "1" * 32, monkeypatch)
    _, why = login(hosts[0], "2" * 32, monkeypatch)
    line = f"machine = '{SECOND}'"
    assert line in why
    path.write_text(HOSTS.replace("[hosts.ldap2]", f"{line}\n[hosts.ldap2]"))
    assert f"Its host must have the id {SECOND}." in str(describe_hosts(path)[0])
    [renewed, _] = read_hosts(path)
    assert login(renewed, "2" * 32, monkeypatch)[0].started == 1
    assert login(renewed, "1" * 32, monkeypatch)[0].started == 0
    assert login(hosts[0], "2" * 32, monkeypatch)[0].started == 1, "it is the noted one now"


def test_each_address_has_a_machine_of_its_own(
    hosts: tuple[Host, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert login(hosts[0], "1" * 32, monkeypatch)[0].started == 1
    assert login(hosts[1], "2" * 32, monkeypatch)[0].started == 1
    noted = (state_folder() / "fleet-machines").read_text()
    assert noted == f"10.1.2.3 {FIRST}\n[10.1.2.3]:2222 {SECOND}\n"


def test_a_host_without_a_machine_id_is_no_other(
    hosts: tuple[Host, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for machine_id, started in (("", 1), ("1" * 32, 1), ("", 1), ("2" * 32, 0)):
        assert login(hosts[0], machine_id, monkeypatch)[0].started == started


def test_what_cannot_be_noted_is_said(
    hosts: tuple[Host, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (state_folder() / "fleet-machines").mkdir()
    shell, why = login(hosts[0], "1" * 32, monkeypatch)
    assert shell.started == 0
    assert "fleet-machines cannot be written" in why


def test_an_import_says_what_to_do_about_it(
    hosts: tuple[Host, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = replace(hosts[0], machine=FIRST)
    monkeypatch.setattr(remote, "open_shell", lambda *_: Machine("2" * 32))
    found, failures, _ = plan_hosts([host], Secrets())
    assert found == []
    [failure] = failures
    assert failure.name == "ldap1"
    for part in ("logreader@10.1.2.3:22 leads to another machine", f"machine = '{SECOND}'"):
        assert part in str(failure.why)
