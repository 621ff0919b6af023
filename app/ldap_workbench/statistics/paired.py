"""Metrics of randomised pairs: differences, their test, interval and verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.units import format_ratio
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.statistics.ledger import Episode
from ldap_workbench.statistics.metrics import LEDGER, MATERIAL, METRICS, least_operations
from ldap_workbench.statistics.planner import LEAST_PAIRS, detectable, pairs_needed, pooled_s
from ldap_workbench.statistics.signflip import flips, interval, max_t, p_value

Float = NDArray[np.float64]

ALPHA = 0.05
EQUIVALENT = math.log(1.10)
LEAST_STALLS = 10


@dataclass(frozen=True)
class Pair:
    """The metrics of the two windows of one pair, how many operations the smaller holds."""

    number: int
    a: Mapping[str, float]
    b: Mapping[str, float]
    operations: float

    def difference(self, metric: str) -> float | None:
        """ln B - ln A; None where a window has no such value, or too few operations for it."""
        if metric not in self.a or metric not in self.b:
            return None
        if metric not in LEDGER and self.operations < least_operations(metric):
            return None
        return self.b[metric] - self.a[metric]


def judge_pairs(
    pairs: Sequence[Pair], stalls: Sequence[Episode], primary: str, seed: int
) -> dict[str, MetricVerdict]:
    """A verdict for each metric; p_adjusted of the secondaries is by max-T over all of them."""
    columns = {name: _column(pairs, name, len(stalls)) for name in METRICS}
    verdicts = {name: _tested(name, d, seed) for name, d in columns.items()}
    family = [
        name
        for name, d in columns.items()
        if name != primary and d is not None and len(d) == len(pairs) >= LEAST_PAIRS
    ]
    if family:
        table = np.column_stack([d for name in family if (d := columns[name]) is not None])
        adjusted = max_t(table, flips(len(pairs), seed))
        for name, p in zip(family, adjusted, strict=True):
            verdicts[name] = replace(verdicts[name], p_adjusted=float(max(p, verdicts[name].p)))
    for name in verdicts.keys() - set(family) - {primary}:
        # Not every pair has it, so it is outside the family: Bonferroni stands in for max-T.
        adjusted_p = min(1.0, verdicts[name].p * (len(METRICS) - 1))
        verdicts[name] = replace(verdicts[name], p_adjusted=adjusted_p)
    return {name: _worded(verdicts[name], columns[name]) for name in METRICS}


def _column(pairs: Sequence[Pair], metric: str, stalls: int) -> Float | None:
    """Differences of the pairs that have the metric; None where it cannot be tested at all."""
    if metric in LEDGER and stalls < LEAST_STALLS:
        return None
    found = [d for pair in pairs if (d := pair.difference(metric)) is not None]
    return np.array(found) if found else None


def _tested(metric: str, d: Float | None, seed: int) -> MetricVerdict:
    if d is None:
        return MetricVerdict(metric, Judgement.INSUFFICIENT.value)
    signs = flips(len(d), seed)
    limits = interval(d, signs)
    p = p_value(d, signs)
    return MetricVerdict(
        metric,
        "",
        ratio=math.exp(float(d.mean())),
        low=math.exp(limits[0]) if limits else None,
        high=math.exp(limits[1]) if limits else None,
        p=p,
        p_adjusted=p,
        n_pairs=len(d),
    )


def _worded(verdict: MetricVerdict, d: Float | None) -> MetricVerdict:
    if d is None or verdict.ratio is None:
        return replace(verdict, verdict=Judgement.INSUFFICIENT.value, takes=_takes_more(verdict))
    if len(d) < LEAST_PAIRS:
        return replace(verdict, verdict=_few(d).value, takes=f"{LEAST_PAIRS} pairs or more")
    log_ratio = math.log(verdict.ratio)
    if verdict.p_adjusted <= ALPHA:
        material = abs(log_ratio) >= math.log(MATERIAL[verdict.metric])
        word = Judgement.BETTER if log_ratio < 0 else Judgement.WORSE
        return replace(verdict, verdict=(word if material else Judgement.IMMATERIAL).value)
    narrow = interval(d, flips(len(d), 0), 0.90)
    if narrow and max(abs(narrow[0]), abs(narrow[1])) <= EQUIVALENT:
        return replace(verdict, verdict=Judgement.EQUIVALENT.value)
    return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=_takes(d, verdict.ratio))


def _few(d: Float) -> Judgement:
    """Four or five pairs: a paired t test is still calibrated, but only suggests."""
    k = len(d)
    spread = float(d.std(ddof=1)) if k > 1 else 0.0
    limit = {4: 3.182, 5: 2.776}.get(k)
    if limit is None or spread == 0 or abs(d.mean()) < limit * spread / math.sqrt(k):
        return Judgement.INSUFFICIENT
    if abs(d.mean()) < math.log(1.05):
        return Judgement.INSUFFICIENT
    return Judgement.SUGGESTS_BETTER if d.mean() < 0 else Judgement.SUGGESTS_WORSE


def _takes(d: Float, ratio: float) -> str:
    s, k = pooled_s(d.tolist()), len(d)
    smallest = detectable(s, k)
    text = f"{k} pairs can find {format_ratio(smallest)} or its inverse"
    if abs(math.log(ratio)) > math.log(1.05):
        text += f"; a true {format_ratio(ratio)} takes about {pairs_needed(s, ratio)} pairs"
    return text


def _takes_more(verdict: MetricVerdict) -> str:
    if verdict.metric in LEDGER:
        return f"at least {LEAST_STALLS} stalls; there were fewer"
    return f"windows of at least {least_operations(verdict.metric):,.0f} operations"
