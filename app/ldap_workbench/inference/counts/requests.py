"""What was asked for in a window: how many requests of each kind, before anything was answered.

A kind is what the request alone says: operation type, filter shape, base and client. What came of
it, entries and result, is an outcome and never tells kinds apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.operations import ALL, TYPES, Operations, text_at

Mask = NDArray[np.bool_]
Kind = tuple[str, ...]
"""Operation type, filter shape, base, client; shorter where they are not told apart. The first is
the kind a verdict is asked for, where the request is of that kind."""

READ = ("kind", "fingerprint", "base", "client", "bind_dn", "nentries", "request_at")
"""What is read of an operation to count its request."""
PARTS = (("fingerprint", "fingerprints"), ("base", "bases"), ("client", "clients"))
"""What tells kinds of a type apart, in this order: column and table of its strings."""
_FREQUENT = 0.002
"""Share of the operations of a window from which a filter shape, base or client has a count."""
_MOST_SHAPES = 1000
_SEARCH, _ABANDON = TYPES.index("SRCH"), TYPES.index("ABANDON")


@dataclass(frozen=True)
class Requests:
    """Requests of one window.

    n       how many
    kinds   of each kind, and of each that holds it: ("SRCH",) holds ("SRCH", "(uid=?)")
    shapes  of each filter shape of a type, however rare; searches whose filter is not in the log
            by how many entries they returned, the only sign of what they were
    """

    n: int = 0
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    shapes: Mapping[Kind, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RequestColumns:
    """Client requests, a row each: columns of `Operations` and their tables of strings."""

    columns: Mapping[str, NDArray[np.generic]]
    tables: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(self.columns["kind"])

    def only(self, rows: Mask) -> RequestColumns:
        return RequestColumns({n: c[rows] for n, c in self.columns.items()}, self.tables)

    def places(self, column: str, table: str) -> NDArray[np.int64]:
        """Where the strings of a column stand in its table, -1 for none."""
        places = self.columns[column].astype(np.int64)
        return np.where((places >= 0) & (places < len(self.tables[table])), places, -1)

    @property
    def given_up(self) -> Mask:
        """Rows that say of another request that nobody waits for it any more."""
        kinds: Mask = self.columns["kind"] == _ABANDON
        return kinds

    def matches(self, wanted: OperationKind) -> Mask:
        """Mask: requests of one kind of operation."""
        column, table = {
            "filter": ("fingerprint", "fingerprints"),
            "client": ("client", "clients"),
            "dn": ("bind_dn", "bind_dns"),
        }[wanted.by]
        places = self.places(column, table)
        value = wanted.value.lower()
        same = [i for i, text in enumerate(self.tables[table]) if text.lower() == value]
        rows: Mask = np.isin(places, same)
        if wanted.type != ALL:
            rows &= self.columns["kind"] == TYPES.index(wanted.type)
        return rows


def count_requests(asked: RequestColumns, wanted: OperationKind | None = None) -> Requests:
    """Count what was asked for; what is of the `wanted` kind apart from all else."""
    given_up = asked.given_up
    if given_up.any():
        asked = asked.only(~given_up)
    n = len(asked)
    if not n:
        return Requests()
    groups, names = groups_of(asked, wanted)
    return Requests(n, _kinds(asked, groups, names), _shapes(asked, groups, names))


def groups_of(
    asked: RequestColumns, wanted: OperationKind | None
) -> tuple[NDArray[np.int64], list[str]]:
    """For each request the first part of its kind, and the names of these."""
    groups = asked.columns["kind"].astype(np.int64)
    if wanted is None:
        return groups, list(TYPES)
    names = [*TYPES, *(str(OperationKind(name, wanted.by, wanted.value)) for name in TYPES)]
    return np.where(asked.matches(wanted), groups + len(TYPES), groups), names


def _kinds(asked: RequestColumns, groups: NDArray[np.int64], names: list[str]) -> dict[Kind, int]:
    """Of each kind that is frequent; what is rare in a part counts for the kinds that hold it."""
    least = _FREQUENT * len(asked)
    numbers, tables, size = groups, [], len(names)
    for column, table in PARTS:
        places = asked.places(column, table)
        counts = np.bincount(places + 1)
        frequent = np.flatnonzero(counts >= least)
        rank = np.zeros(len(counts), np.int64)
        rank[frequent] = np.arange(1, len(frequent) + 1)
        numbers = numbers * (len(frequent) + 1) + rank[places + 1]
        size *= len(frequent) + 1
        tables.append([None, *(text_at(asked.tables[table], int(i) - 1) for i in frequent)])
    kinds: Counter[Kind] = Counter()
    for number, count in zip(*_occurring(numbers, size), strict=True):
        for kind in _kind_and_holders(int(number), names, tables):
            kinds[kind] += int(count)
    return {kind: count for kind, count in kinds.items() if count >= least or len(kind) == 1}


def _occurring(
    numbers: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers below `size` that occur, sorted, and how often; counting is quicker than sorting."""
    if size > 8 * len(numbers) + 65536:
        present, counts = np.unique(numbers, return_counts=True)
        return present, counts
    counts = np.bincount(numbers)
    present = np.flatnonzero(counts)
    return present, counts[present]


def _kind_and_holders(number: int, names: list[str], tables: list[list[str | None]]) -> list[Kind]:
    """The kind of a number and all that hold it, down to where a part of it is rare."""
    parts: list[str | None] = []
    for table in reversed(tables):
        number, rank = divmod(number, len(table))
        parts.insert(0, table[rank])
    kinds: list[Kind] = [(names[number],)]
    for part in parts:
        if part is None:
            break
        kinds.append((*kinds[-1], part))
    return kinds


def _shapes(asked: RequestColumns, groups: NDArray[np.int64], names: list[str]) -> dict[Kind, int]:
    """Of each filter shape; of what is beyond the most frequent ones together."""
    places = asked.places("fingerprint", "fingerprints")
    texts = asked.tables["fingerprints"]
    unknown = (places < 0) & (asked.columns["kind"] == _SEARCH)
    width = len(texts) + 1
    numbers, counts = _occurring(groups * width + places + 1, len(names) * width)
    order = np.argsort(-counts, kind="stable")
    shapes: Counter[Kind] = Counter()
    for rank, at in enumerate(order.tolist()):
        group, place = divmod(int(numbers[at]), width)
        shape = text_at(texts, place - 1) if rank < _MOST_SHAPES else "*"
        shapes[names[group], shape] += int(counts[at])
    if unknown.any():
        # By the number of digits: none, one to nine, ten to 99 ...
        entries = np.maximum(asked.columns["nentries"][unknown].astype(np.int64), 0)
        digits = np.floor(np.log10(np.maximum(entries, 0.1))).astype(np.int64) + 1
        keys = groups[unknown] * 32 + digits
        for key, count in zip(*_occurring(keys, len(names) * 32), strict=True):
            group, digit = divmod(int(key), 32)
            shapes[names[group], "", str(digit)] += int(count)
            shapes[names[group], ""] -= int(count)
    return {shape: count for shape, count in shapes.items() if count}


def columns_of(operations: Operations) -> RequestColumns:
    """The requests of some operations."""
    tables = {"bind_dns": operations.bind_dns}
    tables |= {table: getattr(operations, table) for _, table in PARTS}
    return RequestColumns({name: getattr(operations, name) for name in READ}, tables)
