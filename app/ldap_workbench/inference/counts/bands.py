"""How far from a measured percentile the true one may lie: 95 % bands for curves of percentiles.

All etimes come sorted, in ns; p are quantiles from 0 to below 1. Where fewer than LEAST_BEYOND
operations lie beyond a quantile nothing is known of it, and the band is nan there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.distributions import binomial_quantile, t_limit

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]

LEAST_BEYOND = 5
_TAIL = 0.025


def counting_band(etimes: Int64, p: Float) -> tuple[Float, Float]:
    """Low and high, ns: the two operations that enclose each quantile, by the binomial.

    Exact for operations that do not depend on one another. Those of one window do: it is the least
    that is unknown, and says nothing of how another window would be.
    """
    n = len(etimes)
    low = binomial_quantile(_TAIL, n, p) - 1
    high = binomial_quantile(1 - _TAIL, n, p)
    known = _known(n, p) & (low >= 0) & (high < n)
    return _picked(etimes, low, known), _picked(etimes, high, known)


def between_band(pooled: Int64, windows: Sequence[Int64], p: Float) -> tuple[Float, Float]:
    """Low and high, ns, around the pooled quantiles: from what leaving out each window changes.

    A delete-one-window jackknife with Student's t, on the log scale. `pooled` are the etimes of
    all windows; of these two at least must hold operations, else all is nan.
    """
    used = [window for window in windows if len(window)]
    if len(used) < 2:
        return np.full(len(p), np.nan), np.full(len(p), np.nan)
    k = len(used)
    without = np.log(np.maximum([_without(pooled, window, p) for window in used], 1))
    variance = (k - 1) / k * ((without - without.mean(0)) ** 2).sum(0)
    reach = t_limit(2 * _TAIL, k - 1) * np.sqrt(variance)
    middle = pooled[_ranks(len(pooled), p) - 1].astype(np.float64)
    reach[~_known(len(pooled), p)] = np.nan
    return middle * np.exp(-reach), middle * np.exp(np.minimum(reach, 50.0))


def _known(n: int, p: Float) -> NDArray[np.bool_]:
    return np.asarray(n * (1 - p) >= LEAST_BEYOND - 1e-9)


def _ranks(n: int, p: Float) -> NDArray[np.intp]:
    """Nearest ranks from 1 to n."""
    return np.asarray(np.clip(np.ceil(p * n - 1e-9), 1, n).astype(np.intp))


def _picked(etimes: Int64, places: NDArray[np.intp], known: NDArray[np.bool_]) -> Float:
    values = np.full(len(places), np.nan)
    values[known] = etimes[places[known]]
    return values


def _without(pooled: Int64, window: Int64, p: Float) -> Int64:
    """Nearest-rank quantiles of the pooled etimes but those of one window, by bisection."""
    ranks = _ranks(len(pooled) - len(window), p)
    low, high = ranks - 1, ranks - 1 + len(window)
    while (low < high).any():
        middle = (low + high) // 2
        etime = pooled[middle]
        here = np.searchsorted(pooled, etime, "right") - np.searchsorted(window, etime, "right")
        enough = here >= ranks
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return np.asarray(pooled[low])
