"""The load command runs while its context lasts and is gone afterwards, with its children."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ldap_workbench.connect import secrets
from ldap_workbench.experiment import make_plan
from ldap_workbench.experiment.load import Load
from ldap_workbench.model.errors import AuthenticationError, ExperimentError, UsageError
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Treatment
from ldap_workbench.replay import Script, refuse_original


def test_it_runs_and_is_ended(tmp_path):
    mark = tmp_path / "beats"
    script = f"sh -c 'while :; do echo x >> {mark}; sleep 0.02; done'"
    with Load(script, 60) as load:
        until(mark.exists)
        assert not load.ended_early
    size = mark.stat().st_size
    time.sleep(0.1)
    assert mark.stat().st_size == size


def test_a_load_that_ends_early_is_told():
    with Load("sh -c 'exit 3'", 60) as load:
        until(lambda: load.ended_early)
        assert "status 3" in str(load.ended_early)


def test_seconds_are_filled_in(tmp_path):
    mark = tmp_path / "seconds"
    with Load(f"sh -c 'echo {{seconds}} > {mark}; sleep 90'", 42.4):
        until(lambda: mark.exists() and mark.read_text())
    assert mark.read_text() == "42\n"


def test_a_command_that_does_not_exist_is_an_error():
    with pytest.raises(ExperimentError, match="cannot be started"), Load("/nonexistent/load", 1):
        pass


def test_no_command_is_no_load():
    with Load("", 1) as load:
        assert not load.ended_early


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


def until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_still(path):
    size = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size == size


@pytest.fixture
def secret(monkeypatch):
    """The password of the bind, as the profile's variable holds it."""
    monkeypatch.setenv("LDAP_PW", "hunter2")
    return "hunter2"


def child_of(load):
    """/proc of the command itself, once it runs."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if b"sleep\x0042.5" in (process / "cmdline").read_bytes():
                    return process
            except OSError:
                continue
    raise AssertionError("it never ran")


def test_it_gets_no_password_but_those_it_names(secret, monkeypatch):
    monkeypatch.setenv("OTHER_TOKEN", "t0ken")
    with Load("sh -c 'sleep 42.5 & wait' {password:LDAP_PW}", 1) as load:
        process = child_of(load)
        environ = (process / "environ").read_bytes()
        assert b"PATH=" in environ
        assert b"hunter2" not in environ
        assert b"t0ken" not in environ


def test_a_named_password_is_looked_up_at_the_start(secret, tmp_path):
    mark = tmp_path / "argv"
    with Load(f"sh -c 'echo \"$1\" > {mark}; sleep 90' sh 'pw={{password:LDAP_PW}}'", 1):
        until(lambda: mark.exists() and mark.read_text())
    assert mark.read_text() == "pw=hunter2\n"


def test_a_password_that_is_nowhere_is_an_error(monkeypatch):
    monkeypatch.setattr(secrets, "_from_keyring", lambda name: None)
    with pytest.raises(AuthenticationError, match="no password 'NOWHERE'"):
        Load("true {password:NOWHERE}", 1)


def test_the_keyring_knows_it_as_well(monkeypatch):
    monkeypatch.setattr(secrets, "_from_keyring", {"LAB": "ring"}.get)
    assert secrets.named_password("LAB") == "ring"


@pytest.mark.parametrize("command", ["ldclt -w hunter2", "sh -c 'x", "run --password=x"])
def test_a_plan_takes_no_password_and_no_open_quote(command):
    with pytest.raises(UsageError, match="load command"):
        make_plan(Treatment(()), Design("ab", 1), window_s=1, seed=1, load=command)


def test_a_plan_keeps_the_name_alone(secret):
    load = "ldclt -w {password:LDAP_PW}"
    plan = make_plan(Treatment(()), Design("ab", 1), window_s=1, seed=1, load=load)
    assert plan.load == load


@pytest.mark.parametrize(
    "load", ["replay:w --faster", "replay:w --speed", "replay:w --speed 0", "replay:w --speed many"]
)
def test_a_replay_with_options_of_no_replay_is_refused_before_the_start(load):
    with pytest.raises(UsageError, match="not an option of a replay"):
        make_plan(Treatment(()), Design("pairs", 6), window_s=5, seed=1, load=load)


def test_a_replay_onto_the_server_of_its_capture_is_refused():
    script = Script(10**9, "ldap1", "of ldap1", ())
    with pytest.raises(UsageError, match="captured from this server"):
        refuse_original(script, SimpleNamespace(facts=SimpleNamespace(identity="of ldap1")))
    refuse_original(script, SimpleNamespace(facts=SimpleNamespace(identity="of a test server")))
