"""Servers beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import note, print_json, print_table
from ldap_workbench.cli.fleet.group import Made, commands, missing, name_missing
from ldap_workbench.cli.server import Json
from ldap_workbench.fleet.reviews import CACHES
from ldap_workbench.fleet.store import read_fleet
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
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.units import format_duration

NO_VERDICT = Message(
    "No verdict: these are summaries, whose requests cannot be compared like with like, nor judged "
    "again."
)
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
_FIELDS = {"max": "max_ns", "slow": "slow_s"} | {
    name.removesuffix("_ns"): name for name in MEASURES if name not in ("max_ns", "slow_s")
}
"""What each measure is called here."""
_TOLD = _FIELDS | {name: name for name in REVIEWED}


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
        print_json({"servers": [_row_json(row) for row in rows], "missing": missing(read)})
        return
    days = all_days(rows)
    table = [
        [
            row.server,
            *(_shown(row.value(day, column), column) for day in days),
            f"{sum(tail.stalls for tail in row.days.values()):,}",
            _finding_count(row),
            _unlike(row),
        ]
        for row in rows
    ]
    numbers = (*(day.isoformat() for day in days), "stalls", "findings", "unlike")
    print_table(("server", *numbers), table, numbers=numbers)
    name_missing(read)


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
    changes = compare_days(counts, day_of(a), day_of(b), type_=type_, measure=column)
    if json:
        servers = [asdict(change) for change in changes]
        print_json({"servers": servers, "no_verdict": NO_VERDICT, "missing": missing(read)})
        return
    headings = ("server", "operations A", "operations B", "A", "B", "B / A")
    print_table(headings, [_change(change, column) for change in changes], numbers=headings[1:])
    note(NO_VERDICT)
    name_missing(read)


def _column(measure: str, known: Mapping[str, str] = _FIELDS) -> str:
    if measure not in known:
        raise UsageError(
            Message("'{text}' is not a measure.", text=measure),
            remedy=Message("Choose from {names}.", names=tuple(known)),
        )
    return known[measure]


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


def _finding_count(row: Row) -> str:
    """How many findings there are on all reviewed days; '' where nothing was reviewed."""
    ids = {which for review in row.reviews.values() for which in review.findings}
    return f"{len(ids):,}" if row.reviews else ""


def _unlike(row: Row) -> str:
    return f"×{row.unlike:.1f} ({row.unlike_on})" if row.unlike_on is not None else ""


def _change(change: Change, column: str) -> list[str]:
    return [
        change.server,
        f"{change.a.n:,}" if change.a is not None else "",
        f"{change.b.n:,}" if change.b is not None else "",
        _value(change.a, column),
        _value(change.b, column),
        f"×{change.ratio:.2f}" if change.ratio is not None else "",
    ]
