"""Links that are old or slow: an sshd of yesterday is refused, two seconds each way are borne."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import paramiko
import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.connect.host_keys import DISABLED, OFFERED, shown_key
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.servers.target import connect
from tests.faults.proxy import Proxy
from tests.live.lab.ds389 import Lab
from tests.live.lab.sshd import free_port
from tests.live.lab.steps import large, until

OLD = {
    "kex": "KexAlgorithms diffie-hellman-group14-sha1,diffie-hellman-group1-sha1",
    "host key": "HostKeyAlgorithms ssh-rsa",
    "cipher": "Ciphers aes128-cbc,aes256-cbc,3des-cbc",
    "mac": "Ciphers aes128-ctr\nMACs hmac-sha1,hmac-md5,hmac-sha1-96",
}
CONFIG = """\
{lines}
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/key
PidFile {folder}/pid
UsePAM no
StrictModes no
"""


@contextmanager
def sshd(folder: Path, lines: str) -> Iterator[SshAddress]:
    """A real sshd with an RSA key that offers what `lines` say."""
    port = free_port()
    key = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", str(folder / "key")]
    subprocess.run(key, check=True, capture_output=True)
    config = folder / "config"
    config.write_text(CONFIG.format(lines=lines, port=port, folder=folder))
    argv = ["/usr/sbin/sshd", "-D", "-f", str(config), "-E", str(folder / "log")]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process, folder / "log")
            yield SshAddress("127.0.0.1", "nobody", port)
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        with socket.socket() as link:
            return link.connect_ex(("127.0.0.1", port)) == 0

    until(answers)


@pytest.mark.parametrize("what", OLD)
def test_an_sshd_that_offers_only_old_algorithms_is_refused(
    lab: Lab, tmp_path: Path, what: str
) -> None:
    del lab  # only for its packages: sshd
    with sshd(tmp_path, OLD[what]) as address:
        with pytest.raises(ConnectError, match="no safe SSH algorithm in common") as caught:
            shown_key(address)
        again = Profile("p", "ldap://127.0.0.1", ssh=address)
        with pytest.raises(ConnectError, match="no safe SSH algorithm in common"):
            open_shell(again, Secrets())
    assert "no acceptable" in str(caught.value.what)
    assert "OpenSSH" in str(caught.value.remedy)


def test_what_is_offered_has_nothing_old() -> None:
    every = {kind: getattr(paramiko.Transport, f"_preferred_{kind}") for kind in OFFERED}
    for kind, names in every.items():
        left = [name for name in names if name not in DISABLED[kind]]
        assert left, f"no {kind} would be left"
        assert set(left) <= set(OFFERED[kind])
        for name in left:
            assert not any(old in name for old in ("cbc", "3des", "sha1", "md5", "dss", "arcfour"))
            assert name != "ssh-rsa"


@large
def test_two_seconds_each_way_are_borne(lab: Lab) -> None:
    assert lab.profile.ssh is not None
    with Proxy(lab.port) as ldap, Proxy(lab.profile.ssh.port) as ssh:
        known = Path(os.environ["LDAP_WORKBENCH_HOME"]) / "config" / "known_hosts"
        line = known.read_text()
        known.write_text(line + line.replace(f":{lab.profile.ssh.port} ", f":{ssh.port} "))
        profile = replace(
            lab.profile,
            ldap_url=f"ldap://127.0.0.1:{ldap.port}",
            ssh=replace(lab.profile.ssh, port=ssh.port),
        )
        for proxy in (ldap, ssh):
            proxy.delay(up=2.0, down=2.0)
        target = connect(profile, Secrets())
        try:
            assert target.shell is not None, target.facts.unknown
            assert target.facts.kernel
            assert target.facts.clock_error_ns is not None
            assert target.facts.access_log == str(lab.access_log)
        finally:
            target.close()


@pytest.mark.parametrize("delay_s", [0.3, pytest.param(2.0, marks=pytest.mark.full)])
def test_every_step_of_a_profile_works_with_a_delay_each_way(lab: Lab, delay_s: float) -> None:
    assert lab.profile.ssh is not None
    with Proxy(lab.port) as ldap:
        ldap.delay(up=delay_s, down=delay_s)
        profile = replace(
            lab.profile,
            ldap_url=f"ldap://127.0.0.1:{ldap.port}",
            starttls=True,
            ca_file=str(lab.ca_file),
            ssh=None,
        )
        assert [str(step.name) for step in try_profile(profile, Secrets()) if not step.ok] == []
