"""Tables of a fleet: servers as rows and days as columns; the hours of one server on one day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ldap_workbench.figures.formats import DASH, etime
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim

if TYPE_CHECKING:
    from ldap_workbench.fleet.reviews import Hits
    from ldap_workbench.fleet.tables import Row, SpanTail

MOST_DAYS = 400
"""Columns; of a fleet with more days, the last ones."""
_ABOUT_SLOW = Message(
    "Seconds in which most operations, of at least 5, took longer than 100 ms: a stall is made of "
    "such seconds"
)
_NOT_REVIEWED = Message("Not looked at yet: Look for findings")
_ABOUT_STALLS = Message(
    "Slow seconds in a row, with at most one other second between two of them. The session of an "
    "hour shows each stall and what it held up"
)


FIRST = 5
"""Columns of the servers before the days."""


def server_columns(days: Sequence[date], measure: str) -> tuple[Column[Row], ...]:
    """The server most unlike the others first, as the rows come; then a column for each day."""
    return (*_SERVER, *(_day_column(day, measure) for day in days[-MOST_DAYS:]))


def day_of(row: Row, column: int, days: Sequence[date]) -> date | None:
    """What a cell is about: its day, or of the first columns the one that stands out."""
    if column >= FIRST:
        return days[-MOST_DAYS:][column - FIRST]
    if row.unlike_on is not None:
        return row.unlike_on
    return max(row.days, default=None)


FINDINGS = "findings"
CACHES = ("entry_cache", "db_cache")
"""Measures that come from reviews, as `fleet.tables.REVIEWED`."""


def _count_column(heading: Message, measure: str, about: Message) -> Column[Row]:
    return quantity(
        heading, lambda r: sum(tail.value(measure) for tail in r.days.values()), about=about
    )


_SERVER = (
    Column["Row"](Message("Server"), lambda r: r.server),
    Column["Row"](
        Message("Stands out"),
        lambda r: Message("×{times:.1f}", times=r.unlike) if r.unlike_on is not None else DASH,
        lambda r: r.unlike,
        number=True,
        tip=lambda r: (
            Message("On {day} (UTC)", day=r.unlike_on.isoformat()) if r.unlike_on else DASH
        ),
        about=Message(
            "How many times more or less than the median server, on the day on which it differs "
            "most; needs three servers. One is added to both counts first"
        ),
    ),
    _count_column(Message("Stalls"), "stalls", _ABOUT_STALLS),
    _count_column(Message("Slow seconds"), "slow_s", _ABOUT_SLOW),
    Column["Row"](
        Message("Findings"),
        lambda r: Message("{n}", n=len(_findings(r))) if r.reviews else DASH,
        lambda r: len(_findings(r)) if r.reviews else None,
        number=True,
        tip=lambda r: sentences(*_findings(r).values()) if r.reviews else _NOT_REVIEWED,
        about=Message("Found in the hours and captures that were looked at"),
    ),
)


def _findings(row: Row) -> dict[str, Message]:
    """Id -> title and day, of all days that were reviewed."""
    return {
        which: Message("{title} ({day}).", title=title, day=day.isoformat())
        for day, review in sorted(row.reviews.items())
        for which, title in zip(review.findings, review.titles(), strict=True)
    }


def _day_column(day: date, measure: str) -> Column[Row]:
    def text(row: Row) -> Message | str:
        number = row.value(day, measure)
        if number is None:
            return DASH
        if measure in CACHES:
            return Message("{share:percent}", share=number)
        return etime(round(number)) if measure.endswith("_ns") else Message("{n}", n=number)

    return Column(
        verbatim(day.isoformat()),
        text,
        lambda row: row.value(day, measure),
        number=True,
        tip=lambda row: _about_day(row, day),
        strong=lambda row: row.unlike_on == day and row.unlike > STANDS_OUT,
    )


def _about_day(row: Row, day: date) -> Message:
    """What the log counts, and what was found."""
    sentences_of_day = [_about(row.days[day]) if day in row.days else Message("No log of this day")]
    if review := row.reviews.get(day):
        sentences_of_day += [Message("{title}.", title=title) for title in review.titles()]
        sentences_of_day += [_about_cache(name, hits) for name, hits in review.caches.items()]
    return sentences(*sentences_of_day)


def _about_cache(name: str, hits: Hits) -> Message:
    cache = Message("Entry cache") if name == CACHES[0] else Message("Database cache")
    return Message(
        "{cache}: {share:percent} of {tries} look-ups answered.",
        cache=cache,
        share=hits.share,
        tries=hits.tries,
    )


STANDS_OUT = 2.0
"""So many times the median server, and a cell is bold."""


def _about(tail: SpanTail) -> Message:
    return Message(
        "{n} operations, p50 {p50:duration}, p99 {p99:duration}, longest {longest:duration}; "
        "{errors} with an error, {unindexed} unindexed; stalls: {stalls}, slow seconds: {slow}",
        n=tail.n,
        p50=tail.quantiles_ns["p50_ns"],
        p99=tail.quantiles_ns["p99_ns"],
        longest=tail.max_ns,
        errors=tail.errors,
        unindexed=tail.unindexed,
        stalls=tail.stalls,
        slow=tail.slow_s,
    )


@dataclass(frozen=True)
class Hour:
    """One hour (UTC) of a server."""

    server: str
    day: date
    hour: int
    tail: SpanTail


def _quantile(name: str, heading: str) -> Column[Hour]:
    return quantity(verbatim(heading), lambda h: h.tail.quantiles_ns[name], etime)


def _count(heading: Message, measure: str, about: Message = NOTHING) -> Column[Hour]:
    return quantity(heading, lambda h: h.tail.value(measure), about=about)


HOUR_COLUMNS: tuple[Column[Hour], ...] = (
    Column[Hour](Message("Hour (UTC)"), lambda h: f"{h.day} {h.hour:02}:00", lambda h: h.hour),
    quantity(Message("Operations"), lambda h: h.tail.n),
    _quantile("p50_ns", "p50"),
    _quantile("p99_ns", "p99"),
    _quantile("p999_ns", "p99.9"),
    quantity(Message("Longest"), lambda h: h.tail.max_ns, etime),
    _count(Message("Stalls"), "stalls", _ABOUT_STALLS),
    _count(Message("Slow seconds"), "slow_s", _ABOUT_SLOW),
    _count(Message("Errors"), "errors"),
    _count(Message("Unindexed"), "unindexed"),
)
