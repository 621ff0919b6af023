"""The manual page, from the command's own help: packaging/man.py.

packaging/man.py >ldap-workbench.1
packaging/man.py --markdown >docs/commands.md    the same as a page of the docs
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import typer

from ldap_workbench import __version__
from ldap_workbench.cli.app import app

NAME = "ldap-workbench"


@dataclass(frozen=True)
class Command:
    """One command as its help tells it; `parameters` are pairs of name and meaning."""

    usage: str
    about: str
    parameters: tuple[tuple[str, str], ...]


def commands() -> list[Command]:
    """Every command that can be run, in the order of the help."""
    root = typer.main.get_command(app)
    return list(_inside(root, typer.Context(root, info_name=NAME), NAME))


def _inside(group: Any, context: Any, path: str) -> Iterator[Command]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = type(context)(command, parent=context, info_name=name)
        if hasattr(command, "list_commands"):
            yield from _inside(command, inner, f"{path} {name}")
        elif not command.hidden:
            usage = " ".join([path, name, *command.collect_usage_pieces(inner)])
            yield Command(usage, command.help or "", tuple(_parameters(command, inner)))


def _parameters(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            yield record[0], record[1].replace("  ", " ")


def escaped(text: str) -> str:
    """Text as troff shows it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def manual() -> str:
    """The page for man."""
    day = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    lines = [
        f'.TH LDAP-WORKBENCH 1 "{day:%Y-%m-%d}" "ldap-workbench {__version__}" "User Commands"',
        f".SH NAME\n{escaped(NAME)} \\- "
        "measure, change and judge the tuning of an LDAP directory server",
        f".SH SYNOPSIS\n.B {escaped(NAME)}\n[\\fICOMMAND\\fR] [\\fIARGUMENT\\fR ...]",
        ".SH DESCRIPTION\nWithout a command the window opens. "
        "Everything the window does, the commands do.",
        ".SH COMMANDS",
    ]
    for command in commands():
        lines.append(f".SS {escaped(command.usage)}\n{escaped(command.about)}")
        lines += [
            f".TP\n.B {escaped(n)}\n{escaped(said) or '.br'}" for n, said in command.parameters
        ]
    lines.append(
        ".SH EXIT STATUS\n0 done, 1 failed, 2 usage.\n"
        ".SH FILES\n.TP\n.I *.ldapwb\n"
        "A session: windows, operations, experiments and verdicts in one file."
    )
    return "\n".join(lines)


def markdown() -> str:
    """The page for the docs."""
    lines = [
        "# Commands",
        "Without a command the window opens. Everything the window does, the commands do.",
        "Exit status: 0 done, 1 failed, 2 usage. With --exit-status, experiment, campaign, canary "
        "and compare end with [that of their verdict](verdict.md).",
    ]
    for command in commands():
        name, _, words = command.usage.removeprefix(f"{NAME} ").partition(" [OPTIONS]")
        lines += [f"## {name}", f"    {NAME} {name} [OPTIONS]{words}", command.about]
        rows = [
            f"| `{n.replace('|', chr(92) + '|')}` | {said.replace('|', chr(92) + '|')} |"
            for n, said in command.parameters
        ]
        if rows:
            lines.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    return "\n\n".join(lines)


if __name__ == "__main__":
    print(markdown() if "--markdown" in sys.argv else manual())
