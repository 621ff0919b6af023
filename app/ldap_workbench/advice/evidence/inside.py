"""What the server itself did inside an operation of a client: they share start, conn and op."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import CHANGES, TYPES, Int64, Operations, client_operations

Rows = NDArray[np.intp]

_IS_CHANGE = np.isin(np.arange(256), [TYPES.index(name) for name in CHANGES])
"""By the number of a type: a look-up is quicker than np.isin."""


def request_keys(operations: Operations) -> NDArray[np.uint64]:
    """One number for each request, the same for all that the server did inside it."""
    keys: NDArray[np.uint64] = (
        operations.boot.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        + operations.conn.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        + operations.op.astype(np.uint64) * np.uint64(0x165667B19E3779F9)
    )
    return keys


def inside(operations: Operations, requests: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of internal operations inside some requests of clients."""
    if not operations.internal.any():
        return np.zeros(len(operations), np.bool_)
    keys = request_keys(operations)
    inner = operations.internal.copy()
    inner[inner] = np.isin(keys[inner], keys[requests & ~operations.internal])
    return inner


def worked_inside_ns(operations: Operations) -> tuple[Int64, Int64]:
    """How long the server's own operations inside each operation of a client took, [n] ns.

    All together, and the longest of them. Those that these set off in turn are within their time.
    """
    first = np.flatnonzero(operations.internal & (operations.nesting <= 1))
    spent, longest = np.zeros((2, len(operations)), np.int64)
    if not len(first):
        return spent, longest
    keys = request_keys(operations)
    distinct, place = np.unique(keys[first], return_inverse=True)
    sums = np.bincount(place, operations.etime_ns[first]).astype(np.int64)
    most = np.zeros(len(distinct), np.int64)
    np.maximum.at(most, place, operations.etime_ns[first])
    clients = np.flatnonzero(client_operations(operations) & np.isin(keys, distinct))
    places = np.searchsorted(distinct, keys[clients])
    spent[clients], longest[clients] = sums[places], most[places]
    return spent, longest


def count_inside(
    operations: Operations, requests: Rows, inner: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """How many of some internal operations each of some requests has inside it."""
    keys = request_keys(operations)
    sorted_inner = np.sort(keys[inner & operations.internal])
    wanted = keys[requests]
    counts: NDArray[np.int64] = np.searchsorted(sorted_inner, wanted, "right") - np.searchsorted(
        sorted_inner, wanted, "left"
    )
    return counts


def client_writes(operations: Operations) -> NDArray[np.bool_]:
    """Mask of what clients changed."""
    changes: NDArray[np.bool_] = client_operations(operations) & _IS_CHANGE[operations.kind]
    return changes


def with_filter(operations: Operations, matches: Callable[[str], object]) -> NDArray[np.bool_]:
    """Mask of operations whose filter, without its values, a test accepts."""
    accepted = [i for i, text in enumerate(operations.fingerprints) if matches(text)]
    return np.isin(operations.fingerprint, accepted)


def attributes_in(fingerprint: str) -> tuple[str, ...]:
    """Attributes of a filter, in lower case, each once."""
    named = re.findall(r"\(?\s*([A-Za-z][\w.;-]*)(?::[^=()]*)?[~<>]?=", fingerprint)
    return tuple(dict.fromkeys(name.lower() for name in named))
