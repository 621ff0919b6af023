"""The effect over the whole run: pooled values of each arm and their ratio, by jackknife."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.statistics.metrics import LEDGER, histogram_metrics, natural

Float = NDArray[np.float64]


def with_pooled(
    verdict: MetricVerdict, a: Sequence[Float], b: Sequence[Float], edges_s: Float, slo_s: float
) -> MetricVerdict:
    """Add pooled values, their ratio and a delete-one-pair jackknife t interval (approximate).

    `a` and `b` are the standardised histograms of the windows, pair by pair.
    """
    if verdict.metric in LEDGER:
        return verdict

    def log_value(parts: Sequence[Float]) -> float | None:
        return histogram_metrics(np.sum(parts, axis=0), edges_s, slo_s).get(verdict.metric)

    value_a, value_b = log_value(a), log_value(b)
    if value_a is None or value_b is None:
        return verdict
    verdict = replace(
        verdict,
        a=natural(verdict.metric, value_a),
        b=natural(verdict.metric, value_b),
        pooled=math.exp(value_b - value_a),
    )
    k = len(a)
    if k < 2 or len(b) != k:
        return verdict
    left_out = []
    for i in range(k):
        x, y = log_value([*a[:i], *a[i + 1 :]]), log_value([*b[:i], *b[i + 1 :]])
        if x is None or y is None:
            return verdict
        left_out.append(y - x)
    error = math.sqrt((k - 1) / k * float(((np.array(left_out) - np.mean(left_out)) ** 2).sum()))
    reach = float(special.stdtrit(k - 1, 0.975)) * error
    difference = value_b - value_a
    return replace(
        verdict,
        pooled_low=math.exp(max(difference - reach, -700)),
        pooled_high=math.exp(min(difference + reach, 700)),
    )
