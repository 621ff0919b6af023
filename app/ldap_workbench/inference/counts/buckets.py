"""Log buckets of etime: 2 % wide, integer nanoseconds, one edge exactly on the limit (SLO).

Quantiles and shares of histograms over log buckets, log-linear within a bucket.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

Float = NDArray[np.float64]

Int64 = NDArray[np.int64]

GAMMA = 1.02
"""Ratio of neighbouring edges: a quantile is known to 1 %."""
LOWEST_NS, HIGHEST_NS = 10_000, 4000 * NS_PER_S
_STEP = math.log(GAMMA)
_SHIFT = 43
"""Bits of a float64 dropped for a look-up key: 512 keys an octave, so at most one edge in each."""
_ONE = int(np.float64(1.0).view(np.int64)) >> _SHIFT


@lru_cache(maxsize=16)
def edges_ns(slo_ns: int) -> Int64:
    """Edges int64 ns, read-only, from about 10 us to 4000 s. A bucket is (lower, upper].

    Raises UsageError where the limit itself lies outside.
    """
    if not LOWEST_NS < slo_ns < HIGHEST_NS:
        raise UsageError(
            Message("No operation can be held to a limit of {slo:duration}.", slo=slo_ns),
            remedy=Message("Give a limit between 10 µs and 4000 s."),
        )
    low = math.floor(math.log(LOWEST_NS / slo_ns) / _STEP)
    high = math.ceil(math.log(HIGHEST_NS / slo_ns) / _STEP)
    edges = np.rint(slo_ns * np.exp(_STEP * np.arange(low, high + 1))).astype(np.int64)
    edges[-low] = slo_ns
    edges.flags.writeable = False
    return np.asarray(edges)


@lru_cache(maxsize=16)
def _table(slo_ns: int) -> tuple[Int64, Int64]:
    """Per key the bucket of the smallest etime with that key; per bucket its upper edge."""
    edges = edges_ns(slo_ns)
    last_key = int(np.float64(2 * HIGHEST_NS).view(np.int64)) >> _SHIFT
    keys = np.arange(_ONE, last_key + 1, dtype=np.int64)
    smallest = (keys << _SHIFT).view(np.float64)
    buckets = np.clip(np.searchsorted(edges, smallest, "left") - 1, 0, len(edges) - 2)
    upper = edges[1:].copy()
    upper[-1] = np.iinfo(np.int64).max
    return buckets.astype(np.int64), upper


def bucket_of(etime_ns: Int64, slo_ns: int) -> Int64:
    """Bucket of each etime; what is below or above all edges goes to the first or last one."""
    guess, upper = _table(slo_ns)
    within = np.clip(etime_ns, 1, HIGHEST_NS)
    keys = (within.astype(np.float64).view(np.int64) >> _SHIFT) - _ONE
    buckets = guess[keys]
    return np.asarray(buckets + (within > upper[buckets]))


def log_quantiles(histograms: Float, edges_s: Float, shares: Sequence[float]) -> Float:
    """ln of quantiles in s [..., share] of histograms [..., bucket]; nan for an empty one."""
    flat = np.atleast_2d(histograms)
    cumulative = np.cumsum(flat, axis=1)
    totals = cumulative[:, -1]
    values = np.full((len(flat), len(shares)), np.nan)
    logs = np.log(edges_s)
    rows = np.flatnonzero(totals > 0)
    filled = cumulative if len(rows) == len(flat) else cumulative[rows]
    for column, share in enumerate(shares):
        target = share * totals[rows]
        bucket = np.count_nonzero(filled < target[:, None], axis=1)
        inside = flat[rows, bucket]
        below = filled[np.arange(len(rows)), bucket] - inside
        part = np.clip((target - below) / inside, 0.0, 1.0)
        values[rows, column] = logs[bucket] + part * (logs[bucket + 1] - logs[bucket])
    return values.reshape((*histograms.shape[:-1], len(shares)))


def quantile(histogram: Float, edges_s: Float, share: float) -> float:
    """One quantile in s; 0 for an empty histogram."""
    value = float(np.exp(log_quantiles(histogram, edges_s, (share,))[0]))
    return 0.0 if np.isnan(value) else value


def above(histograms: Float, edges_s: Float, limit_s: float) -> Float:
    """Operations above a limit, of histograms [..., bucket]; a bucket astride it counts in part."""
    first = first_above(edges_s, limit_s)
    total = histograms[..., first:].sum(-1)
    if 0 < first < len(edges_s) and edges_s[first] > limit_s * (1 + 1e-9):
        low, high = edges_s[first - 1], edges_s[first]
        total = total + histograms[..., first - 1] * np.log(high / limit_s) / np.log(high / low)
    return np.asarray(total)


def first_above(edges_s: Float, limit_s: float) -> int:
    """The first bucket that lies wholly above a limit."""
    return int(np.searchsorted(edges_s, limit_s * (1 - 1e-9)))
