"""Shares of samples that fall on each of many things, such as frames of stacks, A against B.

Samples are not independent: a thread that stays in a call is counted each time, and a burst of
work in many samples at once. Where an arm has several parts (windows, dumps), how they differ says
by how much; with one part in each arm this is not known, and the true interval is wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.significance.exceedance import difference_interval

Float = NDArray[np.float64]

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
