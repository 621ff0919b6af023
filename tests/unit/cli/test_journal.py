"""`revert` asks where only the URL says which server it is; `journal close` writes to none."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli import journal as commands
from ldap_workbench.cli.app import app
from ldap_workbench.experiment.history import history
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import ChangeError, UsageError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import CONFIG, FACTS, FakeTarget

HASH = "nsslapd-enable-upgrade-hash"
OFF = Treatment((Setting(HASH, "off"),))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    """A server that does not say who it is, reached by every profile."""
    target = FakeTarget()
    monkeypatch.setattr(commands, "connected_to_revert", lambda *_: nullcontext(target))
    return target


def change_on(target: FakeTarget) -> Change:
    """In force, and its workbench gone."""
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        return tuner.apply(OFF).changes[0]


def stored(change: Change) -> Change:
    with closing(Journal()) as journal:
        return journal.get(change.id)


def run(*words: str) -> object:
    return CliRunner().invoke(app, words).exception


@pytest.mark.parametrize("what", ["--all", "ID"])
def test_revert_of_what_only_the_url_names_needs_the_operators_word(
    target: FakeTarget, what: str
) -> None:
    change = change_on(target)
    words = ["revert", "fake", what if what == "--all" else str(change.id)]
    refused = run(*words)
    assert isinstance(refused, UsageError)
    assert "its identity is not known" in str(refused)
    assert stored(change).state is ChangeState.APPLIED
    assert target.directory.entries[CONFIG][HASH] == ("off",)
    assert run(*words, "--yes") is None
    assert stored(change).state is ChangeState.REVERTED
    assert target.directory.entries[CONFIG][HASH] == ("on",)


def test_revert_on_a_server_that_is_known_asks_nothing(target: FakeTarget) -> None:
    target.facts = replace(FACTS, identity="389ds:11")
    change = change_on(target)
    assert run("revert", "fake", "--all") is None
    assert stored(change).state is ChangeState.REVERTED


def test_close_writes_to_no_server_and_is_kept_in_journal_and_history(target: FakeTarget) -> None:
    target.facts = replace(FACTS, identity="389ds:11")
    change = change_on(target)
    written = list(target.directory.written)
    assert run("journal", "close", str(change.id), "--because", "its host was scrapped") is None
    closed = stored(change)
    assert closed.state is ChangeState.CLOSED
    assert not closed.state.open
    assert "its host was scrapped" in str(closed.message)
    assert target.directory.written == written
    (tried,) = history().tried
    assert (tried.state, tried.treatment, tried.identity) == (
        "closed",
        (f"{HASH}=off",),
        "389ds:11",
    )
    assert tried.because == "its host was scrapped"
    shown = CliRunner().invoke(app, ["history", "--json"]).stdout
    assert "its host was scrapped" in shown


@pytest.mark.parametrize("because", ["", "  "])
def test_close_wants_a_reason(target: FakeTarget, because: str) -> None:
    change = change_on(target)
    assert isinstance(run("journal", "close", str(change.id), "--because", because), UsageError)
    assert stored(change).state is ChangeState.APPLIED


def test_close_of_what_is_not_open_changes_nothing(target: FakeTarget) -> None:
    change = change_on(target)
    run("revert", "fake", "--all", "--yes")
    assert isinstance(run("journal", "close", str(change.id), "--because", "gone"), UsageError)
    assert stored(change).state is ChangeState.REVERTED


HOLD = """
import sys
from ldap_workbench.tuning.journal import Journal
Journal().lock(sys.argv[1]).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_close_is_refused_while_a_workbench_is_at_work_on_the_server(target: FakeTarget) -> None:
    change = change_on(target)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, change.server], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        refused = run("journal", "close", str(change.id), "--because", "gone")
        other.communicate()
    assert isinstance(refused, ChangeError)
    assert stored(change).state is ChangeState.APPLIED


@pytest.mark.parametrize("in_force", [True, False])
@pytest.mark.parametrize("what", ["--all", "ID"])
def test_revert_is_refused_while_the_run_of_the_change_is_alive(
    target: FakeTarget, what: str, in_force: bool
) -> None:
    """Also in a window of arm A, where nothing is open and the run makes its change again."""
    target.facts = replace(FACTS, identity="389ds:11")
    change = change_on(target)
    if not in_force:
        run("revert", "fake", "--all")
    state, written = stored(change).state, list(target.directory.written)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, change.server], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        refused = run("revert", "fake", what if what == "--all" else str(change.id))
        other.communicate()
    assert isinstance(refused, ChangeError)
    assert f"running on {change.server} (process {other.pid} since " in str(refused)
    assert f"on host {socket.gethostname()}" in str(refused)
    assert str(refused.safe) == "Nothing was changed."
    assert "Ctrl-C in its terminal" in str(refused.remedy)
    assert stored(change).state is state
    assert target.directory.written == written


@pytest.mark.parametrize("words", [("journal",), ("journal", "--json"), ("journal", "list")])
def test_journal_alone_lists(target: FakeTarget, words: tuple[str, ...]) -> None:
    change_on(target)
    assert HASH in CliRunner().invoke(app, words).stdout
