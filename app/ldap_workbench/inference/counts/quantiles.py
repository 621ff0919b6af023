"""Quantiles and shares of histograms over log buckets, log-linear within a bucket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


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
