"""Binomial, Student's t, beta and Poisson: the few values that bands and tests need.

Everything but Poisson rests on the regularised incomplete beta function. Its leading factor is a
binomial probability by Loader's saddle point ("Fast and accurate computation of binomial
probabilities", 2000), which keeps its digits for 10^8 operations where differences of log-gammas
lose theirs; the rest is the continued fraction of DiDonato & Morris (TOMS 708, 1992), in the form
that Boost.Math documents. Against SciPy, which this replaces (143 MB), the relative error is below
1e-10; tests/unit/inference/test_distributions.py.

How far from a measured percentile the true one may lie: 95 % bands for curves of percentiles. All
etimes come sorted, in ns; p are quantiles from 0 to below 1. Where fewer than LEAST_BEYOND
operations lie beyond a quantile nothing is known of it, and the band is nan there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Int64 = NDArray[np.int64]

Float = NDArray[np.float64]

_NORMAL = NormalDist()
_log_factorial = np.vectorize(lambda n: math.lgamma(n + 1), otypes=[np.float64])
_EXACT = 1e-15
_FEW = 15  # from here on the series of Stirling's error is exact to 1e-16


def binomial_at_most(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Float:
    """P(X <= k) of n tries with chance p each, elementwise; 0 <= k <= n and 0 <= p <= 1."""
    k, n, p = np.broadcast_arrays(*(np.asarray(array, np.float64) for array in (k, n, p)))
    chance = np.asarray(np.where((k >= n) | (p <= 0), 1.0, 0.0))
    inside = (k < n) & (p > 0) & (p < 1)
    k, n, p = k[inside], n[inside], p[inside]
    chance[inside] = _beta_share(n - k, k + 1, 1 - p, p)
    return chance


def binomial_quantile(share: float, n: int, p: Float) -> NDArray[np.intp]:
    """The smallest k with P(X <= k) >= share, for each p; 0 < share < 1.

    Starts at the normal approximation with its term for skewness and walks from there by exact
    probabilities.
    """
    z, q = _NORMAL.inv_cdf(share), 1 - p
    near = n * p + z * np.sqrt(n * p * q) + (z * z - 1) * (q - p) / 6
    k = np.where((p > 0) & (p < 1), np.clip(np.floor(near), 0, n), n * p)
    at_most = binomial_at_most(k, n, p)
    while (short := at_most < share).any():
        k[short] += 1
        at_most[short] += _binomial(k[short], n - k[short], p[short], q[short])
    while True:
        below = at_most - _binomial(k, n - k, p, q)
        lower = (k > 0) & (below >= share)
        if not lower.any():
            return k.astype(np.intp)
        k[lower] -= 1
        at_most[lower] = below[lower]


def t_two_sided(t: float, freedom: float) -> float:
    """P(|T| >= |t|) of Student's t."""
    if t == 0:
        return 1.0
    if math.isinf(freedom):
        return math.erfc(abs(t) / math.sqrt(2))
    total = freedom + t * t
    return float(_beta_share(freedom / 2, 0.5, freedom / total, t * t / total)[0])


@lru_cache(maxsize=256)
def t_limit(alpha: float, freedom: float) -> float:
    """The t > 0 that |T| exceeds with probability alpha: Student's t, two-sided; 0 < alpha < 1.

    By Newton's method: the tail is convex, so a start below the limit, as the normal's is, never
    passes it.
    """
    if not freedom > 0:
        return math.nan
    t = -_NORMAL.inv_cdf(alpha / 2)
    if math.isinf(freedom):
        return t
    while True:
        step = (t_two_sided(t, freedom) - alpha) / (2 * _t_density(t, freedom))
        t += step
        if step <= 1e-14 * t:
            return t


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x in (0, 1) below which a share of the beta distribution lies."""
    return _root(lambda x: float(_beta_share(a, b, x, 1 - x)[0]) - share, 0.0, 1.0)


def poisson_limit(n: int, share: float) -> float:
    """The mean of which n events or fewer are seen with probability 1 - share."""
    counts = np.arange(n + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])

    def missing(mean: float) -> float:
        return 1 - share - float(np.exp(counts * math.log(mean) - mean - factorials).sum())

    return _root(missing, 0.0, 20 + 2 * n - 2 * math.log1p(-share))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes 0, by bisection down to neighbouring floats."""
    while low < (middle := (low + high) / 2) < high:
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high


def _t_density(t: float, freedom: float) -> float:
    logs = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    logs -= (freedom + 1) / 2 * math.log1p(t * t / freedom)
    return math.exp(logs) / math.sqrt(freedom * math.pi)


def _beta_share(a: ArrayLike, b: ArrayLike, x: ArrayLike, y: ArrayLike) -> Float:
    """I_x(a, b), with y = 1 - x given too, as one of both has lost its digits; 1-d."""
    a, b, x, y = np.broadcast_arrays(
        *(np.atleast_1d(array).astype(float) for array in (a, b, x, y))
    )
    # The fraction converges fast below the mean; above it I_x(a, b) = 1 - I_y(b, a).
    above = a * y < b * x
    a, b = np.where(above, b, a), np.where(above, a, b)
    x, y = np.where(above, y, x), np.where(above, x, y)
    share = a * b / (a + b) * _binomial(a, b, x, y) / _fraction(a, b, x, y)
    return np.asarray(np.where(above, 1 - share, share))


def _fraction(a: Float, b: Float, x: Float, y: Float) -> Float:
    """The continued fraction of I_x(a, b), by the modified method of Lentz."""
    value = a * (a * y - b * x + 1) / (a + 1)
    upper, lower = value, np.zeros_like(value)
    change, m = np.full_like(value, 2.0), 0
    while (abs(change - 1) > _EXACT).any():
        m += 1
        top = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / (a + 2 * m - 1)) ** 2
        step = m + m * (b - m) * x / (a + 2 * m - 1)
        step += (a + m) * (a * y - b * x + 1 + m * (1 + y)) / (a + 2 * m + 1)
        lower = 1 / (step + top * lower)
        upper = step + top / upper
        change = upper * lower
        value = value * change
    return value


def _binomial(k: Float, rest: Float, p: Float, q: Float) -> Float:
    """Probability of k successes and `rest` failures, which need not be whole numbers."""
    n = k + rest
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = _stirling_error(n) - _stirling_error(k) - _stirling_error(rest)
        logs -= _deviance(k, n * p) + _deviance(rest, n * q)
        inside = np.exp(logs) * np.sqrt(n / (2 * math.pi * k * rest))
        ends = np.exp(n * np.where(k > 0, np.log1p(-q), np.log1p(-p)))
    return np.asarray(np.where((k > 0) & (rest > 0), inside, ends))


def _deviance(k: Float, mean: Float) -> Float:
    """k ln(k / mean) + mean - k, without the cancellation near the mean."""
    relative = (k - mean) / mean
    return np.asarray(mean * ((1 + relative) * np.log1p(relative) - relative))


def _stirling_error(n: Float) -> Float:
    """ln n! less Stirling's formula."""
    m = n * n
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / m) / m) / m) / m) / n
    exact = _log_factorial(np.minimum(n, _FEW)) - (n + 0.5) * np.log(n) + n
    return np.where(n < _FEW, exact - math.log(2 * math.pi) / 2, series)


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
