"""Exact inference on paired differences: the coin flips of the design are all it assumes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

EXACT_UP_TO = 12
RANDOM_FLIPS = 4095
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class Flips:
    """Orders the pairs might have had, as flips of the order they had.

    signs [flip, pair], identity first; weight [flip]: how likely the design was to draw the order,
    1 for most.
    """

    signs: Float
    weight: Float

    def share(self, of: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Probability of some of the flips [flip] or [flip, metric]."""
        return np.asarray(self.weight @ of / self.weight.sum())


@lru_cache(maxsize=64)
def flips(k: int, seed: int, order: tuple[int, ...] = (), designed: int = 0) -> Flips:
    """All 2**k flips of k pairs; from 13 pairs on 4095 random ones.

    `order` is +1 for each pair that began with A, -1 for B. A design of so many pairs never draws
    an order in which all begin alike, so what leads to one weighs less: nothing where all pairs of
    the design are here, else as many of its orders as end otherwise. Without an order, or where it
    is such a one (drawn by an earlier version), all flips weigh the same.
    """
    signs = _signs(k, seed)
    weight = np.ones(len(signs))
    left = designed - k
    if len(order) == k and designed > 1 and left >= 0 and (left or len({*order}) > 1):
        weight[np.abs(signs @ np.array(order)) == k] = 1 - 0.5**left
    weight.flags.writeable = False
    return Flips(signs, weight)


def _signs(k: int, seed: int) -> Float:
    if k <= EXACT_UP_TO:
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=k))).reshape(-1, k)
    else:
        random = np.random.default_rng(seed).integers(0, 2, (RANDOM_FLIPS, k)) * 2.0 - 1.0
        signs = np.vstack([np.ones(k), random])
    signs.flags.writeable = False
    return signs


def p_value(d: Float, drawn: Flips) -> float:
    """Two-sided p of the sum of the differences."""
    sums = np.abs(drawn.signs @ d)
    return float(drawn.share(sums >= abs(d.sum()) * (1 - _CLOSE) - _CLOSE))


def interval(d: Float, drawn: Flips, alpha: float = 0.05) -> tuple[float, float] | None:
    """All shifts the test does not reject at `alpha`: it and the interval never disagree.

    Flipping reaches a shift exactly if the shift lies between the mean of the pairs flipped and
    the mean of the others, so the limits are order statistics of those means. None where no shift
    can be rejected (fewer than 6 pairs at 5 %).
    """
    lowest, highest = shifts_reached(float(d.mean()), drawn.signs @ d / len(d), drawn.signs.mean(1))
    return unrejected(lowest, highest, drawn.weight, alpha, abs(float(d.sum())))


def shifts_reached(own: float, others: Float, carried: Float) -> tuple[Float, Float]:
    """Between which two true effects each assignment is as far from them as our own estimate.

    `own` is our estimate, `others` that of each assignment, `carried` the part of a true effect
    that shows under it: 1 under ours, -1 under the opposite, which reach any effect.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (own + others) / (1 + carried), (own - others) / (1 - carried)
    everything = np.abs(carried) > 1 - _CLOSE
    highest = np.where(everything, np.inf, np.fmax(one, other))
    lowest = np.where(everything, -np.inf, np.fmin(one, other))
    return lowest, highest


def unrejected(
    lowest: Float, highest: Float, weight: Float, alpha: float, size: float
) -> tuple[float, float] | None:
    """The effects that more than a share `alpha` of the assignments reach; None where all are."""
    # As close as the test takes two sums for the same: a limit that is 0 but for rounding.
    room = _CLOSE * (1 + size)
    low = _least_beyond(lowest, weight, alpha) - room
    high = -_least_beyond(-highest, weight, alpha) + room
    return (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else None


def _least_beyond(limits: Float, weight: Float, alpha: float) -> float:
    """The first limit, in rising order, at which more than a share of alpha is reached."""
    rising = np.argsort(limits, kind="stable")
    reached = np.cumsum(weight[rising]) > alpha * weight.sum() * (1 + 1e-12)
    return float(limits[rising[np.argmax(reached)]])


def max_t(table: Float, drawn: Flips) -> Float:
    """Adjusted p of each column of differences [pair, metric], over the largest |t| of all.

    nan stands for a pair without the metric: it carries no weight, whichever way it is flipped.
    """
    present = np.isfinite(table)
    filled = np.where(present, table, 0.0)
    n = present.sum(0)
    squares = (filled**2).sum(0)
    observed = _t(filled.sum(0)[None, :], n, squares)[0]
    largest = _t(drawn.signs @ filled, n, squares).max(1)
    return drawn.share(largest[:, None] >= observed[None, :] * (1 - 1e-9))


def _t(sums: Float, n: NDArray[np.int64], squares: Float) -> Float:
    """|t| of each flip [flip, metric]; the floor keeps equal differences finite."""
    means = sums / n
    variance = np.maximum((squares - n * means**2) / np.maximum(n - 1, 1) / n, 0)
    return np.asarray(np.abs(means) / np.sqrt(variance + np.maximum(squares, 1e-30) * 1e-12))
