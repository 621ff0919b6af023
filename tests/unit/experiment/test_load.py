"""The load command runs while its context lasts and is gone afterwards, with its children."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ldap_workbench.connect import secrets
from ldap_workbench.connect.children import Group
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.experiment.load import (
    Load,
    Replay,
    check_command,
    parse_replay,
    replay_endpoint,
)
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.errors import (
    AuthenticationError,
    ConnectError,
    ExperimentError,
    UsageError,
)
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.replay import child
from ldap_workbench.replay.endpoint import refuse_original
from ldap_workbench.replay.player import Pace
from ldap_workbench.replay.script import Script

BEATS = """
import sys, time
with open(sys.argv[1], "ab", buffering=0) as file:
    while True:
        file.write(b"x")
        time.sleep(0.02)
"""
TWO_BEATS = f"""
import subprocess, sys
BEATS = {BEATS!r}
two = [subprocess.Popen([sys.executable, "-c", BEATS, sys.argv[1]]) for _ in range(2)]
two[0].wait()
"""


def program(tmp_path, code, *words):
    """A command line that runs some Python."""
    (tmp_path / "program.py").write_text(code)
    return " ".join(f'"{word}"' for word in (sys.executable, tmp_path / "program.py", *words))


@pytest.mark.parametrize("code", [BEATS, TWO_BEATS])
def test_it_runs_and_is_ended_with_its_children(tmp_path, code):
    beats = tmp_path / "beats"
    with Load(program(tmp_path, code, beats), 60) as load:
        until(beats.exists)
        assert not load.ended_early
    assert is_still(beats)


@pytest.mark.posix("there is no signal that could be ignored")
def test_one_that_ignores_its_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("ldap_workbench.experiment.load._GRACE_S", 0.2)
    beats = tmp_path / "beats"
    beat = f"trap '' TERM; while :; do echo x >> {beats}; sleep 0.02; done"
    with Load(f'sh -c "{beat}"', 60):
        until(beats.exists)
    assert is_still(beats)


def test_a_load_that_ends_early_is_told(tmp_path):
    with Load(program(tmp_path, "raise SystemExit(3)"), 60) as load:
        until(lambda: load.ended_early)
        assert "status 3" in str(load.ended_early)


def test_seconds_are_filled_in(tmp_path):
    code = "import sys; open(sys.argv[2], 'w').write(sys.argv[1])"
    mark = tmp_path / "seconds"
    with Load(program(tmp_path, code, "{seconds}", mark), 42.4):
        until(lambda: mark.exists() and mark.read_text())
    assert mark.read_text() == "42"


def test_a_command_that_does_not_exist_is_an_error():
    with pytest.raises(ExperimentError, match="cannot be started"), Load("/nonexistent/load", 1):
        pass


def test_a_path_of_windows_keeps_its_backslashes_there(monkeypatch):
    replay = r'replay:"C:\load test\w.replay" --speed 2'
    monkeypatch.setattr(sys, "platform", "win32")
    assert parse_replay(replay) == Replay(Path(r"C:\load test\w.replay"), 2.0)
    monkeypatch.setattr(sys, "platform", "linux")
    assert parse_replay(r"replay:a\ b") == Replay(Path("a b"))


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


def test_it_dies_with_a_workbench_that_is_killed(tmp_path):
    """The children of a wrapper, too: what loads the server is often one."""
    beats = tmp_path / "beats"
    argv = [sys.executable, "-c", STARTS_A_LOAD, program(tmp_path, TWO_BEATS, beats)]
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


TELLS = """
import json, os, sys
with open(sys.argv[1] + ".draft", "w") as file:
    json.dump([sys.argv[2:], dict(os.environ)], file)
