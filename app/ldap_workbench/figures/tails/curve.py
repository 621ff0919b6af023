"""The tail of a set of operations as a curve: etime by percentile, nearest rank, with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.thinning import ascending
from ldap_workbench.model.message import Message

Floats = NDArray[np.float64]
SHOWN = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
"""The percentiles of the table beside the curve."""
_MOST_NINES = 7.0
COUNTING, BETWEEN = "counting", "between"
"""What a band comes from: counting the operations of one window, or several that differ."""


@dataclass(frozen=True, eq=False)
class TailCurve:
    """etimes (ns) at percentiles (0 to below 100, ascending), with a 95 % band where one is known.

    `arm` is "A", "B" or "" (neither); all arrays have the same length. `low_ns` and `high_ns` are
    nan where nothing is known; `band` says what they come from: COUNTING, BETWEEN or "".
    """

    label: Message
    arm: str
    percentile: Floats
    etime_ns: Floats
    n: int
    low_ns: Floats | None = None
    high_ns: Floats | None = None
    band: str = ""

    def at(self, percentile: float) -> float | None:
        """The etime at a percentile; None beyond what n operations can tell."""
        return self._of(self.etime_ns, percentile)

    def limits_at(self, percentile: float) -> tuple[float | None, float | None]:
        """The band at a percentile; None where nothing is known."""
        return self._of(self.low_ns, percentile), self._of(self.high_ns, percentile)

    def _of(self, values: Floats | None, percentile: float) -> float | None:
        beyond = self.n * (1.0 - percentile / 100.0)
        if values is None or not len(values) or beyond < 1.0 - 1e-6:
            return None
        at = min(int(np.searchsorted(self.percentile, percentile - 1e-9)), len(values) - 1)
        return float(values[at]) if np.isfinite(values[at]) else None


@dataclass(frozen=True, eq=False)
class TailsPicture:
    """All of a tails chart: one curve an arm, thin ones per window, the latency target (SLO)."""

    curves: tuple[TailCurve, ...] = ()
    windows: tuple[TailCurve, ...] = ()
    slo_ns: int | None = None
    kind: str = ""
    """The operation type, where it is one."""


def percentile_grid(n: int, points: int = 240) -> Floats:
    """Percentiles even on the log axis, with those people name, as far as n operations reach.

    The last one is half an operation short of all: its nearest rank is the slowest operation.
    """
    if n == 0:
        return np.empty(0)
    last = min(_MOST_NINES, float(np.log10(2 * n)))
    even = 100.0 * (1.0 - 10.0 ** -np.linspace(0.0, last, points))
    named = np.array([p for p in SHOWN if p <= even[-1]])
    return np.unique(np.concatenate([even, named]))


def curve_of(
    label: Message,
    arm: str,
    etimes_ns: Sequence[int] | NDArray[np.int64],
    *,
    resolution_ns: int = 1,
) -> TailCurve:
    """The nearest-rank curve of etimes (ns) in any order, at the ranks of the tails table.

    What a log prints below its step stays on the step: a whole-second log has no 0 s.
    """
    ordered = ascending(np.asarray(etimes_ns, np.int64))
    grid = percentile_grid(len(ordered))
    ranks = np.ceil(grid / 100.0 * len(ordered) - 1e-9).astype(np.intp) - 1
    values = ordered[np.clip(ranks, 0, max(0, len(ordered) - 1))] if len(ordered) else ordered
    floored = np.maximum(values, resolution_ns).astype(np.float64)
    return TailCurve(label, arm, grid, floored, len(ordered))
