"""Groups and orders of many rows, quicker than a general sort where keys lie near each other.

numpy sorts whole numbers with vector instructions, but neither stably nor by several keys. A number
made of the keys and of the row behind them needs nothing else: 10^7 rows take a sixth of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import Int64

Rows = NDArray[np.intp]
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
