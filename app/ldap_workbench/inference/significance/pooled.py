"""The effect over the whole run: pooled values of each arm and their ratio, by jackknife."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.distributions import t_limit
from ldap_workbench.inference.counts.ledger import CountedStall
from ldap_workbench.inference.counts.metrics import histogram_metrics, observed
from ldap_workbench.model.verdict import MetricVerdict

Float = NDArray[np.float64]

_MOST_LOG = 50.0
_LEAST_STALLED_S = 1e-9


@dataclass(frozen=True)
class Pooled:
    """ln of a metric over all windows of each arm, and of each arm but one pair [pair].

    `n_a` and `n_b` are the operations of each arm. A single pair has no other one left: `without_a`
    and `without_b` are empty then.
    """

    a: float
    b: float
    n_a: float
    n_b: float
    without_a: Float
    without_b: Float


def pooled_metrics(
    histograms: Float,
    stalls: Sequence[Sequence[CountedStall]],
    edges_s: Float,
    slo_s: float,
) -> dict[str, Pooled]:
    """Of standardised histograms [window, bucket] and episodes, in pairs of A and B.

    A metric that cannot be given, with or without any one pair, is left out.
    """
    n_a, n_b = (float(histograms[i::2].sum()) for i in (0, 1))
    parts = [_arm(histograms[i::2], stalls[i::2], edges_s, slo_s) for i in (0, 1)]
    pooled = {}
    for name in parts[0]:
        (a, without_a), (b, without_b) = parts[0][name], parts[1][name]
        if np.isfinite([a, b]).all() and np.isfinite([without_a, without_b]).all():
            pooled[name] = Pooled(a, b, n_a, n_b, without_a, without_b)
    return pooled


def _arm(
    histograms: Float, stalls: Sequence[Sequence[CountedStall]], edges_s: Float, slo_s: float
) -> dict[str, tuple[float, Float]]:
    """ln of each metric over all windows, and over all but each one."""
    total = histograms.sum(0)
    everything = np.vstack([total, *_others(histograms)])
    metrics = histogram_metrics(np.maximum(everything, 0), edges_s, slo_s)
    metrics |= _ledger(stalls)
    return {name: (float(values[0]), values[1:]) for name, values in metrics.items()}


def _ledger(stalls: Sequence[Sequence[CountedStall]]) -> dict[str, Float]:
    counts, time, logs = np.zeros((3, len(stalls)))
    for i, of_window in enumerate(stalls):
        for stall in of_window:
            counts[i] += stall.weight
            time[i] += stall.weight * stall.length_s
            logs[i] += stall.weight * math.log(stall.length_s)

    def with_and_without(values: Float) -> Float:
        return np.array([values.sum(), *_others(values)])

    n = with_and_without(counts)
    has = n > 1e-9
    length = np.divide(with_and_without(logs), n, out=np.full(n.shape, np.nan), where=has)
    stalled = np.where(has, np.log(np.maximum(with_and_without(time), _LEAST_STALLED_S)), np.nan)
    return {"stall_len": length, "stall_time": stalled, "stall_n": np.log(np.maximum(n, 0) + 0.5)}


def _others(values: Float) -> Float:
    """The sum of all windows but each one [window]; of a single window there is none."""
    return values.sum(0) - values if len(values) > 1 else values[:0]


def with_pooled(verdict: MetricVerdict, by_metric: Mapping[str, Pooled]) -> MetricVerdict:
    """Add pooled values, their ratio and a delete-one-pair jackknife t interval (approximate)."""
    pooled = by_metric.get(verdict.metric)
    if pooled is None:
        return verdict
    difference = pooled.b - pooled.a
    verdict = replace(
        verdict,
        a=observed(verdict.metric, pooled.a, pooled.n_a),
        b=observed(verdict.metric, pooled.b, pooled.n_b),
        n_a=round(pooled.n_a),
        n_b=round(pooled.n_b),
        pooled=bounded_exp(difference),
    )
    reach = jackknife_reach(pooled.without_b - pooled.without_a)
    if reach is None:
        return verdict
    return replace(
        verdict,
        pooled_low=bounded_exp(difference - reach),
        pooled_high=bounded_exp(difference + reach),
    )


def jackknife_reach(left_out: Float) -> float | None:
    """Half the 95 % t interval from delete-one values; None for fewer than two."""
    k = len(left_out)
    if k < 2:
        return None
    variance = (k - 1) / k * float(((left_out - left_out.mean()) ** 2).sum())
    return t_limit(0.05, k - 1) * math.sqrt(variance)


def bounded_exp(value: float) -> float:
    """exp that neither overflows nor becomes 0."""
    return math.exp(max(-_MOST_LOG, min(_MOST_LOG, value)))
