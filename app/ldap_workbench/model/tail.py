"""Tails: the upper quantiles of a set of operations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

QUANTILES = {
    "p50_ns": (1, 2),
    "p90_ns": (9, 10),
    "p95_ns": (19, 20),
    "p99_ns": (99, 100),
    "p999_ns": (999, 1000),
}
"""Quantile columns as fractions, so that the nearest rank is computed in integers."""


@dataclass(frozen=True)
class Tail:
    """The tail of one operation type in one window; nearest rank, integer ns.

    With n = 0 every quantile is None. `resolution_ns` is the finest step the source can show.
    """

    window: str
    type: str
    n: int
    p50_ns: int | None
    p90_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    p999_ns: int | None
    max_ns: int | None
    sum_ns: int
    resolution_ns: int = 1

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
