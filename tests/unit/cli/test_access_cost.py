"""`access-cost` says on both of its connections that they are the workbench's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli import access_cost as command
from ldap_workbench.cli.app import app
from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.profile import Profile


class Link:
    """A connection on which the order of what it asks is noted."""

    def __init__(self, profile: Profile, asked: list[tuple[str, str]]) -> None:
        self._name, self._asked = profile.name, asked

    def announce(self) -> None:
        self._asked.append((self._name, "announced"))

    def search(self, base: str, **_: object) -> list[Entry]:
        self._asked.append((self._name, "searched"))
        return [Entry(base, {})]

    def close(self) -> None: ...


def test_both_connections_are_announced_before_they_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    for name in ("admin", "client"):
        ProfileStore().add(Profile(name, "ldap://ldap1:389"))
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(command, "open_directory", lambda profile, _: Link(profile, asked))
    done = CliRunner().invoke(app, ["access-cost", "admin", "client", "--base", "dc=a", "--json"])
    assert done.exit_code == 0, done.output
    assert asked[:2] == [("admin", "announced"), ("client", "announced")]
    assert ("client", "searched") in asked[2:]
