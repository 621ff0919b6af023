"""One pass over operations, a few at once: cells, arrivals, slowest, what the gates need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import bucket_of
from ldap_workbench.inference.counts.waits import NO_WAITS, Waits, waits_of
from ldap_workbench.model.operations import NO_ERROR, NOTES, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]

SLOWEST = 1000
TYPE_AT, SECOND_AT = 16, 20
"""Bits of a cell's number: bucket below, then type, then second or another thing to count by."""
STRATUM_AT, BIN_AT = SECOND_AT, 26
"""In the number of a cube's cell the stratum comes next, then the second."""
_ROWS_AT_ONCE = 1 << 16
"""Small enough for the columns of one part to stay in the processor's cache."""
_SPREAD = 1 << 22
"""Seconds times types that may lie between the first and last operation, however few they are."""
_UNINDEXED = np.uint8(sum(1 << NOTES.index(letter) for letter in "UA"))
_ENOUGH = 1 << 20
"""Operations of a window that tell well enough how busy connections are."""
_NO_RESULT = -1
_SEARCH, _ABANDON = TYPES.index("SRCH"), TYPES.index("ABANDON")


@dataclass(frozen=True)
class Tally:
    """What else is known of a window's client operations, for the gates.

    errors       result code that is not 0 -> operations
    searches, entries, unindexed   searches, what they returned, how many had no index
    connections  distinct connections that asked something
    straddling   operations left out because they outlived the switch of the configuration
    unanswered   operations whose client gave up, or that had no answer when the window ended; they
                 are counted with the time they waited, which is the least they would have taken
    waits        how busy the connections are of clients that may wait for their answers
    """

    errors: Mapping[int, int] = field(default_factory=dict)
    searches: int = 0
    entries: int = 0
    unindexed: int = 0
    connections: int = 0
    straddling: int = 0
    unanswered: int = 0
    waits: Waits = NO_WAITS

    def plus(self, other: Tally) -> Tally:
        """Of two parts of one window; a connection seen in both parts counts once at least."""
        codes = sorted({*self.errors, *other.errors})
        errors = {c: self.errors.get(c, 0) + other.errors.get(c, 0) for c in codes}
        return Tally(
            errors,
            self.searches + other.searches,
            self.entries + other.entries,
            self.unindexed + other.unindexed,
            max(self.connections, other.connections),
            self.straddling + other.straddling,
            self.unanswered + other.unanswered,
            self.waits.plus(other.waits),
        )


@dataclass(frozen=True)
class Span:
    """The window to count: [start_ns, end_ns) in so many bins of a second."""

    start_ns: int
    end_ns: int
    bins: int
    slo_ns: int
    switch_ns: int | None = None
    strata: NDArray[np.uint8] | None = None
    """Of each operation; None where they are not told apart."""
    failures: bool = False
    """Whether what fails counts as over `slo_ns` and all else as below, however long it took."""


@dataclass(eq=False)
class Counted:
    """What the parts counted so far add up to."""

    arrivals: NDArray[np.uint32]
    parts: list[tuple[Int64, Int64]] = field(default_factory=list)
    slowest_ns: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    slowest_at: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    errors: dict[int, int] = field(default_factory=dict)
    connections: set[tuple[int, int]] = field(default_factory=set)
    searches: int = 0
    entries: int = 0
    unindexed: int = 0
    straddling: int = 0
    unanswered: int = 0
    waits: Waits = NO_WAITS

    def cells(self) -> tuple[Int64, Int64]:
        """Numbers of the cells that are not empty, sorted, and their counts."""
        if not self.parts:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        numbers, counts = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        return summed(numbers, counts)

    def tally(self) -> Tally:
        return Tally(
            dict(sorted(self.errors.items())),
            self.searches,
            self.entries,
            self.unindexed,
            len(self.connections),
            self.straddling,
            self.unanswered,
            self.waits,
        )


def count(operations: Operations, span: Span) -> Counted:
    """Count the client operations that start in the span."""
    total = Counted(np.zeros((len(TYPES), span.bins), np.uint32))
    for first in range(0, len(operations), _ROWS_AT_ONCE):
        part = _inside(operations, slice(first, first + _ROWS_AT_ONCE), span, total)
        if len(part["etime_ns"]):
            _add(part, span, total)
    return total


def _inside(
    operations: Operations, rows: slice, span: Span, total: Counted
) -> dict[str, NDArray[Any]]:
    """The columns of the client operations among `rows` that start in the span."""
    names = ("end_ns", "etime_ns", "kind", "err", "nentries", "notes", "boot", "conn", "result_at")
    part = {name: getattr(operations, name)[rows] for name in names}
    if span.strata is not None:
        part["stratum"] = span.strata[rows]
    start = part["end_ns"] - part["etime_ns"]
    inside = ~(operations.internal[rows] | operations.own[rows])
    # An abandon has no answer of its own, so nobody waits for one. 389 DS logs it without a request
    # and with the time its target had waited; where a request is logged, the target has a result.
    abandons = part["kind"] == _ABANDON
    given_up = abandons & (operations.request_at[rows] < 0)
    inside &= given_up | ~abandons
    inside &= (start >= span.start_ns) & (start < span.end_ns)
    if span.switch_ns is not None:
        late = inside & (part["end_ns"] > span.switch_ns)
        total.straddling += int(np.count_nonzero(late))
        inside &= ~late
    if abandons.any():
        # Hardly anything but a search can be abandoned (RFC 4511, 4.11), so that is what it was.
        total.unanswered += int(np.count_nonzero(inside & given_up))
        part["kind"] = np.where(given_up, np.uint8(_SEARCH), part["kind"])
    return part if inside.all() else {name: values[inside] for name, values in part.items()}


