"""The effect that randomised pairs find in 8 of 10 experiments, as a multiple of their noise.

By the sign-flip test at 5 % itself, simulated (tests/power.py), as with few pairs it is coarser
than a normal approximation: six pairs find 1.74 standard deviations of a difference, not 1.4.
"""

from __future__ import annotations

import math

import numpy as np

POWER = 0.8
"""8 of 10."""
PAIRS = (6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 67, 96, 128)
# fmt: off
SCALED: dict[int, tuple[float, ...]] = {
    0: (4.259, 3.589, 3.343, 3.298, 3.136, 3.132, 3.079, 3.061,
        2.986, 2.979, 2.941, 2.940, 2.866, 2.835, 2.809, 2.819),
    4: (4.208, 3.311, 3.102, 3.023, 2.980, 2.951, 2.903, 2.866,
        2.887, 2.828, 2.833, 2.816, 2.753, 2.788, 2.771, 2.765),
}
# fmt: on
"""Of normal noise and of t with 4 degrees of freedom: the effect times the root of the pairs.

Printed by tests/bench/reaches.py.
"""


def reach(pairs: int) -> float:
    """Of noise with either tail: the larger."""
    return max(reach_of(pairs, tail) for tail in SCALED)


def reach_of(pairs: int, tail: int) -> float:
    """Between two numbers of pairs that were simulated by 1/pairs, beyond the last as it is."""
    inverse = [1 / k for k in PAIRS]
    scaled = np.interp(1 / pairs, inverse[::-1], SCALED[tail][::-1])
    return float(scaled) / math.sqrt(pairs)
