"""What stands behind a row: the values of its request, and what the server did inside it.

Operations keep the shape of a filter, not its values, nor which attributes were asked for: those
stand in the raw text alone, so a sample of lines is read.
"""

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


_FILTER = re.compile(r'filter"?[=:]\s*"((?:[^"\\]|\\.)*)"')
_ATTRIBUTES = re.compile(r'attrs"?[=:]\s*(\[[^\]]*\]|"[^"]*"|\S+)')
_ALL = {"", "*", "all"}
_NEARLY_ALL, _FEW = 0.9, 0.1

LineOf = Callable[[int], str]


def sample(rows: Rows, most: int) -> Rows:
    """At most so many of some rows, evenly, in their order."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


def filter_of(line: str) -> str | None:
    """The filter of a request line as it was sent; None where the line has none."""
    match = _FILTER.search(line)
    return match[1] if match else None


def attributes_of(line: str) -> frozenset[str] | None:
    """The attributes that a request line asks for, in small letters; None where it does not say."""
    match = _ATTRIBUTES.search(line)
    if not match:
        return None
    names = re.split(r"[\s,]+", re.sub(r'["\[\]]', " ", match[1]).strip())
    return frozenset(name.lower() for name in names)


def asks_for_all(line: str) -> bool | None:
    """Whether a request line asks for all attributes; None where it does not say."""
    names = attributes_of(line)
    return None if names is None else bool(names & _ALL)


def asked_alone(rows: Rows, others: Rows, line_of: LineOf, most: int) -> tuple[str, ...]:
    """Attributes that nearly all of some requests ask for, and hardly one of the others.

    At most so many lines of each are read.
    """
    here, there = (
        [names for row in sample(some, most) if (names := attributes_of(line_of(int(row))))]
        for some in (rows, others)
    )
    if not here or not there:
        return ()
    shares = {
        name: [sum(name in names for names in some) / len(some) for some in (here, there)]
        for name in frozenset[str]().union(*here) - _ALL
    }
    return tuple(
        sorted(
            name
            for name, (mine, theirs) in shares.items()
            if mine >= _NEARLY_ALL and theirs <= _FEW
        )
    )


def share_of_equal(pairs: list[tuple[int, int]], line_of: LineOf) -> float | None:
    """The share of pairs of requests with the same filter; None where no filter is known."""
    compared = [
        one == other
        for first, second in pairs
        if (one := filter_of(line_of(first))) is not None
        and (other := filter_of(line_of(second))) is not None
    ]
    return sum(compared) / len(compared) if compared else None
