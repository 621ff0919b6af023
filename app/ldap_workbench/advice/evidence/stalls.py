"""Stalls as findings and timeline show them: usually quick operations wait and end together.

A pure function over Operations. A search that is always slow is no victim of a stall, however many
of them run at once: they do not wait *together*. Where a log does not show what is usual, as an
excerpt of its worst lines does not, operations of minutes that end together are a stall as well.
A verdict counts stalls by other means: inference/counts/ledger.py says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import NOTES, Int64, Operations, client_operations
from ldap_workbench.model.units import NS_PER_S

Rows = NDArray[np.intp]

FLOOR_NS = 10_000_000
CEILING_NS = 100_000_000
"""The slow threshold is ten times the p95, kept between these two."""
VICTIMS = 5
"""Fewer operations that end together may do so by chance."""
END_GAP = 0.1
"""Ends belong together when they lie nearer than this share of the etimes beside them."""
SPREAD = 0.5
"""All ends of an stall lie within this share of its longest etime."""
GROUP = 8
"""Operations of one fingerprint needed to say what is usual for it."""
LONG_NS = 60 * NS_PER_S
"""No usual operation takes a minute: such ones need no quiet background to be victims."""
FEW = 3
"""So many operations of minutes are enough where they end as near each other as CLOSE says."""
CLOSE = 0.1
"""Share of the longest etime within which a few ends must lie: a server that lets go lets go of
all, and reports that only happen to overlap do not end so near each other."""
_ALWAYS_SLOW = np.uint8(1 << NOTES.index("A"))


@dataclass(frozen=True, eq=False)
class Stall:
    """One stall: `rows` are its victims in the order of their ends; `length_ns` the longest etime.

    It starts when the second of its victims begins to wait: the first one may have been slow for
    a reason of its own, and began at `first_ns`. `concurrency` is the number of victims in flight
    at the worst moment, `worst_ns`. `usual_known` is False where the log holds too few operations
    of this kind beside the victims to say that they are usually quick.
    """

    start_ns: int
    end_ns: int
    length_ns: int
    rows: Rows
    concurrency: int
    worst_ns: int
    first_ns: int
    ends_within_ns: int = 0
    """Time between the first and the last end of its victims."""
    usual_known: bool = True


def find_stalls(operations: Operations, resolution_ns: int = 1) -> list[Stall]:
    """Stalls of client operations in the order of their ends."""
    clients = client_operations(operations)
    if int(clients.sum()) < FEW:
        return []
    threshold = slow_threshold(operations.etime_ns[clients], resolution_ns)
    slow = clients & (operations.etime_ns >= threshold)
    quick = slow & usually_quick(operations, clients, slow)
    stalls = _against_background(operations, clients, quick)
    long = clients & (operations.etime_ns >= LONG_NS) & ((operations.notes & _ALWAYS_SLOW) == 0)
    long[_victims(stalls)] = False
    stalls += _without_background(operations, clients, long)
    return sorted(stalls, key=lambda stall: stall.end_ns)


def _against_background(
    operations: Operations, clients: NDArray[np.bool_], slow: NDArray[np.bool_]
) -> list[Stall]:
    """Stalls of operations that the log shows to be usually quick."""
    rows = _by_end(operations, slow)
    usual = usual_rate(operations.end_ns[clients], operations.end_ns[rows])
    groups = _end_together(operations, rows)
    candidates = (_stall(operations, group) for group in groups)
    return [e for e in candidates if e and len(e.rows) >= _bar(operations, e, usual)]


def _without_background(
    operations: Operations, clients: NDArray[np.bool_], long: NDArray[np.bool_]
) -> list[Stall]:
    """Stalls of operations of minutes of which the log does not show how long they usually take.

    Not where it shows that they always take so long: enough others did.
    """
    groups = _end_together(operations, _by_end(operations, long))
    candidates = (_stall(operations, group, few=True) for group in groups)
    return [
        replace(stall, usual_known=False)
        for stall in candidates
        if stall and not _always_long(operations, clients, stall)
    ]


def _always_long(operations: Operations, clients: NDArray[np.bool_], stall: Stall) -> bool:
    """Whether most others of the victims' kinds, and enough of them, took about as long."""
    others = clients & np.isin(operations.kind, operations.kind[stall.rows])
    others &= np.isin(operations.fingerprint, operations.fingerprint[stall.rows])
    others[stall.rows] = False
    as_long = int((operations.etime_ns[others] >= stall.length_ns // 4).sum())
    return as_long >= GROUP and 2 * as_long >= int(others.sum())


def _by_end(operations: Operations, which: NDArray[np.bool_]) -> Rows:
    rows = np.flatnonzero(which)
    return rows[np.argsort(operations.end_ns[rows], kind="stable")]


def _victims(stalls: list[Stall]) -> Rows:
    return np.concatenate([e.rows for e in stalls]) if stalls else np.empty(0, np.intp)


def slow_threshold(etime_ns: Int64, resolution_ns: int = 1) -> int:
    """What counts as slow: 10 x p95 between 10 and 100 ms, never below what the log can show."""
    p95 = int(np.partition(etime_ns, (len(etime_ns) * 19) // 20)[(len(etime_ns) * 19) // 20])
    return max(min(max(10 * p95, FLOOR_NS), CEILING_NS), 2 * resolution_ns)


def usual_rate(all_ends: Int64, slow_ends: Int64) -> float:
    """Median number of slow ends a second, over the seconds in which anything ended."""
    seconds = np.unique(all_ends // NS_PER_S)
    at = np.searchsorted(seconds, slow_ends // NS_PER_S)
    return float(np.median(np.bincount(at, minlength=len(seconds))))


def _bar(operations: Operations, stall: Stall, usual: float) -> float:
    """More victims than this do not end so near each other by chance."""
    ends = operations.end_ns[stall.rows]
    expected = usual * max(1.0, float(ends[-1] - ends[0]) / NS_PER_S)
    return max(VICTIMS, expected + 6 * sqrt(expected))


def usually_quick(
    operations: Operations, clients: NDArray[np.bool_], slow: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Mask: most operations of the same type and fingerprint are quick.

    A fingerprint seen too rarely is judged by its type, unless its search was fully unindexed.
    """
    kind = operations.kind.astype(np.int64)
    group = kind * (int(operations.fingerprint.max(initial=-1)) + 2) + operations.fingerprint + 1
    count, slow_count = (np.bincount(group[m], minlength=group.max() + 1) for m in (clients, slow))
    by_kind, slow_kind = (np.bincount(kind[m], minlength=256) for m in (clients, slow))
    enough = count >= GROUP
    quick = np.where(enough[group], (2 * slow_count < count)[group], False)
    indexed = (operations.notes & _ALWAYS_SLOW) == 0
    chosen: NDArray[np.bool_] = quick | (~enough[group] & (2 * slow_kind < by_kind)[kind] & indexed)
    return chosen


def _end_together(operations: Operations, rows: Rows) -> list[Rows]:
    ends, etimes = operations.end_ns[rows], operations.etime_ns[rows]
    apart = np.diff(ends) > END_GAP * np.maximum(etimes[1:], etimes[:-1])
    groups: list[Rows] = np.split(rows, np.flatnonzero(apart) + 1)
    return groups


def _stall(operations: Operations, rows: Rows, *, few: bool = False) -> Stall | None:
    """The stall of rows that end together; None for too few, or ends too far apart.

    `few`: fewer are enough where their ends are close.
    """
    if len(rows) < FEW:
        return None
    ends, starts = operations.end_ns[rows], operations.start_ns[rows]
    length = int(operations.etime_ns[rows].max())
    spread = int(ends[-1] - ends[0])
    enough = FEW if few and spread <= CLOSE * length else VICTIMS
    if len(rows) < enough or spread > SPREAD * length:
        return None
    concurrency, worst = in_flight(starts, ends)
    if concurrency < max(enough, len(rows) // 2):
        return None
    first, second = (int(start) for start in np.sort(starts)[:2])
    return Stall(second, int(ends[-1]), length, rows, concurrency, worst, first, spread)


def in_flight(starts: Int64, ends: Int64) -> tuple[int, int]:
    """Most intervals [start, end) open at once, and when first."""
    times = np.concatenate((ends, starts))
    steps = np.concatenate((np.full(len(ends), -1), np.ones(len(starts), np.int64)))
    order = np.argsort(times, kind="stable")
    open_now = np.cumsum(steps[order])
    at = int(np.argmax(open_now))
    return int(open_now[at]), int(times[order][at])


def stalled_seconds(stalls: list[Stall]) -> float:
    """Seconds during which at least one stall was on; overlaps count once."""
    total, until = 0, 0
    for stall in sorted(stalls, key=lambda e: e.start_ns):
        total += max(0, stall.end_ns - max(until, stall.start_ns))
        until = max(until, stall.end_ns)
    return total / NS_PER_S
