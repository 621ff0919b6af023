"""Fewer points for the same picture: no curve ever has more than POINTS. Knows no Qt."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POINTS = 4000
"""Points a curve may have: above this painting costs more than a frame."""


def thin_series(times: Floats, values: Floats, points: int = POINTS) -> tuple[Floats, Floats]:
    """Lowest and highest value of each slice of time, in time order: no spike is lost.

    `times` ascend; both have length n; what comes back has at most `points`.
    """
    n = len(times)
    if n <= points:
        return times, values
    edges = np.linspace(0, n, points // 2 + 1).astype(np.intp)
    chosen = np.empty(2 * (len(edges) - 1), np.intp)
    for i, (start, stop) in enumerate(itertools.pairwise(edges)):
        piece = values[start:stop]
        low, high = start + int(np.argmin(piece)), start + int(np.argmax(piece))
        chosen[2 * i], chosen[2 * i + 1] = min(low, high), max(low, high)
    return times[chosen], values[chosen]


def tail_ranks(n: int, points: int = 800) -> NDArray[np.intp]:
    """Indices into n ascending values that are even on a logarithmic scale from the top end.

    The first and the last are always among them, and so are the largest hundred.
    """
    if n <= points:
        return np.arange(n)
    from_top = np.unique(np.geomspace(1, n, points - 100).astype(np.intp))
    return np.unique(np.concatenate([n - from_top, np.arange(n - 100, n), [0]]))
