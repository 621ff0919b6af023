"""What the commands of fleets share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import ANSWER, confirm, note
from ldap_workbench.fleet.hosts import describe_hosts, is_agreed, remember_agreement
from ldap_workbench.fleet.store import Fleet
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

commands = typer.Typer(
    help="Logs of many servers: counts that are merged, servers beside each other.",
    no_args_is_help=True,
)

Made = Annotated[Path, typer.Argument(metavar="FLEET", help="Made by `fleet import`.")]


Yes = Annotated[bool, typer.Option("--yes", "-y", help="Use the file of hosts without a question.")]


def agree_to_hosts(path: Path, *, yes: bool) -> None:
    """Show a file of hosts that was not used before, and ask. Raises UsageError where it is no."""
    lines = describe_hosts(path)
    if is_agreed(path):
        return
    note(*lines)
    if not yes and not confirm("Use these hosts?"):
        raise UsageError(
            Message("The file of hosts was not accepted: {path}.", path=str(path)),
            safe=Message("No host was asked."),
            remedy=ANSWER,
        )
    remember_agreement(path)


def missing(fleet: Fleet) -> list[dict[str, Any]]:
    """What should be in the figures and is not, as JSON."""
    return [{"what": failure.what, "why": failure.why} for failure in fleet.failures]


def name_missing(fleet: Fleet) -> None:
    """What should be in the figures and is not, and what may be in them twice."""
    for failure in fleet.failures:
        note(Message("Missing: {what}: {why}", what=failure.what, why=failure.why))
    for doubt in fleet.doubts():
        note(doubt)
