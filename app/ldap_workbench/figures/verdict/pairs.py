"""Pairs of windows: a metric in A and in B of each, as the test saw it.

The operations of a window as figures need them: some columns, whole, pooled or trimmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.timeline.heat_grid import Part
from ldap_workbench.figures.verdict.stored import PairValue, left_out_s, pair_values
from ldap_workbench.inference.counts.tails import quantile_rank
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.operations import ALL, TYPES, Operations, client_operations, is_type
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window

Int64 = NDArray[np.int64]

_QUANTILES = {"p50": (1, 2), "p95": (19, 20), "p99": (99, 100), "p99.9": (999, 1000)}


@dataclass(frozen=True)
class PairsPart:
    """One metric of one operation type (or ALL) over all pairs."""

    metric: str
    type: str
    pairs: tuple[PairValue, ...]


def pairs_of(
    parts: Sequence[Measured], plan: Plan, verdict: Verdict | None
) -> tuple[PairsPart, ...]:
    """The metrics of each whole pair, the primary first.

    What the test saw, where the verdict kept it; else from the operations, and then without stalls.
    """
    primary = plan.primary_metric
    first = (primary.type, primary.metric)
    chosen = dict.fromkeys([first, (ALL, "p50"), (ALL, "p99"), (ALL, "slo")])
    whole = _whole_pairs(parts)
    b_first = {a.window.pair: b.window.start_ns < a.window.start_ns for a, b in whole}
    metrics = []
    for name, metric in chosen:
        values = pair_values(verdict, metric, b_first) if verdict and name == ALL else []
        values = values or _measured_pairs(name, metric, whole, plan, verdict)
        if values:
            metrics.append(PairsPart(metric, name, tuple(values)))
    return tuple(metrics)


def _measured_pairs(
    kind: str,
    metric: str,
    whole: Sequence[tuple[Measured, Measured]],
    plan: Plan,
    verdict: Verdict | None,
) -> list[PairValue]:
    if kind not in (*TYPES, ALL) or (metric != "slo" and metric not in _QUANTILES):
        return []
    trim_ns = round(left_out_s(plan, verdict) * NS_PER_S)
    values = [_pair_value(kind, metric, a, b, plan.slo_ns, trim_ns) for a, b in whole]
    return [value for value in values if value]


def _whole_pairs(parts: Sequence[Measured]) -> list[tuple[Measured, Measured]]:
    arms: dict[int, dict[str, Measured]] = {}
    for part in parts:
        if not part.window.cancelled:
            arms.setdefault(part.window.pair, {})[part.window.arm] = part
    return [(arm["A"], arm["B"]) for _, arm in sorted(arms.items()) if {"A", "B"} <= arm.keys()]


def _pair_value(
    kind: str, metric: str, a: Measured, b: Measured, slo_ns: int, trim_ns: int
) -> PairValue | None:
    one, other = (trimmed(part, trim_ns).etimes(kind) for part in (a, b))
    if not len(one) or not len(other):
        return None
    b_first = b.window.start_ns < a.window.start_ns
    return PairValue(
        a.window.pair,
        metric_of(metric, one, slo_ns),
        metric_of(metric, other, slo_ns),
        b_first=b_first,
    )


def metric_of(metric: str, etimes: Int64, slo_ns: int) -> float:
    """A metric of etimes: a quantile in ns by nearest rank, or the share over the limit."""
    n = len(etimes)
    if metric == "slo":
        return int(np.count_nonzero(etimes > slo_ns)) / n
    rank = quantile_rank(n, *_QUANTILES[metric]) - 1
    return float(np.partition(etimes, rank)[rank])


_KEPT = ("end_ns", "etime_ns", "kind", "internal", "own", "err")


@dataclass(frozen=True, eq=False)
class Measured:
    """A window with the columns of its operations that numbers are made of."""

    window: Window
    resolution_ns: int
    operations: Operations

    def ended(self) -> Part:
        """Ends and etimes (ns) of client operations, in the order of their ends."""
        clients = client_operations(self.operations)
        ends, etimes = self.operations.end_ns[clients], self.operations.etime_ns[clients]
        order = np.argsort(ends, kind="stable")
        return ends[order], etimes[order]

    def etimes(self, kind: str = ALL) -> Int64:
        """The etimes of one type, ns, in no order."""
        return self.operations.etime_ns[is_type(self.operations, kind)]


def measured(window: Window, operations: Operations, resolution_ns: int = 1) -> Measured:
    """Keep of a window's operations what is needed; the rest may be let go."""
    columns = {name: getattr(operations, name) for name in _KEPT}
    lean = replace(Operations.empty(), **columns)
    return Measured(window, resolution_ns, lean)


def trimmed(part: Measured, trim_ns: int) -> Measured:
    """Without the operations that start in the first `trim_ns` of the window."""
    if trim_ns <= 0:
        return part
    late = part.operations.start_ns >= part.window.start_ns + trim_ns
    columns = {name: getattr(part.operations, name)[late] for name in _KEPT}
    return replace(part, operations=replace(part.operations, **columns))


def pooled(parts: Sequence[Measured]) -> Operations:
    """The operations of several windows together."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part.operations, name) for part in parts])
        for name in (_KEPT if parts else ())
    }
    return replace(Operations.empty(), **columns)
