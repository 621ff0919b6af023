"""A canary on two real 389 DS that replicate to each other: restarts, and the end of a harmful one.

It takes minutes: LDAP_WORKBENCH_LARGE=1 tests/run tests/live/campaign/test_canary.py
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import subprocess
import sys
import threading

import ldap3
import pytest

from tests.live.lab.replication import replicating, settled, switch, written
from tests.live.lab.steps import until
from tests.live.lab.users import SUFFIX

pytestmark = [
    pytest.mark.clock("what a change does is measured in windows of seconds"),
    pytest.mark.full,
    pytest.mark.skipif(not os.environ.get("LDAP_WORKBENCH_LARGE"), reason="takes minutes"),
    pytest.mark.timeout(1200),
]
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
LOAD = shlex.join(
    [
        "ldclt", "-h", "{host}", "-p", "{port}", "-n", "2", "-N", "1000", "-q", "-b",
        f"ou=people,{SUFFIX}", "-e", "esearch,random", "-r", "0", "-R", "9",
        "-f", "mail=user0001X*",
    ]
)  # fmt: skip
BY_ITSELF = (
    *("nsds5replicachangessentsincestartup", "nsds5replicaupdateinprogress"),
    *("nsds50ruv", "nsruvreplicalastmodified"),
)
"""What a server that replicates counts, and up to which change it has come."""
MEASURED = ("--settle", "1", "--primary", "p50", "--seed", "7", "--yes", "--json")


@pytest.fixture(scope="module")
def replicas(tmp_path_factory):
    """Two suppliers whose ID list scan limit lets a search by the beginning of a mail address use
    its index, and the environment of a command."""
    with replicating(2, 2000) as labs:
        for lab in labs:
            link = lab.slapd.link()
            link.modify(LDBM, {"nsslapd-idlistscanlimit": [(ldap3.MODIFY_REPLACE, ["4000"])]})
            assert link.result["description"] == "success", link.result
            link.unbind()
        yield labs, os.environ | settled(labs, tmp_path_factory.mktemp("home"))


def configured(labs):
    return [lab.ldif_of_config().splitlines() for lab in labs]


def changes(before, labs):
    """Lines of cn=config that came or went, of all servers."""
    return [
        line
        for old, new in zip(before, configured(labs), strict=True)
        for line in difflib.ndiff(old, new)
        if line[0] in "+-" and not line[2:].startswith(BY_ITSELF)
    ]


def command(environment, *words):
    """What it prints as JSON, and what it says beside it."""
    whole = [sys.executable, "-m", "ldap_workbench", *map(str, words)]
    done = subprocess.run(whole, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout), done.stderr


def canary(replicas, output, *words, window="4"):
    labs, environment = replicas
    before = configured(labs)
    said = command(
        environment, "canary", "ds1", "ds2", "-o", output, "--window", window, "--load", LOAD,
        "--then", "revert", *MEASURED, *words,
    )  # fmt: skip
    assert changes(before, labs) == []
    return said


def starts(labs):
    """How often each server has started."""
    logs = [(lab.slapd.logs / "errors").read_text() for lab in labs]
    return [log.count("slapd started.") for log in logs]


def test_a_knob_that_waits_for_a_restart_restarts_every_replica_before_every_window(
    replicas, tmp_path
):
    labs, _ = replicas
    for lab in labs:
        lab.restart()  # what a first restart writes anew is no change of ours
    before = starts(labs)
    found, said = canary(
        replicas, tmp_path / "r.ldapwb", "--set", "nsslapd-threadnumber=8", "--blocks", "6",
        window="3",
    )  # fmt: skip
    assert "restart" in said
    assert (found["outcome"], found["windows"]) == ("reverted", 12)
    assert len(found["in_force"]) == 2
    assert found["verdict"]["primary"]["n_pairs"] == 6
    for began, ended in zip(before, starts(labs), strict=True):
        assert 12 <= ended - began <= 14


def test_a_canary_that_does_harm_is_ended_before_its_last_block(replicas, tmp_path):
    found, said = canary(
        replicas, tmp_path / "h.ldapwb", "--set", "nsslapd-idlistscanlimit=100", "--blocks", "12",
        window="6",
    )  # fmt: skip
    assert "the canary was worse than its controls" in said
    assert found["outcome"] == "reverted"
    assert found["windows"] < 24
    assert found["windows"] % 2 == 0
    assert found["verdict"]["primary"]["verdict"] == "suggests worse"


def test_a_campaign_says_beforehand_what_it_can_find_by_a_baseline(replicas, tmp_path):
    labs, environment = replicas
    lab, *_ = labs
    before = configured(labs)
    load = LOAD.format(host="127.0.0.1", port=lab.slapd.port)
    measured = ("--design", "pairs:6", "--window", "4", "--load", load, *MEASURED)
    floor = tmp_path / "floor.ldapwb"
    command(environment, "experiment", "ds1", "-o", floor, "--noise-floor", *measured)
    found, said = command(
        environment, "campaign", "ds1", "-o", tmp_path / "c.ldapwb", "--baseline", floor,
        "--set", "nsslapd-maxthreadsperconn=6", "--budget", "1h", *measured,
    )  # fmt: skip
    assert "Each is tested at p ≤ 0.05 or more." in said
    assert [each["fate"] for each in found["treatments"]] == ["reverted"]
    assert found["kept"] is False
    assert changes(before, labs) == []


INDEX, PROBED = "index.description@userRoot=eq", "description"


def index_entries(labs):
    """How many servers have the index in their configuration."""
    place = f"cn={PROBED},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    have = 0
    for lab in labs:
        link = lab.slapd.link()
        have += link.search(place, "(objectClass=*)", ldap3.BASE)
        link.unbind()
    return have


def test_an_index_is_built_on_one_replica_after_the_other_and_leaves_none(replicas, tmp_path):
    labs, _ = replicas
    seen, over = [], threading.Event()

    def look():
        while not over.wait(0.2):
            seen.append(index_entries(labs))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        found, said = canary(
            replicas, tmp_path / "i.ldapwb", "--set", INDEX, "--blocks", "6", "--max-lag", "20",
        )  # fmt: skip
    finally:
        over.set()
        watcher.join()
    assert found["outcome"] == "reverted", said
    assert set(seen) == {0, 1}, "never two at a time"
    assert index_entries(labs) == 0
    assert not list(labs[0].folder.rglob(f"{PROBED}.db"))


def test_a_canary_ends_where_replication_is_held_up(replicas, tmp_path):
    labs, environment = replicas
    before = configured(labs)
    words = [
        sys.executable, "-m", "ldap_workbench", "canary", "ds1", "ds2", "-o", tmp_path / "l.ldapwb",
        "--set", INDEX, "--blocks", "30", "--window", "4", "--max-lag", "5", "--then", "revert",
        *MEASURED,
    ]  # fmt: skip
    running = subprocess.Popen(
        [*map(str, words)], env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        with written(labs[1]):
            until(lambda: index_entries(labs) or running.poll() is not None)
            switch(labs, "off")
            _, said = running.communicate(timeout=120)
    finally:
        running.kill()
        switch(labs, "on")
    assert running.returncode == 1, said
    assert "s behind the others" in " ".join(said.split()), said
    assert index_entries(labs) == 0
    assert changes(before, labs) == []
