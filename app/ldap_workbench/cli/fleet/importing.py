"""Reading the logs of many servers."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import long_work, note, print_json, print_table, say
from ldap_workbench.cli.fleet.group import Yes, agree_to_hosts, commands, missing, name_missing
from ldap_workbench.cli.server import Json
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.cluster import CLUSTERS
from ldap_workbench.fleet.hosts import Host, read_hosts
from ldap_workbench.fleet.importing import LOCAL, import_here, import_on_hosts
from ldap_workbench.fleet.store import (
    OPERATIONS,
    Fleet,
    fleet_of,
    refuse_existing,
    write_fleet,
)
from ldap_workbench.fleet.units import is_of
from ldap_workbench.fleet.worker import main as serve
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.message import Message, count_of


@commands.command("import")
def import_(
    output: Annotated[Path, typer.Option("--output", "-o", help="New folder to write.")],
    folders: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="A folder for each server; also NAME=FOLDER."),
    ] = None,
    engine: Annotated[
        str, typer.Option(help="Where logs are read: local, ssh:hosts.toml, or dask://HOST:PORT.")
    ] = LOCAL,
    workers: Annotated[
        int, typer.Option(min=1, max=1024, help="Processes; one a processor by default.")
    ] = os.cpu_count() or 1,
    counts_only: Annotated[
        bool, typer.Option("--counts-only", help="Write no Parquet files of operations.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Read the access logs of many servers: a folder of logs for each.

    Large files are read by several processes at once. With `--engine ssh:hosts.toml` the servers'
    own hosts read them, niced, and only counts leave them; with `dask://` the workers of a cluster,
    who must see the same folders. Where only the workers see them, the file of hosts names the
    cluster. What fails is tried again and then named; the exit status is 1 where something is
    missing, such as the logs of a whole server.
    """
    servers, hosts = _asked(engine, folders or [])
    refuse_existing(output)
    if hosts:
        agree_to_hosts(Path(engine.partition(":")[2]), yes=yes)
    with long_work() as (tell, cancel):
        if hosts:
            imported = import_on_hosts(hosts, Secrets(), tell, cancel)
        else:
            parts = None if counts_only else output.absolute() / OPERATIONS
            logs = {name: [folder] for name, folder in servers.items()}
            imported = import_here(engine, logs, workers, parts, tell, cancel)
    if imported.outcome.cancelled:
        raise CancelledError(
            Message("The import was cancelled."),
            safe=Message("Nothing was counted; {folder} may hold operations.", folder=str(output)),
            remedy=Message("Remove it, then import again."),
        )
    fleet = fleet_of(imported.outcome, imported.planned.left_out, here=not hosts)
    write_fleet(output, fleet)
    _print_import(fleet, len(imported.outcome.done), json=json)
    asked = servers.keys() | {host.name for host in hosts}
    read = {unit.host for unit in imported.outcome.done}
    lacking = [name for name in asked if not any(is_of(host, name) for host in read)]
    if fleet.failures or lacking:
        raise typer.Exit(1)


@commands.command("worker", hidden=True)
def worker() -> None:
    """Summarise what is asked for on standard input: `fleet import --engine ssh:` starts it."""
    serve()


def _asked(engine: str, folders: list[str]) -> tuple[dict[str, Path], tuple[Host, ...]]:
    """The servers whose folders are seen here, or the hosts that read their own."""
    kind, _, rest = engine.partition(":")
    on_hosts = kind == "ssh"
    if not (on_hosts and rest) and engine != LOCAL and not engine.startswith(CLUSTERS):
        raise UsageError(
            Message("'{text}' is not an engine.", text=engine),
            remedy=Message("Choose local, ssh:hosts.toml, or dask://HOST:PORT."),
        )
    if on_hosts == bool(folders):
        raise UsageError(
            Message("Name folders with the engines local and dask only."),
            remedy=Message("With ssh: the file of hosts says where each server's logs are."),
        )
    return (_servers(folders), ()) if folders else ({}, read_hosts(Path(rest)))


def _servers(folders: list[str]) -> dict[str, Path]:
    """Name of a server -> its folder. Raises UsageError where two have one name."""
    pairs = []
    for text in folders:
        name, equals, path = text.partition("=")
        folder = Path(path) if equals and not Path(text).exists() else Path(text)
        pairs.append((name if folder == Path(path) and equals else folder.resolve().name, folder))
    twice = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]
    if twice:
        raise UsageError(
            Message("Two folders are of the server {name}.", name=twice[0]),
            remedy=Message("Give each a name: NAME=FOLDER."),
        )
    return dict(pairs)


def _print_import(fleet: Fleet, parts: int, *, json: bool) -> None:
    servers: list[dict[str, Any]] = [
        {
            "server": name,
            "operations": int(server.counts.hours.added[:, 0].sum()),
            **dict(zip(("understood", "set_aside", "unknown"), server.counts.lines, strict=True)),
            "unjoined": server.unjoined,
            "open": server.open,
            "overlaps": list(server.overlaps),
        }
        for name, server in fleet.servers.items()
    ]
    if json:
        left_out = [{"what": file.what, "why": file.why} for file in fleet.left_out]
        print_json({"servers": servers, "missing": missing(fleet), "left_out": left_out})
        return
    counts = ("operations", "understood", "set_aside", "unknown", "unjoined", "open")
    headings = [count.replace("set_aside", "skipped") for count in counts]
    rows = [[server["server"], *(f"{server[name]:,}" for name in counts)] for server in servers]
    print_table(["server", *headings], rows, numbers=headings)
    for left in fleet.left_out:
        note(f"{left.what}: {left.why}")
    say(str(count_of("{n} part was read.", "{n} parts were read.", n=parts)))
    name_missing(fleet)
