"""A campaign on the practice directory: the good stays and is confirmed, the rest is undone."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from tests.live.lab.lessons import lesson

GOOD, NOTHING = "nsslapd-enable-upgrade-hash=off", "nsslapd-maxthreadsperconn=6"


@pytest.fixture
def practice(tmp_path):
    with lesson("rehash", 20, tmp_path / "home") as taken:
        ProfileStore().add(taken.practice.profile)
        yield taken


def command(*words):
    return [sys.executable, "-m", "ldap_workbench", *map(str, words)]


def campaign(practice, output, pairs, *words):
    return command(
        "campaign", practice.practice.profile.name, "-o", output, "--primary", "p99",
        "--design", f"pairs:{pairs}", "--window", 10, "--settle", 1, "--budget", "1h",
        "--yes", "--json", "--seed", 5, *words,
    )  # fmt: skip


@pytest.mark.clock("each verdict is of a short experiment at twenty times the speed")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("rest", "pairs"),
    [
        ((), 7),
        # One that is undone takes as long once more: tests/unit/campaign has it in every run.
        pytest.param((NOTHING,), 8, marks=pytest.mark.full),
    ],
)
def test_it_keeps_what_helps_and_undoes_the_rest(practice, tmp_path, rest, pairs):
    before, output = practice.configuration(), tmp_path / "c.ldapwb"
    settings = [word for setting in (*rest, GOOD) for word in ("--set", setting)]
    words = campaign(practice, output, pairs, *settings)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    fates = [*("reverted" for _ in rest), "kept"]
    assert [each["fate"] for each in found["treatments"]] == fates, found
    assert found["kept"] is True, found
    assert found["confirmation"]["verdict"]["verdict"] == "better"
    assert found["confirmation"]["verdict"]["ratio"] == pytest.approx(0.27, rel=0.5)
    assert any(GOOD.replace("=", ": in force: ") in line for line in found["in_force"])
    assert output.exists()
    assert GOOD in (tmp_path / "c.md").read_text().replace("\\", "")
    tried = json.loads(subprocess.check_output(command("history", "--json")))["tried"]
    assert [(each["treatment"], each["state"]) for each in tried] == [
        *(([setting], "reverted") for setting in rest), ([GOOD], "kept"), ([GOOD], "kept"),
    ]  # fmt: skip
    change = found["confirmation"]["change"]
    name = practice.practice.profile.name
    subprocess.run(command("revert", name, change), check=True, capture_output=True)
    assert practice.configuration() == before
