"""Exact inference on paired differences: the coin flips of the design are all it assumes."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

EXACT_UP_TO = 12
RANDOM_FLIPS = 4095
_CLOSE = 1e-12


def flips(k: int, seed: int) -> Float:
    """Sign vectors [flip, pair]: all 2**k, from 13 pairs on 4095 random ones and identity."""
    if k <= EXACT_UP_TO:
        return np.array(list(itertools.product((1.0, -1.0), repeat=k)))
    random = np.random.default_rng(seed).integers(0, 2, (RANDOM_FLIPS, k)) * 2.0 - 1.0
    return np.vstack([np.ones(k), random])


def p_value(d: Float, signs: Float) -> float:
    """Two-sided p of the sum of the differences."""
    sums = np.abs(signs @ d)
    return float(np.mean(sums >= abs(d.sum()) * (1 - _CLOSE) - _CLOSE))


def interval(d: Float, signs: Float, level: float = 0.95) -> tuple[float, float] | None:
    """All shifts that the test does not reject: it and the interval never disagree.

    None where no shift can be rejected at this level (fewer than 6 pairs at 95 %).
    """
    alpha = 1 - level
    if p_value(np.ones(len(d)), signs) > alpha:
        return None
    centre, reach = float(d.mean()), float(np.abs(d - d.mean()).max()) * len(d) + 1e-9
    return (
        _edge(d, signs, alpha, centre, centre - reach),
        _edge(d, signs, alpha, centre, centre + reach),
    )


def _edge(d: Float, signs: Float, alpha: float, inside: float, outside: float) -> float:
    for _ in range(50):
        middle = (inside + outside) / 2
        if p_value(d - middle, signs) > alpha:
            inside = middle
        else:
            outside = middle
    return outside


def max_t(table: Float, signs: Float) -> Float:
    """Adjusted p of each column of differences [pair, metric], over the largest |t| of all."""
    observed = np.abs(_t(table.sum(0)[None, :], table)[0])
    largest = np.abs(_t(signs @ table, table)).max(1)
    return np.asarray((largest[:, None] >= observed[None, :] * (1 - 1e-9)).mean(0))


def _t(sums: Float, table: Float) -> Float:
    k = len(table)
    means = sums / k
    squares = (table**2).sum(0)
    variance = np.maximum((squares - k * means**2) / (k - 1) / k, 0)
    floor = np.maximum(squares, 1e-30) * 1e-12
    return np.asarray(means / np.sqrt(variance + floor))
