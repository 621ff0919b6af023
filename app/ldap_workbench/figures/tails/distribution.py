"""The distribution of etimes: counts by power of two, and the exceedance (CCDF).

Exceedance is the share of operations slower than an etime, as the verdict counts it against the
latency target: an operation that takes exactly that long is not slower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.thinning import ascending, tail_ranks
from ldap_workbench.inference.counts.tails import log2_histogram
from ldap_workbench.model.message import Message

Floats = NDArray[np.float64]


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
    etime_ns: Floats
    slower: NDArray[np.int64]

    def drawn_shares(self) -> Floats:
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
