"""Stalls as findings and timeline show them: usually quick operations wait and end together.

A pure function over Operations. A search that is always slow is no victim of a stall, however many
of them run at once: they do not wait *together*. What counts as slow is tried at rising thresholds:
where writes usually take 200 ms, a stall of nine seconds stands out at 400 ms, not at 100. Where a
log does not show what is usual, as an excerpt of its worst lines does not, operations of minutes
that end together are a stall as well.
A verdict counts stalls by other means: inference/counts/ledger.py says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.inside import worked_inside_ns
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
RELEASE = 0.05
"""A blocker ends within this share of a stall before the first victim does, and begins no later
than so much after the stall."""
MAY_BE_CHANCE = 0.001
"""Stalls above the first threshold that chance alone may give in a whole log, at most."""
_BINS_BESIDE = 5
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
    # What the log shows at work meanwhile does not wait: it may be what the others wait for. One
    # step inside that takes most of the time may be what waits.
    worked, longest = worked_inside_ns(operations)
    etimes = np.maximum(operations.etime_ns, 1)
    clients &= (2 * worked < etimes) | (2 * longest >= etimes)
    if int(clients.sum()) < FEW:
        return []
    kinds = _Kinds(operations, clients)
    stalls = _against_background(operations, clients, kinds, resolution_ns)
    long = clients & (operations.etime_ns >= LONG_NS) & ((operations.notes & _ALWAYS_SLOW) == 0)
    long[_victims(stalls)] = False
    rows = np.flatnonzero(long)
    long[rows[kinds.known(rows)]] = False
    stalls += _without_background(operations, clients, long)
    return sorted(stalls, key=lambda stall: stall.end_ns)


def _against_background(
    operations: Operations, clients: NDArray[np.bool_], kinds: _Kinds, resolution_ns: int
) -> list[Stall]:
    """Stalls of operations that the log shows to be usually quick, at thresholds that double.

    A stall counts at the lowest threshold at which it stands out; its victims are left out above.
    """
    threshold = slow_threshold(operations.etime_ns[clients], resolution_ns)
    ends = operations.end_ns[clients]
    slow = np.flatnonzero(clients & (operations.etime_ns >= threshold))
    rows = _in_order(operations, slow[kinds.usually_quick(slow)])
    runs = _Runs(operations, rows)
    usual = usual_rate(ends, operations.end_ns[rows])
    active_s = len(np.unique(ends // NS_PER_S))
    beside = _Beside(operations.end_ns[rows], active_s, NS_PER_S)
    stalls = [
        stall
        for group in runs.where(runs.count >= _bar(runs.spread_ns, usual))
        if (stall := _stall(operations, group)) and beside.stands_out(stall)
    ]
    while len(slow) >= VICTIMS:
        threshold *= 2
        slow = slow[operations.etime_ns[slow] >= threshold]
        is_free = ~np.isin(slow, _victims(stalls))
        rows = _in_order(operations, slow[kinds.usually_quick(slow) & is_free])
        runs = _Runs(operations, rows)
        beside = _Beside(operations.end_ns[rows], active_s, max(NS_PER_S, threshold // 2))
        stalls += [
            stall
            for group in runs.where(beside.no_chance(runs, resolution_ns))
            if (stall := _stall(operations, group)) and beside.stands_out(stall)
        ]
    return stalls


class _Runs:
    """Runs of rows, in the order of their ends, that end near each other; at least FEW in each.

    As columns: of 10^7 operations millions may be slow, and hardly any of them stall.
    """

    def __init__(self, operations: Operations, rows: Rows) -> None:
        ends, etimes = operations.end_ns[rows], operations.etime_ns[rows]
        apart = np.diff(ends) > END_GAP * np.maximum(etimes[1:], etimes[:-1])
        first = np.concatenate(([0], np.flatnonzero(apart) + 1))[: len(rows)]
        behind = np.append(first[1:], len(rows))[: len(first)]
        longest = np.maximum.reduceat(etimes, first) if len(first) else etimes
        spread = ends[behind - 1] - ends[first]
        near = (spread <= SPREAD * longest) & (behind - first >= FEW)
        self._rows, self._first, self._behind = rows, first[near], behind[near]
        self.count = self._behind - self._first
        self.spread_ns, self.longest_ns = spread[near], longest[near]

    def where(self, which: NDArray[np.bool_]) -> Iterator[Rows]:
        """The rows of some of them."""
        for at in np.flatnonzero(which):
            yield self._rows[self._first[at] : self._behind[at]]


class _Beside:
    """The other slow ends at one threshold, in ns and in order: what a stall has to stand out from.

    A server that is slow for a minute lets many slow operations end near each other as well, so
    the bins next to a stall count as much as those of the whole log.
    """

    def __init__(self, ends: Int64, active_s: int, bin_ns: int) -> None:
        self._ends, self._bin_ns = ends, bin_ns
        _, counts = np.unique(ends // bin_ns, return_counts=True)
        bins = max(1, len(counts), active_s * NS_PER_S // bin_ns)
        median = int(np.median(np.append(counts, np.zeros(bins - len(counts), np.int64))))
        # A bin counts for no more than chance may give it: what stalls let go is not usual.
        usual = int(np.minimum(counts, max(VICTIMS - 1, 2 * median)).sum())
        self._per_ns = usual / (bins * bin_ns)

    def no_chance(self, runs: _Runs, resolution_ns: int) -> NDArray[np.bool_]:
        """Which are victims enough to be no chance in so long a log.

        By Chernoff's bound on a Poisson number, for as many places as there are ends.
        """
        within = np.maximum(np.maximum(runs.spread_ns, resolution_ns), runs.longest_ns // 100)
        expected = np.maximum(self._per_ns * within, 1e-9)
        others = runs.count - 1
        bound = others - expected - others * np.log(others / expected)
        limit = log(MAY_BE_CHANCE / max(1, len(self._ends)))
        sure: NDArray[np.bool_] = (others > expected) & (bound <= limit)
        sure &= runs.count >= VICTIMS
        return sure

    def stands_out(self, stall: Stall) -> bool:
        """Whether more operations end together than in the bins before and behind a stall."""
        steps = self._bin_ns * np.arange(_BINS_BESIDE + 1)
        first = stall.end_ns - stall.ends_within_ns
        before = np.diff(np.searchsorted(self._ends, first - steps[::-1]))
        behind = np.diff(np.searchsorted(self._ends, stall.end_ns + 1 + steps))
        usual = float(np.median(np.concatenate((before, behind))))
        expected = usual * max(1.0, stall.ends_within_ns / self._bin_ns)
        return len(stall.rows) >= expected + 6 * sqrt(expected)


def _without_background(
    operations: Operations, clients: NDArray[np.bool_], long: NDArray[np.bool_]
) -> list[Stall]:
    """Stalls of operations of minutes of which the log does not show how long they usually take.

    Not where it shows that they always take so long: enough others did.
    """
    runs = _Runs(operations, _in_order(operations, np.flatnonzero(long)))
    candidates = (_stall(operations, rows, few=True) for rows in runs.where(runs.count >= FEW))
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


def _in_order(operations: Operations, rows: Rows) -> Rows:
    """Rows by the time at which they end."""
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


def _bar(spread_ns: Int64, usual: float) -> NDArray[np.float64]:
    """More victims than this do not end so near each other by chance."""
    expected = usual * np.maximum(1.0, spread_ns / NS_PER_S)
    bar: NDArray[np.float64] = np.maximum(VICTIMS, expected + 6 * np.sqrt(expected))
    return bar


class _Kinds:
    """Operations by type and fingerprint, to say which are usually quicker than a threshold."""

    def __init__(self, operations: Operations, clients: NDArray[np.bool_]) -> None:
        self._kind = operations.kind
        group = operations.kind.astype(np.int64)
        group *= int(operations.fingerprint.max(initial=-1)) + 2
        group += operations.fingerprint + 1
        self._group = group
        self._indexed = (operations.notes & _ALWAYS_SLOW) == 0
        self._count = np.bincount(group[clients], minlength=int(group.max()) + 1)
        self._by_kind = np.bincount(operations.kind[clients], minlength=256)

    def known(self, slow: Rows) -> NDArray[np.bool_]:
        """For every slow row, whether the log holds enough of its kind, and most are quicker."""
        enough: NDArray[np.bool_] = self._count[self._group[slow]] >= GROUP
        return enough & self.usually_quick(slow)

    def usually_quick(self, slow: Rows) -> NDArray[np.bool_]:
        """For every slow row, whether most operations of its type and fingerprint are quick.

        A fingerprint seen too rarely is judged by its type, unless its search was fully unindexed.
        """
        group, kind = self._group[slow], self._kind[slow]
        count = self._count[group]
        quick = 2 * np.bincount(group, minlength=len(self._count))[group] < count
        quick_kind = (2 * np.bincount(kind, minlength=256) < self._by_kind)[kind]
        chosen: NDArray[np.bool_] = np.where(
            count >= GROUP, quick, quick_kind & self._indexed[slow]
        )
        return chosen


def _stall(operations: Operations, rows: Rows, *, few: bool = False) -> Stall | None:
    """The stall of rows that end together; None for too few in flight at once.

    `few`: fewer are enough where their ends are close.
    """
    ends, etimes = operations.end_ns[rows], operations.etime_ns[rows]
    starts = ends - etimes
    length = int(etimes.max())
    spread = int(ends[-1] - ends[0])
    enough = FEW if few and spread <= CLOSE * length else VICTIMS
    if len(rows) < enough:
        return None
    concurrency, worst = in_flight(starts, ends)
    if concurrency < max(enough, len(rows) // 2):
        return None
    first, second = (int(start) for start in np.sort(starts)[:2])
    return Stall(second, int(ends[-1]), length, rows, concurrency, worst, first, spread)


class Blockers:
    """Operations whose life covers a stall and whose end releases it: an import, a big change."""

    def __init__(self, operations: Operations, stalls: Sequence[Stall], resolution_ns: int) -> None:
        self._operations, self._resolution_ns = operations, resolution_ns
        shortest = min((stall.length_ns for stall in stalls), default=0)
        is_victim = np.zeros(len(operations), bool)
        is_victim[_victims(list(stalls))] = True
        # As long as half a stall: what takes so long without one is no blocker.
        long = ~is_victim & (operations.nesting == 0) & (2 * operations.etime_ns >= shortest)
        self._long = _in_order(operations, np.flatnonzero(long)) if stalls else np.empty(0, np.intp)
        self._ends = operations.end_ns[self._long]
        self._etimes = operations.etime_ns[self._long]
        self._rows = [self._candidate(stall) for stall in stalls]

    def of(self, place: int) -> int | None:
        """The row of the blocker of one of the stalls; None where the log shows none."""
        row = self._rows[place]
        if row is None:
            return None
        operations = self._operations
        alike = operations.kind[self._long] == operations.kind[row]
        alike &= operations.fingerprint[self._long] == operations.fingerprint[row]
        alike &= 2 * self._etimes >= operations.etime_ns[row]
        blocking = {other for other in self._rows if other is not None}
        block = int(np.isin(self._long[alike], list(blocking)).sum())
        return row if int(alike.sum()) <= 2 * block else None

    def _candidate(self, stall: Stall) -> int | None:
        """The only operation that is at work while the victims wait and ends as they are let go.

        A victim that waited first is let go first, so that no victim is one.
        """
        release = stall.end_ns - stall.ends_within_ns
        before = max(self._resolution_ns, round(RELEASE * stall.length_ns))
        low = np.searchsorted(self._ends, release - before)
        high = np.searchsorted(self._ends, release + self._resolution_ns)
        # What was under way when the blocker began waits as well, from a little earlier on.
        latest = stall.start_ns + round(RELEASE * stall.length_ns)
        covers = self._ends[low:high] - self._etimes[low:high] <= latest
        candidates = self._long[low:high][covers]
        return int(candidates[0]) if len(candidates) == 1 else None


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
