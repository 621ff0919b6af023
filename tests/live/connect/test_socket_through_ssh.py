"""ldapi on the server's host, over the login by SSH: as that login, or as root by sudo."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.connect import commands, ldap_url, socket_relay
from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment import sudoers as rights
from ldap_workbench.model.errors import ConnectError, ProfileError
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.host import Host
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.sshd import Sshd
from tests.live.lab.steps import until
from tests.live.lab.users import SUFFIX

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the root of slapd is whoever runs it")


@dataclass
class DebianHost:
    """slapd as Debian sets it up, where root alone may read cn=config, and sshd beside it."""

    slapd: OpenLdap
    sshd: Sshd

    @property
    def profile(self) -> Profile:
        """ldapi:///, no bind DN and no password: as every manual writes it."""
        ssh = self.sshd
        address = SshAddress("127.0.0.1", ssh.user, ssh.port, str(ssh.identity))
        return Profile("debian", "ldapi:///", ssh=address, sudo=True)


@pytest.fixture(scope="module")
def running() -> Iterator[DebianHost]:
    slapd = OpenLdap(200).start()
    sshd = Sshd(slapd.folder / "login", f"wblab{slapd.port}", Host())
    try:
        sshd.start()
        yield DebianHost(slapd, sshd)
    finally:
        sshd.stop()
        slapd.stop()


@pytest.fixture
def host(running: DebianHost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DebianHost:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    known = f"[127.0.0.1]:{running.sshd.port} {running.sshd.host_key}\n"
    (home / "config" / "known_hosts").write_text(known)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(home))
    # The lab's socket is where Debian's would be.
    (there,) = ldap_url.sockets_of(running.slapd.ldapi_url)
    monkeypatch.setattr(ldap_url, "_SOCKETS", ("/run/nobody/ldapi", there))
    running.sshd.set_sudo(True)
    return running


def test_every_step_works_as_root(host: DebianHost) -> None:
    steps = {str(step.name): step for step in try_profile(host.profile, Secrets())}
    assert [step for step in steps.values() if not step.ok] == []
    assert str(steps["bind"].text) == "bound as root on the host (EXTERNAL)"
    assert str(steps["cn=config"].text) == "readable: OpenLDAP"


