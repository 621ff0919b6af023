"""Integers that are added up: counts by second, type and client, and what operations cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import bucket_of
from ldap_workbench.inference.counts.counting import SECOND_AT, TYPE_AT, distinct_cells, summed
from ldap_workbench.model.operations import INTERNAL, NOTES, TYPES

Int64 = NDArray[np.int64]

SLO_NS = 100_000_000
"""An edge of the log buckets lies on it; the others are 2 % apart."""
NAMES = (*TYPES, INTERNAL)
"""Types by the number in a key: internal operations come behind the types of clients."""
KEY_AT = 4
"""Bits of a key of `Sums`: the type below, what is summed by above."""
_UNINDEXED = sum(1 << NOTES.index(letter) for letter in "UA")


def no_numbers() -> Int64:
    """An empty column."""
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Cells:
    """Operations in each cell that is not empty, sorted by its number.

    numbers   (second, connection or place in a list of names) << 20 | type << 16 | log bucket
    counts    int64, as long
    """

    numbers: Int64 = field(default_factory=no_numbers)
    counts: Int64 = field(default_factory=no_numbers)

    @classmethod
    def of(cls, ids: Int64, kinds: Int64, etimes_ns: Int64) -> Cells:
        """One operation for each row."""
        if not len(ids):
            return cls()
        numbers = (ids << SECOND_AT) | (kinds << TYPE_AT) | bucket_of(etimes_ns, SLO_NS)
        return cls(*distinct_cells(numbers))

    @classmethod
    def total(cls, parts: Sequence[Cells]) -> Cells:
        """All of them added."""
        if not parts:
            return cls()
        numbers = np.concatenate([part.numbers for part in parts])
        return cls(*summed(numbers, np.concatenate([part.counts for part in parts])))

    @property
    def ids(self) -> Int64:
        return self.numbers >> SECOND_AT

    @property
    def kinds(self) -> Int64:
        return (self.numbers >> TYPE_AT) & 0xF

    @property
    def buckets(self) -> Int64:
        return self.numbers & 0xFFFF

    def renumbered(self, places: Int64) -> Cells:
        """With `places[id]` in the place of each id."""
        rest = self.numbers & ((1 << SECOND_AT) - 1)
        return Cells(*summed(places[self.ids] << SECOND_AT | rest, self.counts))


@dataclass(frozen=True, eq=False)
class Sums:
    """What operations add up to by key, sorted: (hour or place in a list of names) << 4 | type.

    n, sum_ns, errors, unindexed   columns of `added`, int64 [key, 4]; errors: result code not 0
    max_ns                         the longest etime
    """

    keys: Int64 = field(default_factory=no_numbers)
    added: Int64 = field(default_factory=lambda: np.empty((0, 4), np.int64))
    max_ns: Int64 = field(default_factory=no_numbers)

    @classmethod
    def of(cls, ids: Int64, kinds: Int64, etimes_ns: Int64, errs: Int64, notes: Int64) -> Sums:
        """One operation for each row."""
        failed, unindexed = errs != 0, (notes & _UNINDEXED) != 0
        added = np.stack([np.ones_like(ids), etimes_ns, failed, unindexed], 1).astype(np.int64)
        return cls._grouped(ids << KEY_AT | kinds, added, etimes_ns)

    @classmethod
    def total(cls, parts: Sequence[Sums]) -> Sums:
        """All of them added."""
        if not parts:
            return cls()
        return cls._grouped(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.added for part in parts]),
            np.concatenate([part.max_ns for part in parts]),
        )

    @classmethod
    def _grouped(cls, keys: Int64, added: Int64, max_ns: Int64) -> Sums:
        if not len(keys):
            return cls()
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        firsts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
        return cls(
            ordered[firsts],
            np.add.reduceat(added[order], firsts, axis=0),
            np.maximum.reduceat(max_ns[order], firsts),
        )

    @property
    def ids(self) -> Int64:
        return self.keys >> KEY_AT

    @property
    def kinds(self) -> Int64:
        return self.keys & ((1 << KEY_AT) - 1)

    def renumbered(self, places: Int64) -> Sums:
        """With `places[id]` in the place of each id."""
        return self._grouped(places[self.ids] << KEY_AT | self.kinds, self.added, self.max_ns)


@dataclass(frozen=True, eq=False)
class ServerCounts:
    """What the operations of one server add up to; adding is associative and commutative.

    seconds   by second of the end, since 1970 UTC, client and internal operations
    hours     by hour since 1970 UTC
    clients   client operations by place in `client_names`, which is sorted; '' is not known
    shapes    client operations by place in `shape_names` (filters without values), sorted
    lines     understood, set aside, unknown
    """

    seconds: Cells = field(default_factory=Cells)
    hours: Sums = field(default_factory=Sums)
    client_names: tuple[str, ...] = ()
    clients: Cells = field(default_factory=Cells)
    shape_names: tuple[str, ...] = ()
    shapes: Sums = field(default_factory=Sums)
    lines: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def total(cls, parts: Sequence[ServerCounts]) -> ServerCounts:
        """All of them added."""
        clients, client_places = _united([part.client_names for part in parts])
        shapes, shape_places = _united([part.shape_names for part in parts])
        lines = np.array([part.lines for part in parts], np.int64).reshape(-1, 3).sum(axis=0)
        return cls(
            Cells.total([part.seconds for part in parts]),
            Sums.total([part.hours for part in parts]),
            clients,
            Cells.total(
                [p.clients.renumbered(at) for p, at in zip(parts, client_places, strict=True)]
            ),
            shapes,
            Sums.total(
                [p.shapes.renumbered(at) for p, at in zip(parts, shape_places, strict=True)]
            ),
            (int(lines[0]), int(lines[1]), int(lines[2])),
        )


def named(names: Sequence[str], cells: Cells) -> tuple[tuple[str, ...], Cells]:
    """Cells by place in any list, which may repeat a name, as cells by place in a sorted one."""
    united, places = _used(names, cells.ids)
    return united, cells.renumbered(places)


def named_sums(names: Sequence[str], sums: Sums) -> tuple[tuple[str, ...], Sums]:
    """The same of sums."""
    united, places = _used(names, sums.ids)
    return united, sums.renumbered(places)


def _used(names: Sequence[str], ids: Int64) -> tuple[tuple[str, ...], Int64]:
    """The names that ids point to, once and sorted, and where each of all names stands."""
    used = np.unique(ids)
    united, (indices,) = _united([[names[place] for place in used.tolist()]])
    places = np.zeros(len(names), np.int64)
    places[used] = indices
    return united, places


def _united(lists: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[Int64]]:
    """All names once, sorted, and for each list where its names stand among them."""
    names = sorted({name for names in lists for name in names})
    places = {name: place for place, name in enumerate(names)}
    indices = [np.array([places[name] for name in names], np.int64) for names in lists]
    return tuple(names), indices
