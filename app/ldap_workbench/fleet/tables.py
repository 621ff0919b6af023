"""Servers as rows, days as columns: tails, findings, cache hits; two days beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.fleet.counts import NAMES, SLO_NS, Cells, ServerCounts
from ldap_workbench.fleet.reviews import CACHES, DayReview, Review, by_day
from ldap_workbench.inference.counts.buckets import edges_ns
from ldap_workbench.inference.counts.tails import quantile_rank
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ALL, INTERNAL
from ldap_workbench.model.tail import QUANTILES
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]

_HOUR_S, _DAY_S = 3600, 86_400
BUSY = 5
"""Operations of a second that can tell whether the server stood still."""
GAP_S = 1
"""So many other seconds may lie between slow seconds of one stall."""
MEASURES = (*QUANTILES, "max_ns", "stalls", "slow_s", "errors", "unindexed")
"""Fields of a `SpanTail` by which servers are compared: etimes, and counts."""
FINDINGS = "findings"
REVIEWED = (FINDINGS, *CACHES)
"""What reviews tell: how many findings, and the share of look-ups that a cache answered."""
_FEWEST = 3
"""Servers of which one can be unlike the others."""


@dataclass(frozen=True)
class SpanTail:
    """One type of operations of a server on one day (UTC), or in one hour.

    quantiles_ns   by name as in QUANTILES; the upper edge of the bucket: exact up to 2 % too long
    max_ns, sum_ns, errors, unindexed   exact
    slow_s         seconds in which most operations, of at least BUSY, took longer than SLO_NS; of
                   those that ended in them
    stalls         runs of slow seconds, with at most GAP_S others between two of them, that begin
                   in it: so those of a day are those of its hours
    """

    n: int
    quantiles_ns: Mapping[str, int]
    max_ns: int
    sum_ns: int
    errors: int
    unindexed: int
    slow_s: int
    stalls: int

    def value(self, measure: str) -> int:
        """One of MEASURES."""
        return self.quantiles_ns[measure] if measure in QUANTILES else int(getattr(self, measure))


@dataclass(frozen=True)
class Row:
    """A server. `unlike`: how many times more or less than the median server at most.

    Of counts, one is added to both: the median server mostly has no stall. Of cache hits the
    misses are compared, in per cent, with one added.
    """

    server: str
    days: Mapping[date, SpanTail]
    unlike: float
    unlike_on: date | None
    reviews: Mapping[date, DayReview] = field(default_factory=dict)

    def known_days(self) -> set[date]:
        """Days of which there is a log or a review."""
        return {*self.days, *self.reviews}

    def value(self, day: date, measure: str) -> float | None:
        """One of MEASURES or REVIEWED on a day; None where it is not known."""
        if measure not in REVIEWED:
            tail = self.days.get(day)
            return tail.value(measure) if tail is not None else None
        review = self.reviews.get(day)
        if review is None:
            return None
        if measure == FINDINGS:
            return len(review.findings)
        hits = review.caches.get(measure)
        return hits.share if hits is not None else None


@dataclass(frozen=True)
class Change:
    """A server on two days; `ratio` of the measure, B to A, None where one of them has none.

    Of counts, one is added to both.
    """

    server: str
    a: SpanTail | None
    b: SpanTail | None
    ratio: float | None


def tails(
    servers: Mapping[str, ServerCounts],
    reviews: Iterable[Review] = (),
    *,
    type_: str = ALL,
    measure: str = "p99_ns",
) -> list[Row]:
    """The servers, the most unlike the others first; of fewer than three the worst."""
    reviewed = by_day(reviews)
    plain = [
        Row(name, _days(counts, type_), 1.0, None, reviewed.get(name, {}))
        for name, counts in servers.items()
    ]
    usual = _usual(plain, measure)
    rows = [_compared(row, usual, measure) for row in plain]
    if len(servers) < _FEWEST:
        return sorted(rows, key=lambda row: (-_most(row, measure), row.server))
    return sorted(rows, key=lambda row: (-row.unlike, row.server))


def worst_hour(spans: Mapping[int, SpanTail]) -> int | None:
    """The hour with the most slow seconds, of those alike the one with the highest p99."""
    badness = {hour: (tail.slow_s, tail.quantiles_ns["p99_ns"]) for hour, tail in spans.items()}
    return max(badness, key=lambda hour: badness[hour], default=None)


def first_ns(day: date, hour: int) -> int:
    """When an hour (UTC) of a day begins, ns since 1970."""
    return ((day - date(1970, 1, 1)).days * 24 + hour) * _HOUR_S * NS_PER_S


def compare(
    servers: Mapping[str, ServerCounts],
    a: date,
    b: date,
    *,
    type_: str = ALL,
    measure: str = "p99_ns",
) -> list[Change]:
    """The servers on two days, those that changed most first, then those with one day only."""
    changes = []
    for name, counts in servers.items():
        days = _days(counts, type_)
        first, second = days.get(a), days.get(b)
        ratio = None
        if first is not None and second is not None:
            ratio = _positive(second.value(measure), measure) / _positive(
                first.value(measure), measure
            )
        changes.append(Change(name, first, second, ratio))
    return sorted(changes, key=lambda change: (-_distance(change.ratio), change.server))


def day_of(text: str) -> date:
    """'2026-11-21'. Raises UsageError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            Message("'{text}' is not a date.", text=text),
            remedy=Message("Write it as 2026-11-21."),
        ) from None


def _distance(ratio: float | None) -> float:
    return -1.0 if ratio is None else abs(math.log(ratio))


