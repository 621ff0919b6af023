"""The tail of a set of operations as a curve: etime by percentile, nearest rank, with its band.

The distribution of etimes: counts by power of two, and the exceedance (CCDF). Exceedance is the
share of operations slower than an etime, as the verdict counts it against the latency target: an
operation that takes exactly that long is not slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.thinning import ascending, tail_ranks
from ldap_workbench.inference.counts.tails import log2_histogram
from ldap_workbench.model.message import Message

Float = NDArray[np.float64]
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
    percentile: Float
    etime_ns: Float
    n: int
    low_ns: Float | None = None
    high_ns: Float | None = None
    band: str = ""

    def at(self, percentile: float) -> float | None:
        """The etime at a percentile; None beyond what n operations can tell."""
        return self._of(self.etime_ns, percentile)

    def limits_at(self, percentile: float) -> tuple[float | None, float | None]:
        """The band at a percentile; None where nothing is known."""
        return self._of(self.low_ns, percentile), self._of(self.high_ns, percentile)

    def _of(self, values: Float | None, percentile: float) -> float | None:
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


def percentile_grid(n: int, points: int = 240) -> Float:
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


@dataclass(frozen=True, eq=False)
class Distribution:
    """etimes of one arm, reduced: counts per power of two, and the rarest by rank.

    `first` is the power of counts[0]: [2**first, 2**(first+1)) ns. `etime_ns` ascend; `slower`
    says how many operations took longer than each.
    """

    label: Message
    arm: str
    n: int
    first: int
    counts: NDArray[np.int64]
    etime_ns: Float
    slower: NDArray[np.int64]

    def drawn_shares(self) -> Float:
        """Of all operations, how large a share was slower than each `etime_ns`, 0 to 1.

        Nothing is slower than the slowest, and a logarithm knows no 0: there the curve ends at the
        share of one operation.
        """
        return np.maximum(self.slower, 1) / self.n

    def share_slower(self, ns: float) -> float:
        """The share slower than an etime, 0 to 1, as near as the reduced etimes tell."""
        at = int(np.searchsorted(self.etime_ns, ns, "right")) - 1
        return 1.0 if at < 0 else float(self.slower[at]) / self.n


def distribution_of(
    label: Message, arm: str, etimes_ns: NDArray[np.int64], *, resolution_ns: int = 1
) -> Distribution:
    """Reduce etimes (ns) in any order; what a log prints below its step stays on the step."""
    ordered = ascending(np.asarray(etimes_ns, np.int64))
    n = len(ordered)
    if n == 0:
        empty = np.empty(0, np.int64)
        return Distribution(label, arm, 0, 0, empty, np.empty(0), empty)
    bounds, counts = log2_histogram(ordered, ascending=True)
    first = int(np.log2(bounds[0]))
    chosen = np.unique(ordered[tail_ranks(n)])
    slower = n - np.searchsorted(ordered, chosen, "right")
    floored = np.maximum(chosen, resolution_ns).astype(np.float64)
    return Distribution(label, arm, n, first, counts, floored, slower.astype(np.int64))
