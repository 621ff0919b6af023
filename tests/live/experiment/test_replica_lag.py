"""How far two real 389 DS are behind each other, as a safety limit of an experiment on one of them.

Replication is held up by switching an agreement off; a restart command that takes longer than the
limit is a stop on purpose.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import chosen
from tests.live.lab.replication import replicating, settled, switch, written
from tests.live.lab.steps import until

pytestmark = [
    pytest.mark.clock("a lag is told by seconds, and servers are restarted meanwhile"),
    pytest.mark.skipif(not chosen("389ds"), reason="this run is about another product"),
    pytest.mark.timeout(300),
]
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
SCAN, CHANGED = "nsslapd-idlistscanlimit", "5000"
BY_ITSELF = (
    *("nsds5replicachangessentsincestartup", "nsds5replicaupdateinprogress"),
    *("nsds50ruv", "nsruvreplicalastmodified"),
)
"""What a server that replicates counts, and up to which change it has come."""
LIMIT_S = 5


@pytest.fixture(scope="module")
def labs() -> Iterator[list[Lab]]:
    with replicating(2, 200) as labs:
        for lab in labs:
            lab.restart()  # what a first restart writes anew is no change of ours
        yield labs


@pytest.fixture
def environment(labs: list[Lab], tmp_path: Path) -> Iterator[dict[str, str]]:
    """Profiles ds1 and ds2; the configuration of both must be as before."""
    before = [lab.ldif_of_config().splitlines() for lab in labs]
    yield os.environ | settled(labs, tmp_path / "home")
    for lab, lines in zip(labs, before, strict=True):
        changed = [
            line
            for line in difflib.ndiff(lines, lab.ldif_of_config().splitlines())
            if line[0] in "+-" and not line[2:].startswith(BY_ITSELF)
        ]
        assert changed == []


def experiment(environment: Mapping[str, str], *words: str | Path) -> subprocess.Popen[str]:
    return command(environment, "experiment", *words, "--then", "revert")


def command(environment: Mapping[str, str], name: str, *words: str | Path) -> subprocess.Popen[str]:
    argv = [
        sys.executable, "-m", "ldap_workbench", name, "ds1", *map(str, words), "--settle", "0",
        "--seed", "7", "--yes", "--json", "--max-lag", str(LIMIT_S), "--replica", "ds2",
    ]  # fmt: skip
    return subprocess.Popen(
        argv, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def scan_limit(lab: Lab) -> str:
    link = lab.slapd.link()
    link.search(LDBM, "(objectClass=*)", ldap3.BASE, attributes=[SCAN])
    value = str(link.response[0]["attributes"][SCAN][0])
    link.unbind()
    return value


def test_replication_that_is_held_up_ends_the_experiment_and_the_change_is_taken_back(
    labs: list[Lab], environment: dict[str, str], tmp_path: Path
) -> None:
    before = scan_limit(labs[0])
    with written(labs[1]):
        asked = ("-o", tmp_path / "e.ldapwb", "--set", f"{SCAN}={CHANGED}", "--window", "3")
        running = experiment(environment, *asked, "--design", "pairs:30")
        try:
            until(lambda: scan_limit(labs[0]) == CHANGED or running.poll() is not None)
            assert running.poll() is None, running.communicate()
            switch(labs, "off")
            began = time.monotonic()
            _, said = running.communicate(timeout=90)
            took_s = time.monotonic() - began
        finally:
            running.kill()
            switch(labs, "on")
    said = " ".join(said.split())
    assert running.returncode == 1, said
    assert "A safety limit was crossed" in said, said
    assert "ds1 was " in said, said
    assert "s behind the others" in said, said
    assert scan_limit(labs[0]) == before
    assert took_s < 60, "far sooner than its sixty windows"


@pytest.mark.full  # 71 s of waiting, on two servers
def test_a_stop_on_purpose_that_takes_longer_than_the_limit_ends_nothing(
    labs: list[Lab], environment: dict[str, str], tmp_path: Path
) -> None:
    profiles = ProfileStore(tmp_path / "home" / "config" / "profiles.toml")
    control = shlex.quote(str(labs[0].slapd.control))
    slowly = f"{control} stop; sleep {LIMIT_S + 4}; {control} start"
    profiles.add(replace(profiles.get("ds1"), restart_command=shlex.join(["sh", "-c", slowly])))
    with written(labs[1]):
        asked = ("-o", tmp_path / "r.ldapwb", "--set", "nsslapd-threadnumber=8", "--window", "3")
        running = experiment(environment, *asked, "--design", "ab")
        try:
            told, said = running.communicate(timeout=200)
        finally:
            running.kill()
    assert running.returncode == 0, said
    assert '"state": "reverted"' in told, told


@pytest.mark.full
def test_a_replica_that_somebody_else_stops_ends_it(
    labs: list[Lab], environment: dict[str, str], tmp_path: Path
) -> None:
    before = scan_limit(labs[0])
    asked = ("-o", tmp_path / "s.ldapwb", "--set", f"{SCAN}={CHANGED}", "--window", "3")
    running = experiment(environment, *asked, "--design", "pairs:30")
    try:
        until(lambda: scan_limit(labs[0]) == CHANGED or running.poll() is not None)
        labs[1].stop_server()
        _, said = running.communicate(timeout=90)
    finally:
        running.kill()
        labs[1].start_server()
    said = " ".join(said.split())
    assert running.returncode == 1, said
    assert "How far ds2 is behind has not been known for" in said, said
    assert scan_limit(labs[0]) == before


@pytest.mark.full
def test_a_campaign_has_the_limit_in_each_of_its_experiments(
    labs: list[Lab], environment: dict[str, str], tmp_path: Path
) -> None:
    before = scan_limit(labs[0])
    with written(labs[1]):
        asked = ("-o", tmp_path / "c.ldapwb", "--set", f"{SCAN}={CHANGED}", "--window", "3")
        running = command(environment, "campaign", *asked, "--design", "pairs:30")
        try:
            until(lambda: scan_limit(labs[0]) == CHANGED or running.poll() is not None)
            assert running.poll() is None, running.communicate()
            switch(labs, "off")
            told, said = running.communicate(timeout=120)
        finally:
            running.kill()
            switch(labs, "on")
    assert running.returncode == 0, said
    (treatment,) = json.loads(told)["treatments"]
    assert treatment["fate"] == "aborted", told
    assert "behind the others" in told
    assert scan_limit(labs[0]) == before
