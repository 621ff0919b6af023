"""The command `ldap-workbench` and its errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench import __version__
from ldap_workbench.cli import demo, findings, importing, profiles, server, sessions
from ldap_workbench.cli.console import fail
from ldap_workbench.model.errors import UsageError, WorkbenchError

app = typer.Typer(
    name="ldap-workbench",
    help="Measure, change and judge the tuning of an LDAP directory server.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(profiles.commands, name="profile")
for command in (
    server.capture,
    importing.import_,
    server.knobs,
    server.experiment,
    server.journal,
    server.revert,
    sessions.windows,
    sessions.tails,
    sessions.slowest,
    sessions.compare,
    sessions.report,
    sessions.export,
    findings.findings,
    findings.stalls,
    demo.practice,
    demo.demo,
):
    app.command(command.__name__.rstrip("_"))(command)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Without a command the window opens."""
    if version:
        sys.stdout.write(f"ldap-workbench {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(_window([]))


@app.command("open")
def open_(
    paths: Annotated[list[Path] | None, typer.Argument(help="Sessions or raw logs.")] = None,
    smoke: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Open the window, with sessions or raw logs."""
    raise typer.Exit(_window([str(path) for path in paths or []], smoke=smoke))


def _window(paths: list[str], *, smoke: bool = False) -> int:
    from ldap_workbench.gui.app import run  # Qt is loaded only when a window is wanted

    return int(run(paths, smoke=smoke))


def main() -> None:
    """Run the command; errors become their sentences and an exit status."""
    try:
        app()
    except UsageError as error:
        fail(error)
        sys.exit(2)
    except WorkbenchError as error:
        fail(error)
        sys.exit(1)
