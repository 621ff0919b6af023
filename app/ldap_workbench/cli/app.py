"""The command `ldap-workbench` and its errors."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ldap_workbench import __version__
from ldap_workbench.cli import COMPLETION
from ldap_workbench.cli.alone import open_window
from ldap_workbench.cli.console import never_stumble, say
from ldap_workbench.cli.faults import DONE, FAILED, USAGE, ended
from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.model.message import Message, count_of, verbatim

_COMMANDS = {
    "profile": "profiles:commands",
    "capture": "server:capture",
    "import": "importing:import_",
    "knobs": "server:knobs",
    "experiment": "experiment:experiment",
    "campaign": "campaign:campaign",
    "canary": "canary:canary",
    "history": "campaign:history",
    "journal": "journal:commands",
    "revert": "journal:revert",
    "windows": "sessions:windows",
    "tails": "sessions:tails",
    "stacks": "stacks:stacks",
    "slowest": "operations:slowest",
    "why": "operations:why",
    "groups": "operations:groups",
    "compare": "compare:compare",
    "replay": "replay:commands",
    "fleet": "fleet:commands",
    "report": "sessions:report",
    "export": "sessions:export",
    "anonymise": "sessions:anonymise",
    "account": "account:account",
    "clients": "account:clients",
    "access-cost": "access_cost:access_cost",
    "findings": "findings:findings",
    "stalls": "findings:stalls",
    "waiting": "account:waiting",
    "settings": "findings:settings",
    "practice": "practice:practice",
    "demo": "demo:demo",
}


class _Commands(TyperGroup):
    """The commands, each loaded when it is asked for: start-up is a person's wait."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(f"ldap_workbench.cli.{module}"), name)
        _loaded()
        alone = typer.Typer(add_completion=False)
        alone.callback()(lambda: None)  # with it, one command is a group of one
        if isinstance(command, typer.Typer):
            alone.add_typer(command, name=cmd_name)
        else:
            alone.command(cmd_name)(command)
        return typer.main.get_group(alone).commands[cmd_name]


app = typer.Typer(
    name="ldap-workbench",
    cls=_Commands,
    help="Measure, change and judge the tuning of an LDAP directory server.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Without a command the window opens."""
    if version:
        say(f"ldap-workbench {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(open_window([]))


@app.command("open")
def open_(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Sessions or raw logs.")
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="A session recorded on a real server, to look at.")
    ] = False,
    smoke: Annotated[bool, typer.Option("--smoke", hidden=True)] = False,
) -> None:
    """Open the window, with sessions or raw logs."""
    _check_there(paths or [])
    chosen = [_sample(), *(paths or [])] if sample else paths or []
    raise typer.Exit(open_window([str(path) for path in chosen], smoke=smoke))


def _check_there(paths: Sequence[Path]) -> None:
    """Before a window hears of them: one that is open already could not tell this command."""
    missing = tuple(str(path) for path in paths if not path.exists())
    if missing:
        raise SessionError(
            count_of(
                "There is no file {paths:list}.",
                "There are no files {paths:list}.",
                n=len(missing),
                paths=missing,
            ),
            safe=Message("Nothing was opened."),
            remedy=Message("Check the path, then try again."),
        )


def _sample() -> Path:
    from ldap_workbench.practice.samples import samples

    return samples()[0].copy()


def _loaded() -> None:
    """What was loaded stays for good: the cycle collector need not look through it again."""
    if _loading:
        gc.freeze()
        gc.enable()


_loading = False
"""Whether this process is the command's own, which collects nothing while it loads."""


def main() -> None:
    """Run the command; errors become their sentences and an exit status."""
    global _loading
    _loading = True
    gc.disable()
    never_stumble()
    try:
        status = ended(_run)
    finally:
        gc.unfreeze()  # else DuckDB's types are called leaked when the process ends
    sys.exit(status)


_WordsError: Any = typer.BadParameter.__bases__[0]
"""What is raised for words that make no command; Typer gives a name to its children alone."""


def _run() -> int:
    if COMPLETION in os.environ:
        # Typer itself would add two options with it.
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    try:
        return int(app(standalone_mode=False) or DONE)
    except typer.Abort:
        say("Aborted.")
        return FAILED
    except _WordsError as error:
        if not (said := error.format_message()):
            return USAGE  # a group of commands without one: its help was printed
        path = error.ctx.command_path if error.ctx else "ldap-workbench"
        # Typer's own way of telling it writes a file's name as it is, also one that steers.
        raise UsageError(
            verbatim(said), remedy=Message("See: {command} --help", command=path)
        ) from error
