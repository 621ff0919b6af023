"""When a server that does not answer counts as gone: a restart of one that runs is an outage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.tuning.revive import is_gone
from tests.sessions import FACTS

PID_FILE = "/run/dirsrv/slapd-a.pid"
ONE = "/proc/1"
FOLDER = "/run/dirsrv"


class Login:
    """What a login sees of a host: the paths that are there for it, and the file's text."""

    def __init__(self, *paths: str, pid: str = "") -> None:
        self._paths, self._pid = paths, pid

    def run(self, argv: Sequence[str], **_: object) -> CommandResult:
        if argv[0] == "cat":
            return CommandResult(0 if self._pid else 1, self._pid.encode(), b"")
        return CommandResult(0 if argv[2] in self._paths else 1, b"", b"")


@pytest.mark.parametrize(
    ("product", "login", "gone"),
    [
        ("389ds", Login(ONE, FOLDER, PID_FILE, pid="77\n"), True),
        ("389ds", Login(ONE, FOLDER, PID_FILE, "/proc/77", pid="77\n"), False),
        ("389ds", Login(FOLDER, PID_FILE, pid="77\n"), False),  # /proc with hidepid
        ("389ds", Login(ONE, FOLDER), False),  # it writes the file when it is ready
        ("389ds", Login(ONE), False),
        ("opendj", Login(ONE, FOLDER), True),
        ("opendj", Login(ONE), False),  # a folder that the login may not search
        ("opendj", Login(ONE, FOLDER, PID_FILE), False),  # there, but not for this login
        ("opendj", Login(ONE, FOLDER, PID_FILE, pid="no number"), False),
    ],
)
def test_a_server_is_gone_only_where_that_is_seen(product: str, login: Login, gone: bool) -> None:
    assert is_gone(cast(RemoteShell, login), facts_of(product)) is gone


def test_without_a_file_of_its_process_nothing_is_known() -> None:
    facts = replace(facts_of("opendj"), pid_file=None)
    assert not is_gone(cast(RemoteShell, Login(ONE, FOLDER)), facts)


def facts_of(product: str) -> TargetFacts:
    name = {"389ds": FACTS.product, "opendj": "OpenDJ"}[product]
    return replace(FACTS, product=name, pid_file=PID_FILE)
