"""The load command runs while its context lasts and is gone afterwards, with its children."""

import os
import subprocess
import sys
import time

import pytest

from ldap_workbench.experiment.load import Load
from ldap_workbench.model.errors import ExperimentError


def test_it_runs_and_is_ended(tmp_path):
    mark = tmp_path / "beats"
    script = f"sh -c 'while :; do echo x >> {mark}; sleep 0.02; done'"
    with Load(script, 60) as load:
        deadline = time.monotonic() + 5
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert load.ended_early == ""
    size = mark.stat().st_size
    time.sleep(0.1)
    assert mark.stat().st_size == size


def test_a_load_that_ends_early_is_told():
    with Load("sh -c 'exit 3'", 60) as load:
        deadline = time.monotonic() + 5
        while not load.ended_early and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "status 3" in load.ended_early


def test_seconds_are_filled_in(tmp_path):
    mark = tmp_path / "seconds"
    with Load(f"sh -c 'echo {{seconds}} > {mark}; sleep 9'", 42.4):
        deadline = time.monotonic() + 5
        while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert mark.read_text() == "42\n"


def test_a_command_that_does_not_exist_is_an_error():
    with pytest.raises(ExperimentError, match="cannot be started"), Load("/nonexistent/load", 1):
        pass


def test_no_command_is_no_load():
    with Load("", 1) as load:
        assert load.ended_early == ""


STARTS_A_LOAD = """
import sys, time
from ldap_workbench.experiment.load import Load
with Load(sys.argv[1], 60):
    print("started", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="there it ends with the context only")
def test_it_dies_with_a_workbench_that_is_killed(tmp_path):
    """The children of a wrapper, too: what loads the server is often one."""
    beats = tmp_path / "beats"
    beat = f"while :; do echo x >> {beats}; sleep 0.02; done"
    wrapper = f'sh -c "({beat}) & ({beat}); wait"'
    argv = [sys.executable, "-c", STARTS_A_LOAD, wrapper]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        until(lambda: beats.exists())
        process.kill()
    until(lambda: is_still(beats))


def until(true, seconds=15):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_still(path):
    size = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size == size
