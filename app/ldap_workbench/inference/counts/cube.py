"""Counts per second, operation type and log bucket: what every verdict is made of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.counting import (
    BIN_AT,
    STRATUM_AT,
    TYPE_AT,
    Span,
    Tally,
    count,
    longest_first,
    summed,
)
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cube:
    """Client operations of one window, [start_ns, start_ns + seconds), as sparse counts.

    second, kind, bucket, count   one row per cell that is not empty, sorted: second of COMPLETION
                 (so that one stall's operations lie together), index into TYPES, bucket of
                 `edges_ns(slo_ns)`; what ends after the window lies in its last second
    arrivals     uint32 [type, second of START]
    slowest_ns, slowest_at   etime and byte offset of the result line of the slowest, longest first
    stratum      of each cell, an index into the strata of a verdict; None where they are not known
    """

    second: NDArray[np.int32]
    kind: NDArray[np.uint8]
    bucket: NDArray[np.uint16]
    count: NDArray[np.uint32]
    arrivals: NDArray[np.uint32]
    slo_ns: int
    start_ns: int
    seconds: float
    slowest_ns: Int64
    slowest_at: Int64
    tally: Tally = field(default_factory=Tally)
    stratum: NDArray[np.uint8] | None = None

    @property
    def n(self) -> int:
        return int(self.count.sum())

    @property
    def max_ns(self) -> int:
        """The longest etime, exactly; 0 where there is none."""
        return int(self.slowest_ns[0]) if len(self.slowest_ns) else 0

    @classmethod
    def from_operations(
        cls,
        operations: Operations,
        start_ns: int,
        end_ns: int,
        *,
        slo_ns: int = 100_000_000,
        switch_ns: int | None = None,
        strata: NDArray[np.uint8] | None = None,
        failures: bool = False,
    ) -> Cube:
        """Count the client operations that start in [start_ns, end_ns).

        Those still unfinished at `switch_ns`, when the configuration changed, are left out.
        `strata` is the stratum of each operation. With `failures` it counts which of them fail, see
        `Span`.
        """
        bins = max(1, -((start_ns - end_ns) // NS_PER_S))
        span = Span(start_ns, end_ns, bins, slo_ns, switch_ns, strata, failures)
        counted = count(operations, span)
        second, stratum, kind, bucket, counts = _columns(*counted.cells())
        return cls(
            second,
            kind,
            bucket,
            counts,
            counted.arrivals,
            slo_ns,
            start_ns,
            (end_ns - start_ns) / NS_PER_S,
            counted.slowest_ns,
            counted.slowest_at,
            counted.tally(),
            None if strata is None else stratum,
        )

    def merged(self, other: Cube) -> Cube:
        """Two parts of one window, added. Raises ValueError where they are not of one window."""
        for name in ("slo_ns", "start_ns", "seconds"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"only parts of one window can be added: {name} differs")
        numbers, counts = summed(
            np.concatenate([self._numbers(), other._numbers()]),
            np.concatenate([self.count, other.count]).astype(np.int64),
        )
        slowest_ns, slowest_at = longest_first(
            np.concatenate([self.slowest_ns, other.slowest_ns]),
            np.concatenate([self.slowest_at, other.slowest_at]),
        )
        second, stratum, kind, bucket, count = _columns(numbers, counts)
        return replace(
            self,
            second=second,
            kind=kind,
            bucket=bucket,
            count=count,
            arrivals=self.arrivals + other.arrivals,
            slowest_ns=slowest_ns,
            slowest_at=slowest_at,
            tally=self.tally.plus(other.tally),
            stratum=None if self.stratum is None else stratum,
        )

    def _numbers(self) -> Int64:
        second, kind = self.second.astype(np.int64), self.kind.astype(np.int64)
        number = (second << BIN_AT) | (kind << TYPE_AT) | self.bucket.astype(np.int64)
        if self.stratum is None:
            return number
        return number | (self.stratum.astype(np.int64) << STRATUM_AT)


def _columns(
    numbers: Int64, counts: Int64
) -> tuple[
    NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint32]
]:
    return (
        (numbers >> BIN_AT).astype(np.int32),
        ((numbers >> STRATUM_AT) & 0x3F).astype(np.uint8),
        ((numbers >> TYPE_AT) & 0xF).astype(np.uint8),
        (numbers & 0xFFFF).astype(np.uint16),
        counts.astype(np.uint32),
    )
