"""Tails by nearest rank, in integers, and thinned curves of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ALL, INTERNAL, TYPES, Latencies, Operations, is_type
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
    found = []
    for name in (*TYPES, INTERNAL, ALL):
        etimes = operations.etime_ns[is_type(operations, name)]
        if len(etimes) or name == ALL:
            found.append(_tail(etimes, window, name, resolution_ns))
    return found


def _tail(etimes: Int64, window: str, name: str, resolution_ns: int) -> Tail:
    n = len(etimes)
    values: dict[str, int | None] = dict.fromkeys(QUANTILES)
    if n:
        ranks = {key: quantile_rank(n, *p) - 1 for key, p in QUANTILES.items()}
        ordered = np.partition(etimes, sorted(set(ranks.values())))
        values = {key: int(ordered[rank]) for key, rank in ranks.items()}
    return Tail(
        window=window,
        type=name,
        n=n,
        max_ns=int(etimes.max()) if n else None,
        sum_ns=int(etimes.sum()),
        resolution_ns=resolution_ns,
        **values,
    )


def tail_curve(etimes: Int64, points: int = 799) -> tuple[Float, Int64]:
    """(p, etime ns) for a percentile plot: up to `points`, even steps in log10(1 / (1 - p))."""
    n = len(etimes)
    if n == 0:
        return np.empty(0), np.empty(0, np.int64)
    p = 1 - np.logspace(0, -np.log10(n), points)
    ranks = np.unique(np.append(np.clip(np.ceil(p * n).astype(np.int64), 1, n), n))
    return (ranks - 0.5) / n, np.sort(etimes)[ranks - 1]


def ccdf(etimes: Int64, points: int = 800) -> tuple[Int64, Float]:
    """(etime ns, share of operations that took longer) for a log-log plot, thinned as a curve."""
    p, values = tail_curve(etimes, points)
    if not len(values):
        return values, p
    ordered = np.sort(etimes)
    longer = len(ordered) - np.searchsorted(ordered, values, "right")
    return values, longer / len(ordered)


def log2_histogram(etimes: Int64) -> tuple[Int64, Int64]:
    """Lower bounds (ns, powers of two) and counts, as the field's mailing lists print them."""
    if len(etimes) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    powers = np.frexp(np.maximum(etimes, 1).astype(np.float64))[1] - 1
    low = int(powers.min())
    counts = np.bincount(powers - low)
    return np.left_shift(np.int64(1), np.arange(low, low + len(counts))), counts.astype(np.int64)
