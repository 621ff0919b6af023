"""A missing index on every server of the matrix: captured, advised, tried, kept, taken out again.

Each step is a command, and what the one says is what the next is given.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers.target import connect
from tests.live.lab.ds389 import Lab
from tests.live.lab.matrix import Server, in_tiers, names, started
from tests.live.lab.opendj import InMemory
from tests.live.lab.steps import workbench
from tests.live.lab.stored_config import differences, stored_config
from tests.live.lab.users import SUFFIX

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(1800),
    pytest.mark.clock("the gain has to show in windows of seconds"),
]
_ASKS = """
import os, sys, time, ldap3
url, dn, variable, base, filter_ = sys.argv[1:]
while True:
    try:
        link = ldap3.Connection(ldap3.Server(url), dn, os.environ[variable], auto_bind=True)
        begin = time.monotonic()
        for asked in range(1, 1_000_000):
            link.search(base, filter_, attributes=["1.1"])
            time.sleep(max(0, begin + asked * 0.4 - time.monotonic()))
    except Exception:
        time.sleep(0.2)  # the server is being restarted, or has its back end disabled
"""
_FILTER, _SHAPE = "(description=nobody has this)", "(description=?)"
_CLIENTS, _PEOPLE = 4, 5000
_SHORT = ("--window", "8", "--settle", "0", "--yes")


@pytest.fixture(scope="module", params=in_tiers(names()))
def running_release(request: pytest.FixtureRequest) -> Iterator[Server | InMemory]:
    """So many people that a search without an index takes tens of milliseconds."""
    with started(request.param, _PEOPLE) as running:
        yield running


@contextmanager
def searching(profile: Profile) -> Iterator[None]:
    """Clients that search by an attribute without an index, on a schedule.

    They bind as the administrator: OpenDJ lets no other search without an index.
    """
    words = (profile.ldap_url, profile.bind_dn, profile.password_env, SUFFIX, _FILTER)
    with ExitStack() as stack:
        for _ in range(_CLIENTS):
            client = subprocess.Popen([sys.executable, "-c", _ASKS, *map(str, words)])
            stack.callback(client.wait, 20)
            stack.callback(client.terminate)
        yield


@pytest.fixture
def before(release: Server) -> Iterator[str]:
    """The name of a profile that says the server is one for tests; all must be as it was."""
    ProfileStore().add(replace(release.profile, test_server=True))
    config, stored, files = release.ldif_of_config(), stored_config(release), index_files(release)
    yield release.profile.name
    assert release.ldif_of_config() == config
    assert not differences(stored, stored_config(release))
    assert index_files(release) == files


def index_files(release: Server) -> set[str]:
    """Which indexes a database of 389 DS holds; () of others, which list them in cn=config."""
    if not isinstance(release, Lab):
        return set()
    with closing(connect(release.profile, Secrets())) as target:
        folder = target.facts.db_directory
    if release.slapd.library == "bdb":
        return {file.name for file in Path(folder).rglob("*.db")}
    listed = release.host.run("dbscan", "-D", "mdb", "-L", folder)
    assert listed.returncode == 0, listed.stderr
    return {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}


def command(*words: str) -> Any:
    """What a command says as JSON."""
    done = workbench(*words, "--json", timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def advised(name: str, path: Path) -> tuple[list[str], str]:
    """What is advised for a window of the server: the words of its settings, and the metric."""
    command("capture", name, "-o", str(path), "--seconds", "6")
    said = command("findings", str(path))
    assert "unindexed" in {finding["id"] for finding in said["findings"]}
    first = next(a for a in said["advice"] if a["treatment"]["settings"])
    settings = first["treatment"]["settings"]
    assert [setting["knob"] for setting in settings] == ["index.description"], said["advice"]
    (setting,) = settings
    return ["--set", f"{setting['knob']}@{setting['place']}={setting['value']}"], first["primary"]


@pytest.mark.shows("experiment", "revert exact")
def test_a_missing_index_is_captured_advised_kept_and_taken_out(
    release: Server, before: str, tmp_path: Path
) -> None:
    with searching(release.profile):
        settings, metric = advised(before, tmp_path / "seen.ldapwb")
        words = ("experiment", before, *settings, "--primary", metric, *_SHORT)
        first = ("-o", str(tmp_path / "first.ldapwb"), "--design", "pairs:6")
        kept = command(*words, *first, "--then", "keep-if-better")
        judged = kept["verdict"]
        said = judged["sentence"], judged["warnings"]
        assert (kept["state"], judged["primary"]["verdict"]) == ("kept", "better"), said
        change = next(c for c in command("journal", before) if c["state"] == "kept")
        command("revert", before, str(change["id"]))
        again = ("-o", str(tmp_path / "again.ldapwb"), "--design", "ab:2")
        reverted = command(*words, *again, "--then", "revert")
    warnings = " ".join(map(str, reverted["verdict"]["warnings"]))
    assert reverted["state"] == "reverted"
    assert "Mechanism verified" in warnings or "is not proved" in warnings
