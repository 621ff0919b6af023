"""A server and a log folder that mean harm: nothing is run, nothing is lost, it is said."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.capture.past.fetching import RemoteLog
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.servers.host import read_host_facts
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.live.capture.test_capture import reference
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured, load
from tests.unit.connect.test_commands import HOSTILE as HOSTILE_WORDS

SECRET = "only-root-may-read-this"
ODD = ["access.1\nx", "access.2 copy", "access.-rf", "-access.3", "access.4\x1b[31m", "access.5;id"]


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with Lab().start(users=100) as lab:
        yield lab


@pytest.fixture
def target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    for name, value in own_lab.environment.items():
        monkeypatch.setenv(name, value)
    own_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    target = connect(own_lab.profile, Secrets())
    yield target
    target.close()


def captured(target: Target, path: Path, seconds: float) -> tuple[Window, dict[SourceKind, Source]]:
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, CapturePlan(seconds, name="w"))
    with Session.open(path) as session:
        return window, {source.kind: source for source in session.sources(window.id)}


def test_hostile_words_reach_a_program_over_ssh_and_sudo_as_they_are(target: Target) -> None:
    assert target.shell is not None
    meant = [os.fsencode(word) for word in HOSTILE_WORDS]
    for sudo in (False, True):
        argv = ["/usr/bin/printf", "%s\\0", *HOSTILE_WORDS]
        result = target.shell.run(argv, sudo=sudo)
        assert (result.status, result.stderr) == (0, b"")
        assert result.stdout.split(b"\0")[:-1] == meant
        streamed: list[bytes] = []
        target.shell.stream(argv, streamed.append, cancel=Cancel(), sudo=sudo)
        assert b"".join(streamed).split(b"\0")[:-1] == meant


@pytest.fixture
def home(own_lab: Lab) -> Path:
    """The folder the login starts in, with a file that a stray command would delete."""
    home = Path(f"~{own_lab.user}").expanduser()
    (home / "precious").write_text("here")
    return home


HOSTILE = [
    "/tmp/../$(touch PWNED)/access",
    # Every word is one argument: test_hostile_words_reach_a_program_over_ssh_and_sudo_as_they_are.
    *(
        pytest.param(path, marks=pytest.mark.full)
        for path in ("-delete/access", "/tmp/\x1b[2J/access", "/tmp/a\nb")
    ),
]


def test_a_log_path_of_the_server_runs_nothing(
    own_lab: Lab, target: Target, home: Path, tmp_path: Path
) -> None:
    folder = Path(f"/proc/{own_lab.slapd.pid}/cwd").resolve() / "-delete"
    folder.mkdir()  # the server opens the log, wherever it is
    folder.chmod(0o777)
    with configured(target, nsslapd_accesslog="-delete/access"):
        again = connect(own_lab.profile, Secrets())
        steps = {str(step.name): step for step in try_profile(own_lab.profile, Secrets())}
        window, sources = captured(again, tmp_path / "s.ldapwb", 1)
        again.close()
    assert again.facts.access_log == "-delete/access", "else this tests nothing"
    assert not steps["access log"].ok
    assert "'-delete/access'" in str(steps["access log"].text)
    assert (home / "precious").read_text() == "here"
    assert sources[SourceKind.ACCESS_LOG].state == SourceState.FAILED
    assert "'-delete/access'" in str(sources[SourceKind.ACCESS_LOG].why)
    assert sources[SourceKind.ERROR_LOG].state == SourceState.COMPLETE
    assert window.end_ns > window.start_ns


@pytest.mark.parametrize("value", HOSTILE)
def test_a_log_path_of_a_profile_runs_nothing(
    own_lab: Lab, target: Target, home: Path, tmp_path: Path, value: str
) -> None:
    again = connect(replace(own_lab.profile, access_log=value), Secrets())
    _, sources = captured(again, tmp_path / "s.ldapwb", 1)
    again.close()
    assert (home / "precious").read_text() == "here"
    assert not list(home.glob("PWNED"))
    assert sources[SourceKind.ACCESS_LOG].state == SourceState.FAILED
    assert value.encode("unicode_escape").decode() in str(sources[SourceKind.ACCESS_LOG].why)


@pytest.mark.parametrize("fact", ["db_directory", "audit_log"])
@pytest.mark.parametrize("value", ["-h/x", "--help/x", "/a/../../x", "/a\n/dev/sda"])
def test_a_folder_of_the_server_is_no_option_of_df(target: Target, fact: str, value: str) -> None:
    assert target.shell is not None
    name = {"db_directory": "device", "audit_log": "audit_device"}[fact]
    facts = read_host_facts(target.shell, replace(target.facts, unknown={}, **{fact: value}))
    assert getattr(facts, name) is None
    assert "is not used as a path" in str(facts.unknown[name])


@pytest.fixture
def odd_names(own_lab: Lab) -> Iterator[Path]:
    """Files beside the log that no server writes, newer than all: names, kinds and links."""
    logs = own_lab.slapd.logs
    secret = own_lab.folder / "secret"
    secret.write_text(SECRET * 100)
    secret.chmod(0o600)
    made = [os.fsencode(logs / name) for name in ODD] + [os.fsencode(logs) + b"/access.6\xff"]
    for path in made:
        Path(os.fsdecode(path)).write_text("no log\n")
    (logs / "access.7").mkdir()
    (logs / "access.20261122-000000").symlink_to(secret)
    os.mkfifo(logs / "access.8")
    yield logs
    for path in (*made, *(os.fsencode(logs / n) for n in ("access.20261122-000000", "access.8"))):
        os.unlink(path)
    (logs / "access.7").rmdir()


@pytest.mark.clock("the load has to fill several logs within the window")
def test_odd_names_in_the_log_folder_lose_nothing(
    own_lab: Lab, target: Target, odd_names: Path, tmp_path: Path
) -> None:
    rotating = configured(
        target, nsslapd_accesslog_maxlogsize="1", nsslapd_accesslog_maxlogsperdir="100"
    )
    # So long a load writes fewer files than the server keeps, however late they are read.
    with rotating, load(own_lab, "search", 15):
        window, sources = captured(target, tmp_path / "s.ldapwb", 5)
    assert sources[SourceKind.ACCESS_LOG].state == SourceState.COMPLETE, sources
    assert len(list(odd_names.glob("access.2026*-*"))) > 2, "it was rotated"
    with Session.open(tmp_path / "s.ldapwb") as session:
        operations = session.operations(window)
        raw = session.raw(sources[SourceKind.ACCESS_LOG].id, 0, 1 << 30)
    found = {(int(c), int(o)) for c, o in zip(operations.conn, operations.op, strict=True)}
    for odd in ("access.7", "access.8"):  # what reads all files must not read these
        assert (odd_names / odd).exists()
    assert reference(_logs_only(odd_names, tmp_path), window) <= found
    assert SECRET.encode() not in raw


def test_odd_names_are_passed_over_in_a_listing(
    own_lab: Lab, target: Target, odd_names: Path
) -> None:
    log = RemoteLog(lambda: target.another_shell(), str(own_lab.access_log), Cancel())
    try:
        parts = log.parts()
    finally:
        log.close()
    names = [Path(part.path).name for part in parts]
    assert "access" in names
    assert all(re.fullmatch(r"access(\.\d{8}-\d{6})?", name) for name in names), names
    assert not any(SECRET.encode() in part.head for part in parts)


def _logs_only(folder: Path, into: Path) -> Path:
    """Copies of what the server wrote."""
    copies = into / "logs"
    copies.mkdir()
    for path in folder.iterdir():
        if re.fullmatch(r"access(\.\d{8}-\d{6})?", path.name) and not path.is_symlink():
            (copies / path.name).write_bytes(path.read_bytes())
    return copies
