"""Every command that takes a session, on every kind of hostile file: it says one thing and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.main import get_command

from ldap_workbench.cli.app import app
from tests.hostile_sessions import AT_ONCE, LATER, build_good_session, make

WORDS = {
    "compare": [["{file}", "--a", "1,2", "--b", "3,4"]],
    "slowest": [["{file}", "--lines", "3"]],
    "report": [["{file}", "-o", "{out}/r.html"]],
    "export": [["{file}", "{out}/all", "--csv", "--ldif"]],
    "anonymise": [["{file}", "-o", "{out}/copy.ldapwb"]],
}
"""What a command needs beside the file; every other takes the file alone."""
FINDS_NOTHING = ("stacks",)
"""Commands that refuse the good session, as it holds nothing for them."""
READS_LINES = ("frame", "log line")
"""Kinds of file whose harm only `slowest` meets, which shows lines of the log."""
MOST_BYTES = 3 << 30
MOST_SECONDS = 90.0


def commands_of_files():
    """Commands with a FILE argument, so that a new one is tried without a word here."""
    group = get_command(app)
    named = {name: group.get_command(None, name) for name in group.list_commands(None)}
    return sorted(
        name
        for name, command in named.items()
        if any(
            each.name in ("file", "files") and each.param_type_name == "argument"
            for each in command.params
        )
    )


def test_there_are_commands_of_files():
    assert {"windows", "tails", "report", "export", "findings"} <= set(commands_of_files())


SHORT, FULL = 12, 3
"""Each command but `windows` opens one in so many kinds of what is found later."""


def kinds_for(command, part):
    """The opening is one for all commands, so `windows` tries it with every kind; the others share
    them: what is refused at once once in all, of what is found later each has its part."""
    if command == "windows":
        return [*AT_ONCE, *LATER, "good"]
    others = [each for each in commands_of_files() if each != "windows"]
    number = others.index(command)
    shared = [*list(AT_ONCE)[number :: len(others)], *list(LATER)[number % part :: part]]
    lines = [kind for kind in LATER if kind.startswith(READS_LINES) and command == "slowest"]
    return [*dict.fromkeys((*shared, *lines, "good"))]


@pytest.mark.parametrize(("part", "least", "least_later"), [(SHORT, 8, 2), (FULL, 25, 4)])
def test_every_command_opens_many_kinds_and_every_kind_is_opened_often(part, least, least_later):
    opened = {command: kinds_for(command, part) for command in commands_of_files()}
    assert {command for command, kinds in opened.items() if len(kinds) < least} == set()
    times = Counter(kind for kinds in opened.values() for kind in kinds)
    assert {kind for kind in AT_ONCE if times[kind] < 2} == set()
    assert {kind for kind in LATER if times[kind] < least_later} == set()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder for each kind of file; what is wrong -> its path."""
    root = tmp_path_factory.mktemp("hostile")
    good = build_good_session(root / "good.ldapwb")
    kinds = enumerate({**AT_ONCE, **LATER})
    return {kind: make(kind, good, root / f"{n}") for n, kind in kinds} | {"good": good}


def files_below(folder):
    return {str(each) for each in folder.rglob("*")}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", [SHORT, pytest.param(FULL, marks=pytest.mark.full)])
@pytest.mark.parametrize("command", commands_of_files())
def test_a_hostile_session_is_one_clear_message(hostile, tmp_path, command, part):
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    root = hostile["good"].parent
    before = files_below(root)
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home)}
    environment |= {name: str(home) for name in environment if name.startswith("XDG_")}
    kinds = {str(hostile[kind]): kind for kind in kinds_for(command, part)}
    for number, words in enumerate(WORDS.get(command, [["{file}"]])):
        folder = out / str(number)
        folder.mkdir(parents=True)
        done = subprocess.run(
            [sys.executable, "-m", "tests.hostile_commands", str(folder), command, *words],
            input="\n".join(kinds),
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=Path(__file__).parents[3],
        )
        found = {kinds[each["path"]]: each for each in map(json.loads, done.stdout.splitlines())}
        assert sorted(found) == sorted(kinds.values()), done.stderr
        wrong = {
            kind: why for kind, each in found.items() if (why := complaint(command, kind, each))
        }
        assert not wrong, "\n".join(f"{kind}: {why}" for kind, why in wrong.items())
    assert files_below(root) == before
    crashed = [name for name in files_below(home) if "crash" in name]
    assert crashed == []
    assert not (home / ".duckdb").exists()


def complaint(command, kind, found):
    """What a command did that it must not; '' where all is well."""
    said, status = found["said"], found["status"]
    expected = {1, 2} if kind in AT_ONCE else {0, 1, 2}
    if kind == "good":
        expected = {1} if command in FINDS_NOTHING else {0}
    if status not in expected:
        return f"status {status}: {said[-500:]}"
    if any(sign in said for sign in ("Traceback", "\x1b[2J", "a bug of its own")):
        return said[-2000:]
    if status and sum(line.startswith("Error: ") for line in said.splitlines()) != 1:
        return f"not one message: {said[:500]}"
    if found["peak"] > MOST_BYTES or found["seconds"] > MOST_SECONDS:
        return f"{found['peak'] >> 20} MiB, {found['seconds']:.0f} s"
    return ""
