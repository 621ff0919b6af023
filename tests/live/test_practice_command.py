"""`ldap-workbench practice` from a user's seat: what it prints is what there is to do."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.practice.model.scenario import scenario_names
from tests.live.steps import workbench


@pytest.fixture
def practice(monkeypatch, tmp_path):
    """The lines of the command at work; the password it told is in the environment."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    argv = [sys.executable, "-m", "ldap_workbench", "practice", "rehash", "--speed", "20"]
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
    return [shlex.split(line)[1:] for line in lines if line.startswith("ldap-workbench ")]


def test_the_commands_it_prints_work_as_they_stand(practice, tmp_path):
    check, experiment = commands(practice)
    checked = workbench(*check)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    session = str(tmp_path / experiment[experiment.index("-o") + 1])
    experiment[experiment.index("-o") + 1] = session
    quick = ("--design", "ab", "--window", "10", "--settle", "0", "--then", "revert")
    done = workbench(*experiment, *quick)
    assert done.returncode == 0, done.stderr
    assert "nsslapd-enable-upgrade-hash: on → off" in done.stderr
    assert "p99" in done.stdout
    assert "reverted" in done.stdout


def test_it_says_how_long_the_experiment_takes(practice):
    """16 windows of 300 s with 20 s between them, at 20 and at 30 times the speed."""
    assert practice[-1] == (
        "The experiment takes about 4 min. With --speed 30 it takes 3 min. "
        "Ctrl-C ends the directory."
    )
    assert [profile.name for profile in ProfileStore().all()] == ["practice-rehash"]


def test_the_lessons_are_listed_with_their_titles():
    listed = dict(
        line.split(maxsplit=1) for line in workbench("practice", "--list").stdout.splitlines()
    )
    assert list(listed) == scenario_names()
    assert listed["rehash"] == "Password rehash on bind"
