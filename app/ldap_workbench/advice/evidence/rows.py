"""Rows of a window: in groups, and as evidence with the filter that finds them all.

numpy sorts whole numbers with vector instructions, but neither stably nor by several keys. A number
made of the keys and of the row behind them needs nothing else: 10^7 rows take a sixth of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.finding import Evidence
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter, RowSet
from ldap_workbench.model.operations import (
    NOTES,
    TYPES,
    Int64,
    Operations,
    client_operations,
    text_at,
)

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
_OWN = re.compile(r"|(?:.*,\s*)?cn=(?:monitor|config|schema|subschema)\s*", re.IGNORECASE)
_US = 1_000
"""A filter names moments to the microsecond."""


EVIDENCE_ROWS = 1_000
"""Operations named by one piece of evidence at the most; a chart shows the range anyway."""
MOST_LISTED = 1_500
"""Operations that a filter lists one by one at most: its words must fit a field."""
_MOST_EXCLUDED = 8
_CONN_LIMIT = 2**31
_OVERLAP = 0.01


def evidence_of_rows(
    operations: Operations,
    text: Message,
    rows: Rows,
    listed: Rows | None = None,
    *,
    span: tuple[int, int] | None = None,
    series: str = "",
) -> Evidence:
    """Some operations as evidence.

    `listed` are those named one by one, by default the first of the rows. `span` is the time range
    to look at, in ns; by default it is that of the rows, of which there must be some then. `series`
    names the samples that show the same.
    """
    if span is None:
        span = int(operations.start_ns[rows].min()), int(operations.end_ns[rows].max())
    return Evidence(
        text,
        *span,
        tuple(int(row) for row in (rows[:EVIDENCE_ROWS] if listed is None else listed)),
        series,
        which=filter_of(operations, rows),
        rows=rows,
    )


def filter_at(operations: Operations, row: int) -> str:
    """The filter of an operation, without its values; '' where the log has none."""
    return text_at(operations.fingerprints, int(operations.fingerprint[row]))


def on_own_entries(operations: Operations) -> Mask:
    """Which operations are on what a server has of itself: root DSE, configuration, monitor.

    So are binds of its administrators, whose names are of no suffix.
    """
    own = [at for at, base in enumerate(operations.bases) if _OWN.fullmatch(base)]
    single = [at for at, base in enumerate(operations.bases) if "," not in base]
    binds = (operations.kind == TYPES.index("BIND")) & np.isin(operations.base, single)
    on_own: Mask = np.isin(operations.base, own) | binds
    return on_own


def base_at(operations: Operations, row: int) -> str:
    """The base of a search or the entry of a change; '' where the log has none."""
    return text_at(operations.bases, int(operations.base[row]))


def slowest(operations: Operations, rows: Rows, most: int | None = None) -> Rows:
    """Rows by etime, the longest first: all of them, or the first `most`."""
    return rows[np.argsort(-operations.etime_ns[rows], kind="stable")][:most]


def grouped(rows: Rows, *keys: NDArray[Any], least: float = 1) -> list[Rows]:
    """Rows by equal keys of theirs, the last key the first to sort by; each group in its order.

    Groups of fewer than `least` are left out: a log may have a million of one each.
    """
    order, begins = in_groups(*keys)
    ordered = rows[order]
    many = np.flatnonzero(np.diff(begins) >= least)
    return [ordered[begins[at] : begins[at + 1]] for at in many]


def in_turn(operations: Operations, rows: Rows) -> bool:
    """Whether hardly any of some operations begins before the one before it has ended."""
    order = rows[np.argsort(operations.start_ns[rows], kind="stable")]
    ends = np.maximum.accumulate(operations.end_ns[order])
    overlap = operations.start_ns[order][1:] < ends[:-1]
    return len(rows) > 1 and bool(overlap.mean() < _OVERLAP)


@dataclass(frozen=True)
class _Condition:
    """A field of OperationFilter, its value for all rows, and which candidates meet it."""

    field: str
    value: Any
    mask: Mask


class _Candidates:
    """The operations of a time range: those that are wanted, and others beside them."""

    def __init__(self, operations: Operations, rows: Rows) -> None:
        self.operations = operations
        self.start_ns = int(operations.start_ns[rows].min()) // _US * _US
        self.end_ns = -(-int(operations.end_ns[rows].max()) // _US) * _US
        self.internal = bool(operations.internal[rows].any())
        inside = ~operations.own if self.internal else client_operations(operations)
        inside &= (operations.start_ns >= self.start_ns) & (operations.end_ns <= self.end_ns)
        self.places: Rows = np.flatnonzero(inside)
        chosen = np.zeros(len(operations), bool)
        chosen[rows] = True
        self.wanted = chosen[self.places]

    def column(self, name: str) -> NDArray[Any]:
        """One column of them, in their order."""
        values: NDArray[Any] = getattr(self.operations, name)[self.places]
        return values

    def met(self, conditions: list[_Condition]) -> Mask:
        """Which of them meet all conditions."""
        met = np.ones(len(self.places), bool)
        for condition in conditions:
            met &= condition.mask
        return met

    def exactly(self, conditions: list[_Condition]) -> bool:
        """Whether the conditions find what is wanted and nothing else."""
        return bool(np.array_equal(self.met(conditions), self.wanted))


def filter_of(operations: Operations, rows: Rows) -> OperationFilter | None:
    """A filter that finds exactly these operations; None where there are none.

    Of what all of them share, the most special is left out first, as long as nothing else comes
    with it. Type and filter stay, for they say what it is about, and so does the time range:
    another window may have operations like these. Where what they share is not enough, others are
    excluded by type and filter; where that is not either, a limited number is listed, and for more
    the filter has their rows.
    """
    if not len(rows):
        return None
    candidates = _Candidates(operations, rows)
    conditions = None if operations.own[rows].any() else _telling(candidates)
    if conditions is None:
        return _by_rows(operations, rows, candidates)
    values: dict[str, Any] = {}
    for condition in _needed(conditions):
        before = values.get(condition.field, ())
        several = isinstance(condition.value, tuple)
        values[condition.field] = before + condition.value if several else condition.value
    count, internal = int(candidates.wanted.sum()), candidates.internal
    return OperationFilter(
        candidates.start_ns, candidates.end_ns, count, internal=internal, **values
    )


def _by_rows(operations: Operations, rows: Rows, candidates: _Candidates) -> OperationFilter:
    return OperationFilter(
        candidates.start_ns,
        candidates.end_ns,
        len(np.unique(rows)),
        internal=candidates.internal,
        own=bool(operations.own[rows].any()),
        rows=RowSet.of(len(operations), rows),
    )


def _needed(conditions: list[_Condition]) -> list[_Condition]:
    """Type and filter, and the conditions without which other operations would match."""
    fails = np.zeros(len(conditions[0].mask), np.uint8)
    for condition in conditions:
        fails += ~condition.mask
    needed = []
    for condition in reversed(conditions):
        only_here = (fails == 1) & ~condition.mask
        if condition.field in ("type", "filter") or only_here.any():
            needed.append(condition)
        else:
            fails -= ~condition.mask
    return needed[::-1]


def _telling(candidates: _Candidates) -> list[_Condition] | None:
    """Conditions that single out the wanted operations; None where there are none."""
    shared = _shared(candidates)
    if candidates.exactly(shared):
        return shared
    excluding = [*shared, *_excluded(candidates, candidates.met(shared) & ~candidates.wanted)]
    if candidates.exactly(excluding):
        return excluding
    listed = [*shared, *_listed(candidates)]
    return listed if candidates.exactly(listed) else None


def _shared(candidates: _Candidates) -> list[_Condition]:
    """What the wanted have in common, in the order in which a person would name it."""
    operations, wanted = candidates.operations, candidates.wanted
    conditions: list[_Condition] = []

    def add_if_same(field: str, name: str, value_of: Callable[[int], Any]) -> None:
        column = candidates.column(name)
        values = column[wanted]
        if (values == values[0]).all():
            conditions.append(_Condition(field, value_of(int(values[0])), column == values[0]))

    def add_text(field: str, name: str, texts: Sequence[str]) -> None:
        add_if_same(field, name, lambda number: text_at(texts, number))

    add_if_same("type", "kind", TYPES.__getitem__)
    add_if_same("error", "err", int)
    add_text("filter", "fingerprint", operations.fingerprints)
    notes = candidates.column("notes")
    bits = int(np.bitwise_and.reduce(notes[wanted]))
    if bits:
        letters = "".join(letter for bit, letter in enumerate(NOTES) if bits >> bit & 1)
        conditions.append(_Condition("notes", letters, (notes & bits) == bits))
    add_text("client", "client", operations.clients)
    add_text("bind_dn", "bind_dn", operations.bind_dns)
    add_text("base", "base", operations.bases)
    etimes, ends = candidates.column("etime_ns"), candidates.column("end_ns")
    least, most = int(etimes[wanted].min()), int(etimes[wanted].max())
    conditions.append(_Condition("least_ns", least, etimes >= least))
    conditions.append(_Condition("most_ns", most, etimes <= most))
    first = int(ends[wanted].min()) // _US * _US
    conditions.append(_Condition("ended_from_ns", first, ends >= first))
    return conditions


def _excluded(candidates: _Candidates, extra: Mask) -> list[_Condition]:
    """Filters, then types, that others have and none of the wanted: at most a few."""
    conditions: list[_Condition] = []
    texts = candidates.operations.fingerprints
    for field, name, value_of in (
        ("not_filters", "fingerprint", lambda number: text_at(texts, number)),
        ("not_types", "kind", TYPES.__getitem__),
    ):
        column = candidates.column(name)
        others = set(column[extra].tolist()) - set(column[candidates.wanted].tolist())
        for value in sorted(others)[:_MOST_EXCLUDED]:
            conditions.append(_Condition(field, (value_of(value),), column != value))
            extra = extra & (column != value)
    return conditions


def _listed(candidates: _Candidates) -> list[_Condition]:
    """The wanted by connection and number, where they are not too many."""
    conn, op = candidates.column("conn"), candidates.column("op").astype(np.int64)
    known = (conn >= 0) & (conn < _CONN_LIMIT)
    if candidates.wanted.sum() > MOST_LISTED or not known[candidates.wanted].all():
        return []
    keys = np.where(known, conn, 0) * 2 * _CONN_LIMIT + op
    wanted = keys[candidates.wanted]
    pairs = zip(conn[candidates.wanted].tolist(), op[candidates.wanted].tolist(), strict=True)
    return [_Condition("listed", tuple(pairs), known & np.isin(keys, wanted))]


_SPARSE = 1_000
"""Numbers without a row that a table of groups may have beside as many as there are rows."""
_BITS = 63


def stable_order(keys: NDArray[Any]) -> Rows:
    """As np.argsort(keys, kind="stable"), of whole numbers."""
    order, _ = _ordered(keys) or (np.argsort(keys, kind="stable"), keys)
    return order


def numbered(keys: Int64) -> tuple[Rows, Rows]:
    """(the first row of each group, the number of the group of each row), groups by their key."""
    if not len(keys):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    codes = keys - keys.min()
    span = int(codes.max()) + 1
    if span > len(keys) + _SPARSE:
        order, begins = in_groups(keys)
        number = np.empty(len(keys), np.intp)
        number[order] = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        return order[begins[:-1]], number
    table = np.full(span, len(keys), np.intp)
    table[codes[::-1]] = np.arange(len(keys))[::-1]
    there = table < len(keys)
    number = (np.cumsum(there) - 1)[codes]
    return table[there], number


def in_groups(*keys: NDArray[Any]) -> tuple[Rows, Rows]:
    """Rows by equal keys, the last key the first to sort by, and where in that order groups begin.

    The end of the last group stands behind these beginnings.
    """
    if packed := _ordered(*keys):
        order, codes = packed
        changes = codes[1:] != codes[:-1]
    else:
        order = np.lexsort(keys)
        changes = np.zeros(max(len(order) - 1, 0), np.bool_)
        for key in keys:
            ordered = key[order]
            changes |= ordered[1:] != ordered[:-1]
    begins = np.flatnonzero(np.concatenate((np.ones(min(len(order), 1), np.bool_), changes)))
    return order, np.append(begins, len(order))


def _ordered(*keys: NDArray[Any]) -> tuple[Rows, Int64] | None:
    """The order, and in it a number for the keys of each row; None where they need more bits."""
    count = len(keys[0])
    if not count:
        return None
    row_bits = (count - 1).bit_length()
    lows = [int(key.min()) for key in keys]
    spans = [int(key.max()) - low + 1 for key, low in zip(keys, lows, strict=True)]
    bits = [(span - 1).bit_length() for span in spans]
    if sum(bits) + row_bits > _BITS:
        return None
    packed = np.zeros(count, np.int64)
    for key, low, wide in reversed(list(zip(keys, lows, bits, strict=True))):
        packed <<= wide
        packed += key
        packed -= low
    packed <<= row_bits
    packed += np.arange(count)
    packed.sort()
    order = packed & ((1 << row_bits) - 1)
    packed >>= row_bits
    return order, packed