def _add(part: dict[str, NDArray[Any]], span: Span, total: Counted) -> None:
    second = np.clip((part["end_ns"] - span.start_ns) // NS_PER_S, 0, span.bins - 1)
    kind = part["kind"].astype(np.int64)
    number = (second << BIN_AT) | (kind << TYPE_AT)
    if "stratum" in part:
        number |= part["stratum"].astype(np.int64) << STRATUM_AT
    total.parts.append(distinct_cells(number | bucket_of(_judged_ns(part, span), span.slo_ns)))
    started = (part["end_ns"] - part["etime_ns"] - span.start_ns) // NS_PER_S
    _add_arrivals(kind, started, total.arrivals)
    _add_tally(part, total)
    _add_slowest(part["etime_ns"], part["result_at"], total)


def _judged_ns(part: dict[str, NDArray[Any]], span: Span) -> Int64:
    """The etimes, ns, that the cells count."""
    etimes: Int64 = part["etime_ns"]
    if not span.failures:
        return etimes
    succeeded = np.isin(part["err"], (_NO_RESULT, *NO_ERROR))
    return np.where(succeeded, span.slo_ns // 2, 2 * span.slo_ns)


def distinct_cells(numbers: Int64) -> tuple[Int64, Int64]:
    """Distinct numbers, sorted, and how often each occurs."""
    high, buckets = numbers >> TYPE_AT, numbers & ((1 << TYPE_AT) - 1)
    low = int(high.min())
    high -= low
    if int(high.max()) > 8 * len(numbers) + _SPREAD:  # a clock that was set between two lines
        return _distinct_by_sorting(numbers)
    # Only seconds and types that occur, and buckets in use, are laid out.
    occurs = np.zeros(int(high.max()) + 1, np.bool_)
    occurs[high] = True
    present = np.flatnonzero(occurs)
    width = int(buckets.max()) + 1
    if len(present) * width > 8 * len(numbers) + 4096:
        return _distinct_by_sorting(numbers)
    slot = np.cumsum(occurs) - 1
    dense = np.bincount(slot[high] * width + buckets)
    filled = np.flatnonzero(dense)
    distinct = ((present[filled // width] + low) << TYPE_AT) | (filled % width)
    return distinct, dense[filled].astype(np.int64)


def _distinct_by_sorting(numbers: Int64) -> tuple[Int64, Int64]:
    distinct, counts = np.unique(numbers, return_counts=True)
    return distinct, counts.astype(np.int64)


def summed(numbers: Int64, counts: Int64) -> tuple[Int64, Int64]:
    """Counts of equal numbers added, sorted by number."""
    if not len(numbers):
        return numbers, counts
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    firsts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
    return ordered[firsts], np.add.reduceat(counts[order], firsts)


def _add_arrivals(kind: Int64, second: Int64, arrivals: NDArray[np.uint32]) -> None:
    low, high = int(second.min()), int(second.max()) + 1
    width = high - low
    counts = np.bincount(kind * width + (second - low), minlength=len(TYPES) * width)
    arrivals[:, low:high] += counts.reshape(-1, width).astype(np.uint32)


def _add_tally(part: dict[str, NDArray[Any]], total: Counted) -> None:
    failed = part["err"][part["err"] != 0]
    if len(failed):
        for code, n in zip(*(x.tolist() for x in np.unique_counts(failed)), strict=True):
            total.errors[code] = total.errors.get(code, 0) + n
    searched = part["kind"] == _SEARCH
    total.searches += int(np.count_nonzero(searched))
    total.entries += int(np.maximum(part["nentries"], 0).sum(where=searched))
    total.unindexed += int(np.count_nonzero(searched & ((part["notes"] & _UNINDEXED) != 0)))
    for boot in range(int(part["boot"].min()), int(part["boot"].max()) + 1):
        mine = part["boot"] == boot
        connections = _distinct(part["conn"][mine])
        total.connections.update((boot, connection) for connection in connections)
        if connections and total.waits.of < _ENOUGH:
            columns = (part[name][mine] for name in ("end_ns", "etime_ns", "conn"))
            total.waits = total.waits.plus(waits_of(*columns))


def _distinct(values: Int64) -> list[int]:
    if not len(values):
        return []
    low = int(values.min())
    if int(values.max()) - low > 8 * len(values) + 4096:
        return list(np.unique(values).tolist())
    seen = np.zeros(int(values.max()) - low + 1, np.bool_)
    seen[values - low] = True
    return list((np.flatnonzero(seen) + low).tolist())


def _add_slowest(etime_ns: Int64, at: Int64, total: Counted) -> None:
    """Keep the longest etimes, longest first, at most SLOWEST."""
    if len(total.slowest_ns) == SLOWEST:
        longer = etime_ns > total.slowest_ns[-1]
        if not longer.any():
            return
        etime_ns, at = etime_ns[longer], at[longer]
    elif len(etime_ns) > SLOWEST:
        least = np.partition(etime_ns, len(etime_ns) - SLOWEST)[len(etime_ns) - SLOWEST]
        etime_ns, at = etime_ns[etime_ns >= least], at[etime_ns >= least]
    total.slowest_ns, total.slowest_at = longest_first(
        np.concatenate([total.slowest_ns, etime_ns]), np.concatenate([total.slowest_at, at])
    )


def longest_first(etime_ns: Int64, at: Int64) -> tuple[Int64, Int64]:
    """The SLOWEST longest etimes and their places in the log, longest first."""
    order = np.lexsort((at, -etime_ns))[:SLOWEST]
    return etime_ns[order], at[order]
