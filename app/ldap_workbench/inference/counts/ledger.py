"""The stall ledger of a verdict: stalls as counts per second show them.

A counted stall is not quite the `Stall` of findings and timeline (advice/evidence/stalls.py), which
knows each operation and leaves out those that are always slow. Counts cannot tell them apart, but
one threshold holds for both arms, seconds can be matched by load, and windows need no operations
any more. The two may therefore differ in number; who shows the ledger says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.quantiles import first_above, quantile
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