def test_a_setting_is_changed_and_put_back(host: DebianHost) -> None:
    with (
        closing(connect(host.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        assert target.facts.product == "OpenLDAP"
        assert target.facts.host == "127.0.0.1"
        applied = tuner.apply(tuner.catalogue.treatment(["olcThreads=8"], target.facts))
        assert applied.proofs[0].effective is True
        again = target.another_directory()
        assert again.search("cn=config", attributes=("olcThreads",))[0].first("olcThreads") == "8"
        again.close()
        assert len(journal.open_changes(host.profile.server_url)) == 1
        assert journal.open_changes(replace(host.profile, ssh=None).server_url) == []
        tuner.revert(applied.group)
        entry = target.directory.search("cn=config", attributes=("olcThreads",))[0]
        assert entry.values("olcThreads") is None


def test_a_change_is_reverted_after_the_socket_was_stored(
    host: DebianHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody listens on the first of two: the second is the one, and the change is still open."""
    with closing(Journal()) as journal:
        with (
            closing(connect(host.profile, Secrets())) as target,
            closing(Tuner(target, journal)) as tuner,
        ):
            group = tuner.apply(tuner.catalogue.treatment(["olcThreads=8"], target.facts)).group
        (there,) = ldap_url.sockets_of(host.slapd.ldapi_url)
        left = f"{there}.left"
        with closing(socket.socket(socket.AF_UNIX)) as crashed:
            crashed.bind(left)
        try:
            monkeypatch.setattr(ldap_url, "_SOCKETS", (left, there))
            with pytest.raises(ProfileError, match="any of these sockets"):
                connect(host.profile, Secrets())
            steps = {str(step.name): step for step in try_profile(host.profile, Secrets())}
            assert [step for step in steps.values() if not step.ok] == []
            assert steps["bind"].settings == {"socket": there}
            stored = replace(host.profile, socket=there)
            assert [change.group for change in journal.open_changes(stored.server_url)] == [group]
            with (
                closing(connect(stored, Secrets())) as target,
                closing(Tuner(target, journal)) as tuner,
            ):
                tuner.revert(group)
                entry = target.directory.search("cn=config", attributes=("olcThreads",))[0]
            assert entry.values("olcThreads") is None
            assert journal.open_changes(stored.server_url) == []
        finally:
            Path(left).unlink()


def test_without_sudo_it_asks_as_the_login(host: DebianHost) -> None:
    with closing(open_directory(replace(host.profile, sudo=False), Secrets())) as directory:
        assert directory.search("cn=config") == []
        assert directory.search(SUFFIX), "everybody may read that"


def test_a_bind_dn_needs_no_root(host: DebianHost, monkeypatch: pytest.MonkeyPatch) -> None:
    host.sshd.set_sudo(False)
    for name, value in host.slapd.environment.items():
        monkeypatch.setenv(name, value)
    theirs = host.slapd.profile
    profile = replace(host.profile, bind_dn=theirs.bind_dn, password_env=theirs.password_env)
    with closing(open_directory(profile, Secrets())) as directory:
        assert directory.search("cn=config", attributes=("olcPidFile",))


def test_many_entries_come_whole(host: DebianHost) -> None:
    with closing(open_directory(host.profile, Secrets())) as directory:
        people = directory.search(SUFFIX, scope="sub", filter="(uid=*)")
    assert len(people) == 200


def test_with_python_where_there_is_no_perl(
    host: DebianHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = socket_relay.DIRECTORY_SOCKET
    text = script.text.replace("if perl ", "if no-perl ")
    assert text != script.text
    # Root must not load what the login may write: Python looks where it is started, without -I.
    mine = Path(pwd.getpwnam(host.sshd.user).pw_dir) / "socket.py"
    mine.write_text("raise SystemExit('a module of the login')")
    monkeypatch.setitem(commands.SCRIPTS, script.name, script)
    other = commands.HostScript(script.name, text, as_root=True)
    monkeypatch.setattr(socket_relay, "DIRECTORY_SOCKET", other)
    with closing(open_directory(host.profile, Secrets())) as directory:
        assert directory.search("cn=config", attributes=("olcPidFile",))


def test_what_is_wrong_is_named(host: DebianHost) -> None:
    no_socket = replace(host.profile, ldap_url="ldapi://%2Fno%2Fsocket")
    with pytest.raises(ConnectError, match="no socket /no/socket on ssh://wblab"):
        open_directory(no_socket, Secrets())
    host.sshd.set_sudo(False)
    with pytest.raises(ConnectError, match="sudo"):
        open_directory(host.profile, Secrets())


def test_nothing_stays_on_the_host(host: DebianHost) -> None:
    directory = open_directory(host.profile, Secrets())
    assert len(processes(host)) > 1
    directory.close()
    until(lambda: not processes(host))


def processes(host: DebianHost) -> list[str]:
    """Command lines that carry bytes to its socket, and logins that wait for one."""
    (path,) = ldap_url.sockets_of(host.slapd.ldapi_url)
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True
    ).stdout
    login = f"sshd: {host.sshd.user}"
    lines = map(str.strip, listed.splitlines())
    return [line for line in lines if line.endswith(path) or line.startswith(login)]


def test_it_ends_with_the_server_and_comes_back(host: DebianHost) -> None:
    with closing(connect(host.profile, Secrets())) as target:
        restarted = host.slapd.host.run(str(host.slapd.control), "restart")
        assert restarted.returncode == 0, restarted.stderr
        with pytest.raises(ConnectError, match="broke"):
            target.directory.search("cn=config")
        target.reconnect()
        assert target.directory.search("cn=config")


def test_with_the_rights_that_are_printed_and_no_more(
    host: DebianHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = host.slapd.folder / "ldap-workbench-host"
    for module in (commands, rights):
        monkeypatch.setattr(module, "PROGRAM", str(program))
    with closing(connect(host.profile, Secrets())) as all_rights:
        program.write_text(rights.program(all_rights, offline=False))
        program.chmod(0o755)
        host.sshd.write_sudoers(rights.sudoers(all_rights, offline=False))
    with closing(connect(host.profile, Secrets())) as target:
        assert target.directory.search("cn=config", attributes=("olcPidFile",))
        assert target.shell
        refused = target.shell.run(
            ["sudo", "-n", "--", str(program), "directory-socket", "/run/other"], stdin=b"x"
        )
        assert refused.status == 77
        assert target.shell.run(["sudo", "-n", "--", "sh", "-c", "id"]).status != 0
