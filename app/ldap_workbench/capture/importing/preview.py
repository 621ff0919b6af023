"""What an import has read so far: tails and a timeline, while the rest is still coming.

Counting must cost next to nothing beside the scan, so etimes are counted in buckets told by the
bits of a floating-point number: 64 to each doubling, within 1.6 % of the exact etime. The session
holds exact ones.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ALL, INTERNAL, TYPES, Operations

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
P99 = list(QUANTILES).index("p99")
EVERY_S = 0.25
"""How often it is told anew."""
_SHIFT = 46
"""Of the 52 bits of a mantissa 6 stay: 64 buckets to a doubling."""
_LOWEST = 1023 << 6
"""The bucket of 1 ns."""
_BUCKETS = 64 << 6
_NAMES = (*TYPES, INTERNAL)
_POINTS = 400
"""Points of the timeline; of more, each two become one."""


@dataclass(frozen=True)
class PreviewTail:
    """The etimes of one operation type so far, ns."""

    type: str
    n: int
    quantiles_ns: tuple[int, ...]
    """In the order of QUANTILES."""
    max_ns: int
    sum_ns: int


@dataclass(frozen=True)
class Preview:
    """What has been read of an import until now.

    The timeline has a row for each stretch of text: when it ends, operations a second in it, and
    its longest etime.
    """

    bytes_read: int
    bytes_a_second: int
    operations: int
    tails: tuple[PreviewTail, ...]
    times_ns: NDArray[np.int64]
    rates: NDArray[np.float64]
    peaks_ns: NDArray[np.int64]


class PreviewCounts:
    """Counts operations as they come in; not thread safe."""

    def __init__(self) -> None:
        self._counts = np.zeros((len(TYPES) + 1, _BUCKETS), np.int64)
        self._longest = np.zeros(len(TYPES) + 1, np.int64)
        self._sums = np.zeros(len(TYPES) + 1)
        self._points: list[tuple[int, int, int, int]] = []
        self._began = time.monotonic()
        self._previewed_s = -EVERY_S
        self.operations = 0

    def add(self, operations: Operations) -> None:
        """Count some more, but not what the workbench itself asked."""
        if operations.own.any():
            operations = operations.take(~operations.own)
        if not len(operations):
            return
        etime = operations.etime_ns
        kind = np.where(operations.internal, len(TYPES), operations.kind).astype(np.int64)
        bits = np.maximum(etime, 1).astype(np.float64).view(np.int64) >> _SHIFT
        cells = kind * _BUCKETS + np.minimum(bits - _LOWEST, _BUCKETS - 1)
        self._counts += np.bincount(cells, minlength=self._counts.size).reshape(self._counts.shape)
        longer = np.flatnonzero(etime > self._longest[kind])
        np.maximum.at(self._longest, kind[longer], etime[longer])
        self._sums += np.bincount(kind, weights=etime, minlength=len(TYPES) + 1)
        self.operations += len(operations)
        of_clients = etime[~operations.internal] if operations.internal.any() else etime
        first, last = int(operations.start_ns.min()), int(operations.end_ns.max())
        peak = int(of_clients.max(initial=0))
        self._points.append((first, last, len(of_clients), peak))
        if len(self._points) > _POINTS:
            self._points = [
                _joined(*self._points[at : at + 2]) for at in range(0, len(self._points), 2)
            ]

    def due(self) -> bool:
        """Whether it is time to tell; the first time at once."""
        now = time.monotonic()
        if now - self._previewed_s < EVERY_S:
            return False
        self._previewed_s = now
        return True

    def preview(self, bytes_read: int) -> Preview:
        """As it stands now."""
        seconds = max(time.monotonic() - self._began, 1e-3)
        points = np.array(self._points, np.int64).reshape(-1, 4)
        spans = np.maximum(points[:, 1] - points[:, 0], 1)
        return Preview(
            bytes_read,
            round(bytes_read / seconds),
            self.operations,
            tuple(self._tails()),
            points[:, 1],
            points[:, 2] * 1e9 / spans,
            points[:, 3],
        )

    def _tails(self) -> list[PreviewTail]:
        clients = slice(0, len(TYPES))
        parts = {ALL: clients} | {name: slice(i, i + 1) for i, name in enumerate(_NAMES)}
        return [self._tail(name, part) for name, part in parts.items() if self._counts[part].any()]

    def _tail(self, name: str, part: slice) -> PreviewTail:
        longest, total = int(self._longest[part].max()), int(self._sums[part].sum())
        return _tail(name, self._counts[part].sum(axis=0), longest, total)


def _tail(name: str, counts: NDArray[np.int64], longest_ns: int, sum_ns: int) -> PreviewTail:
    upto = np.cumsum(counts)
    n = int(upto[-1])
    ranks = [max(1, -int(-p * n // 1)) for p in QUANTILES.values()]
    buckets = np.searchsorted(upto, ranks) + _LOWEST
    # The middle of the bucket; never beyond the longest.
    middles = ((buckets.astype(np.int64) << _SHIFT) + (1 << _SHIFT - 1)).view(np.float64)
    quantiles = tuple(min(int(middle), longest_ns) for middle in middles)
    return PreviewTail(name, n, quantiles, longest_ns, sum_ns)


def _joined(
    one: tuple[int, int, int, int], two: tuple[int, int, int, int] | None = None
) -> tuple[int, int, int, int]:
    if two is None:
        return one
    return (min(one[0], two[0]), max(one[1], two[1]), one[2] + two[2], max(one[3], two[3]))
