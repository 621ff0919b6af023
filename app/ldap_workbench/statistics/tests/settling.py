"""Whether an effect was all there while it was measured: first half of a window and second."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts.windows import WindowCounts
from ldap_workbench.statistics.plan.pairs import LEAST_PAIRS
from ldap_workbench.statistics.tests.signflip import Flips, p_value

Float = NDArray[np.float64]

LEVELS = ((0.05, 0.45), (0.02, 0.3), (0.01, 0.2))
"""From which p, and from which share of the effect on, a change within the window counts.

The less certain it is, the larger it has to be: noise moves a small part of any effect.
"""
LEAST_CHANGE = math.log(1.02)
"""A smaller change of B - A within a window is none, however certain."""
_LEAST_BINS = 10


@dataclass(frozen=True)
class Halves:
    """Mean ln etime of B less that of A in the first and in the second half of the windows.

    `p` is of the two being the same, by sign flips of the pairs.
    """

    first: float
    second: float
    p: float

    @property
    def settled(self) -> bool:
        """Whether nothing shows that the effect still grew, or faded, while it was measured."""
        moved = abs(self.first - self.second)
        largest = max(abs(self.first), abs(self.second))
        shown = any(self.p <= level and moved >= share * largest for level, share in LEVELS)
        return moved < LEAST_CHANGE or not shown


def halves(windows: Sequence[WindowCounts], drawn: Flips) -> Halves | None:
    """Of windows that come as A, B, A, B ...; None for too few pairs or too short windows.

    Seconds count alike, however much they answered. The last one is left out: what ends after the
    window is counted there.
    """
    if len(windows) < 2 * LEAST_PAIRS or min(window.bins for window in windows) < _LEAST_BINS:
        return None
    # Rounded, as sums of floats depend on the order of the types.
    means = np.round([_means(window.mean_log[:-1]) for window in windows], 9)
    effects = means[1::2] - means[::2]
    first, second = effects.mean(0)
    return Halves(float(first), float(second), p_value(effects[:, 0] - effects[:, 1], drawn))


def _means(logs: Float) -> tuple[float, float]:
    half = len(logs) // 2
    return float(logs[:half].mean()), float(logs[half:].mean())
