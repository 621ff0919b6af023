"""Two histograms of one thing: the share beyond each bucket, with an interval of the difference.

A histogram knows its values to a factor of two, so a percentile of it is a range. How many lie
beyond the bound of a bucket it knows exactly: that is what is compared.

Shares of samples that fall on each of many things, such as frames of stacks, A against B. Samples
are not independent: a thread that stays in a call is counted each time, and a burst of work in many
samples at once. Where an arm has several parts (windows, dumps), how they differ says by how much;
with one part in each arm this is not known, and the true interval is wider.

The shift plot: B against A at every quantile, as far as the tail is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import log_quantiles
from ldap_workbench.inference.counts.distributions import t_limit
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.verdict import Shift

Float = NDArray[np.float64]

Z95 = 1.959964
"""Of 95 % of a normal distribution, two-sided."""


@dataclass(frozen=True)
class Beyond:
    """Shares of calls at or beyond `bound` before and after.

    `low` to `high` holds their difference with 95 % confidence.
    """

    bound: float
    before: float
    after: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def share_beyond(low: Sequence[float], counts: Sequence[int], bound: float) -> float:
    """The share of calls in the buckets that begin at `bound` or later; 0 of none."""
    total = sum(counts)
    beyond = sum(n for edge, n in zip(low, counts, strict=True) if edge >= bound)
    return beyond / total if total else 0.0


def exceedance(
    before: tuple[Sequence[float], Sequence[int]], after: tuple[Sequence[float], Sequence[int]]
) -> list[Beyond]:
    """Beyond each bound but the first of either histogram, (lower bounds, counts), ascending."""
    n_before, n_after = sum(before[1]), sum(after[1])
    beyond = []
    for bound in sorted({*before[0], *after[0]})[1:]:
        a, b = share_beyond(*before, bound), share_beyond(*after, bound)
        beyond.append(Beyond(bound, a, b, *difference_interval(a, n_before, b, n_after)))
    return beyond


def difference_interval(
    a: float, n_a: float, b: float, n_b: float, z: float = Z95
) -> tuple[float, float]:
    """Interval of b - a, two shares of n_a and n_b calls: of 95 %, or of another z.

    Newcombe 1998, method 10: from Wilson's intervals of both, sound also where a share is 0.
    """
    low_a, high_a = wilson(a, n_a, z)
    low_b, high_b = wilson(b, n_b, z)
    low = b - a - sqrt((b - low_b) ** 2 + (high_a - a) ** 2)
    high = b - a + sqrt((high_b - b) ** 2 + (a - low_a) ** 2)
    return low, high


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share of n calls; 0 to 1 where there are none."""
    if n == 0:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


LEAST = 20
"""Samples of both arms; of what has fewer, no difference is told."""
_ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class SharesDifference:
    """Shares of each thing in A and in B, 0..1, and an interval of B - A.

    The intervals hold together with 95 % confidence; NaN where there are fewer than LEAST samples.
    `parts_known` says whether several parts of an arm told how samples hang together.
    """

    a: Float
    b: Float
    low: Float
    high: Float
    parts_known: bool


def compare_shares(
    counts: tuple[Float, Float], totals: tuple[Sequence[int], Sequence[int]]
) -> SharesDifference:
    """Compare each column of `counts`, one row a part, with `totals` samples in each part.

    Newcombe's interval (1998, method 10) at a level divided by the number of columns looked at
    (Bonferroni), of as many samples as remain when they are divided by the dispersion of the parts.
    """
    n_a, n_b = (float(sum(sizes_of_parts)) for sizes_of_parts in totals)
    samples = counts[0].sum(axis=0), counts[1].sum(axis=0)
    a, b = samples[0] / max(n_a, 1.0), samples[1] / max(n_b, 1.0)
    judged = samples[0] + samples[1] >= LEAST
    freedom = sum(max(0, len(sizes_of_parts) - 1) for sizes_of_parts in totals)
    design = _dispersion(counts, totals, judged, freedom)
    z = NormalDist().inv_cdf(1 - _ALPHA / 2 / max(1, int(judged.sum())))
    low, high = np.full_like(a, np.nan), np.full_like(a, np.nan)
    for at in np.flatnonzero(judged) if n_a and n_b else ():
        sizes = n_a / design[at], n_b / design[at]
        low[at], high[at] = difference_interval(a[at], sizes[0], b[at], sizes[1], z)
    return SharesDifference(a, b, low, high, freedom > 0)


