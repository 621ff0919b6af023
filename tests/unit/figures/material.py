"""Small data for figures, the same every time."""

from __future__ import annotations

import numpy as np

START_NS = 1_795_161_600_000_000_000


def etimes(n: int, median_ns: float = 1e6, seed: int = 1) -> np.ndarray:
    """Log-normal etimes in ns."""
    rng = np.random.default_rng(seed)
    return (median_ns * np.exp(rng.normal(0, 0.6, n))).astype(np.int64)
