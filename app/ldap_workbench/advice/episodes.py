"""Stall episodes: operations that are usually quick, overlap, and end together.

A pure function over Operations. A search that is always slow is no victim of a stall, however many
of them run at once: they do not wait *together*.
"""

from __future__ import annotations

from dataclasses import dataclass
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
"""All ends of an episode lie within this share of its longest etime."""
GROUP = 8
"""Operations of one fingerprint needed to say what is usual for it."""
_ALWAYS_SLOW = np.uint8(1 << NOTES.index("A"))


@dataclass(frozen=True, eq=False)
class Episode:
    """One stall: `rows` are its victims in the order of their ends; `length_ns` the longest etime.

    `concurrency` is the number of victims in flight at the worst moment, `worst_ns`.
    """

    start_ns: int
    end_ns: int
    length_ns: int
    rows: Rows
    concurrency: int
    worst_ns: int

    @property
    def spread_ns(self) -> int:
        """Server time between the first end and the last is at most this."""
        return self.end_ns - self.start_ns


def episodes(operations: Operations, resolution_ns: int = 1) -> list[Episode]:
    """Stalls of client operations in the order of their ends."""
    clients = client_operations(operations)
    if int(clients.sum()) < VICTIMS:
        return []
    threshold = slow_threshold(operations.etime_ns[clients], resolution_ns)
    slow = clients & (operations.etime_ns >= threshold)
    rows = np.flatnonzero(slow & usually_quick(operations, clients, slow))
    rows = rows[np.argsort(operations.end_ns[rows], kind="stable")]
    usual = usual_rate(operations.end_ns[clients], operations.end_ns[rows])
    found = (_episode(operations, group) for group in _end_together(operations, rows))
    return [e for e in found if e and len(e.rows) >= _bar(operations, e, usual)]


def slow_threshold(etime_ns: Int64, resolution_ns: int = 1) -> int:
    """What counts as slow: 10 x p95 between 10 and 100 ms, never below what the log can show."""
    p95 = int(np.partition(etime_ns, (len(etime_ns) * 19) // 20)[(len(etime_ns) * 19) // 20])
    return max(min(max(10 * p95, FLOOR_NS), CEILING_NS), 2 * resolution_ns)


def usual_rate(all_ends: Int64, slow_ends: Int64) -> float:
    """Median number of slow ends a second, over the seconds in which anything ended."""
    seconds = np.unique(all_ends // NS_PER_S)
    at = np.searchsorted(seconds, slow_ends // NS_PER_S)
    return float(np.median(np.bincount(at, minlength=len(seconds))))


def _bar(operations: Operations, episode: Episode, usual: float) -> float:
    """More victims than this do not end so near each other by chance."""
    ends = operations.end_ns[episode.rows]
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


def _episode(operations: Operations, rows: Rows) -> Episode | None:
    if len(rows) < VICTIMS:
        return None
    ends, starts = operations.end_ns[rows], operations.start_ns[rows]
    length = int(operations.etime_ns[rows].max())
    if int(ends[-1] - ends[0]) > SPREAD * length:
        return None
    concurrency, worst = in_flight(starts, ends)
    if concurrency < max(VICTIMS, len(rows) // 2):
        return None
    return Episode(int(starts.min()), int(ends[-1]), length, rows, concurrency, worst)


def in_flight(starts: Int64, ends: Int64) -> tuple[int, int]:
    """Most intervals [start, end) open at once, and when first."""
    times = np.concatenate((ends, starts))
    steps = np.concatenate((np.full(len(ends), -1), np.ones(len(starts), np.int64)))
    order = np.argsort(times, kind="stable")
    open_now = np.cumsum(steps[order])
    at = int(np.argmax(open_now))
    return int(open_now[at]), int(times[order][at])


def stalled_seconds(found: list[Episode]) -> float:
    """Time in which some stall was on, overlaps counted once."""
    total, until = 0, 0
    for episode in sorted(found, key=lambda e: e.start_ns):
        total += max(0, episode.end_ns - max(until, episode.start_ns))
        until = max(until, episode.end_ns)
    return total / NS_PER_S
