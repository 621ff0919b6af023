"""The stall ledger of a verdict: stalls as counts per second show them.

A counted stall is not quite the `Stall` of findings and timeline (advice/evidence/stalls.py), which
knows each operation and leaves out those that are always slow. Counts cannot tell them apart, but
one threshold holds for both arms, seconds can be matched by load, and windows need no operations
any more. The two may therefore differ in number; who shows the ledger says so.

Closed-loop clients: how they hide a stall, and what they would have seen without waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import first_above, quantile
from ldap_workbench.inference.counts.windows import WindowCounts

Float = NDArray[np.float64]

LEAST_OPERATIONS = 5
LEAST_THRESHOLD_S = 0.010
_GAP_S = 1.0


@dataclass(frozen=True)
class CountedStall:
    """A stall in counts: its begin in the window, the wait of its longest operation, how many.

    `bins` [first, last) are the bins of the window in which its operations completed; `weight` is
    the share of its last bin that counts after load matching.
    """

    start_s: float
    length_s: float
    operations: int
    bins: tuple[int, int]
    weight: float = 1.0


def threshold_s(windows: Sequence[WindowCounts], slo_s: float) -> float:
    """From which etime on an operation counts as held up; the same for both arms."""
    pooled = np.sum([w.histogram.sum(0) for w in windows], axis=0)
    p95 = quantile(pooled, windows[0].edges_s, 0.95)
    return float(np.clip(10 * p95, min(LEAST_THRESHOLD_S, slo_s), slo_s))


def counted_stalls(window: WindowCounts, threshold: float) -> list[CountedStall]:
    """The stalls of a window: bins with many slow completions, joined over gaps of 1 s.

    A stall is as long as its longest operation waited, and ends with it.
    """
    slow = window.from_bucket(first_above(window.edges_s, threshold))
    per_bin = slow.per_bin
    middle = float(np.median(per_bin)) if len(per_bin) else 0.0
    stalled = np.flatnonzero(per_bin >= max(LEAST_OPERATIONS, middle + 6 * np.sqrt(middle + 1)))
    if not len(stalled):
        return []
    breaks = np.flatnonzero(np.diff(stalled) > 1 + int(_GAP_S / window.dt)) + 1
    first = stalled[np.concatenate([[0], breaks])]
    last = stalled[np.concatenate([breaks - 1, [-1]])]
    top = np.zeros(slow.bins, np.int64)
    np.maximum.at(top, slow.bin, slow.bucket)
    total = np.concatenate([[0.0], np.cumsum(per_bin)])
    return [
        _counted_stall(slow, top, int(a), int(b), int(total[b + 1] - total[a]))
        for a, b in zip(first, last, strict=True)
    ]


def _counted_stall(
    slow: WindowCounts, top: NDArray[np.int64], a: int, b: int, n: int
) -> CountedStall:
    """Of the bins a to b with the highest bucket of each bin."""
    highest = int(top[a : b + 1].max())
    last = b - int(top[a : b + 1][::-1].argmax())
    length = float(np.sqrt(slow.edges_s[highest] * slow.edges_s[highest + 1]))
    weight = 1.0 if slow.weights is None else float(slow.weights[last])
    return CountedStall((last + 1) * slow.dt - length, length, n, (a, b + 1), weight)


def stalls_of(windows: Sequence[WindowCounts], threshold: float) -> list[list[CountedStall]]:
    """The stalls of each window."""
    return [counted_stalls(window, threshold) for window in windows]


CLOSED_BELOW = 0.5
"""A loop index below this means clients that wait for their answer before they ask again."""
LEAST_EPISODES = 10
LEAST_CAUGHT = 50
_MOST_STEPS = 1_000_000


def loop_index(
    windows: Sequence[WindowCounts],
    slow: Sequence[WindowCounts],
    stalls: Sequence[Sequence[CountedStall]],
    threshold: float,
) -> float | None:
    """Operations that start per second inside stalls over those outside; None with few stalls.

    A stall shows by whom it catches: who asks in it, but for the last `threshold` seconds,
    completes slowly. Open-loop clients go on asking, so it catches the usual rate times its
    length; clients that wait are caught once each. Of the operation types the one that is caught
    most counts, as a stall may hold up some types only. `slow`: the windows' slow operations.
    """
    if sum(len(of_window) for of_window in stalls) < LEAST_EPISODES:
        return None
    caught = np.sum(
        [_caught(s, of_window, threshold) for s, of_window in zip(slow, stalls, strict=True)], 0
    )
    wanted = np.sum(
        [_asked_in(w, of_window, threshold) for w, of_window in zip(windows, stalls, strict=True)],
        axis=0,
    )
    telling = caught >= LEAST_CAUGHT
    return float((caught[telling] / wanted[telling]).max()) if telling.any() else None


def _asked_in(window: WindowCounts, stalls: Sequence[CountedStall], threshold: float) -> Float:
    """Operations that start inside the stalls of a window at its usual rate, per type."""
    stalled_s = sum(max(stall.length_s - threshold, 0.0) for stall in stalls)
    rates: Float = window.histogram.sum(1) / window.seconds
    return rates * stalled_s


def _caught(slow: WindowCounts, stalls: Sequence[CountedStall], threshold: float) -> Float:
    """Slow completions inside the stalls of a window, per type of `names`."""
    inside = np.zeros(slow.bins, np.bool_)
    for stall in stalls:
        inside[slice(*stall.bins)] = True
    keep = inside[slow.bin] & (slow.bucket >= first_above(slow.edges_s, threshold))
    caught = np.bincount(slow.kind[keep], slow.count[keep], len(slow.types))
    return np.asarray(caught[[slow.types.index(name) for name in slow.names]])


def clients_seen(stalls: Sequence[Sequence[CountedStall]]) -> int:
    """A lower bound of the clients of a closed loop: as many as the largest stall caught."""
    return max((stall.operations for of_window in stalls for stall in of_window), default=0)


def expected_interval_s(clients: int, windows: Sequence[WindowCounts]) -> float:
    """Time between two requests of one client when nothing stalls: clients / usual throughput."""
    rates = [float(np.median(w.per_bin)) / w.dt for w in windows if w.bins]
    usual = float(np.mean(rates)) if rates else 0.0
    return clients / usual if usual > 0 else 0.0


def corrected(histogram: Float, edges_s: Float, interval_s: float) -> Float:
    """Histogram [bucket] with the requests a waiting client left out put back.

    As HdrHistogram does: an etime v longer than the interval i stands for v - i, v - 2i, ... too.
    """
    result = histogram.copy()
    if interval_s <= 0:
        return result
    middle = np.sqrt(edges_s[:-1] * edges_s[1:])
    for bucket in np.flatnonzero((histogram > 0) & (middle >= 2 * interval_s)):
        steps = min(int(middle[bucket] / interval_s), _MOST_STEPS)
        left_out = middle[bucket] - interval_s * np.arange(1, steps)
        at = np.clip(np.searchsorted(edges_s, left_out) - 1, 0, len(result) - 1)
        result += np.bincount(at, minlength=len(result)) * histogram[bucket]
    return result