def _dispersion(
    counts: tuple[Float, Float],
    totals: tuple[Sequence[int], Sequence[int]],
    judged: NDArray[np.bool_],
    freedom: int,
) -> Float:
    """By how much parts differ more than by chance: Pearson's X² a degree of freedom, at least 1.

    Of one column with few parts this is itself uncertain: the mean of all columns is its least.
    """
    if not freedom:
        return np.ones(counts[0].shape[1])
    squares = (_pearson(counts[0], totals[0]) + _pearson(counts[1], totals[1])) / freedom
    mean = float(squares[judged].mean()) if judged.any() else 1.0
    return np.maximum(squares, max(1.0, mean))


def _pearson(counts: Float, totals: Sequence[int]) -> Float:
    sizes = np.array(totals, np.float64)[:, None]
    share = counts.sum(axis=0) / max(float(sizes.sum()), 1.0)
    spread = sizes * share * (1 - share)
    squares = np.divide(
        (counts - sizes * share) ** 2, spread, out=np.zeros_like(counts), where=spread > 0
    )
    return np.asarray(squares.sum(axis=0))


LEAST_EFFECTIVE = 5.0
_BIN_S = 60.0
_POINTS = 60
_LAST_NINES = 5.0


def shift_of(windows: Sequence[WindowCounts], histograms: Float, *, points: int = _POINTS) -> Shift:
    """From standardised histograms [window, bucket].

    The band leaves out one window of each arm after the other (a pair, where they come in pairs).

    Cut where Kish's n_eff of either arm is below 5.
    """
    edges = windows[0].edges_s
    p = 1 - 10 ** -np.linspace(0.05, _LAST_NINES, points)
    arms = np.array([w.arm for w in windows])
    a, b = histograms[arms == "A"], histograms[arms == "B"]
    log_a, log_b = (log_quantiles(h.sum(0), edges, p.tolist()) for h in (a, b))
    reach = _reach(a, b, edges, p)
    n_eff = _effective(windows, arms, edges, (log_a + log_b) / 2)
    known = np.isfinite(log_a) & np.isfinite(log_b) & (n_eff >= LEAST_EFFECTIVE)
    known &= ~np.isnan(reach)  # a window left out may take a quantile with it
    columns = {
        "p": p,
        "a_ns": np.exp(log_a) * 1e9,
        "b_ns": np.exp(log_b) * 1e9,
        "ratio": np.exp(log_b - log_a),
        "low": np.exp(np.maximum(log_b - log_a - reach, -50)),
        "high": np.exp(np.minimum(log_b - log_a + reach, 50)),
        "n_eff": n_eff,
    }
    cut_at = float(p[known][-1]) if known.any() else None
    shown = {name: tuple(values[known].tolist()) for name, values in columns.items()}
    return Shift(**shown, cut_at=cut_at)


def _reach(a: Float, b: Float, edges: Float, p: Float) -> Float:
    if len(a) != len(b) or len(a) < 2:
        return np.full(len(p), np.inf)
    k = len(a)
    without = [log_quantiles(np.maximum(h.sum(0) - h, 0), edges, p.tolist()) for h in (a, b)]
    left_out = without[1] - without[0]
    variance = (k - 1) / k * ((left_out - left_out.mean(0)) ** 2).sum(0)
    return np.asarray(t_limit(0.05, k - 1) * np.sqrt(variance))


def _effective(
    windows: Sequence[WindowCounts], arms: NDArray[np.str_], edges: Float, logs: Float
) -> Float:
    """Kish's n_eff of what lies beyond each quantile, over 60 s bins; the smaller arm's."""
    first = np.clip(np.searchsorted(np.log(edges), logs), 0, len(edges) - 1)
    by_arm = []
    for arm in "AB":
        mine = [w for w, of in zip(windows, arms, strict=True) if of == arm]
        beyond = np.concatenate([_beyond(w)[:, first] for w in mine])
        squares = (beyond**2).sum(0)
        n_eff = np.divide(beyond.sum(0) ** 2, squares, out=np.zeros(len(first)), where=squares > 0)
        by_arm.append(n_eff)
    return np.asarray(np.minimum(by_arm[0], by_arm[1]))


def _beyond(window: WindowCounts) -> Float:
    """Operations in a bucket or above it, [60 s bin, bucket]."""
    width = max(1, round(min(_BIN_S, window.seconds / 10) / window.dt))
    coarse, buckets = -(-window.bins // width), len(window.edges_s) - 1
    flat = (window.bin // width).astype(np.int64) * buckets + window.bucket
    counts = np.bincount(flat, window.count, coarse * buckets).reshape(coarse, buckets)
    above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.concatenate([above, np.zeros((coarse, 1))], axis=1), np.float64)
