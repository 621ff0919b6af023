"""One hour of a server: its findings, its session."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.console import long_work, note, print_json, print_table, say
from ldap_workbench.cli.fleet.group import Made, Yes, agree_to_hosts, commands
from ldap_workbench.cli.server import Json
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hour import HourSource, read_hour
from ldap_workbench.fleet.reviews import Review, merged, title_of, write_reviews
from ldap_workbench.fleet.store import Fleet, read_fleet
from ldap_workbench.fleet.tables import day_of
from ldap_workbench.fleet.tables import tails as tails_of
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S

HOUR_NS = 3600 * NS_PER_S


@commands.command("findings")
def findings(
    fleet: Made,
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SERVER=PATH]...",
            help="Sessions that `capture` wrote for a server, or a folder of them.",
        ),
    ] = None,
    days: Annotated[
        list[str] | None,
        typer.Option("--day", help="A day (UTC), as 2026-11-21; repeatable."),
    ] = None,
    hosts: Annotated[
        Path | None, typer.Option(help="Logs elsewhere: the file of hosts of the import.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Look for causes: in the worst hour of a day of each server, or in captures.

    Without --day it is the day on which a server differs most from the others. Captures also tell
    how many look-ups the caches answered. What is found is kept in the fleet's folder, and
    `fleet tails` and the window show it. An hour that was read before is not read again.
    """
    from ldap_workbench.fleet.reviewing import days_to_review, review_captures, review_hours

    read = read_fleet(fleet)
    sessions = _captures(captures or [], read)
    if not sessions:
        _refuse_without_hosts(read, hosts)
        if hosts is not None:
            agree_to_hosts(hosts, yes=yes)
    with long_work() as (tell, cancel):
        if sessions:
            done = review_captures(sessions, tell, cancel)
        else:
            counts = {name: server.counts for name, server in read.servers.items()}
            wanted = days_to_review(tails_of(counts), [day_of(day) for day in days or []])
            done = review_hours(read, wanted, hosts, Secrets(), tell, cancel)
    write_reviews(fleet, merged(read.reviews, done.reviews))
    _print_reviews(done.reviews, json=json)
    for failure in done.failures:
        note(Message("Missing: {what}: {why}", what=failure.what, why=failure.why))
    if done.cancelled:
        note("Cancelled: what was found by then is kept.")
    if done.failures or done.cancelled:
        raise typer.Exit(1)


def _captures(texts: list[str], fleet: Fleet) -> dict[str, list[Path]]:
    """Server -> sessions. Raises UsageError for a server that the fleet does not have."""
    sessions: dict[str, list[Path]] = {}
    for text in texts:
        server, equals, path = text.partition("=")
        if not equals or server not in fleet.servers:
            raise UsageError(
                Message("'{text}' names no server of this fleet.", text=text),
                remedy=Message("Write SERVER=PATH; `fleet tails` lists the servers."),
            )
        folder = Path(path)
        paths = sorted(folder.glob("*.ldapwb")) if folder.is_dir() else [folder]
        if not paths:
            raise UsageError(
                Message("{path} holds no session.", path=path),
                remedy=Message("Name a folder with *.ldapwb files, or a file."),
            )
        sessions.setdefault(server, []).extend(paths)
    return sessions


def _print_reviews(reviews: tuple[Review, ...], *, json: bool) -> None:
    if json:
        print_json(
            {"reviews": [{**asdict(review), "day": review.day.isoformat()} for review in reviews]}
        )
        return
    rows = [
        (
            review.server,
            review.capture or f"{_utc(review.start_ns):%Y-%m-%d %H:%M}",
            str(title_of(which)),
            f"{cost:,.0f}" if cost is not None else "",
        )
        for review in reviews
        for which, cost in review.findings.items()
    ]
    headings = ("server", "hour (UTC) or capture", "finding", "cost, s/h")
    print_table(headings, rows, numbers=headings[3:])
    said = count_of("{n} session was read.", "{n} sessions were read.", n=len(reviews))
    say(str(said))


def _utc(ns: int) -> datetime:
    return datetime.fromtimestamp(ns // NS_PER_S, UTC)


def _refuse_without_hosts(read: Fleet, hosts: Path | None) -> None:
    if not read.here and hosts is None:
        raise UsageError(
            Message("The logs of this fleet are not on this machine."),
            remedy=Message("Add --hosts hosts.toml, the file of hosts of the import."),
        )


@commands.command("session")
def session(
    fleet: Made,
    server: Annotated[str, typer.Argument(metavar="SERVER", help="As `fleet tails` lists it.")],
    hour: Annotated[str, typer.Option(help="Start of the hour, as 2026-11-21T05 (UTC).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="New session to write.")],
    hosts: Annotated[
        Path | None, typer.Option(help="Logs elsewhere: the file of hosts of the import.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Open one hour of a server as a session, with findings, stalls and tails.

    From logs on the servers' hosts, or of a cluster, only the lines of the hour are fetched.
    """
    read = read_fleet(fleet)
    if server not in read.servers:
        raise UsageError(
            Message("The fleet has no server {server}.", server=server),
            remedy=Message("`fleet tails` lists them."),
        )
    _refuse_without_hosts(read, hosts)
    start_ns = _hour_of(hour)
    if hosts is not None:
        agree_to_hosts(hosts, yes=yes)
    wanted = Hour(server, start_ns, start_ns + HOUR_NS)
    paths = read.files(server, wanted.start_ns, wanted.end_ns) if hosts is None else []
    with long_work() as (tell, cancel):
        done = read_hour(HourSource(wanted, paths, hosts), output, Secrets(), tell, cancel)
    for path, why in done.left_out.items():
        note(f"{path}: {why}")
    say(f"{output}: {sum(source.samples for source in done.sources):,} operations")


def _hour_of(text: str) -> int:
    """When an hour begins. Raises UsageError."""
    try:
        begins = datetime.strptime(text, "%Y-%m-%dT%H").replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(
            Message("'{text}' is not an hour.", text=text),
            remedy=Message("Write it as 2026-11-21T05."),
        ) from None
    return int(begins.timestamp()) * NS_PER_S
