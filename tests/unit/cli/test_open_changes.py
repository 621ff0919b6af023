"""Every command that reaches a server says what an earlier run left open on it."""

import subprocess
import sys
from contextlib import closing, nullcontext
from types import SimpleNamespace

import pytest
import typer.main

from ldap_workbench.cli import access_cost, link, profiles
from ldap_workbench.cli.app import app
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning.journal import Journal

SERVER = "ldap://ldap1.example.com"
KNOB = "nsslapd-threadnumber"


class WorkBegunError(Exception):
    """The command went on to its own work, which is not the matter here."""


def reached(*_, **__):
    raise WorkBegunError


@pytest.fixture
def open_change(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    ProfileStore().add(Profile("lab", SERVER, local=True))
    with closing(Journal()) as journal:
        group = journal.begin(SERVER, Treatment((Setting(KNOB, "8"),)), "20261121010000Z")
        journal.intend(
            group=group, server=SERVER, profile="lab", knob=KNOB, dn="cn=config", attribute=KNOB,
            before=["16"], asked=["8"],
        )  # fmt: skip
    target = SimpleNamespace(
        profile=ProfileStore().get("lab"), facts=None, directory=None, close=lambda: None
    )
    monkeypatch.setattr(link, "_connect", lambda *_: target)
    monkeypatch.setattr("ldap_workbench.cli.server.Tuner", reached)
    monkeypatch.setattr("ldap_workbench.cli.server.CaptureJob", reached)
    monkeypatch.setattr("ldap_workbench.cli.experiment.Tuner", reached)
    monkeypatch.setattr("ldap_workbench.cli.campaign.Tuner", reached)
    monkeypatch.setattr(profiles, "try_profile", lambda *_, **__: [])
    monkeypatch.setattr(profiles, "open_shell", reached)
    monkeypatch.setattr(access_cost, "open_directory", reached)
    return tmp_path


COMMANDS = (
    "knobs lab",
    "capture lab -o {folder}/c.ldapwb",
    "experiment lab -o {folder}/e.ldapwb --set nsslapd-threadnumber=24 --yes",
    "campaign lab -o {folder}/g.ldapwb --budget 1h --set nsslapd-threadnumber=24 --yes",
    "profile test lab",
    "profile network lab",
    "access-cost lab lab --base dc=example,dc=com",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_open_is_said(open_change, command, capsys):
    words = command.format(folder=open_change).split()
    with nullcontext() if words[:2] == ["profile", "test"] else pytest.raises(WorkBegunError):
        typer.main.get_command(app).main(words, standalone_mode=False)
    said = capsys.readouterr().err
    assert "open change(s) on lab:" in said
    assert f"{KNOB}: was 16, asked 8" in said
    assert "ldap-workbench revert lab --all" in said


def test_nobody_is_told_to_revert_what_a_run_that_is_alive_reverts_itself(open_change, capsys):
    code = (
        "import sys\nfrom ldap_workbench.tuning.journal import Journal\n"
        "Journal().lock(sys.argv[1]).acquire()\nprint('held', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        link.say_what_is_open(ProfileStore().get("lab"))
        other.communicate()
    said = capsys.readouterr().err
    assert f"process {other.pid}" in said
    assert "It reverts its own changes when it ends." in said
    assert "ldap-workbench revert" not in said
    link.say_what_is_open(ProfileStore().get("lab"))
    assert "ldap-workbench revert lab --all" in capsys.readouterr().err


def test_a_journal_that_cannot_be_read_is_named_and_stops_no_reading(open_change, capsys):
    (open_change / "state").mkdir(exist_ok=True)
    with closing(Journal(read_only=True)) as journal:
        path = journal.path
    for beside in path.parent.glob(f"{path.name}*"):
        beside.unlink()
    path.write_bytes(b"not a database, " * 100)
    link.say_what_is_open(ProfileStore().get("lab"))
    assert "cannot be used" in capsys.readouterr().err


def test_the_journal_names_the_profile_that_revert_wants(open_change, capsys):
    typer.main.get_command(app).main(["journal"], standalone_mode=False)
    heading, line = capsys.readouterr().out.splitlines()
    assert heading.split()[:4] == ["id", "state", "profile", "server"]
    assert "lab" in line.split()
