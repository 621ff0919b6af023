"""What can be found at all: pairs for a wanted ratio, the smallest ratio for given pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_Z = 1.96 + 0.84
"""Normal quantiles of a two-sided 5 % test with 80 % power."""
LEAST_PAIRS = 6


def noise(log_values: Sequence[float]) -> float:
    """Standard deviation of a paired difference, from baseline windows in their order of time."""
    return float(np.sqrt(np.mean(np.diff(np.asarray(log_values)) ** 2)))


def pairs_needed(s: float, ratio: float) -> int:
    """Pairs for 80 % power to find a change by `ratio`, given the noise `s` of the metric."""
    return max(LEAST_PAIRS, math.ceil((_Z * s / abs(math.log(ratio))) ** 2 + 2))


def detectable(s: float, pairs: int) -> float:
    """The smallest ratio (> 1) that `pairs` pairs find with 80 % power."""
    return math.exp(min(_Z * s / math.sqrt(max(pairs - 2, 1)), 20.0))


def pooled_s(differences: Sequence[float]) -> float:
    """Noise from the paired differences of an experiment itself."""
    return float(np.std(np.asarray(differences), ddof=1)) if len(differences) > 1 else 0.0