def _kinds(type_: str) -> list[int]:
    if type_ == ALL:
        return [kind for kind, name in enumerate(NAMES) if name != INTERNAL]
    if type_ not in NAMES:
        raise UsageError(
            Message("'{type}' is not a type of operation.", type=type_),
            remedy=Message("Choose from {types}.", types=(ALL, *NAMES)),
        )
    return [NAMES.index(type_)]


def hours(counts: ServerCounts, day: date, *, type_: str = ALL) -> dict[int, SpanTail]:
    """The tails of each hour (UTC) of a day in which there is such an operation, by its number."""
    first = (day - date(1970, 1, 1)).days * 24
    spans = _spans(counts, _kinds(type_), 1, (first, first + 24))
    return {hour - first: tail for hour, tail in spans.items()}


def _days(counts: ServerCounts, type_: str) -> dict[date, SpanTail]:
    """The tails of each day on which there is such an operation."""
    return {_date(day): tail for day, tail in _spans(counts, _kinds(type_), 24).items()}


def _spans(
    counts: ServerCounts, kinds: Sequence[int], length: int, between: tuple[int, int] | None = None
) -> dict[int, SpanTail]:
    """The tails of spans of so many hours since 1970; only of hours [begin, end), if given."""
    cells, sums = counts.seconds, counts.hours
    chosen = np.isin(sums.kinds, kinds)
    if between is not None:
        chosen &= (sums.ids >= between[0]) & (sums.ids < between[1])
    span_of, seconds = sums.ids // length, cells.ids
    spans = {}
    for span in np.unique(span_of[chosen]).tolist():
        # Cells are sorted by second: those of a span lie together. A stall may begin before it.
        begins, ends = span * length * _HOUR_S, (span + 1) * length * _HOUR_S
        before, begin, end = np.searchsorted(seconds, (begins - GAP_S - 1, begins, ends))
        here = Cells(cells.numbers[begin:end], cells.counts[begin:end])
        around = Cells(cells.numbers[before:end], cells.counts[before:end])
        those = chosen & (span_of == span)
        slow = _slow_seconds(around, kinds)
        stalls = slow[np.diff(slow, prepend=slow[:1] - GAP_S - 2) > GAP_S + 1]
        waits = int(np.count_nonzero(slow >= begins)), int(np.count_nonzero(stalls >= begins))
        spans[span] = _tail(here, kinds, sums.added[those], int(sums.max_ns[those].max()), waits)
    return spans


def _tail(
    cells: Cells, kinds: Sequence[int], added: Int64, longest: int, waits: tuple[int, int]
) -> SpanTail:
    of_type = np.isin(cells.kinds, kinds)
    buckets, counted = cells.buckets[of_type], cells.counts[of_type]
    edges = edges_ns(SLO_NS)
    per_bucket = np.zeros(len(edges), np.int64)
    np.add.at(per_bucket, buckets, counted)
    n, sum_ns, errors, unindexed = added.sum(axis=0).tolist()
    upto = np.cumsum(per_bucket)
    ranks = {name: quantile_rank(n, *share) for name, share in QUANTILES.items()}
    quantiles = {
        name: min(int(edges[np.searchsorted(upto, rank) + 1]), longest)
        for name, rank in ranks.items()
    }
    return SpanTail(n, quantiles, longest, sum_ns, errors, unindexed, *waits)


def _slow_seconds(cells: Cells, kinds: Sequence[int]) -> Int64:
    """The seconds in which most operations, of at least BUSY, took longer than SLO_NS."""
    of_type = np.isin(cells.kinds, kinds)
    counted = cells.counts[of_type]
    slow = edges_ns(SLO_NS)[cells.buckets[of_type]] >= SLO_NS
    which, places = np.unique(cells.ids[of_type], return_inverse=True)
    n, slowed = np.zeros((2, len(which)), np.int64)
    np.add.at(n, places, counted)
    np.add.at(slowed, places[slow], counted[slow])
    seconds: Int64 = which[(n >= BUSY) & (2 * slowed > n)]
    return seconds


def _date(day: int) -> date:
    return datetime.fromtimestamp(day * _DAY_S, UTC).date()


def _usual(rows: Sequence[Row], measure: str) -> dict[date, float]:
    """The measure of the median server on each day of enough servers."""
    values: dict[date, list[float]] = {}
    for row in rows:
        for day in row.known_days():
            if (value := row.value(day, measure)) is not None:
                values.setdefault(day, []).append(value)
    return {day: median(those) for day, those in values.items() if len(those) >= _FEWEST}


def _positive(value: float, measure: str) -> float:
    """What ratios are made of: an etime is 1 ns at least, and to a count one is added."""
    if measure in CACHES:
        return 100 * (1 - value) + 1
    return max(value, 1.0) if measure.endswith("_ns") else value + 1.0


def _compared(row: Row, usual: Mapping[date, float], measure: str) -> Row:
    """The row with how unlike the others it is."""
    unlike = {}
    for day, common in usual.items():
        if (value := row.value(day, measure)) is not None:
            ratio = _positive(value, measure) / _positive(common, measure)
            unlike[day] = math.exp(abs(math.log(ratio)))
    worst = max(unlike, key=lambda day: (unlike[day], day), default=None)
    return replace(row, unlike=unlike[worst] if worst is not None else 1.0, unlike_on=worst)


def _most(row: Row, measure: str) -> float:
    values = [row.value(day, measure) for day in row.known_days()]
    return max((_positive(value, measure) for value in values if value is not None), default=0.0)


def all_days(rows: Sequence[Row]) -> list[date]:
    """The days of any of them, in order."""
    return sorted({day for row in rows for day in row.known_days()})
