"""What live tests do with the lab: put load on it, set it up, run the command."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ldap_workbench.servers import Target
from tests.live.lab import Lab
from tests.live.practice_lab import PracticeLab


@contextmanager
def load(lab: Lab, kind: str, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """ldclt running for a while."""
    process = subprocess.Popen(
        lab.drive(kind, seconds), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
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


def workbench(*words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """The real command, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ldap_workbench", *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=os.environ,
        stdin=subprocess.DEVNULL,
    )


_KILLED = """
import os, signal, sys
from ldap_workbench.capture import window
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
