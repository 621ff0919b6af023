"""Tails by nearest rank, in integers, and the histogram by powers of two."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import (
    ALL,
    INTERNAL,
    TYPES,
    Latencies,
    Operations,
    client_operations,
    is_type,
)
from ldap_workbench.model.tail import QUANTILES, Tail

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]


def quantile_rank(n: int, numerator: int, denominator: int) -> int:
    """Position, from 1, of the quantile p = numerator/denominator of n values: ceil(p n)."""
    return max(1, -(-n * numerator // denominator))


def tails(operations: Operations | Latencies, *, window: str, resolution_ns: int = 1) -> list[Tail]:
    """One Tail for each type that occurs, for ALL client operations, and INTERNAL where there are.

    Sources: etime_ns of the operations; nearest rank. ALL is always there, if with n = 0.
    """
    rows = []
    for name in (*TYPES, INTERNAL, ALL):
        etimes = operations.etime_ns[is_type(operations, name)]
        if len(etimes) or name == ALL:
            ranks = sorted(set(_ranks(len(etimes)).values()))
            placed = np.partition(etimes, ranks) if len(etimes) else etimes
            rows.append(_tail(placed, window, name, resolution_ns))
    return rows


def ascending_etimes(operations: Operations | Latencies) -> dict[str, Int64]:
    """Etimes (ns) in ascending order of ALL client operations and of each type that occurs."""
    clients = client_operations(operations)
    kinds, etimes = operations.kind[clients], operations.etime_ns[clients]
    occurring = np.flatnonzero(np.bincount(kinds, minlength=len(TYPES)))
    by_type = {TYPES[kind]: etimes[kinds == kind] for kind in occurring}
    internal = operations.etime_ns[is_type(operations, INTERNAL)]
    if len(internal):
        by_type[INTERNAL] = internal
    by_type[ALL] = etimes
    for values in by_type.values():
        values.sort()  # in place, for all are copies
    return by_type


def tails_of(ascending: Mapping[str, Int64], *, window: str, resolution_ns: int = 1) -> list[Tail]:
    """What `tails` gives, of etimes that `ascending_etimes` has put in order already."""
    return [_tail(etimes, window, name, resolution_ns) for name, etimes in ascending.items()]


def _ranks(n: int) -> dict[str, int]:
    """Where the quantiles stand among n values, from 0."""
    return {key: quantile_rank(n, *p) - 1 for key, p in QUANTILES.items()} if n else {}


def _tail(placed: Int64, window: str, name: str, resolution_ns: int) -> Tail:
    """Of etimes whose quantiles stand in their places."""
    n = len(placed)
    values: dict[str, int | None] = dict.fromkeys(QUANTILES)
    values |= {key: int(placed[rank]) for key, rank in _ranks(n).items()}
    return Tail(
        window=window,
        type=name,
        n=n,
        max_ns=int(placed.max()) if n else None,
        sum_ns=int(placed.sum()),
        resolution_ns=resolution_ns,
        **values,
    )


def log2_histogram(etimes: Int64, *, ascending: bool = False) -> tuple[Int64, Int64]:
    """Lower bounds (ns, powers of two) and counts, as the field's mailing lists print them.

    Etimes that are known to be in ascending order are not looked at one by one.
    """
    if len(etimes) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if ascending:
        first, last = (max(int(etime), 1).bit_length() - 1 for etime in etimes[[0, -1]])
        bounds = np.left_shift(np.int64(1), np.arange(first, last + 1))
        inner = np.searchsorted(etimes, bounds[1:])
        return bounds, np.diff(inner, prepend=0, append=len(etimes)).astype(np.int64)
    powers = np.frexp(np.maximum(etimes, 1).astype(np.float64))[1] - 1
    low = int(powers.min())
    counts = np.bincount(powers - low)
    return np.left_shift(np.int64(1), np.arange(low, low + len(counts))), counts.astype(np.int64)
