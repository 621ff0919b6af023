"""No command that changes a server starts without a question or, without a terminal, `--yes`."""

import io
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import typer
import typer.main
from typer.core import TyperGroup

from ldap_workbench.cli import campaign, canary, experiment, server
from ldap_workbench.cli.app import app
from ldap_workbench.cli.link import Writer
from ldap_workbench.model.errors import ChangeError, UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))
USES_HOSTS = {"fleet import", "fleet findings", "fleet session"}
"""They log in to the hosts of a file, which is shown and agreed to before its first use."""
CHANGES_A_SERVER = {line.partition(" --")[0] for line in Writer} | {"replay run", "replay clean"}
"""test_writers.py holds this list; `revert` asks where the server's identity is not known."""


def commands_of(group: Any, prefix: str = "") -> dict[str, Any]:
    commands: dict[str, Any] = {}
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, TyperGroup):
            commands |= commands_of(command, f"{prefix}{name} ")
        elif not command.hidden:
            commands[prefix + name] = command
    return commands


def test_a_command_that_changes_a_server_can_be_agreed_to_and_no_other():
    commands = commands_of(typer.main.get_command(app))
    with_yes = {
        name
        for name, command in commands.items()
        if any("--yes" in option.opts for option in command.params)
    }
    assert with_yes == CHANGES_A_SERVER | USES_HOSTS


@pytest.mark.parametrize("alive", [False, True])
def test_an_open_change_is_reverted_only_where_its_run_is_gone(alive):
    """A run that is alive will close its changes itself: nobody is told to revert them."""

    @contextmanager
    def locked():
        if alive:
            raise ChangeError(Message("Another workbench is running on lab (process 7)."))
        yield

    tuner: Any = SimpleNamespace(open_changes=lambda: ["a change"], locked=locked)
    target: Any = SimpleNamespace(profile=SimpleNamespace(name="lab", test_server=False))
    with pytest.raises(ChangeError) as refused:
        experiment._refuse_while_open(target, tuner)
    assert ("Another workbench is running" in str(refused.value)) is alive
    assert ("revert lab --all" in str(refused.value.explanation)) is not alive


@pytest.fixture
def target(monkeypatch):
    """A server that is reached, and nobody at a terminal."""
    reached = SimpleNamespace(
        facts=SimpleNamespace(clock_rate=1.0),
        profile=SimpleNamespace(name="lab", test_server=False),
    )
    tuner = SimpleNamespace(
        catalogue=SimpleNamespace(
            treatment=lambda *_: TREATMENT, user_data_ahead=lambda _: NOTHING
        ),
        plan=lambda _: [],
        check_automated=lambda _: None,
        locked=nullcontext,
    )
    for module in (experiment, server):
        monkeypatch.setattr(module, "connected", lambda _: nullcontext(reached))
        monkeypatch.setattr(module, "opened_journal", nullcontext)
        monkeypatch.setattr(module, "Tuner", lambda *_: tuner)
    monkeypatch.setattr(server, "connected_to_capture", server.connected)
    monkeypatch.setattr(experiment, "_refuse_while_open", lambda *_: None)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    reached.tuner = tuner
    return reached


def refuse_to_run(*_, **__):
    raise AssertionError("it was started")


def run(*words: str) -> None:
    typer.main.get_command(app).main([*words], standalone_mode=False)


@pytest.mark.parametrize("then", ["", *Then])
def test_an_experiment_does_not_start_unasked(target, then, monkeypatch, tmp_path):
    monkeypatch.setattr(experiment, "_run", refuse_to_run)
    words = ["experiment", "lab", "-o", str(tmp_path / "e.ldapwb")]
    words += ["--set", "nsslapd-threadnumber=24", *(["--then", then] if then else [])]
    with pytest.raises(UsageError, match="The experiment was not started") as refused:
        run(*words)
    assert "--yes" in str(refused.value.remedy)


