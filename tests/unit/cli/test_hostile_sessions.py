"""Every command that takes a session, on every kind of hostile file: it says one thing and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
}
"""What a command needs beside the file; every other takes the file alone."""
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
            each.name == "file" and each.param_type_name == "argument" for each in command.params
        )
    )


def test_there_are_commands_of_files():
    assert {"windows", "tails", "report", "export", "findings"} <= set(commands_of_files())


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
@pytest.mark.parametrize("command", commands_of_files())
def test_a_hostile_session_is_one_clear_message(hostile, tmp_path, command):
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    root = hostile["good"].parent
    before = files_below(root)
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home)}
    environment |= {name: str(home) for name in environment if name.startswith("XDG_")}
    kinds = {str(path): kind for kind, path in hostile.items()}
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
        assert found.keys() == hostile.keys(), done.stderr
        wrong = {kind: why for kind, each in found.items() if (why := complaint(kind, each))}
        assert not wrong, "\n".join(f"{kind}: {why}" for kind, why in wrong.items())
    assert files_below(root) == before
    crashed = [name for name in files_below(home) if "crash" in name]
    assert crashed == []
    assert not (home / ".duckdb").exists()


def complaint(kind, found):
    """What a command did that it must not; '' where all is well."""
    said, status = found["said"], found["status"]
    refused = {1, 2} if kind in AT_ONCE else {0} if kind == "good" else {0, 1, 2}
    if status not in refused:
        return f"status {status}: {said[-500:]}"
    if "Traceback" in said or "\x1b[2J" in said or "crash report" in said.lower():
        return said[-2000:]
    if status and sum(line.startswith("Error: ") for line in said.splitlines()) != 1:
        return f"not one message: {said[:500]}"
    if found["peak"] > MOST_BYTES or found["seconds"] > MOST_SECONDS:
        return f"{found['peak'] >> 20} MiB, {found['seconds']:.0f} s"
    return ""
