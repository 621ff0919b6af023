"""Counts per second, operation type and log bucket: what every verdict is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import NOTES, TYPES, Operations, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.statistics.buckets import bucket_of

Int64 = NDArray[np.int64]

SLOWEST = 1000
_ROWS_AT_ONCE = 1 << 20
_TYPE_AT, _SECOND_AT = 16, 20
"""Bits of a cell's number: bucket below, then type, then second."""
_UNINDEXED = sum(1 << NOTES.index(letter) for letter in "UA")


@dataclass(frozen=True)
class Tally:
    """What else is known of a window's client operations, for the gates.

    errors       result code that is not 0 -> operations
    searches, entries, unindexed   searches, what they returned, how many had no index
    connections  distinct connections that asked something
    straddling   operations left out because they outlived the switch of the configuration
    """

    errors: Mapping[int, int] = field(default_factory=dict)
    searches: int = 0
    entries: int = 0
    unindexed: int = 0
    connections: int = 0
    straddling: int = 0

    def plus(self, other: Tally) -> Tally:
        """Of two parts of one window; a connection seen in both parts counts once at least."""
        codes = sorted({*self.errors, *other.errors})
        errors = {c: self.errors.get(c, 0) + other.errors.get(c, 0) for c in codes}
        return Tally(
            errors,
            self.searches + other.searches,
            self.entries + other.entries,
            self.unindexed + other.unindexed,
            max(self.connections, other.connections),
            self.straddling + other.straddling,
        )


