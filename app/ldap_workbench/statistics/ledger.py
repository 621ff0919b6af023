"""The stall ledger: episodes in which many operations wait together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts import WindowCounts

Float = NDArray[np.float64]

LEAST_OPERATIONS = 5
LEAST_THRESHOLD_S = 0.010


@dataclass(frozen=True)
class Episode:
    """One stall: when its last operation completed, how long the longest waited, how many."""

    start_s: float
    length_s: float
    operations: int


def threshold_s(windows: Sequence[WindowCounts], slo_s: float) -> float:
    """From which etime on an operation counts as held up; the same for both arms."""
    pooled = sum(w.counts.sum((0, 1)) for w in windows)
    p95 = quantile(np.asarray(pooled), windows[0].edges_s, 0.95)
    return float(np.clip(10 * p95, min(LEAST_THRESHOLD_S, slo_s), slo_s))


def episodes(window: WindowCounts, threshold: float) -> list[Episode]:
    """The stalls of a window: seconds with many slow completions, joined over 1 s gaps."""
    first = int(np.searchsorted(window.edges_s, threshold * (1 - 1e-9)))
    slow = window.counts[:, :, first:].sum(0)
    per_bin = slow.sum(1)
    middle = float(np.median(per_bin)) if len(per_bin) else 0.0
    held = per_bin >= max(LEAST_OPERATIONS, middle + 6 * np.sqrt(middle + 1))
    gap = max(1, round(1 / window.dt))
    found: list[list[int]] = []
    for second in np.flatnonzero(held):
        if found and second - found[-1][1] <= gap + 1:
            found[-1][1] = int(second)
        else:
            found.append([int(second), int(second)])
    return [_episode(window, slow, first, a, b) for a, b in found]


def _episode(window: WindowCounts, slow: Float, first: int, a: int, b: int) -> Episode:
    buckets = slow[a : b + 1].sum(0)
    top = int(np.flatnonzero(buckets)[-1]) + first
    length = float(np.sqrt(window.edges_s[top] * window.edges_s[top + 1]))
    last = int(np.flatnonzero(slow[a : b + 1, top - first])[-1]) + a
    return Episode((last + 1) * window.dt - length, length, int(buckets.sum()))


def quantile(histogram: Float, edges_s: Float, p: float) -> float:
    """The p quantile in seconds, log-linear within its bucket; 0 for an empty histogram."""
    total = histogram.sum()
    if total <= 0:
        return 0.0
    cumulative = np.cumsum(histogram)
    target = p * total
    bucket = min(int(np.searchsorted(cumulative, target, "left")), len(histogram) - 1)
    below = cumulative[bucket] - histogram[bucket]
    share = (target - below) / histogram[bucket] if histogram[bucket] > 0 else 0.5
    low, high = np.log(edges_s[bucket]), np.log(edges_s[bucket + 1])
    return float(np.exp(low + share * (high - low)))
