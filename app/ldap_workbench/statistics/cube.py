"""Counts per second, operation type and log bucket: what every verdict is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES, Operations, client_operations
from ldap_workbench.model.units import NS_PER_S

GAMMA = 1.02
"""Ratio of neighbouring bucket edges: a quantile is known to 1 %."""
LOWEST_S, HIGHEST_S = 1e-5, 4000.0
HARMLESS_ERRORS = (0, 5, 6, 10, 14, 32)
"""Result codes that are answers: compare true and false, referral, SASL step, no such object."""


@lru_cache(maxsize=16)
def edges_ns(slo_ns: int) -> NDArray[np.float64]:
    """Bucket edges in ns: geometric, from about 10 us to 4000 s, one exactly on the SLO."""
    step = math.log(GAMMA)
    low = math.floor(math.log(LOWEST_S * NS_PER_S / slo_ns) / step)
    high = math.ceil(math.log(HIGHEST_S * NS_PER_S / slo_ns) / step)
    edges = slo_ns * np.exp(step * np.arange(low, high + 1))
    edges[-low] = slo_ns
    return np.asarray(edges)


@dataclass(frozen=True, eq=False)
class Cube:
    """Client operations of one window as counts.

    counts     uint32 [type of TYPES, second of completion, bucket of edges_ns(slo_ns)]
    arrivals   uint32 [second of start]; starts in the window, ends after it are counted in the
               last second of `counts`
    errors     of all operations, those with a result code that is a failure
    """

    counts: NDArray[np.uint32]
    arrivals: NDArray[np.uint32]
    slo_ns: int
    errors: int = 0
    max_ns: int = 0
    seconds: float = field(default=0.0)

    @classmethod
    def from_operations(
        cls, operations: Operations, start_ns: int, end_ns: int, *, slo_ns: int = 100_000_000
    ) -> Cube:
        """Count the client operations that start in [start_ns, end_ns)."""
        starts = operations.start_ns
        inside = client_operations(operations) & (starts >= start_ns) & (starts < end_ns)
        etimes = operations.etime_ns[inside]
        edges = edges_ns(slo_ns)
        bins = max(1, math.ceil((end_ns - start_ns) / NS_PER_S))
        # An etime equal to the SLO keeps it: buckets are (lower, upper].
        bucket = np.clip(np.searchsorted(edges, etimes, "left") - 1, 0, len(edges) - 2)
        second = np.clip((operations.end_ns[inside] - start_ns) // NS_PER_S, 0, bins - 1)
        flat = (operations.kind[inside].astype(np.int64) * bins + second) * (
            len(edges) - 1
        ) + bucket
        shape = (len(TYPES), bins, len(edges) - 1)
        counts = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
        began = np.clip((starts[inside] - start_ns) // NS_PER_S, 0, bins - 1)
        return cls(
            counts.astype(np.uint32),
            np.bincount(began, minlength=bins).astype(np.uint32),
            slo_ns,
            errors=int((~np.isin(operations.err[inside], HARMLESS_ERRORS)).sum()),
            max_ns=int(etimes.max(initial=0)),
            seconds=(end_ns - start_ns) / NS_PER_S,
        )

    def merged(self, other: Cube) -> Cube:
        """The counts of two parts of one window over the same seconds, added."""
        if (self.slo_ns, self.counts.shape) != (other.slo_ns, other.counts.shape):
            raise ValueError("only cubes of the same seconds and SLO can be added")
        return Cube(
            self.counts + other.counts,
            self.arrivals + other.arrivals,
            self.slo_ns,
            self.errors + other.errors,
            max(self.max_ns, other.max_ns),
            self.seconds,
        )
