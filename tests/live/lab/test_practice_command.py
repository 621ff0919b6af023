"""`ldap-workbench practice` from a user's seat: what it prints is what there is to do."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from tests.live.lab.steps import workbench


@pytest.fixture
def practice(monkeypatch, tmp_path):
    """The lines of the command at work; the password it told is in the environment."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    argv = [sys.executable, "-m", "ldap_workbench", "practice", "rehash", "--speed", "10"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if "Ctrl-C" in line:
                break
        for line in lines:
            if line.startswith("export "):
                name, _, value = shlex.split(line)[1].partition("=")
                monkeypatch.setenv(name, value)
        yield lines
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert ProfileStore().all() == []


def commands(lines):
    found = (line.strip().partition("ldap-workbench ") for line in lines)
    return [shlex.split(words) for _, mark, words in found if mark]


@pytest.mark.clock("the lesson is solved by the verdict of a short experiment")
def test_the_commands_it_prints_work_as_they_stand(practice, tmp_path):
    """Those to begin with, then the one of the last hint; together they solve the lesson."""
    test, capture, findings, _, _ = commands(practice)
    answer = commands(workbench("practice", "rehash", "--hint", "4").stdout.splitlines())
    quick = ("--design", "pairs:8", "--window", "10", "--settle", "0", "--primary", "BIND:p50")
    for words in (
        test,
        [*capture, "--seconds", "10"],
        findings,
        [*answer[0], *quick, "--then", "revert", "--yes"],
    ):
        done = workbench(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "nsslapd-enable-upgrade-hash: on → off" in done.stderr
    assert "reverted" in done.stdout
    checked = workbench("practice", "rehash", "--check", "rehash-experiment.ldapwb", cwd=tmp_path)
    assert checked.stdout.splitlines()[-1] == "The lesson is solved."


def test_it_begins_with_the_complaint_and_keeps_the_answer(practice):
    whole = " ".join(practice)
    assert str(load_scenario("rehash").about) in whole
    assert "nsslapd-enable-upgrade-hash" not in whole
    assert [profile.name for profile in ProfileStore().all()] == ["practice-rehash"]


def test_the_lessons_are_listed_with_their_titles():
    listed = dict(
        line.split(maxsplit=1) for line in workbench("practice", "--list").stdout.splitlines()
    )
    assert list(listed) == list(scenario_names())
    assert listed["rehash"] == "Logins are slow since the upgrade"
