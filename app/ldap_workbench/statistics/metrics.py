"""One number per window and metric, on the log scale; and pooled values over many windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts import WindowCounts
from ldap_workbench.statistics.ledger import Episode, quantile

Float = NDArray[np.float64]

QUANTILE = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
SLO = "slo"
LEDGER = ("stall_len", "stall_time", "stall_n")
METRICS = (*QUANTILE, SLO, *LEDGER)

MATERIAL = {"p50": 1.05, "p95": 1.05, "p99": 1.05, "p99.9": 1.10, SLO: 1.10} | {
    "stall_len": 1.10,
    "stall_time": 1.10,
    "stall_n": 1.25,
}
"""Ratios below these (either way) are immaterial, however significant."""


def least_operations(metric: str) -> float:
    """Operations a window must hold for a metric to be tested: 20 beyond the quantile."""
    return 20 / (1 - QUANTILE[metric]) if metric in QUANTILE else 40


def standardised(windows: Sequence[WindowCounts]) -> list[Float]:
    """Histogram over buckets of each window, its op mix put to the mean mix of both arms."""
    totals = np.array([w.counts.sum((1, 2)) for w in windows])
    shares = totals / np.maximum(totals.sum(1, keepdims=True), 1)
    arms = np.array([w.arm for w in windows])
    mix = np.mean([shares[arms == arm].mean(0) for arm in np.unique(arms)], axis=0)
    return [_to_mix(w.counts.sum(1), mix) for w in windows]


def _to_mix(histograms: Float, mix: Float) -> Float:
    n = histograms.sum(1)
    present = n > 0
    if not present.any():
        return np.zeros(histograms.shape[1])
    share = np.where(present, mix, 0.0)
    share = share / max(share.sum(), 1e-300)
    weight = np.divide(share * n.sum(), n, out=np.zeros_like(n), where=present)
    return np.asarray((histograms * weight[:, None]).sum(0))


def over(histogram: Float, edges_s: Float, slo_s: float) -> float:
    """Operations above the SLO."""
    return float(histogram[int(np.searchsorted(edges_s, slo_s * (1 - 1e-9))) :].sum())


def histogram_metrics(histogram: Float, edges_s: Float, slo_s: float) -> dict[str, float]:
    """ln of each quantile and of the share above the SLO; an empty window has none."""
    n = float(histogram.sum())
    if n <= 0:
        return {}
    found = {name: np.log(quantile(histogram, edges_s, p)) for name, p in QUANTILE.items()}
    found[SLO] = np.log((over(histogram, edges_s, slo_s) + 0.5) / (n + 1))
    return {name: float(value) for name, value in found.items()}


def ledger_metrics(stalls: Sequence[Episode], time_floor: float) -> dict[str, float]:
    """Mean ln length, ln total stalled time, ln count; no length where there is no stall."""
    lengths = np.array([stall.length_s for stall in stalls])
    found = {
        "stall_time": float(np.log(lengths.sum() + time_floor)),
        "stall_n": float(np.log(len(lengths) + 0.5)),
    }
    if len(lengths):
        found["stall_len"] = float(np.log(lengths).mean())
    return found


def natural(metric: str, log_value: float) -> float:
    """A pooled value in the unit people read: ns, share, s or a count."""
    value = float(np.exp(log_value))
    return value * 1e9 if metric in QUANTILE else value
