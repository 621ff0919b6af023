"""Reaching a host over SSH: keys, passwords, sudo, and what runs there ends there."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.host_keys import accept_fingerprint, accept_host_key, known_hosts_path
from ldap_workbench.connect.secrets import Secrets, ssh_user
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangedHostKeyError,
    CommandError,
    ConnectError,
    ProfileError,
    UnknownHostKeyError,
)
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel
from tests.live.lab.ds389 import Lab
from tests.live.lab.practice_lab import PracticeLab
from tests.live.lab.steps import root_only, until

Server = Lab | PracticeLab


@pytest.fixture
def shell(lab: Lab) -> Iterator[RemoteShell]:
    shell = open_shell(lab.profile, Secrets())
    assert shell is not None
    yield shell
    shell.close()


def ssh_of(profile: Profile) -> SshAddress:
    assert profile.ssh is not None
    return profile.ssh


class TestHostKey:
    def test_unknown_then_accepted(self, lab: Lab) -> None:
        known_hosts_path().unlink()
        with pytest.raises(UnknownHostKeyError) as asked:
            open_shell(lab.profile, Secrets())
        listed = subprocess.run(
            ["ssh-keygen", "-lf", str(lab.sshd.folder / "host_ed25519.pub")],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert asked.value.fingerprint in listed
        accept_host_key(asked.value)
        shell = open_shell(lab.profile, Secrets())
        assert shell is not None
        shell.close()

    def test_changed_is_refused(self, server: Server, tmp_path: Path) -> None:
        other = tmp_path / "other"
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True
        )
        key = " ".join(other.with_suffix(".pub").read_text().split()[:2])
        known_hosts_path().write_text(f"[127.0.0.1]:{ssh_of(server.profile).port} {key}\n")
        with pytest.raises(ChangedHostKeyError) as refused:
            open_shell(server.profile, Secrets())
        assert str(known_hosts_path()) in str(refused.value.remedy)
        with pytest.raises(ChangedHostKeyError):
            accept_fingerprint(ssh_of(server.profile), server.fingerprint)

    def test_fingerprint_given_beforehand(self, server: Server) -> None:
        known_hosts_path().unlink()
        with pytest.raises(ChangedHostKeyError):
            accept_fingerprint(ssh_of(server.profile), "SHA256:AAAA")
        assert not known_hosts_path().exists()
        accept_fingerprint(ssh_of(server.profile), server.fingerprint)
        shell = open_shell(server.profile, Secrets())
        assert shell is not None
        shell.close()


class TestLogin:
    def test_a_key_nobody_knows(self, server: Server, tmp_path: Path) -> None:
        key = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        ssh = replace(ssh_of(server.profile), identity=str(key))
        with pytest.raises(AuthenticationError, match="refused the login"):
            open_shell(replace(server.profile, ssh=ssh, ssh_password_env=None), Secrets())

    def test_a_key_with_a_passphrase(self, server: Server, tmp_path: Path) -> None:
        key = tmp_path / "locked"
        key.touch(mode=0o600)
        key.write_bytes(server.identity.read_bytes())
        lock = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", str(key)]
        subprocess.run(lock, check=True)
        ssh = replace(ssh_of(server.profile), identity=str(key))
        profile = replace(server.profile, ssh=ssh, ssh_password_env=None)
        with pytest.raises(AuthenticationError, match="encrypted"):
            open_shell(profile, Secrets())
        questions: list[str] = []
        secrets = Secrets(ask=lambda _, question: questions.append(str(question)) or "open sesame")
        shell = open_shell(profile, secrets)
        assert shell is not None
        shell.close()
        assert questions == ["Passphrase of the SSH key"]

    def test_a_key_file_that_is_not_there(self, server: Server) -> None:
        ssh = replace(ssh_of(server.profile), identity="/no/key")
        with pytest.raises(ProfileError, match="/no/key"):
            open_shell(replace(server.profile, ssh=ssh), Secrets())

    def test_a_password_from_the_environment(self, server: Server) -> None:
        root_only(server)
        ssh = replace(ssh_of(server.profile), identity=None)
        shell = open_shell(replace(server.profile, ssh=ssh), Secrets())
        assert shell is not None
        assert shell.run(["id", "-un"]).stdout.decode().strip() == server.user
        shell.close()

    def test_a_password_the_operator_is_asked_for(self, server: Server) -> None:
        root_only(server)
        ssh = replace(ssh_of(server.profile), identity=None)
        profile = replace(server.profile, ssh=ssh, ssh_password_env=None)
        secrets = Secrets(
            ask=lambda user, _: server.login_password if user == ssh_user(profile) else None
        )
        shell = open_shell(profile, secrets)
        assert shell is not None
        shell.close()
        with pytest.raises(AuthenticationError):
            open_shell(profile, Secrets(ask=lambda _user, _question: "wrong"))

    def test_a_port_where_nobody_listens(self, server: Server) -> None:
        with pytest.raises(ConnectError, match="cannot be reached over SSH"):
            open_shell(replace(server.profile, ssh=SshAddress("127.0.0.1", "x", 1)), Secrets())


class TestShell:
    def test_arguments_are_never_expanded(self, shell: RemoteShell) -> None:
        strange = ["$(id)", "`id`", "a b", "*", "'", '"', "; rm x", "", "é\n-n"]
        result = shell.run(["printf", "%s\\0", *strange])
        assert result.stdout.decode().split("\0")[:-1] == strange

    def test_status_and_both_outputs(self, shell: RemoteShell) -> None:
        result = shell.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
        assert (result.status, result.stdout, result.stderr) == (3, b"out\n", b"err\n")
        assert shell.run(["no-such-command"]).status == 127

    def test_much_on_both_outputs_does_not_block(self, shell: RemoteShell) -> None:
        script = "head -c 4000000 /dev/zero >&2; head -c 4000000 /dev/zero"
        result = shell.run(["sh", "-c", script])
        assert len(result.stdout) == 4_000_000
        assert b"[3868928 bytes left out]" in result.stderr

    def test_much_input_does_not_block(self, shell: RemoteShell) -> None:
        sent = bytes(range(256)) * 40_000
        assert shell.run(["cat"], stdin=sent).stdout == sent

    def test_a_command_that_takes_too_long(self, shell: RemoteShell) -> None:
        began = time.monotonic()
        with pytest.raises(CommandError, match="did not finish within"):
            shell.run(["sleep", "120"], timeout=0.5)
        assert time.monotonic() - began < 60
        assert shell.run(["echo", "on"]).stdout == b"on\n"

    def test_a_daemon_left_behind_does_not_hold_it(self, shell: RemoteShell) -> None:
        began = time.monotonic()
        assert shell.run(["sh", "-c", "sleep 120 & echo started"]).stdout == b"started\n"
        assert time.monotonic() - began < 60

    def test_stream_until_cancelled_ends_the_command(self, shell: RemoteShell) -> None:
        cancel, lines = Cancel(), []

        def take(data: bytes) -> None:
            lines.extend(data.split())
            if len(lines) >= 3:
                cancel.set()

        script = "echo $$; while :; do echo tick; sleep 0.1; done"
        shell.stream(["sh", "-c", script], take, cancel=cancel)
        assert lines[1] == b"tick"
        assert ends(shell, lines[0].decode())

    def test_stream_hands_on_the_end(self, shell: RemoteShell) -> None:
        found: list[bytes] = []
        script = "echo one; echo two >&2; exit 4"
        result = shell.stream(["sh", "-c", script], found.append, cancel=Cancel())
        assert (b"".join(found), result.stderr, result.status) == (b"one\n", b"two\n", 4)

    def test_a_dropped_link_ends_the_command(self, lab: Lab) -> None:
        shell = open_shell(lab.profile, Secrets())
        assert shell is not None
        lines: list[bytes] = []
        seen = threading.Event()

        def stream() -> None:
            with pytest.raises(ConnectError):
                shell.stream(["sh", "-c", "echo $$; exec sleep 60"], take, cancel=Cancel())

        def take(data: bytes) -> None:
            lines.append(data)
            seen.set()

        thread = threading.Thread(target=stream)
        thread.start()
        assert seen.wait(60)
        shell.close()
        thread.join(60)
        assert not thread.is_alive()
        other = open_shell(lab.profile, Secrets())
        assert other is not None
        assert ends(other, lines[0].decode().strip())
        other.close()


def ends(shell: RemoteShell, pid: str) -> bool:
    def ended() -> bool:
        state = shell.run(["sed", "-n", "s/^State:[^A-Z]*//p", f"/proc/{pid}/status"])
        return state.status != 0 or state.stdout.startswith(b"Z")

    return until(ended)


class TestSudo:
    def test_where_the_profile_allows_it(self, lab: Lab, shell: RemoteShell) -> None:
        root_only(lab)
        assert shell.run(["id", "-u"], sudo=True).stdout == b"0\n"
        assert shell.run(["id", "-u"]).stdout != b"0\n"
        head = ["head", "-c", "50", str(lab.slapd.logs / "errors")]
        assert b"389-Dir" in shell.run(head, sudo=True).stdout

    def test_not_where_it_does_not(self, lab: Lab) -> None:
        shell = open_shell(replace(lab.profile, sudo=False), Secrets())
        assert shell is not None
        mine = shell.run(["id", "-u"]).stdout
        assert shell.run(["id", "-u"], sudo=True).stdout == mine
        shell.close()

    def test_refused_by_the_host(self, lab: Lab, shell: RemoteShell) -> None:
        root_only(lab)
        lab.sshd.set_sudo(False)
        try:
            result = shell.run(["id", "-u"], sudo=True)
        finally:
            lab.sshd.set_sudo(True)
        assert result.status == 1
        assert b"password is required" in result.stderr
