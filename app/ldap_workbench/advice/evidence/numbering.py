"""Groups and orders of many rows, quicker than a general sort where keys lie near each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import Int64

Rows = NDArray[np.intp]
_SPARSE = 1_000
"""Numbers without a row that a table of groups may have beside as many as there are rows."""


def stable_order(keys: NDArray[Any]) -> Rows:
    """As np.argsort(keys, kind="stable"), by 16 bits at a time: numpy sorts only those by radix."""
    if not len(keys):
        return np.empty(0, np.intp)
    codes = keys.astype(np.int64)
    codes -= codes.min()
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    for shift in range(16, int(codes.max()).bit_length(), 16):
        part = (codes[order] >> shift).astype(np.uint16)
        order = order[np.argsort(part, kind="stable")]
    return order


def numbered(keys: Int64) -> tuple[Rows, Rows]:
    """(the first row of each group, the number of the group of each row), groups by their key."""
    if not len(keys):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    codes = keys - keys.min()
    span = int(codes.max()) + 1
    if span > len(keys) + _SPARSE:
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        return first, number
    table = np.full(span, len(keys), np.intp)
    table[codes[::-1]] = np.arange(len(keys))[::-1]
    there = table < len(keys)
    number = (np.cumsum(there) - 1)[codes]
    return table[there], number


def in_groups(*keys: NDArray[Any]) -> tuple[Rows, Rows]:
    """Rows by equal keys, the last key the first to sort by, and where in that order groups begin.

    The end of the last group stands behind these beginnings.
    """
    order = stable_order(keys[0])
    for key in keys[1:]:
        order = order[stable_order(key[order])]
    changes = np.zeros(len(order), np.bool_)
    changes[:1] = True
    for key in keys:
        ordered = key[order]
        changes[1:] |= ordered[1:] != ordered[:-1]
    return order, np.append(np.flatnonzero(changes), len(order))
