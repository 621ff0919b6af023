"""Fewer points for the same picture: no curve ever has more than POINTS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POINTS = 4000
"""Points a curve may have: above this painting costs more than a frame."""


def thin_series(times: Floats, values: Floats, points: int = POINTS) -> tuple[Floats, Floats]:
    """Lowest and highest value of each slice of time, in time order: no spike and no gap is lost.

    `times` ascend; both have length n; what comes back has at most `points`. A gap (nan) is a third
    point of its slice.
    """
    n = len(times)
    if n <= points:
        return times, values
    unknown = np.isnan(values)
    width = -(-n // (points // (3 if unknown.any() else 2)))
    slices = -(-n // width)

    def sliced(flat: Floats) -> Floats:
        """A row for each slice of time; the last is filled up with its own last value."""
        return np.append(flat, np.full(slices * width - n, flat[-1])).reshape(slices, width)

    starts = np.arange(slices) * width
    lowest = starts + sliced(np.where(unknown, np.inf, values)).argmin(axis=1)
    highest = starts + sliced(np.where(unknown, -np.inf, values)).argmax(axis=1)
    gaps = starts + sliced(unknown.astype(float)).argmax(axis=1)
    gaps = gaps[unknown[np.minimum(gaps, n - 1)]]
    chosen = np.sort(np.concatenate([lowest, highest, gaps]))
    chosen = np.minimum(chosen, n - 1)
    return times[chosen], values[chosen]


def ascending(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values in order; those that are already are not sorted again."""
    return values if (values[1:] >= values[:-1]).all() else np.sort(values)


def tail_ranks(n: int, points: int = 800) -> NDArray[np.intp]:
    """Indices into n ascending values that are even on a logarithmic scale from the top end.

    The first and the last are always among them, and so are the largest hundred.
    """
    if n <= points:
        return np.arange(n)
    from_top = np.unique(np.geomspace(1, n, points - 100).astype(np.intp))
    return np.unique(np.concatenate([n - from_top, np.arange(n - 100, n), [0]]))
