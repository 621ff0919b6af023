"""Every command that takes a session, on every kind of hostile file: it says one thing and ends."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.main import get_command

from ldap_workbench.cli.app import app
from tests.hostile_sessions import AT_ONCE, LATER, REFUSED, build_good_session, make

WORDS = {
    "compare": ["--a", "1,2", "--b", "3,4"],
    "slowest": ["--lines", "3"],
    "report": ["-o", "{out}/r.html"],
    "export": ["{out}/all", "--csv", "--ldif"],
    "anonymise": ["-o", "{out}/copy.ldapwb"],
}
"""What a command needs after the file; every other takes the file alone."""
FINDS_NOTHING = ("stacks",)
"""Commands that refuse the good session, as it holds nothing for them."""
READS_LINES = ("frame", "log line")
"""Kinds of file whose harm only `slowest` meets, which shows lines of the log."""
MOST_BYTES = 3 << 30
MOST_SECONDS = 90.0


@functools.cache
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


LEFT = ("rows beyond the limit", "strings of many megabytes", "window with a giant name")
"""What costs most to make and to open is left for the full run; session/test_hostile opens it."""


def few_kinds(command):
    """Each kind is opened by one command, each way to be refused at once too."""
    others = [kind for kind in (*REFUSED, *LATER) if not kind.startswith((*READS_LINES, *LEFT))]
    lines = [kind for kind in LATER if kind.startswith(READS_LINES) and command == "slowest"]
    commands = commands_of_files()
    return [*others[commands.index(command) :: len(commands)], *lines, "good"]


def many_kinds(command):
    """The opening is one for all commands, so `windows` tries it with every kind; the others share
    them: what is refused at once once in all, of what is found later each has a third."""
    if command == "windows":
        return [*AT_ONCE, *LATER, "good"]
    others = [each for each in commands_of_files() if each != "windows"]
    number = others.index(command)
    shared = [*list(AT_ONCE)[number :: len(others)], *list(LATER)[number % 3 :: 3]]
    lines = [kind for kind in LATER if kind.startswith(READS_LINES) and command == "slowest"]
    return [*dict.fromkeys((*shared, *lines, "good"))]


@pytest.mark.parametrize(
    ("kinds_for", "least", "at_once", "later"),
    [
        (few_kinds, 4, (1, REFUSED), (1, {*LATER} - {*LEFT})),
        (many_kinds, 25, (2, AT_ONCE), (4, LATER)),
    ],
)
def test_every_command_opens_many_kinds_and_every_kind_is_opened(kinds_for, least, at_once, later):
    opened = {command: kinds_for(command) for command in commands_of_files()}
    assert {command for command, kinds in opened.items() if len(kinds) < least} == set()
    times = Counter(kind for kinds in opened.values() for kind in kinds)
    for often, kinds in (at_once, later):
        assert {kind for kind in kinds if times[kind] < often} == set()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The path of a kind of file, alone in a folder, made when it is asked for."""
    root = tmp_path_factory.mktemp("hostile")
    paths = {"good": build_good_session(root / "good.ldapwb")}

    def of(kind):
        if kind not in paths:
            paths[kind] = make(kind, paths["good"], root / f"{len(paths)}")
        return paths[kind]

    return of


def files_below(folder):
    return {str(each) for each in folder.rglob("*")}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("commands", "kinds_for"),
    [
        pytest.param(commands_of_files(), few_kinds, id="all"),
        *(
            pytest.param([each], many_kinds, id=each, marks=pytest.mark.full)
            for each in commands_of_files()
        ),
    ],
)
def test_a_hostile_session_is_one_clear_message(hostile, tmp_path, commands, kinds_for):
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    out.mkdir()
    wanted = [(command, kind) for command in commands for kind in kinds_for(command)]
    paths = {kind: str(hostile(kind)) for _, kind in wanted}
    root = hostile("good").parent
    before = files_below(root)
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home)}
    environment |= {name: str(home) for name in environment if name.startswith("XDG_")}
    words = [[command, paths[kind], *WORDS.get(command, ())] for command, kind in wanted]
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile_commands", str(out)],
        input="\n".join(map(json.dumps, words)),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=Path(__file__).parents[3],
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(wanted), done.stderr
    wrong = [
        f"{command}, {kind}: {why}"
        for (command, kind), each in zip(wanted, found, strict=True)
        if (why := complaint(command, kind, each))
    ]
    assert not wrong, "\n".join(wrong)
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
