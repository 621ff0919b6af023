"""Rows of a window as evidence: when, the slowest of them, and the filter that finds them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.finding import Evidence
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.operations import NOTES, TYPES, Operations, client_operations, text_at

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
_US = 1_000
"""A filter names moments to the microsecond."""


def evidence_of_rows(
    operations: Operations, text: Message, rows: Rows, listed: Rows | None = None
) -> Evidence:
    """Some operations as evidence; `listed` are those that are named one by one, all by default."""
    return Evidence(
        text,
        int(operations.start_ns[rows].min()),
        int(operations.end_ns[rows].max()),
        tuple(int(row) for row in (rows if listed is None else listed)),
        which=filter_of(operations, rows),
    )


@dataclass(frozen=True)
class _Condition:
    """A field of OperationFilter, the value that all rows share, and who else has it."""

    field: str
    value: Any
    mask: Mask


def filter_of(operations: Operations, rows: Rows) -> OperationFilter | None:
    """A filter that finds exactly these operations; None where none does.

    Of what all of them share, the most special is left out first, as long as nothing else comes
    with it. Type and filter stay, for they say what it is about, and so does the time range:
    another window may have operations like these.
    """
    wanted = np.zeros(len(operations), bool)
    wanted[rows] = True
    start = int(operations.start_ns[rows].min()) // _US * _US
    end = -(-int(operations.end_ns[rows].max()) // _US) * _US
    inside = client_operations(operations)
    inside &= (operations.start_ns >= start) & (operations.end_ns <= end)
    conditions = _shared(operations, rows)
    if not np.array_equal(_met(inside, conditions), wanted):
        return None
    for condition in reversed(conditions):
        if condition.field in ("type", "filter"):
            continue
        rest = [other for other in conditions if other is not condition]
        if np.array_equal(_met(inside, rest), wanted):
            conditions = rest
    values = {condition.field: condition.value for condition in conditions}
    return OperationFilter(start, end, int(wanted.sum()), **values)


def _met(inside: Mask, conditions: list[_Condition]) -> Mask:
    met = inside.copy()
    for condition in conditions:
        met &= condition.mask
    return met


def _shared(operations: Operations, rows: Rows) -> list[_Condition]:
    """What these operations have in common, in the order in which a person would name it."""
    conditions: list[_Condition] = []

    def add_if_same(field: str, column: NDArray[Any], value_of: Callable[[int], Any]) -> None:
        first = int(column[rows[0]])
        if (column[rows] == first).all():
            conditions.append(_Condition(field, value_of(first), column == first))

    def add_text(field: str, column: NDArray[Any], texts: Sequence[str]) -> None:
        add_if_same(field, column, lambda number: text_at(texts, number))

    add_if_same("type", operations.kind, TYPES.__getitem__)
    add_if_same("error", operations.err, int)
    add_text("filter", operations.fingerprint, operations.fingerprints)
    bits = int(np.bitwise_and.reduce(operations.notes[rows]))
    if bits:
        letters = "".join(letter for bit, letter in enumerate(NOTES) if bits >> bit & 1)
        conditions.append(_Condition("notes", letters, (operations.notes & bits) == bits))
    add_text("client", operations.client, operations.clients)
    add_text("bind_dn", operations.bind_dn, operations.bind_dns)
    add_text("base", operations.base, operations.bases)
    least = int(operations.etime_ns[rows].min())
    conditions.append(_Condition("least_ns", least, operations.etime_ns >= least))
    return conditions