@dataclass(frozen=True, eq=False)
class Cube:
    """Client operations of one window, [start_ns, start_ns + seconds), as sparse counts.

    second, kind, bucket, count   one row per cell that is not empty, sorted: second of COMPLETION
                 (so that one stall's operations lie together), index into TYPES, bucket of
                 `edges_ns(slo_ns)`; what ends after the window lies in its last second
    arrivals     uint32 [type, second of START]
    slowest_ns, slowest_at   etime and byte offset of the result line of the slowest, longest first
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
    ) -> Cube:
        """Count the client operations that start in [start_ns, end_ns).

        Those still unfinished at `switch_ns`, when the configuration changed, are left out.
        """
        starts = operations.start_ns
        inside = client_operations(operations) & (starts >= start_ns) & (starts < end_ns)
        straddling = 0
        if switch_ns is not None:
            late = inside & (operations.end_ns > switch_ns)
            straddling = int(late.sum())
            inside &= ~late
        rows = np.flatnonzero(inside)
        bins = max(1, -((start_ns - end_ns) // NS_PER_S))
        cells = _cells(operations, rows, start_ns, bins, slo_ns)
        slowest = _slowest(operations.etime_ns, rows)
        return cls(
            *_columns(*cells),
            _arrivals(operations.kind[rows], (starts[rows] - start_ns) // NS_PER_S, bins),
            slo_ns,
            start_ns,
            (end_ns - start_ns) / NS_PER_S,
            operations.etime_ns[slowest],
            operations.result_at[slowest],
            _tally(operations, rows, straddling),
        )

    def merged(self, other: Cube) -> Cube:
        """Two parts of one window, added. Raises ValueError where they are not of one window."""
        for name in ("slo_ns", "start_ns", "seconds"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"only parts of one window can be added: {name} differs")
        numbers, counts = _summed(
            np.concatenate([self._numbers(), other._numbers()]),
            np.concatenate([self.count, other.count]).astype(np.int64),
        )
        slow_ns = np.concatenate([self.slowest_ns, other.slowest_ns])
        slow_at = np.concatenate([self.slowest_at, other.slowest_at])
        longest = np.lexsort((slow_at, -slow_ns))[:SLOWEST]
        second, kind, bucket, count = _columns(numbers, counts)
        return replace(
            self,
            second=second,
            kind=kind,
            bucket=bucket,
            count=count,
            arrivals=self.arrivals + other.arrivals,
            slowest_ns=slow_ns[longest],
            slowest_at=slow_at[longest],
            tally=self.tally.plus(other.tally),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as arrays, for a file: `from_arrays` gives the cube back."""
        arrays = {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}
        del arrays["tally"]
        tally = {f.name: getattr(self.tally, f.name) for f in fields(Tally)}
        errors = sorted(tally.pop("errors").items())
        arrays["errors"] = np.array(errors, np.int64).reshape(len(errors), 2)
        return arrays | {name: np.asarray(value) for name, value in tally.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Cube:
        """The cube of `to_arrays`. Raises KeyError where an array is missing."""
        tally = {f.name: int(arrays[f.name]) for f in fields(Tally) if f.name != "errors"}
        errors = {int(code): int(n) for code, n in arrays["errors"]}
        values: dict[str, Any] = {f.name: arrays[f.name] for f in fields(cls) if f.name != "tally"}
        for name, whole in (("slo_ns", int), ("start_ns", int), ("seconds", float)):
            values[name] = whole(values[name])
        return cls(**values, tally=Tally(errors=errors, **tally))

    def _numbers(self) -> Int64:
        second, kind = self.second.astype(np.int64), self.kind.astype(np.int64)
        return (second << _SECOND_AT) | (kind << _TYPE_AT) | self.bucket.astype(np.int64)


def _cells(
    operations: Operations, rows: NDArray[np.intp], start_ns: int, bins: int, slo_ns: int
) -> tuple[Int64, Int64]:
    """Numbers of the cells that are not empty, sorted, and their counts; a few rows at once."""
    parts = []
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[first : first + _ROWS_AT_ONCE]
        second = np.clip((operations.end_ns[some] - start_ns) // NS_PER_S, 0, bins - 1)
        number = (second << _SECOND_AT) | (operations.kind[some].astype(np.int64) << _TYPE_AT)
        parts.append(_counted(number | bucket_of(operations.etime_ns[some], slo_ns)))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    numbers, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return _summed(numbers, counts) if len(parts) > 1 else (numbers, counts)


def _counted(numbers: Int64) -> tuple[Int64, Int64]:
    # Only cells of seconds and types that occur, and of the buckets in use, are laid out.
    high, buckets = numbers >> _TYPE_AT, numbers & ((1 << _TYPE_AT) - 1)
    low = int(high.min())
    present = np.flatnonzero(np.bincount(high - low)) + low
    slot = np.zeros(int(present[-1]) - low + 1, np.int64)
    slot[present - low] = np.arange(len(present))
    width = int(buckets.max()) + 1
    if len(present) * width > 8 * len(numbers) + 4096:
        found, counts = np.unique(numbers, return_counts=True)
        return found, counts.astype(np.int64)
    dense = np.bincount(slot[high - low] * width + buckets, minlength=len(present) * width)
    filled = np.flatnonzero(dense)
    found = (present[filled // width] << _TYPE_AT) | (filled % width)
    return found, dense[filled].astype(np.int64)


def _summed(numbers: Int64, counts: Int64) -> tuple[Int64, Int64]:
    """Counts of equal numbers added, sorted by number."""
    if not len(numbers):
        return numbers, counts
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    firsts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
    return ordered[firsts], np.add.reduceat(counts[order], firsts)


def _columns(
    numbers: Int64, counts: Int64
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint32]]:
    return (
        (numbers >> _SECOND_AT).astype(np.int32),
        ((numbers >> _TYPE_AT) & 0xF).astype(np.uint8),
        (numbers & 0xFFFF).astype(np.uint16),
        counts.astype(np.uint32),
    )


def _arrivals(kinds: NDArray[np.uint8], seconds: Int64, bins: int) -> NDArray[np.uint32]:
    flat = kinds.astype(np.int64) * bins + seconds
    return np.bincount(flat, minlength=len(TYPES) * bins).reshape(-1, bins).astype(np.uint32)


def _slowest(etime_ns: Int64, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows of the longest etimes, longest first, at most SLOWEST."""
    etimes = etime_ns[rows]
    if len(rows) > SLOWEST:
        limit = np.partition(etimes, len(etimes) - SLOWEST)[len(etimes) - SLOWEST]
        rows, etimes = rows[etimes >= limit], etimes[etimes >= limit]
    return rows[np.lexsort((rows, -etimes))[:SLOWEST]]


def _tally(operations: Operations, rows: NDArray[np.intp], straddling: int) -> Tally:
    errors = operations.err[rows]
    codes, counts = np.unique(errors[errors != 0], return_counts=True)
    searches = rows[operations.kind[rows] == TYPES.index("SRCH")]
    return Tally(
        errors={int(code): int(n) for code, n in zip(codes, counts, strict=True)},
        searches=len(searches),
        entries=int(np.maximum(operations.nentries[searches], 0).sum()),
        unindexed=int(np.count_nonzero(operations.notes[searches] & _UNINDEXED)),
        connections=_distinct(operations.boot[rows], operations.conn[rows]),
        straddling=straddling,
    )


def _distinct(boots: NDArray[np.int32], connections: Int64) -> int:
    total = 0
    for boot in range(int(boots.min(initial=0)), int(boots.max(initial=0)) + 1):
        mine = connections[boots == boot]
        if len(mine) and int(mine.max()) - int(mine.min()) < 8 * len(mine) + 4096:
            total += int(np.count_nonzero(np.bincount(mine - mine.min())))
        else:
            total += len(np.unique(mine))
    return total