os.replace(sys.argv[1] + ".draft", sys.argv[1])
"""


def test_it_gets_no_password_but_those_it_names(secret, monkeypatch, tmp_path):
    monkeypatch.setenv("OTHER_TOKEN", "t0ken")
    mark = tmp_path / "told"
    with Load(program(tmp_path, TELLS, mark, "pw={password:LDAP_PW}"), 1):
        until(mark.exists)
    words, environ = json.loads(mark.read_text())
    assert words == ["pw=hunter2"], "it is looked up at the start"
    assert "PATH" in environ
    assert {"LDAP_PW", "OTHER_TOKEN"}.isdisjoint(environ)
    assert {"hunter2", "t0ken"}.isdisjoint(environ.values())


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


@pytest.mark.parametrize(
    ("command", "replay"),
    [
        ("", None),
        ("ldclt -h a", None),
        ("replay:w.bin", Replay(Path("w.bin"))),
        ("replay:w --speed 0.5", Replay(Path("w"), speed=0.5)),
        ("replay:w --speed 0.01", Replay(Path("w"), speed=0.01)),
        ("replay:w --speed 100", Replay(Path("w"), speed=100.0)),
        ("replay:w --this-is-production", Replay(Path("w"), onto_original=True)),
        (
            "replay:w --this-is-production --speed 2",
            Replay(Path("w"), speed=2.0, onto_original=True),
        ),
    ],
)
def test_a_replay_is_read_with_its_options(command, replay):
    assert parse_replay(command) == replay


@pytest.mark.parametrize("speed", ["0.009", "100.1", "-1", "nan"])
def test_a_speed_has_ends(speed):
    with pytest.raises(UsageError, match="'--speed' is not an option"):
        parse_replay(f"replay:w --speed {speed}")


def test_a_load_that_cannot_be_read_or_holds_a_password_says_what_to_do():
    with pytest.raises(UsageError) as caught:
        check_command("sh -c 'x")
    assert str(caught.value.remedy) == "Close its quotes, as for a shell."
    with pytest.raises(UsageError) as caught:
        check_command("ldclt -w hunter2")
    assert "Write {password:NAME} instead" in str(caught.value.remedy)
    for command in ("", "ldclt -h a"):
        check_command(command)


@pytest.fixture
def original(monkeypatch):
    """A replay whose file is of this server; which servers were compared."""
    compared = []
    monkeypatch.setattr("ldap_workbench.replay.script.read_script", lambda path: f"read {path}")
    monkeypatch.setattr(
        "ldap_workbench.replay.endpoint.refuse_original", lambda *two: compared.append(two)
    )
    monkeypatch.setattr("ldap_workbench.replay.endpoint.endpoint_of", lambda target: f"to {target}")
    return compared


def test_a_replay_goes_to_the_target_once_it_is_known_to_be_another_server(original):
    assert replay_endpoint("bench", "a") is None
    assert replay_endpoint("replay:w", "a") == "to a"
    assert original == [("read w", "a")]


def test_whoever_says_so_replays_onto_the_original(original):
    assert replay_endpoint("replay:w --this-is-production", "a") == "to a"
    assert original == []


class Shell:
    """A host on which a load runs until it is cancelled, ends by itself, or cannot be started."""

    def __init__(self, result=None):
        self.result = result
        self.argv = None
        self.started, self.cancelled = threading.Event(), False

    def stream(self, argv, on_bytes, *, cancel):
        self.argv = argv
        self.started.set()
        if isinstance(self.result, Exception):
            raise self.result
        if self.result is None:
            cancel.wait(60)
            self.cancelled = bool(cancel)
            return CommandResult(-15, b"", b"")
        return self.result


def test_a_load_on_the_host_runs_until_the_context_ends():
    shell = Shell()
    with Load("bench --for {seconds}", 41.6, shell) as load:
        assert shell.started.wait(60)
        assert not load.ended_early
    assert shell.argv == ["bench", "--for", "42"]
    assert shell.cancelled
    assert not load.ended_early, "it ended because we said so"
    assert "load" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (CommandResult(7, b"", b""), "the load command ended with status 7"),
        (CommandResult(0, b"", b""), "the load command ended with status 0"),
        (ConnectError(Message("The host is gone.")), "The host is gone."),
    ],
)
def test_a_load_on_the_host_that_ends_early_is_told(result, why):
    with Load("bench", 60, Shell(result)) as load:
        until(lambda: load.ended_early)
        assert str(load.ended_early) == why


@pytest.fixture
def replayed(monkeypatch):
    """What is started for a replay: a command that ends when its input does, with a status."""
    started = []

    def start(script, endpoint, pace, *, quiet):
        started.append((script, endpoint, pace, quiet))
        code = f"import sys; sys.stdin.read(); sys.exit({int(endpoint)})"
        group = Group([sys.executable, "-c", code], reads_input=True)
        if int(endpoint):
            group.process.stdin.close()
        return group

    monkeypatch.setattr(child, "start", start)
    return started


def test_a_replay_is_played_at_its_speed_for_the_seconds_and_ended(replayed):
    with Load("replay:w --speed 2", 30, endpoint="0") as load:
        assert not load.ended_early
    ((script, _, pace, quiet),) = replayed
    assert (script, pace, quiet) == (Path("w"), Pace(30, 2.0, strict=True), True)
    assert load.ended_early, "it is gone"


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (3, "the replay ended with status 3"),
        (child.FAULTY, "the replay fell behind, or the answers were not those of the capture"),
    ],
)
def test_a_replay_that_ends_early_says_why(replayed, status, why):
    with Load("replay:w", 30, endpoint=str(status)) as load:
        until(lambda: load.ended_early)
        assert str(load.ended_early).startswith(why)
