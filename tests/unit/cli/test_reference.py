"""The page of all commands is what the commands say, and what other pages write can be typed."""

import re
import runpy
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from ldap_workbench.cli.app import app

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
WRITTEN = [path for path in sorted(DOCS.rglob("*.md")) if path.name != "commands.md"]
PAGES = (ROOT / "README.md", *WRITTEN)
_CALL = re.compile(r"^(?:    |> ?)?(?:[\w=./'\"-]+ )*?(?:\.venv/bin/)?ldap-workbench(?= |$)(.*)$")


def test_the_page_is_what_the_commands_say():
    """Write it with `.venv/bin/python packaging/man.py --markdown >docs/commands.md`."""
    page = runpy.run_path(str(ROOT / "packaging" / "man.py"))["markdown"]()
    assert (DOCS / "commands.md").read_text(encoding="utf-8") == page + "\n"


def calls_of(path: Path) -> list[str]:
    """Every command line of a page's blocks of code, continued lines joined."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.startswith("    ")]
    return [match[1].partition(" #")[0] for line in lines if (match := _CALL.match(line))]


def commands_of(words: list[str]):
    """The commands that a line names (a|b|c is each of them), and the words behind the name."""
    group, context = typer.main.get_command(app), None
    while words and not words[0].startswith("-"):
        context = typer.Context(group)
        children = [group.get_command(context, name) for name in words[0].split("|")]
        assert None not in children, f"no such command: {words[0]}"
        words = words[1:]
        if len(children) > 1 or not isinstance(children[0], TyperGroup):
            return children, words
        (group,) = children
    return [group], words


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_a_page_can_be_typed(path):
    for call in calls_of(path):
        commands, words = commands_of(shlex.split(call.replace("...", "")))
        for command in commands:
            known = {name for option in command.params for name in option.opts} | {"--help"}
            asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            assert asked <= known, f"{path.name}: {call}"


_PAGES = ("guide", "other-tools", "engines", "tutorial", "security")
FOR_USERS = ("README.md", *(f"docs/{name}.md" for name in _PAGES))
OTHERS = {"--accessLogFile"}
"""Options of other programs that these pages name."""


def known_options(group, parent=None):
    context = typer.Context(group, parent=parent)
    for command in (group.get_command(context, name) for name in group.list_commands(context)):
        yield from (name for option in command.params for name in option.opts)
        if isinstance(command, TyperGroup):
            yield from known_options(command, context)


@pytest.mark.parametrize("page", FOR_USERS)
def test_every_option_a_page_speaks_of_is_one_of_a_command(page):
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.M | re.S)
    spoken = re.findall(r"(?<![\w-])--[a-z][\w-]*", " ".join(re.findall(r"`([^`]+)`", text)))
    assert spoken
    known = {*known_options(typer.main.get_command(app)), "--help", "--version"}
    assert {*spoken} - known <= OTHERS


def test_pages_name_commands():
    assert sum(len(calls_of(path)) for path in PAGES) > 60
