"""Windows as the verdict sees them: an arm, a pair and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.statistics.cube import Cube, edges_ns

Float = NDArray[np.float64]


class CountedWindow(Protocol):
    """What `windows_from_counts` takes: counts H[type, bin, bucket] in bins of dt seconds."""

    arm: str
    pair: int
    dt: float
    H: NDArray[Any]


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """Counts float64 [type, bin of `dt` seconds, bucket of `edges_s`] of one window."""

    arm: str
    pair: int
    dt: float
    counts: Float
    edges_s: Float
    types: tuple[str, ...]
    errors: int = 0
    length_s: float = 0.0
    """True length where the last bin is not full; 0 where it is."""

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    @property
    def seconds(self) -> float:
        return self.length_s or float(self.dt * self.counts.shape[1])


def windows_from_counts(
    windows: Sequence[CountedWindow], edges_s: Sequence[float] | Float, types: Sequence[str]
) -> list[WindowCounts]:
    """Windows of objects with `arm, pair, dt, H[type, bin, bucket]`; edges in seconds."""
    edges = np.asarray(edges_s, np.float64)
    return [
        WindowCounts(
            w.arm, int(w.pair), float(w.dt), np.asarray(w.H, np.float64), edges, tuple(types)
        )
        for w in windows
    ]


def windows_from_cubes(
    cubes: Sequence[Cube], arms: Sequence[tuple[str, int]]
) -> list[WindowCounts]:
    """Windows of cubes with their (arm, pair); all cubes have the same SLO."""
    return [
        WindowCounts(
            arm,
            pair,
            1.0,
            cube.counts.astype(np.float64),
            edges_ns(cube.slo_ns) / NS_PER_S,
            TYPES,
            cube.errors,
            cube.seconds,
        )
        for cube, (arm, pair) in zip(cubes, arms, strict=True)
    ]
