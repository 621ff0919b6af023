"""With exactly the sudoers file of `profile sudoers --offline` every way of an edit, and back.

Apply, a start that fails, a revert, a host that is lost while the server is stopped, and what
brings it back then: on 389 DS, OpenLDAP and OpenDJ.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.connect import commands
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.experiment import sudoers as rights
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, CommandError, ConnectError, ExperimentError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.revive import revive
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import Host
from tests.live.lab.opendj import OpenDj
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.sshd import Sshd
from tests.live.lab.steps import first_start_fails

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can write a sudoers file")

EDITED = {
    "389ds": ["db-trickle-percentage=20", "db-durable-transaction=off"],
    "openldap": ["olcListenerThreads=2", "olcDbMaxReaders@{1}mdb=200", "olcBkMdbIdlExp=17"],
}
"""A file, several files, one that is made, and indexes that are built while slapd is stopped."""


class Allowed:
    """A server whose login may what is printed for it."""

    def __init__(self, server: Lab | OpenLdap | OpenDj, folder: Path) -> None:
        self.server = server
        if isinstance(server, Lab):
            self.sshd, self._made = server.sshd, None
        else:
            self.sshd = self._made = Sshd(folder / "login", f"wblab{server.port}", Host())
            self.sshd.start()
        self.program = folder / "ldap-workbench-host"

    def allow(self) -> None:
        """Put the program and the sudoers file there, as they are printed by a login with all."""
        self.sshd.set_sudo(True)
        with closing(connect(self.profile, Secrets())) as all_rights:
            self.program.write_text(rights.program(all_rights, offline=True))
            self.program.chmod(0o755)
            self.sshd.write_sudoers(rights.sudoers(all_rights, offline=True))

    @property
    def profile(self) -> Profile:
        """By a name of its own: sudo reads all files, and an alias may stand in one alone."""
        profile = replace(self.server.profile, name=f"{self.server.profile.name}-offline")
        if isinstance(self.server, Lab):
            return profile
        address = SshAddress("127.0.0.1", self.sshd.user, self.sshd.port, str(self.sshd.identity))
        return replace(profile, local=False, ssh=address, sudo=True)

    def trust(self, home: Path) -> None:
        (home / "config").mkdir(parents=True, exist_ok=True)
        known = f"[127.0.0.1]:{self.sshd.port} {self.sshd.host_key}\n"
        (home / "config" / "known_hosts").write_text(known)

    def stop(self) -> None:
        if self._made:
            self._made.stop()
        self.server.stop()


@pytest.fixture(scope="module", params=["389ds", "openldap", "opendj"])
def running(request: pytest.FixtureRequest):
    make = {"389ds": lambda: Lab().start(users=100), "openldap": lambda: OpenLdap(100).start(),
            "opendj": lambda: OpenDj(50).start()}  # fmt: skip
    server = make[request.param]()
    server.folder.chmod(0o755)  # the login comes to its keys and to the program
    allowed = Allowed(server, server.folder)
    yield request.param, allowed
    allowed.stop()


@pytest.fixture
def allowed(
    running: tuple[str, Allowed], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[str, Allowed]:
    product, allowed = running
    for name, value in allowed.server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    allowed.trust(tmp_path / "home")
    monkeypatch.setattr(commands, "PROGRAM", str(allowed.program))
    monkeypatch.setattr(rights, "PROGRAM", str(allowed.program))
    allowed.allow()
    return product, allowed


@pytest.fixture
def target(allowed: tuple[str, Allowed]) -> Iterator[Target]:
    with closing(connect(allowed[1].profile, Secrets())) as target:
        assert target.shell is not None
        assert target.shell.run(["sudo", "-n", "--", "sh", "-c", "id"]).status != 0
        yield target


@pytest.fixture
def tuner(target: Target) -> Iterator[Tuner]:
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        tuner.may_stop = True
        yield tuner


def settings(product: str) -> list[str]:
    if product not in EDITED:
        pytest.skip("its file is written while it runs: below")
    return EDITED[product]


def test_an_edit_a_start_that_fails_and_a_revert(
    allowed: tuple[str, Allowed], target: Target, tuner: Tuner, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tuner.catalogue.treatment(settings(allowed[0]), target.facts)
    before = [tuner.read(each.knob, each.place).value for each in wanted.settings]
    with monkeypatch.context() as patched:
        first_start_fails(target, patched)
        with pytest.raises(ChangeError) as caught:
            tuner.apply(wanted)
    assert "was put back, and the server runs with it" in str(caught.value)
    applied = tuner.apply(wanted)
    assert [tuner.read(each.knob, each.place).value for each in wanted.settings] != before
    tuner.revert(applied.group)
    assert [tuner.read(each.knob, each.place).value for each in wanted.settings] == before
    assert tuner.open_changes() == []


def test_a_host_that_is_lost_while_the_server_is_stopped_and_what_brings_it_back(
    allowed: tuple[str, Allowed], target: Target, tuner: Tuner, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tuner.catalogue.treatment(settings(allowed[0]), target.facts)
    before = [tuner.read(each.knob, each.place).value for each in wanted.settings]
    assert target.shell is not None
    run, lost = target.shell.run, []

    def lose(argv: Sequence[str], **options: Any) -> CommandResult:
        if lost:
            raise ConnectError(Message("No route to host."))
        lost.extend(word for word in argv if word == "put")
        return run(argv, **options)

    with monkeypatch.context() as patched:
        patched.setattr(target.shell, "run", lose)
        patched.setattr(target, "reconnect_shell", lambda: lose(["true"]))
        tuner.patience_s = 1.0
        with pytest.raises(ConnectError, match="while its server was stopped"):
            tuner.apply(wanted)
    with pytest.raises(ConnectError):
        connect(allowed[1].profile, Secrets())
    tuner.close()
    shell = open_shell(allowed[1].profile, Secrets())
    assert shell is not None
    with closing(shell):
        revive(tuner.server, shell, tuner.journal, target.reconnect)
    assert {change.state for change in tuner.recover()} == {ChangeState.REVERTED}
    assert [tuner.read(each.knob, each.place).value for each in wanted.settings] == before


def test_a_folder_of_the_server_is_looked_at_and_a_log_that_would_move_is_refused_before_the_stop(
    allowed: tuple[str, Allowed], target: Target, tuner: Tuner, own_folder: str
) -> None:
    server = allowed[1].server
    if not isinstance(server, Lab) or server.slapd.library == "mdb":
        pytest.skip("only Berkeley DB of 389 DS has such folders")
    before = tuner.read("db-home-directory").value
    home = tuner.catalogue.treatment([f"db-home-directory={own_folder}"], target.facts)
    applied = tuner.apply(home)
    tuner.revert(applied.group)
    assert tuner.read("db-home-directory").value == before
    pid = server.slapd.pid
    log = tuner.catalogue.treatment([f"nsslapd-db-logdirectory={own_folder}"], target.facts)
    with pytest.raises(CommandError, match="Nothing was run as root"):
        tuner.apply(log)
    assert server.slapd.pid == pid, "it was not stopped"
    assert tuner.open_changes() == []


@pytest.fixture
def own_folder(allowed: tuple[str, Allowed]) -> str:
    """Of the server's account, where its files are."""
    server = allowed[1].server
    if not isinstance(server, Lab):
        pytest.skip("only 389 DS has such folders")
    folder = server.slapd.folder / "regions"
    folder.mkdir(mode=0o770, exist_ok=True)
    server.host.run("chown", f"{server.slapd.user}:", str(folder))
    return str(folder)


def test_a_heap_the_server_does_not_start_with(
    allowed: tuple[str, Allowed], target: Target, tuner: Tuner
) -> None:
    server = allowed[1].server
    if not isinstance(server, OpenDj):
        pytest.skip("only OpenDJ has a heap")
    before = server.java_properties.read_bytes()
    facts = replace(target.facts, ram_bytes=1 << 50)
    tuner.apply(tuner.catalogue.treatment(["java-args.heap=3000 GiB"], facts))
    with pytest.raises(ExperimentError):
        restart(target, timeout_s=5)
    assert {change.state for change in tuner.put_back()} == {ChangeState.REVERTED}
    assert server.java_properties.read_bytes() == before
