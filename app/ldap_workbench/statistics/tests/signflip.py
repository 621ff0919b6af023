"""Exact inference on paired differences: the coin flips of the design are all it assumes."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

EXACT_UP_TO = 12
RANDOM_FLIPS = 4095
_CLOSE = 1e-12


@lru_cache(maxsize=64)
def flips(k: int, seed: int) -> Float:
    """Sign vectors [flip, pair], identity first: all 2**k; from 13 pairs on 4095 random ones."""
    if k <= EXACT_UP_TO:
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=k))).reshape(-1, k)
    else:
        random = np.random.default_rng(seed).integers(0, 2, (RANDOM_FLIPS, k)) * 2.0 - 1.0
        signs = np.vstack([np.ones(k), random])
    signs.flags.writeable = False
    return signs


def p_value(d: Float, signs: Float) -> float:
    """Two-sided p of the sum of the differences."""
    sums = np.abs(signs @ d)
    return float(np.mean(sums >= abs(d.sum()) * (1 - _CLOSE) - _CLOSE))


def interval(d: Float, signs: Float, alpha: float = 0.05) -> tuple[float, float] | None:
    """All shifts the test does not reject at `alpha`: it and the interval never disagree.

    Flipping reaches a shift exactly if the shift lies between the mean of the pairs flipped and
    the mean of the others, so the limits are order statistics of those means. None where no shift
    can be rejected (fewer than 6 pairs at 5 %).
    """
    k, total = len(d), float(d.sum())
    sums, plus = signs @ d, (signs.sum(1) + k) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        kept, flipped = (total + sums) / (2 * plus), (total - sums) / (2 * (k - plus))
    everything = (plus == 0) | (plus == k)
    highest = np.where(everything, np.inf, np.fmax(kept, flipped))
    lowest = np.where(everything, -np.inf, np.fmin(kept, flipped))
    rank = math.floor(alpha * len(signs) * (1 + 1e-12))
    # As close as the test takes two sums for the same: a limit that is 0 but for rounding.
    room = _CLOSE * (1 + abs(total))
    low, high = np.sort(lowest)[rank] - room, np.sort(highest)[-1 - rank] + room
    return (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else None


def max_t(table: Float, signs: Float) -> Float:
    """Adjusted p of each column of differences [pair, metric], over the largest |t| of all.

    nan stands for a pair without the metric: it carries no weight, whichever way it is flipped.
    """
    present = np.isfinite(table)
    filled = np.where(present, table, 0.0)
    n = present.sum(0)
    squares = (filled**2).sum(0)
    observed = _t(filled.sum(0)[None, :], n, squares)[0]
    largest = _t(signs @ filled, n, squares).max(1)
    return np.asarray((largest[:, None] >= observed[None, :] * (1 - 1e-9)).mean(0))


def _t(sums: Float, n: NDArray[np.int64], squares: Float) -> Float:
    """|t| of each flip [flip, metric]; the floor keeps equal differences finite."""
    means = sums / n
    variance = np.maximum((squares - n * means**2) / np.maximum(n - 1, 1) / n, 0)
    return np.asarray(np.abs(means) / np.sqrt(variance + np.maximum(squares, 1e-30) * 1e-12))
