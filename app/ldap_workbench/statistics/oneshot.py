"""One stretch of A, then one of B: at best a suggestion, for the change and the time are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ldap_workbench.statistics.counts import WindowCounts
from ldap_workbench.statistics.ledger import quantile
from ldap_workbench.statistics.metrics import QUANTILE, histogram_metrics

Float = NDArray[np.float64]

BATCHES = 20
LEAST_EFFECTIVE = 5.0
_BIN_S = 60.0


@dataclass(frozen=True)
class Difference:
    """ln B - ln A with standard error and degrees of freedom; `effective` is the lesser n_eff."""

    value: float
    error: float
    freedom: float
    effective: float

    @property
    def p(self) -> float:
        """Two-sided p of Welch's t."""
        if self.error <= 0:
            return 1.0
        return float(2 * special.stdtr(self.freedom, -abs(self.value) / self.error))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        reach = float(special.stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.value - reach, self.value + reach


def differences(
    a: Sequence[WindowCounts], b: Sequence[WindowCounts], slo_s: float
) -> dict[str, Difference]:
    """Per histogram metric, from 20 batches of time per arm by delete-one-batch jackknife."""
    edges = a[0].edges_s
    batches = {arm: _batches(windows) for arm, windows in (("A", a), ("B", b))}
    found = {}
    parts = {arm: _jackknife(batch, edges, slo_s) for arm, batch in batches.items()}
    for metric in parts["A"].keys() & parts["B"].keys():
        (value_a, var_a), (value_b, var_b) = parts["A"][metric], parts["B"][metric]
        error = float(np.sqrt(var_a + var_b))
        freedom = _welch(var_a, var_b, len(batches["A"]), len(batches["B"]))
        effective = _effective(metric, (a, b), slo_s)
        found[metric] = Difference(value_b - value_a, error, freedom, effective)
    return found


def _batches(windows: Sequence[WindowCounts]) -> Float:
    """Histograms [batch, bucket] of about equal stretches of time."""
    per_bin = np.concatenate([w.counts.sum(0) for w in windows])
    parts = np.array_split(per_bin, min(BATCHES, len(per_bin)))
    return np.array([part.sum(0) for part in parts])


def _jackknife(batches: Float, edges: Float, slo_s: float) -> dict[str, tuple[float, float]]:
    """(value, variance) of each metric."""
    total = batches.sum(0)
    whole = histogram_metrics(total, edges, slo_s)
    without = [histogram_metrics(total - batch, edges, slo_s) for batch in batches]
    k = len(batches)
    found = {}
    for metric, value in whole.items():
        left_out = np.array([each.get(metric, value) for each in without])
        found[metric] = (value, float((k - 1) / k * ((left_out - left_out.mean()) ** 2).sum()))
    return found


def _welch(var_a: float, var_b: float, n_a: int, n_b: int) -> float:
    below = var_a**2 / max(n_a - 1, 1) + var_b**2 / max(n_b - 1, 1)
    return float((var_a + var_b) ** 2 / below) if below > 0 else float(n_a + n_b - 2)


def _effective(
    metric: str, arms: tuple[Sequence[WindowCounts], Sequence[WindowCounts]], slo_s: float
) -> float:
    """Kish's n_eff of the operations beyond the quantile over 60 s bins, the smaller arm's.

    One four-minute stall puts them all into a few bins: n_eff about 1, however many they are.
    """
    if metric == "p50":
        return float("inf")
    edges = arms[0][0].edges_s
    pooled = np.sum([w.counts.sum((0, 1)) for arm in arms for w in arm], axis=0)
    limit = quantile(pooled, edges, QUANTILE[metric]) if metric in QUANTILE else slo_s
    first = int(np.searchsorted(edges, limit * (1 - 1e-9)))
    smallest = float("inf")
    for arm in arms:
        beyond = np.concatenate([_binned(w.counts[:, :, first:].sum((0, 2)), w.dt) for w in arm])
        squares = float((beyond**2).sum())
        smallest = min(smallest, float(beyond.sum()) ** 2 / squares if squares else 0.0)
    return smallest


def _binned(per_bin: Float, dt: float) -> Float:
    width = max(1, round(min(_BIN_S, dt * len(per_bin) / 10) / dt))
    return np.add.reduceat(per_bin, np.arange(0, len(per_bin), width))
