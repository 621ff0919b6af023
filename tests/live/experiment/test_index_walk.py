"""A missing index on every server of the matrix: captured, advised, tried, kept, taken out again.

Each step is a command, and what the one says is what the next is given.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.profile import Profile
from tests.live.lab.matrix import (
    OPENDJ,
    Server,
    in_tiers,
    names_and_opendj,
    root_link,
    started,
)
from tests.live.lab.opendj import InMemory, OpenDj
from tests.live.lab.steps import workbench
from tests.live.lab.stored_config import differences, index_files, stays_in_file, stored_config
from tests.live.lab.waiting import waiting_clients

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(2700),
    pytest.mark.clock("the gain has to show in windows of seconds"),
]
_PEOPLE = 5000
_SHORT = ("--settle", "0", "--yes")
_ATTRIBUTE = "description"
_CAPTURED_S, _LEAST_WINDOW_S = 15, 8
_SEARCHES = 120
"""So many a window: a median needs 40, and a machine that gets busy answers a third as many."""
_BACKEND = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
_LISTED, _PEOPLE_OF_OPENDJ = 100, 1000
"""OpenDJ takes ten times as long for an entry as others do. It has fewer, and may list fewer by its
own index of what is below a base: searches of so few are unindexed, too."""


@pytest.fixture(scope="module", params=in_tiers(names_and_opendj()))
def running_release(request: pytest.FixtureRequest) -> Iterator[Server | InMemory]:
    """So many people that a search without an index takes tens of milliseconds."""
    people = _PEOPLE_OF_OPENDJ if request.param == OPENDJ else _PEOPLE
    with started(request.param, people, fine=True) as running:
        if isinstance(running, OpenDj):
            root, limit = root_link(running), [(ldap3.MODIFY_REPLACE, [_LISTED])]
            assert root.modify(_BACKEND, {"ds-cfg-index-entry-limit": limit}), root.result
            root.unbind()
        yield running


def clients(profile: Profile, seconds: str, password: str) -> list[str]:
    """argv of clients that search by an attribute without an index."""
    return waiting_clients(profile, seconds, password, _ATTRIBUTE, "nobody has this", 0.3)


@contextmanager
def searching(profile: Profile) -> Iterator[None]:
    """These clients, until the context ends."""
    load = subprocess.Popen(clients(profile, "600", os.environ[str(profile.password_env)]))
    try:
        yield
    finally:
        load.terminate()
        load.wait(20)


@pytest.fixture
def before(release: Server) -> Iterator[str]:
    """The name of a profile that says the server is one for tests; all must be as it was."""
    ProfileStore().add(replace(release.profile, test_server=True))
    config, stored, files = release.ldif_of_config(), stored_config(release), index_files(release)
    yield release.profile.name
    assert release.ldif_of_config() == config
    assert not differences(stored, stored_config(release))
    assert index_files(release) == files | stays_in_file(release, _ATTRIBUTE)


def command(*words: str) -> Any:
    """What a command says as JSON."""
    return with_remarks(*words)[0]


def with_remarks(*words: str) -> tuple[Any, str]:
    """What a command says as JSON, and what it says before and meanwhile, in one line."""
    done = workbench(*words, "--json", timeout=1500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), " ".join(done.stderr.split())


def advised(name: str, path: Path) -> tuple[list[str], str]:
    """What is advised for a window of the server: the words of its settings, and the metric."""
    with searching(ProfileStore().get(name)):
        command("capture", name, "-o", str(path), "--seconds", str(_CAPTURED_S))
    said = command("findings", str(path))
    assert "unindexed" in {finding["id"] for finding in said["findings"]}
    first = next(a for a in said["advice"] if a["treatment"]["settings"])
    settings = first["treatment"]["settings"]
    assert [setting["knob"] for setting in settings] == [f"index.{_ATTRIBUTE}"], said["advice"]
    (setting,) = settings
    return ["--set", f"{setting['knob']}@{setting['place']}={setting['value']}"], first["primary"]


def window_s(path: Path) -> int:
    """How long a window has to be, by the searches of the one that was captured."""
    searches = next(tail["n"] for tail in command("tails", str(path)) if tail["type"] == "SRCH")
    return max(_LEAST_WINDOW_S, round(_CAPTURED_S * _SEARCHES / searches))


@pytest.mark.shows("experiment", "missing index", "revert exact")
def test_a_missing_index_is_captured_advised_kept_and_taken_out(
    release: Server, before: str, tmp_path: Path
) -> None:
    profile = release.profile
    load = shlex.join(clients(profile, "{seconds}", f"{{password:{profile.password_env}}}"))
    settings, metric = advised(before, tmp_path / "seen.ldapwb")
    window = ("--window", str(window_s(tmp_path / "seen.ldapwb")))
    words = ("experiment", before, *settings, "--primary", metric, *window, "--load", load, *_SHORT)
    first = ("-o", str(tmp_path / "first.ldapwb"), "--design", "pairs:6")
    kept, plan = with_remarks(*words, *first, "--then", "keep-if-better")
    left = stays_in_file(release, _ATTRIBUTE)
    assert ("drops no index from data.mdb" in plan) == bool(left), plan
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
