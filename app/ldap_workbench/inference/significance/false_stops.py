"""How often a look after every block ends a canary whose treatment does nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.significance.crossover import least_blocks

_RUNS, _ASSIGNMENTS = 1000, 300


@lru_cache(maxsize=64)
def false_stop_rate(replicas: int, blocks: int, limit: float, level: float) -> float:
    """The chance that one of the looks has a one-sided p of at most `limit`; 0 to 1.

    A look follows each block but the last, from the first on whose blocks can reach `level`.
    Simulated with normal noise and random assignments. It is less where the noise is so small that
    what chance does is too small to matter.
    """
    random = np.random.default_rng(0)
    first = least_blocks(replicas, level)
    stopped = np.zeros(_RUNS, np.bool_)
    sums = np.zeros((_RUNS, _ASSIGNMENTS))
    for block in range(1, blocks):
        sums += _block(random, replicas)
        if block >= first:
            as_large = sums >= sums[:, :1] - 1e-9
            stopped |= as_large.mean(1) <= limit
    return float(stopped.mean())


def _block(random: np.random.Generator, replicas: int) -> NDArray[np.float64]:
    """What a block says under each assignment [run, assignment], the drawn one first."""
    values = random.standard_normal((_RUNS, replicas, replicas))
    orders = random.permuted(np.tile(np.arange(replicas), (_ASSIGNMENTS, 1)), axis=1)
    against = (values - values.mean(2, keepdims=True)) * (replicas / (replicas - 1))
    effects = np.zeros((_RUNS, _ASSIGNMENTS))
    for window in range(replicas):
        effects += against[:, window, orders[:, window]]
    return effects / replicas
