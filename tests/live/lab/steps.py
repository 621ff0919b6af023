"""What live tests do with the lab: put load on it, set it up, run the command."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import ldap3
import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.progress import Cancel, Progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.opendj import OpenDj
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.practice_lab import PracticeLab
from tests.live.lab.stored_config import differences, stored_config

_Test = TypeVar("_Test", bound=Callable[..., None])
_Value = TypeVar("_Value")
_only_large = pytest.mark.skipif(
    not os.environ.get("LDAP_WORKBENCH_LARGE"), reason="too long for every run"
)


def large(test: _Test) -> _Test:
    """A test of the full run that is made with LDAP_WORKBENCH_LARGE=1 only."""
    return pytest.mark.full(_only_large(test))


Server = Lab | OpenLdap | OpenDj | PracticeLab
_SAMPLED_S = 1.0
"""What was done is in the samples so much later."""
_LONGEST_S = 180.0
"""Of a window that is ended when the work in it is done."""


def until(comes: Callable[[], _Value], limit_s: float = 60.0) -> _Value:
    """Wait for something that must come, however busy the machine is; what it was in the end."""
    end = time.monotonic() + limit_s
    while not (value := comes()):
        assert time.monotonic() < end, f"it did not come within {limit_s:g} s"
        time.sleep(0.02)
    return value


def freeze(pid: int) -> None:
    """Stop a process, and wait until all of its threads stand still.

    One of them takes the signal and stops the others: on a busy machine they go on until then.
    """
    os.kill(pid, signal.SIGSTOP)
    until(lambda: all(map(_stands_still, Path(f"/proc/{pid}/task").iterdir())))


def _stands_still(task: Path) -> bool:
    try:
        state = (task / "stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:  # this thread has ended
        return True
    return state in "TZX"


@contextmanager
def load(
    lab: Lab, kind: str, seconds: float, threads: int = 4
) -> Iterator[subprocess.Popen[bytes]]:
    """ldclt running for a while, as fast as the server answers."""
    with _running(lab.drive(kind, seconds, threads)) as process:
        yield process


@contextmanager
def steady_load(
    lab: Lab | PracticeLab, kind: str, seconds: float, rate: float = 200
) -> Iterator[subprocess.Popen[bytes]]:
    """One client that asks `rate` times a second for a while."""
    with _running(lab.drive_steadily(kind, seconds, rate)) as process:
        yield process


@contextmanager
def _running(argv: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        yield process
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def configured(target: Target, **settings: str) -> Iterator[None]:
    """cn=config with other values for a while; '_' stands for '-' in names."""
    entry = target.directory.search("cn=config", attributes=["*", "+"])[0]
    asked = {name.replace("_", "-"): (value,) for name, value in settings.items()}
    before = {name: entry.values(name) for name in asked}
    for name, value in asked.items():
        target.directory.replace("cn=config", name, value, expected=before[name])
    try:
        yield
    finally:
        target.reconnect()  # the test may have restarted the server
        for name, value in asked.items():
            target.directory.replace("cn=config", name, before[name], expected=value)


@contextmanager
def unchanged_config(server: Server) -> Iterator[str]:
    """cn=config as it is now, answered and stored; it must be so again at the end."""
    before, stored = server.ldif_of_config(), stored_config(server)
    yield before
    assert server.ldif_of_config() == before
    assert not (said := differences(stored, stored_config(server))), said


def modify(lab: Lab, dn: str, attribute: str, *values: str) -> None:
    """Replace an attribute, as the directory manager; no values delete it."""
    link = lab.slapd.link()
    assert link.modify(dn, {attribute: [(ldap3.MODIFY_REPLACE, [*values])]}), link.result
    link.unbind()


def first_start_fails(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start command fails once, as with a server that refuses its configuration."""
    assert target.shell is not None
    run, failed = target.shell.run, []

    def fails_once(argv: Sequence[str], **options: Any) -> CommandResult:
        if argv[-1] == "start" and not failed:
            failed.append(argv)
            return run(["false"], **options)
        return run(argv, **options)

    monkeypatch.setattr(target.shell, "run", fails_once)


