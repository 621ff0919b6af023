"""What some operations do to all others: their etimes while one of the former is at work, and not.

Both are of one window, so that load, caches and host are the same. Others are compared within
their kind (type and filter), as another mix of operations would look like a difference. A long
operation covers slow times more often than a short one does, so each counts for no longer than the
usual one of them takes; and what random times of the same lengths show as well counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.significance.exceedance import difference_interval
from ldap_workbench.model.operations import Int64, Operations, client_operations

_FEWEST = 50
"""Operations of one kind on either side; fewer say nothing of a tail."""
_SLOW = 0.9
"""An operation is slow beyond this quantile of its kind while nothing is at work."""
_EPISODES = 20
"""Fewer times at work may coincide with something else."""
_SHIFTS, _ROWS = 99, 50_000
"""Comparisons with shifted times, and the operations they are made with."""


@dataclass(frozen=True)
class Contrast:
    """Shares of slow operations beside the others' work and without it.

    `low` to `high` is the interval of their difference (95 %), `excess_ns` what the difference
    cost those that waited. `beside_ns` and `without_ns` are mean etimes, weighted as the kinds are
    beside.
    """

    episodes: int
    beside: int
    without: int
    slow_beside: float
    slow_without: float
    low: float
    high: float
    beside_ns: float
    without_ns: float
    excess_ns: int
    chance: float
    """How often times of the same lengths, moved along the window, show as much."""

    @property
    def times(self) -> float:
        return self.beside_ns / self.without_ns if self.without_ns else 0.0


def contrast(operations: Operations, culprits: NDArray[np.bool_]) -> Contrast | None:
    """Compare; None where either side is too small, or the culprits hardly ever rest."""
    if culprits.sum() < _EPISODES:
        return None
    usual = int(np.median(operations.etime_ns[culprits]))
    starts = operations.start_ns[culprits]
    spans = merged(starts, np.minimum(operations.end_ns[culprits], starts + usual))
    if len(spans) < _EPISODES:
        return None
    rows = np.flatnonzero(client_operations(operations) & ~culprits)
    times, etimes = operations.start_ns[rows], operations.etime_ns[rows]
    kinds = operations.fingerprint[rows].astype(np.int64) * 64 + operations.kind[rows]
    difference = _over_kinds(etimes, kinds, _within(times, spans), len(spans))
    return replace(difference, chance=_chance(times, etimes, kinds, spans)) if difference else None


def _over_kinds(
    etimes: Int64, kinds: Int64, beside: NDArray[np.bool_], episodes: int
) -> Contrast | None:
    n = m = 0
    slow_beside = slow_without = excess = beside_sum = without_sum = 0.0
    for kind in np.unique(kinds[beside]):
        same = kinds == kind
        with_, quiet = etimes[same & beside], etimes[same & ~beside]
        if min(len(with_), len(quiet)) < _FEWEST:
            continue
        bound = np.quantile(quiet, _SLOW)
        n, m = n + len(with_), m + len(quiet)
        slow_beside += float((with_ > bound).sum())
        slow_without += float((quiet > bound).mean()) * len(with_)
        # Means without the slowest thousandth: one stall would speak for all the rest.
        usual, now = _trimmed(quiet), _trimmed(with_)
        excess += (now - usual) * len(with_)
        beside_sum += now * len(with_)
        without_sum += usual * len(with_)
    if not n:
        return None
    share, usually = slow_beside / n, slow_without / n
    low, high = difference_interval(usually, m, share, n)
    return Contrast(
        episodes, n, m, share, usually, low, high, beside_sum / n, without_sum / n, int(excess), 1.0
    )


def _chance(times: Int64, etimes: Int64, kinds: Int64, spans: NDArray[np.int64]) -> float:
    """The share of shifts along the window, which ends where it begins, that show as much."""
    every = max(1, len(times) // _ROWS)
    times, etimes, kinds = times[::every], etimes[::every], kinds[::every]
    slow = np.zeros(len(times), np.bool_)
    for kind in np.unique(kinds):
        same = kinds == kind
        slow[same] = etimes[same] > np.quantile(etimes[same], _SLOW)
    first, length = int(times.min()), int(times.max() - times.min()) + 1
    random = np.random.default_rng(19)
    shifts = [0, *random.integers(0, length, _SHIFTS).tolist()]
    shown = [
        _difference(slow, _within((times - first + s) % length + first, spans)) for s in shifts
    ]
    return sum(difference >= shown[0] for difference in shown) / len(shown)


def _difference(slow: NDArray[np.bool_], beside: NDArray[np.bool_]) -> float:
    if beside.all() or not beside.any():
        return 0.0
    return float(slow[beside].mean() - slow[~beside].mean())


def _trimmed(etimes: Int64) -> float:
    return float(etimes[etimes <= np.quantile(etimes, 0.999)].mean())


def merged(starts: Int64, ends: Int64) -> NDArray[np.int64]:
    """Spans of time that at least one operation covers, in order: an array of (start, end)."""
    if not len(starts):
        return np.empty((0, 2), np.int64)
    order = np.argsort(starts, kind="stable")
    starts, last = starts[order], np.maximum.accumulate(ends[order])
    first = np.concatenate(([True], starts[1:] > last[:-1]))
    begins = np.flatnonzero(first)
    closes = np.concatenate((begins[1:] - 1, [len(starts) - 1]))
    return np.stack((starts[begins], last[closes]), axis=1)


def _within(times: Int64, spans: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each time lies in one of some spans, which are in order and do not touch."""
    at = np.searchsorted(spans[:, 0], times, "right") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (times < spans[np.maximum(at, 0), 1])
    return inside
