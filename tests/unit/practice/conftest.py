"""A practice server in this process for most tests, one in a process of its own for a few."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import accept_fingerprint
from ldap_workbench.practice.model.configuration import Configuration
from ldap_workbench.practice.model.scenario import load_scenario
from ldap_workbench.practice.process import Practice
from ldap_workbench.practice.process import Practice as Handle
from ldap_workbench.practice.server import PracticeServer
from ldap_workbench.servers.target import Target, connect

SPEED = 20.0


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    """In this process, so that a test can look inside."""
    server = PracticeServer("checkpoint-storms", SPEED, seed=1)
    yield server
    server.close()


@pytest.fixture
def practice(server: PracticeServer) -> Practice:
    """The handle a user of the in-process server would have."""
    return Handle(server.engine.scenario, SPEED, server.address)


@pytest.fixture
def target(practice: Practice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    """The workbench's own connection to it."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    for name, value in practice.environment.items():
        monkeypatch.setenv(name, value)
    assert practice.profile.ssh is not None
    accept_fingerprint(practice.profile.ssh, practice.fingerprint)
    target = connect(practice.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def configuration() -> Configuration:
    """cn=config with autosized caches, as an untouched 389 DS has."""
    settings = dict(load_scenario("healthy").settings)
    settings["nsslapd-cache-autosize"] = "25"
    return Configuration(settings, ram_bytes=8 << 30)
