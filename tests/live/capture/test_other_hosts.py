"""Hosts that differ: logs only in the journal, only in a container, busybox without sudo."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.window import SourceKind, SourceState, Window
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import Host
from tests.live.lab.matrix import Server, busy
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.other_hosts import ContainerOpenLdap, JournalOpenLdap
from tests.live.lab.plain_reading import EDGE_S, answered, lines_of
from tests.live.lab.sshd import Sshd

pytestmark = [
    pytest.mark.clock("the window has to hold so many operations of a real load"),
    pytest.mark.full,
    pytest.mark.skipif(
        not os.environ.get("LDAP_WORKBENCH_LAB"), reason="of tests/run --servers only"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="other hosts and other users need root"),
]
_READABLE = "nsslapd-accesslog-mode: 640\nnsslapd-errorlog-mode: 640\n"
Note = Callable[[str, object], None]


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Server], None]:
    """Puts a server's passwords into the environment, and its host key into the test's own home."""

    def use(server: Server) -> None:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        server.trust(tmp_path / "home")
        monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))

    return use


def captured(server: Server, profile: Profile, path: Path, lacks: str = "") -> Window:
    """A window under load, every source complete; a step of the connection may fail."""
    failed = {
        str(step.name): str(step.text) for step in try_profile(profile, Secrets()) if not step.ok
    }
    assert set(failed) <= {lacks}, failed
    with closing(connect(profile, Secrets())) as target, busy(server):
        time.sleep(EDGE_S)
        with SessionWriter.create(path, target.facts) as writer:
            window = capture(target, writer, CapturePlan(6))
        time.sleep(EDGE_S)
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(window.id)}
    access = sources[SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE, access.why
    assert access.lines is not None
    assert access.lines.unknown == 0
    incomplete = {k: str(s.why) for k, s in sources.items() if s.state is not SourceState.COMPLETE}
    assert incomplete == {}
    return window


def check_whole(path: Path, window: Window, lines: list[str]) -> None:
    """Every operation of the log is in the window."""
    with Session.open(path) as session:
        operations = session.operations(window)
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    inside = answered(lines, window, -EDGE_S)
    assert len(inside) > 100
    assert inside <= found <= answered(lines, window, EDGE_S)


@pytest.mark.shows("capture")
def test_a_slapd_whose_log_only_journalctl_has(
    used: Callable[[Server], None], tmp_path: Path, record_property: Note
) -> None:
    slapd, path = JournalOpenLdap(version="openldap-2.6"), tmp_path / "s.ldapwb"
    try:
        used(slapd.start())
        told_of(slapd, "its log only in the journal, read by journalctl over SSH", record_property)
        command = "journalctl -t slapd -f -n 0 -o short-iso-precise"
        profile = replace(slapd.profile, log_command=command)
        window = captured(slapd, profile, path)
        check_whole(path, window, slapd.journal())
    finally:
        slapd.stop()


@pytest.mark.shows("capture")
def test_a_slapd_in_a_container(
    used: Callable[[Server], None], tmp_path: Path, record_property: Note
) -> None:
    if lacking := ContainerOpenLdap.missing():
        pytest.skip(lacking)
    slapd, path = ContainerOpenLdap(version="openldap-2.6"), tmp_path / "s.ldapwb"
    try:
        used(slapd.start())
        told_of(slapd, "in a container of podman, its log inside", record_property)
        command = shlex.join(slapd.host.argv("tail", "-n", "0", "-F", str(slapd.log)))
        profile = replace(slapd.profile, local=True, log_command=command)
        window = captured(slapd, profile, path)
        check_whole(path, window, slapd.lines())
    finally:
        slapd.stop()


@pytest.fixture
def busybox(tmp_path: Path) -> Iterator[tuple[Lab, Sshd]]:
    """A 389 DS, and a login beside it whose every program is busybox and who may not sudo; he is
    in the group that may read the logs."""
    if not (program := shutil.which("busybox")):
        pytest.skip("apt-get install busybox-static")
    with Lab(config=f"nsslapd-accesslog-logbuffering: off\n{_READABLE}").start(users=500) as lab:
        programs = lab.folder / "busybox"
        programs.mkdir()
        subprocess.run([program, "--install", "-s", str(programs)], check=True)
        sshd = Sshd(lab.folder / "busybox-sshd", f"wbbox{lab.port}", Host(), programs)
        try:
            sshd.start()
            sshd.set_sudo(False)
            subprocess.run(["usermod", "-aG", lab.slapd.user, sshd.user], check=True)
            yield lab, sshd
        finally:
            sshd.stop()


@pytest.mark.shows("capture")
def test_a_host_of_busybox_without_sudo(
    busybox: tuple[Lab, Sshd],
    used: Callable[[Server], None],
    tmp_path: Path,
    record_property: Note,
) -> None:
    lab, sshd = busybox
    used(lab)
    told_of(lab, "busybox for every program, no sudo, no iostat", record_property)
    known = tmp_path / "home" / "config" / "known_hosts"
    known.write_text(f"[127.0.0.1]:{sshd.port} {sshd.host_key}\n")
    address = SshAddress("127.0.0.1", sshd.user, sshd.port, str(sshd.identity))
    profile = replace(lab.profile, ssh=address, ssh_password_env=None, sudo=False)
    path = tmp_path / "s.ldapwb"
    window = captured(lab, profile, path, lacks="iostat")
    check_whole(path, window, lines_of(lab.access_log))


def told_of(server: Lab | OpenLdap, host: str, record_property: Note) -> None:
    """For docs/servers.md: which server, on which host."""
    record_property("server", server.label)
    record_property("host", host)
