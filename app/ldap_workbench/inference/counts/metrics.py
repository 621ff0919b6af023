"""One number per window and metric, on the log scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import above, first_above, log_quantiles
from ldap_workbench.inference.counts.ledger import CountedStall
from ldap_workbench.inference.counts.strata import mix_weights
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.kind import OperationKind, PrimaryMetric
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ALL, TYPES

Float = NDArray[np.float64]

QUANTILE = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
SLO = "slo"
FAILED = "failed"
"""Share of the operations that end with an error; judged by itself (verdict/failures.py)."""
SHARES = (SLO, FAILED)
LEDGER = ("stall_len", "stall_time", "stall_n")
METRICS = (*QUANTILE, SLO, *LEDGER)

MATERIAL = {"p50": 1.05, "p95": 1.05, "p99": 1.05, "p99.9": 1.10, SLO: 1.10, FAILED: 1.10} | {
    "stall_len": 1.10,
    "stall_time": 1.10,
    "stall_n": 1.25,
}
"""Ratios below these (either way) are too small to matter, however significant."""
STALLED_FLOOR = 0.05
"""Added to the stalled time of a window, as a share of the mean: a window may have none."""


def known_metric(text: str) -> PrimaryMetric:
    """'p99' or 'BIND:p50' as a metric that can be measured. Raises UsageError."""
    metric = PrimaryMetric.parse(text)
    known = metric.type in (ALL, *TYPES) or OperationKind.parse(metric.type) is not None
    if metric.metric not in (*METRICS, FAILED) or not known:
        raise UsageError(
            Message("'{text}' is not a metric.", text=text),
            remedy=Message(
                "Use {metrics:or}, or one of them of a type (BIND:p50) or of a kind of operation "
                "(SRCH[(mail=?)]:p50).",
                metrics=(*METRICS, FAILED),
            ),
        )
    return metric


def least_operations(metric: str) -> float:
    """Operations a window must hold for a metric to be tested: 20 beyond the quantile."""
    return round(20 / (1 - QUANTILE[metric])) if metric in QUANTILE else 40


def standardised(windows: Sequence[WindowCounts], name: str = "") -> Float:
    """Histograms [window, bucket], the mix of each window put to the mean mix of both arms.

    Of all operations, or of those of a type or kind.
    """
    rows = windows[0].rows_of(name)
    strata = [windows[0].parted_by[row] for row in rows]
    parts = np.array([window.parts[rows] for window in windows])
    if not strata:
        return np.asarray(parts.sum(1))
    weights = mix_weights(parts.sum(2), [window.arm for window in windows], strata)
    return np.asarray((parts * weights[:, :, None]).sum(1))


def histogram_metrics(histograms: Float, edges_s: Float, slo_s: float) -> dict[str, Float]:
    """ln of each quantile (s) and of the share above the limit, per histogram; nan where empty."""
    quantiles = log_quantiles(histograms, edges_s, tuple(QUANTILE.values()))
    logs = {name: quantiles[..., column] for column, name in enumerate(QUANTILE)}
    n = histograms.sum(-1)
    share = np.log((above(histograms, edges_s, slo_s) + 0.5) / (n + 1))
    return logs | {SLO: np.where(n > 0, share, np.nan)}


def waiting_metrics(
    histograms: Float, windows: Sequence[WindowCounts], slo_s: float
) -> dict[str, Float]:
    """ln seconds of waiting per second in slow operations [window], beside each tail metric.

    That is the mean number of operations that wait at a time (Little's law). Slow is what takes
    longer than the target or, for a percentile, than its value over all windows. A client that
    waits for each answer lowers the share of its slow operations by being served more slowly, for
    it asks less often, but not the time it waits. Half an operation more than there were, so that
    none has a logarithm, too.
    """
    edges = windows[0].edges_s
    middle = np.sqrt(edges[:-1] * edges[1:])
    quantiles = np.exp(
        log_quantiles(histograms.sum(0), edges, (QUANTILE["p99"], QUANTILE["p99.9"]))
    )
    limits = {"p99": float(quantiles[0]), "p99.9": float(quantiles[1]), SLO: slo_s}
    seconds = np.array([_kept_s(window) for window in windows])
    waiting = {}
    for name, limit in limits.items():
        if not np.isfinite(limit):
            continue
        beyond = histograms[:, first_above(edges, limit) :]
        waited = beyond @ middle[first_above(edges, limit) :] + 0.5 * limit
        waiting[name] = np.log(waited / np.maximum(seconds, 1e-9))
    return waiting


def ledger_metrics(
    stalls: Sequence[Sequence[CountedStall]], windows: Sequence[WindowCounts]
) -> dict[str, Float]:
    """Mean ln length (s), ln stalled time and ln count of each window, per equal time.

    A window without a stall has no length (nan).
    """
    seconds = np.array([_kept_s(window) for window in windows])
    usual = float(seconds.mean()) if len(seconds) else 0.0
    scale = np.divide(usual, seconds, out=np.zeros_like(seconds), where=seconds > 0)
    weights = [np.array([s.weight for s in of_window]) for of_window in stalls]
    lengths = [np.array([s.length_s for s in of_window]) for of_window in stalls]
    time = scale * [float((w * s).sum()) for w, s in zip(weights, lengths, strict=True)]
    count = scale * [float(w.sum()) for w in weights]
    mean_log = [
        float((w * np.log(s)).sum() / w.sum()) if w.sum() > 0 else np.nan
        for w, s in zip(weights, lengths, strict=True)
    ]
    floor = STALLED_FLOOR * float(time.mean()) if len(time) else 0.0
    return {
        "stall_len": np.array(mean_log),
        "stall_time": np.log(time + (floor or 1e-3)),
        "stall_n": np.log(count + 0.5),
    }


def _kept_s(window: WindowCounts) -> float:
    return window.seconds if window.weights is None else float(window.weights.sum() * window.dt)


def natural(metric: str, log_value: float) -> float:
    """A value in the unit people read: ns for times, a share, or a count.

    A share or count is the one that is compared: with half an operation or stall more, so that
    none has a logarithm, too.
    """
    value = float(np.exp(log_value))
    return value if metric in (SLO, "stall_n") else value * 1e9


def observed(metric: str, log_value: float, n: float) -> float:
    """Like `natural`, but what was counted: among `n` operations 0 are 0."""
    value = natural(metric, log_value)
    if metric == SLO:
        return max(0.0, round(value * (n + 1) - 0.5, 6)) / n
    return max(0.0, round(value - 0.5, 6)) if metric == "stall_n" else value