def test_a_treatment_that_cannot_be_made_is_refused_before_anything_is_announced(
    target, monkeypatch, tmp_path, capsys
):
    """Not after six pairs were announced and agreed to."""

    def refuse(_):
        raise ChangeError(Message("It cannot be set while the server runs."))

    target.tuner.check_automated = refuse
    monkeypatch.setattr(experiment, "_run", refuse_to_run)
    words = ["experiment", "lab", "-o", str(tmp_path / "e.ldapwb")]
    with pytest.raises(ChangeError, match="cannot be set while the server runs"):
        run(*words, "--set", "nsslapd-threadnumber=24", "--yes")
    assert capsys.readouterr() == ("", "")


def test_a_capture_that_changes_a_setting_does_not_start_unasked(target, monkeypatch, tmp_path):
    monkeypatch.setattr(server.CaptureJob, "run", refuse_to_run)
    with pytest.raises(UsageError, match="The capture was not started") as refused:
        run("capture", "lab", "-o", str(tmp_path / "c.ldapwb"), "--statistics")
    assert "--yes" in str(refused.value.remedy)


def test_a_capture_says_what_a_revert_will_leave(target, monkeypatch, tmp_path, capsys):
    said = Message("nsslapd-statlog-level: 0 → 1. It will be restored as 0, which is then stored.")
    tuner = SimpleNamespace(plan=lambda _: [SimpleNamespace(describe=lambda: said)])
    monkeypatch.setattr(server, "Tuner", lambda *_: tuner)
    with pytest.raises(UsageError, match="The capture was not started"):
        run("capture", "lab", "-o", str(tmp_path / "c.ldapwb"), "--statistics")
    assert str(said) in capsys.readouterr().err


def test_with_a_yes_it_starts(target, monkeypatch, tmp_path):
    """And a capture that changes nothing needs none."""
    monkeypatch.setattr(server.CaptureJob, "run", refuse_to_run)
    for words in (("--statistics", "--yes"), ()):
        with pytest.raises(AssertionError, match="it was started"):
            run("capture", "lab", "-o", str(tmp_path / "c.ldapwb"), *words)


@pytest.fixture
def unknown(monkeypatch):
    """A server that does not say who it is, and nobody at a terminal."""
    catalogue = SimpleNamespace(user_data_ahead=lambda _: NOTHING)
    tuner = SimpleNamespace(identity="", server="ldap://vip.example", catalogue=catalogue)
    begun = SimpleNamespace(plan=SimpleNamespace(candidates=[], trial=SimpleNamespace(guards={})))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    reached = SimpleNamespace(facts=SimpleNamespace(clock_rate=1.0))
    for name in ("connected", "opened_journal"):
        monkeypatch.setattr(campaign, name, lambda *_: nullcontext(reached))
    monkeypatch.setattr(campaign, "Tuner", lambda *_: tuner)
    monkeypatch.setattr(campaign, "resumable", lambda *_: begun)
    monkeypatch.setattr(campaign, "_agree", lambda *_, **__: None)
    monkeypatch.setattr(campaign, "_run", refuse_to_run)
    seat = SimpleNamespace(profile="lab")
    stored = SimpleNamespace(seats=[seat], plan=None)
    monkeypatch.setattr(canary, "resumable_canary", lambda *_: stored)
    monkeypatch.setattr(canary, "replicas", lambda *_, **__: nullcontext([(None, tuner)]))
    monkeypatch.setattr(canary, "refuse_other_servers", lambda *_: None)
    monkeypatch.setattr(canary, "describe_canary", lambda *_: [])
    monkeypatch.setattr(canary, "canary_restarts_ahead", lambda *_: NOTHING)
    monkeypatch.setattr(canary, "_agree", lambda *_, **__: None)
    monkeypatch.setattr(canary, "_run", refuse_to_run)


@pytest.mark.parametrize(
    "words", [("campaign", "lab", "--stop"), ("campaign", "lab", "--resume"),
              ("canary", "lab", "lab2", "--resume")]
)  # fmt: skip
def test_what_was_begun_goes_on_by_the_url_alone_only_where_somebody_says_so(
    unknown, words, tmp_path
):
    output = ("-o", str(tmp_path / "s.ldapwb"))
    with pytest.raises(UsageError, match="Only the URL says which server was changed"):
        run(*words, *output)
    with pytest.raises(AssertionError, match="it was started"):
        run(*words, *output, "--yes")
