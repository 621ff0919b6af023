"""What the commands of fleets share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import note
from ldap_workbench.fleet.store import Fleet
from ldap_workbench.model.message import Message

commands = typer.Typer(
    help="Logs of many servers: counts that are merged, servers beside each other.",
    no_args_is_help=True,
)

Made = Annotated[Path, typer.Argument(metavar="FLEET", help="Made by `fleet import`.")]


def missing(fleet: Fleet) -> list[dict[str, Any]]:
    """What should be in the figures and is not, as JSON."""
    return [{"what": each.what, "why": each.why} for each in fleet.failures]


def name_missing(fleet: Fleet) -> None:
    """What should be in the figures and is not, and what may be in them twice."""
    for each in fleet.failures:
        note(Message("Missing: {what}: {why}", what=each.what, why=each.why))
    for doubt in fleet.doubts():
        note(doubt)
