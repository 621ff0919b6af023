"""The commands for logs of many servers: counts that are merged, servers beside each other."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import long_work, note, print_json, print_table, say
from ldap_workbench.cli.server import Json
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.cluster import CLUSTERS
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hosts import Host, read_hosts
from ldap_workbench.fleet.hour import HourSource, read_hour
from ldap_workbench.fleet.importing import LOCAL, import_here, import_on_hosts
from ldap_workbench.fleet.reviews import CACHES, Review, merged, title_of, write_reviews
from ldap_workbench.fleet.store import (
    OPERATIONS,
    Fleet,
    fleet_of,
    read_fleet,
    refuse_existing,
    write_fleet,
)
from ldap_workbench.fleet.tables import (
    MEASURES,
    REVIEWED,
    Change,
    Row,
    SpanTail,
    all_days,
    day_of,
)
from ldap_workbench.fleet.tables import compare as compare_days
from ldap_workbench.fleet.tables import tails as tails_of
from ldap_workbench.fleet.units import is_of
from ldap_workbench.fleet.worker import main as serve
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.units import NS_PER_S, format_duration

commands = typer.Typer(
    help="Logs of many servers: counts that are merged, servers beside each other.",
    no_args_is_help=True,
)

Made = Annotated[Path, typer.Argument(metavar="FLEET", help="Made by `fleet import`.")]
Type = Annotated[str, typer.Option("--type", help="SRCH, BIND, MOD ..., INTERNAL or ALL.")]
MeasureOption = Annotated[
    str,
    typer.Option(
        "--measure",
        "--quantile",
        help="p50, p90, p95, p99, p999, max, stalls, slow, errors or unindexed; for tails also "
        "findings, entry_cache or db_cache (share of look-ups answered).",
    ),
]
HOUR_NS = 3600 * NS_PER_S
_FIELDS = {"max": "max_ns", "slow": "slow_s"} | {
    name.removesuffix("_ns"): name for name in MEASURES if name not in ("max_ns", "slow_s")
}
"""What each measure is called here."""
_TOLD = _FIELDS | {name: name for name in REVIEWED}


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
    json: Json = False,
) -> None:
    """Read the access logs of many servers: a folder of logs for each.

    Large files are read by several processes at once. With `--engine ssh:hosts.toml` the servers'
    own hosts read them, niced, and only counts leave them; with `dask://` the workers of a cluster,
    who must see the same folders. Where only the workers see them, the file of hosts names the
    cluster. What fails is tried again and then named; the exit status is 1
    where something is missing, such as the logs of a whole server.
    """
    servers, hosts = _asked(engine, folders or [])
    refuse_existing(output)
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


@commands.command("tails")
def tails(
    fleet: Made, type_: Type = ALL, measure: MeasureOption = "p99", json: Json = False
) -> None:
    """Print a measure of each server and day (UTC), the server most unlike the others first.

    A stall is a run of slow seconds: seconds in which most operations, of at least 5, took longer
    than 100 ms; one other second may lie between two of them. Findings and cache hits are known of
    what `fleet findings` has read.
    """
    read, column = read_fleet(fleet), _column(measure, _TOLD)
    counts = {name: server.counts for name, server in read.servers.items()}
    rows = tails_of(counts, read.reviews, type_=type_, measure=column)
    if json:
        print_json({"servers": [_row_json(row) for row in rows], "missing": _missing(read)})
        return
    days = all_days(rows)
    table = [
        [
            row.server,
            *(_shown(row.value(day, column), column) for day in days),
            f"{sum(tail.stalls for tail in row.days.values()):,}",
            _found(row),
            _unlike(row),
        ]
        for row in rows
    ]
    numbers = (*(day.isoformat() for day in days), "stalls", "findings", "unlike")
    print_table(("server", *numbers), table, numbers=numbers)
    _name_missing(read)


@commands.command("compare")
def compare(
    fleet: Made,
    a: Annotated[str, typer.Option("--a", help="A day, as 2026-11-21 (UTC).")],
    b: Annotated[str, typer.Option("--b", help="The day to compare with it.")],
    type_: Type = ALL,
    measure: MeasureOption = "p99",
    json: Json = False,
) -> None:
    """Compare two days of each server, the server that changed most first.

    It shows that something changed, not why; only an experiment shows that.
    """
    read, column = read_fleet(fleet), _column(measure)
    counts = {name: server.counts for name, server in read.servers.items()}
    found = compare_days(counts, day_of(a), day_of(b), type_=type_, measure=column)
    if json:
        print_json({"servers": [asdict(each) for each in found], "missing": _missing(read)})
        return
    headings = ("server", "operations A", "operations B", "A", "B", "B / A")
    print_table(headings, [_change(each, column) for each in found], numbers=headings[1:])
    _name_missing(read)


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
    json: Json = False,
) -> None:
    """Look for causes: in the worst hour of a day of each server, or in captures.

    Without --day it is the day on which a server differs most from the others. Captures also tell
    how many look-ups the caches answered. What is found is kept in the fleet's folder, and
    `fleet tails` and the window show it. An hour that was read before is not read again.
    """
    from ldap_workbench.fleet.reviewing import days_to_review, review_captures, review_hours

    read = read_fleet(fleet)
    given = _captures(captures or [], read)
    if not given:
        _refuse_without_hosts(read, hosts)
    with long_work() as (tell, cancel):
        if given:
            done = review_captures(given, tell, cancel)
        else:
            counts = {name: server.counts for name, server in read.servers.items()}
            wanted = days_to_review(tails_of(counts), [day_of(day) for day in days or []])
            done = review_hours(read, wanted, hosts, Secrets(), tell, cancel)
    write_reviews(fleet, merged(read.reviews, done.reviews))
    _print_reviews(done.reviews, json=json)
    for each in done.failures:
        note(Message("Missing: {what}: {why}", what=each.what, why=each.why))
    if done.cancelled:
        note("Cancelled: what was found by then is kept.")
    if done.failures or done.cancelled:
        raise typer.Exit(1)


def _captures(texts: list[str], fleet: Fleet) -> dict[str, list[Path]]:
    """Server -> sessions. Raises UsageError for a server that the fleet does not have."""
    found: dict[str, list[Path]] = {}
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
        found.setdefault(server, []).extend(paths)
    return found


def _print_reviews(reviews: tuple[Review, ...], *, json: bool) -> None:
    if json:
        print_json({"reviews": [{**asdict(each), "day": each.day.isoformat()} for each in reviews]})
        return
    rows = [
        (
            each.server,
            each.capture or f"{_utc(each.start_ns):%Y-%m-%d %H:%M}",
            str(title_of(which)),
            f"{cost:,.0f}" if cost is not None else "",
        )
        for each in reviews
        for which, cost in each.findings.items()
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
            Message("The logs of this fleet are on the servers' hosts."),
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


def _column(measure: str, known: Mapping[str, str] = _FIELDS) -> str:
    if measure not in known:
        raise UsageError(
            Message("'{text}' is not a measure.", text=measure),
            remedy=Message("Choose from {names}.", names=tuple(known)),
        )
    return known[measure]


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
        left_out = [{"what": each.what, "why": each.why} for each in fleet.left_out]
        print_json({"servers": servers, "missing": _missing(fleet), "left_out": left_out})
        return
    counts = ("operations", "understood", "set_aside", "unknown", "unjoined", "open")
    headings = [each.replace("set_aside", "skipped") for each in counts]
    rows = [[each["server"], *(f"{each[name]:,}" for name in counts)] for each in servers]
    print_table(["server", *headings], rows, numbers=headings)
    for left in fleet.left_out:
        note(f"{left.what}: {left.why}")
    say(str(count_of("{n} part was read.", "{n} parts were read.", n=parts)))
    _name_missing(fleet)


def _missing(fleet: Fleet) -> list[dict[str, Any]]:
    return [{"what": each.what, "why": each.why} for each in fleet.failures]


def _name_missing(fleet: Fleet) -> None:
    """What should be in the figures and is not, and what may be in them twice."""
    for each in fleet.failures:
        note(Message("Missing: {what}: {why}", what=each.what, why=each.why))
    for doubt in fleet.doubts():
        note(doubt)


def _row_json(row: Row) -> dict[str, Any]:
    days = {
        day.isoformat(): {**asdict(tail), **tail.quantiles_ns} for day, tail in row.days.items()
    }
    for tail in days.values():
        tail.pop("quantiles_ns")
    on = row.unlike_on.isoformat() if row.unlike_on else None
    reviews = {day.isoformat(): asdict(review) for day, review in row.reviews.items()}
    return {
        "server": row.server,
        "days": days,
        "reviews": reviews,
        "unlike": row.unlike,
        "unlike_on": on,
    }


def _value(tail: SpanTail | None, column: str) -> str:
    return _shown(tail.value(column) if tail is not None else None, column)


def _shown(value: float | None, column: str) -> str:
    if value is None:
        return ""
    if column in CACHES:
        return f"{100 * value:.1f} %"
    return format_duration(round(value)) if column.endswith("_ns") else f"{value:,}"


def _found(row: Row) -> str:
    """How many findings there are on all reviewed days; '' where nothing was reviewed."""
    found = {which for review in row.reviews.values() for which in review.findings}
    return f"{len(found):,}" if row.reviews else ""


def _unlike(row: Row) -> str:
    return f"×{row.unlike:.1f} ({row.unlike_on})" if row.unlike_on is not None else ""


def _change(each: Change, column: str) -> list[str]:
    return [
        each.server,
        f"{each.a.n:,}" if each.a is not None else "",
        f"{each.b.n:,}" if each.b is not None else "",
        _value(each.a, column),
        _value(each.b, column),
        f"×{each.ratio:.2f}" if each.ratio is not None else "",
    ]