@contextmanager
def connected(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    """As the workbench connects, with the server's passwords in the environment."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    with closing(connect(server.profile, Secrets())) as target:
        yield target


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Run something beside a capture; what it raises is raised at the end."""
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(work)
        yield
        beside.result(300)


def capture_while(work: Callable[[], None], target: Target, path: Path, seconds: float) -> None:
    """Capture for so many seconds and until this is done, which is begun once the window has.

    Before it, sources start and the reading of logs is compiled, which may take longer than the
    work; and on a busy machine the work may take longer than the seconds.
    """
    begun, over = threading.Event(), Cancel()

    def hear(report: Progress) -> None:
        if report.fraction is not None:
            begun.set()

    def in_the_window() -> None:
        assert begun.wait(60), "the window did not begin"
        past_the_edge(target)
        end = time.monotonic() + seconds
        try:
            work()
            time.sleep(max(_SAMPLED_S, end - time.monotonic()))
        finally:
            over.set()

    with (
        closing(Journal(path.with_suffix(".journal"))) as journal,
        closing(Tuner(target, journal)) as tuner,
        SessionWriter.create(path, target.facts) as writer,
        meanwhile(in_the_window),
    ):
        plan = CapturePlan(_LONGEST_S, poll_s=_SAMPLED_S / 2)
        window = capture(target, writer, plan, progress=hear, end=over)
        remember_settings(writer, tuner, window)


def past_the_edge(target: Target) -> None:
    """Wait until a window that has just begun has begun by the server's clock, too."""
    time.sleep(0.1 + (target.facts.clock_error_ns or 0) / NS_PER_S)


def found_in(path: Path) -> dict[str, Finding]:
    """The findings of a session by their ids."""
    with Session.open(path) as session:
        return {each.id: each for each in findings(session)}


def seen(
    work: Callable[[], None], target: Target, path: Path, seconds: float
) -> tuple[dict[str, Finding], set[str]]:
    """What a window of so many seconds or more shows with this work in it, and what is advised."""
    capture_while(work, target, path, seconds)
    found = found_in(path)
    with Session.open(path) as session:
        advice = advise(list(found.values()), session.facts)
    return found, {each.id for each in advice}


def workbench(
    *words: str, timeout: float = 300, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The real command, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ldap_workbench", *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
    )


_KILLED = """
import os, signal, sys
from ldap_workbench.capture.live import window
from ldap_workbench.connect.ldap import LdapDirectory
from ldap_workbench.cli import main

moment = sys.argv.pop(1)
replace, writes = LdapDirectory.replace, []
die = lambda: os.kill(os.getpid(), signal.SIGKILL)

def killed_replace(self, *args, **kwargs):
    writes.append(args)
    if moment == "before the write" or (moment == "before the revert" and len(writes) == 2):
        die()
    said = replace(self, *args, **kwargs)
    if moment == "after the write" or (moment == "after the revert" and len(writes) == 2):
        die()
    return said

def killed_wait(self):
    if writes:
        die()
    return wait(self)

LdapDirectory.replace = killed_replace
if moment == "in the treated window":
    wait, window._Capture._wait = window._Capture._wait, killed_wait
main()
"""
"""A workbench that kills itself at one moment of an experiment."""


def killed_workbench(moment: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, dead at a moment: `before the write`, `after the write`, `in the treated
    window`, `before the revert` or `after the revert`."""
    return subprocess.run(
        [sys.executable, "-c", _KILLED, moment, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ,
        stdin=subprocess.DEVNULL,
    )


def named_load(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """A load command with the name of its password in place of that."""
    if "-w" in argv:
        at = argv.index("-w") + 1
        monkeypatch.setenv("LOAD_PW", argv[at])
        argv = [*argv[:at], "{password:LOAD_PW}", *argv[at + 1 :]]
    return shlex.join(argv)


def root_only(server: Lab | PracticeLab) -> None:
    """Skip where the login may not sudo."""
    if not server.has_sudo:
        pytest.skip("only root can make a user with a password and sudo")
