"""The distribution of etimes: counts by power of two, and how many were at least as long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.thinning import ascending, tail_ranks
from ldap_workbench.statistics.counts.tails import log2_histogram

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Distribution:
    """etimes of one arm, reduced: counts per power of two, and the rarest by rank.

    `first` is the power of counts[0]: [2**first, 2**(first+1)) ns. `etime_ns` ascend; `longer`
    says how many operations took at least that long.
    """

    label: str
    arm: str
    n: int
    first: int
    counts: NDArray[np.int64]
    etime_ns: Floats
    longer: Floats


def distribution_of(label: str, arm: str, etimes_ns: NDArray[np.int64]) -> Distribution:
    """Reduce etimes in any order."""
    ordered = ascending(np.asarray(etimes_ns, np.int64))
    n = len(ordered)
    if n == 0:
        empty = np.empty(0)
        return Distribution(label, arm, 0, 0, np.empty(0, np.int64), empty, empty)
    bounds, counts = log2_histogram(ordered, ascending=True)
    first = int(np.log2(bounds[0]))
    ranks = tail_ranks(n)
    longer = (n - ranks).astype(np.float64)
    return Distribution(label, arm, n, first, counts, ordered[ranks].astype(np.float64), longer)
