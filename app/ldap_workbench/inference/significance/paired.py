"""Metrics of randomised pairs: differences, their test, interval and verdict.

Windows that were lost: *better* has to hold whatever was in them. A change that hangs the server
loses windows of its own arm, and what is measured again are its good moments.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.distributions import t_limit
from ldap_workbench.inference.counts.metrics import (
    LEDGER,
    MATERIAL,
    METRICS,
    SLO,
    least_operations,
)
from ldap_workbench.inference.design.pairs import LEAST_PAIRS, noise_behind, pairs_needed, pooled_s
from ldap_workbench.inference.significance.pooled import bounded_exp
from ldap_workbench.inference.significance.power import (
    Tested,
    detectable_range,
    known_from_pairs,
    pairs_range,
)
from ldap_workbench.inference.significance.signflip import Flips, flips, interval, max_t, p_value
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, MetricVerdict

Float = NDArray[np.float64]

ALPHA = 0.05
NARROW = 0.10
"""Level of the interval that has to lie inside the margin."""
UNLIKELY = 0.20
"""Beyond the 80 % interval nothing is hoped for. It makes no claim, so it costs no level."""
LEAST_STALLS = 10
LEAST_OVER = 10
"""Operations above the limit, in all windows together, below which their share says nothing."""
LEAST_SUGGESTING = 4
TOO_FEW_OVER = Message(
    "at least {least} operations over the latency target; there were {held}"
).template
_SAME = 1e-9
_LEAST_MOVED = {"p50": 0.0, "p95": 0.0, "p99": 0.5, "p99.9": 0.5, SLO: 0.5}
"""How far the time waited must move with a metric, on the log scale; 0: in the same direction."""
_DIRECTED = (
    Judgement.BETTER,
    Judgement.WORSE,
    Judgement.SUGGESTS_BETTER,
    Judgement.SUGGESTS_WORSE,
)


@dataclass(frozen=True, eq=False)
class Columns:
    """What the test sees of one operation type, or of all.

    d           metric -> ln B - ln A [pair]; nan where a window has no such value
    n           operations in the smallest window
    stalls      episodes in all windows
    over        operations above the limit in all windows
    unresolved  metric -> why the clock of the log is too coarse for it
    order       +1 for each pair that began with A, -1 for B; () where no coin decided that
    designed    pairs of the design, of which these may be a part
    waiting     metric -> ln B - ln A of the time waited [pair], which has to move with it: per
                second, beside metrics of the tail; where `closed`, per operation
    closed      whether the clients are known to wait, so that the load is an outcome
    """

    d: Mapping[str, Float]
    n: float
    stalls: int
    over: float
    unresolved: Mapping[str, Message]
    order: tuple[int, ...] = ()
    designed: int = 0
    waiting: Mapping[str, Float] = field(default_factory=dict)
    closed: bool = False

    def lacks(self, metric: str) -> Message:
        """What is missing for this metric to be judged; NOTHING where nothing is."""
        if metric in self.unresolved:
            return self.unresolved[metric]
        if metric in LEDGER and self.stalls < LEAST_STALLS:
            return Message(
                "at least {least} stalls; there were {held}", least=LEAST_STALLS, held=self.stalls
            )
        if metric not in LEDGER and self.n < least_operations(metric):
            return Message(
                "at least {least} operations in each window; the smallest held {held}",
                least=round(least_operations(metric)),
                held=round(self.n),
            )
        if metric == SLO and self.over < LEAST_OVER:
            return Message(TOO_FEW_OVER, least=LEAST_OVER, held=round(self.over))
        return NOTHING

    def pairs(self, metric: str) -> Float:
        """The differences of the pairs that have the metric."""
        d = self.d[metric]
        return np.asarray(d[np.isfinite(d)])

    def waited(self, metric: str) -> Float | None:
        """How the time waited moved, in the pairs that have the metric."""
        moved = self.waiting.get(metric)
        return None if moved is None else np.asarray(moved[np.isfinite(self.d[metric])])

    def flips(self, seed: int, metric: str = "") -> Flips:
        """Of the pairs that have a metric, or of all."""
        k = len(next(iter(self.d.values())))
        has = np.isfinite(self.d[metric]) if metric else np.full(k, True)
        order = tuple(itertools.compress(self.order, has))
        return flips(int(has.sum()), seed, order, self.designed)


@dataclass(frozen=True)
class Test:
    """How the differences are tested: seed of the random flips, level of the primary metric."""

    seed: int
    alpha: float = ALPHA


def judge_all(columns: Columns, primary: str, test: Test) -> dict[str, MetricVerdict]:
    """A verdict for each metric of the whole; the secondaries share one max-T family."""
    adjusted = adjusted_p({"": columns}, test.seed, without=("", primary))
    return {
        name: judge_metric(
            columns,
            name,
            test if name == primary else replace(test, alpha=ALPHA),
            adjusted.get(("", name)),
        )
        for name in METRICS
    }


def adjusted_p(
    families: Mapping[str, Columns], seed: int, without: tuple[str, str] | None = None
) -> dict[tuple[str, str], float]:
    """Max-T over all metrics of all types: (type, metric) -> adjusted p, of what can be judged."""
    chosen = [
        (kind, name)
        for kind, columns in sorted(families.items())
        for name in METRICS
        if (kind, name) != without
        and not columns.lacks(name)
        and len(columns.pairs(name)) >= LEAST_PAIRS
    ]
    if not chosen:
        return {}
    table = np.column_stack([families[kind].d[name] for kind, name in chosen])
    values = max_t(table, next(iter(families.values())).flips(seed))
    return {key: float(p) for key, p in zip(chosen, values, strict=True)}


def judge_metric(
    columns: Columns, metric: str, test: Test, adjusted: float | None = None
) -> MetricVerdict:
    """Test, interval and word of one metric; `adjusted` is its p in its family, if it is in one."""
    d = columns.pairs(metric)
    lacks = columns.lacks(metric)
    if lacks or not len(d):
        takes = lacks or Message("windows that have this metric")
        return MetricVerdict(metric, Judgement.INSUFFICIENT.value, takes=takes)
    drawn = columns.flips(test.seed, metric)
    limits = interval(d, drawn, test.alpha)
    p = p_value(d, drawn)
    verdict = MetricVerdict(
        metric,
        "",
        ratio=bounded_exp(float(d.mean())),
        low=bounded_exp(limits[0]) if limits else None,
        high=bounded_exp(limits[1]) if limits else None,
        p=p,
        p_adjusted=p if adjusted is None else max(p, adjusted),
        n_pairs=len(d),
    )
    return _conserved(_worded(verdict, d, test.alpha, drawn), d, columns, drawn)


def _conserved(verdict: MetricVerdict, d: Float, columns: Columns, drawn: Flips) -> MetricVerdict:
    """The verdict, unless the time waited did not move with it, for a tail at least half as far.

    Then clients that wait for their answers may only have asked for the slow ones less often, or
    more often: a share and a percentile of operations move, and nobody waits less.
    """
    waited = columns.waited(verdict.metric)
    if waited is None or verdict.verdict not in _DIRECTED:
        return verdict
    sign = 1.0 if verdict.ratio and verdict.ratio > 1 else -1.0
    surplus = sign * (waited - _LEAST_MOVED[verdict.metric] * d)
    limits = interval(surplus, drawn, UNLIKELY)
    least = limits[0] if limits else float(surplus.mean())
    if least > 0:
        return verdict
    takes = _elsewhere(bounded_exp(float(waited.mean())), closed=columns.closed)
    return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)


def conserved_in_all(verdict: MetricVerdict, waited: float, *, closed: bool) -> MetricVerdict:
    """The same without pairs: `waited` is ln B - ln A of all windows, and has no interval."""
    if verdict.metric not in _LEAST_MOVED or not verdict.ratio or verdict.verdict not in _DIRECTED:
        return verdict
    d = math.log(verdict.ratio)
    if math.copysign(1.0, d) * (waited - _LEAST_MOVED[verdict.metric] * d) > 0:
        return verdict
    takes = _elsewhere(bounded_exp(waited), closed=closed)
    return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)


def _elsewhere(waited: float, *, closed: bool) -> Message:
    if closed:
        return Message(
            "a metric of one kind of operation: all clients wait, so those served more slowly ask "
            "less often, and the time waited per operation is {ratio:ratio}",
            ratio=waited,
        )
    return Message(
        "a metric that clients which wait for answers cannot move by asking less or more often, "
        "such as p50 or p95; the time waited in operations this slow is {ratio:ratio}",
        ratio=waited,
    )


def _worded(verdict: MetricVerdict, d: Float, alpha: float, drawn: Flips) -> MetricVerdict:
    estimate = float(d.mean())
    if len(d) < LEAST_PAIRS:
        word = few(verdict.metric, d)
        return replace(
            verdict, verdict=word.value, takes=Message("{n} pairs or more", n=LEAST_PAIRS)
        )
    narrow = interval(d, drawn, NARROW)
    word = word_of(verdict.metric, estimate, narrow, proven=verdict.p_adjusted <= alpha)
    if word is Judgement.INCONCLUSIVE:
        return replace(verdict, verdict=word.value, takes=takes(d, alpha))
    return replace(verdict, verdict=word.value)


def word_of(
    metric: str, estimate: float, narrow: tuple[float, float] | None, *, proven: bool
) -> Judgement:
    """The word for an effect, natural log of a ratio, whose difference from none is proven or not.

    One margin decides what is too small: of the 90 % interval `narrow`, which makes it two
    one-sided tests at 5 %. What is proven and not shown to be too small has its direction.
    """
    margin = math.log(MATERIAL[metric])
    small = narrow is not None and max(abs(narrow[0]), abs(narrow[1])) <= margin + _SAME
    if not proven:
        return Judgement.EQUIVALENT if small else Judgement.INCONCLUSIVE
    if small:
        return Judgement.IMMATERIAL
    return Judgement.BETTER if estimate < 0 else Judgement.WORSE


def material(metric: str, log_ratio: float) -> bool:
    """Whether a change is large enough to matter."""
    return abs(log_ratio) >= math.log(MATERIAL[metric]) - _SAME


def hope(columns: Columns, metric: str, seed: int) -> float | None:
    """The largest improvement that is still likely, a ratio; None with too few pairs to say."""
    d = columns.pairs(metric)
    if columns.lacks(metric) or len(d) < LEAST_PAIRS:
        return None
    limits = interval(d, columns.flips(seed, metric), UNLIKELY)
    return bounded_exp(limits[0]) if limits else None


def few(metric: str, d: Float) -> Judgement:
    """Four or five pairs: a paired t test is still calibrated, but only suggests."""
    k, mean = len(d), float(d.mean())
    if k < LEAST_SUGGESTING or not material(metric, mean):
        return Judgement.INSUFFICIENT
    limit = t_limit(ALPHA, k - 1)
    if abs(mean) < limit * float(d.std(ddof=1)) / math.sqrt(k):
        return Judgement.INSUFFICIENT
    return Judgement.SUGGESTS_BETTER if mean < 0 else Judgement.SUGGESTS_WORSE


_DETECTS = Message(
    "{pairs} pairs detect a change by {low:ratio} to {high:ratio}, or the inverse, in 8 of 10 "
    "experiments"
).template
_TRUE_RATIO = Message("{found}; a true {ratio:ratio} takes {least} to {most} pairs").template


def takes(d: Float, alpha: float) -> Message:
    """The planning line that goes with every 'inconclusive'; the noise is known from the pairs."""
    s, k = pooled_s(d), len(d)
    # Beyond these a ratio is written as a bound, which is no ratio that could be true.
    ratio = min(max(bounded_exp(float(d.mean())), 0.001), 1000.0)
    known = known_from_pairs(k)
    smallest = detectable_range(s, known, Tested(k, alpha))
    detects = Message(
        _DETECTS,
        pairs=k,
        low=smallest.low,
        high=smallest.high,
    )
    if abs(math.log(ratio)) <= math.log(1.05):
        return detects
    needed = pairs_range(s, known, ratio, alpha)
    return Message(
        _TRUE_RATIO,
        found=detects,
        ratio=ratio,
        least=needed.low,
        most=needed.high,
    )


def pairs_asked_for(line: Message, metric: str) -> int | None:
    """The pairs that a planning line of `takes` asks for, in the middle of what it says.

    Of an effect that was hardly seen: those that tell whether it reaches the margin. None for any
    other line: what more pairs do not answer has another remedy. It may be out of a stranger's
    file.
    """
    parameters = line.parameters
    if line.template == _TRUE_RATIO:
        middle = _between(parameters.get("least"), parameters.get("most"))
        return None if middle is None else math.ceil(middle)
    low, high, pairs = parameters.get("low"), parameters.get("high"), parameters.get("pairs")
    if line.template != _DETECTS or not isinstance(pairs, int) or pairs < LEAST_PAIRS:
        return None
    ratio = _between(low, high)
    return pairs_needed(noise_behind(ratio, pairs), MATERIAL[metric]) if ratio else None


def _between(low: object, high: object) -> float | None:
    """The geometric mean of two numbers above 1; None where they are not such."""
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return math.sqrt(low * high) if 1 < low <= high < math.inf else None


def types_judged(
    families: Mapping[str, Columns], primary: tuple[str, str], test: Test
) -> dict[str, dict[str, MetricVerdict]]:
    """Verdicts per operation type: the second family, 8 x types columns, exploratory."""
    adjusted = adjusted_p(families, test.seed, without=primary)
    judged: dict[str, dict[str, MetricVerdict]] = {}
    for kind, columns in sorted(families.items()):
        judged[kind] = {}
        for name in METRICS:
            verdict = _of_type(columns, (kind, name), primary, test, adjusted)
            judged[kind][name] = replace(verdict, type=kind)
    return judged


def _of_type(
    columns: Columns,
    key: tuple[str, str],
    primary: tuple[str, str],
    test: Test,
    adjusted: Mapping[tuple[str, str], float],
) -> MetricVerdict:
    if key == primary:
        return judge_metric(columns, key[1], test)
    return judge_metric(columns, key[1], replace(test, alpha=ALPHA), adjusted.get(key))


def differences(values: Mapping[str, Float]) -> dict[str, Float]:
    """ln B - ln A [pair] of metrics [window], windows in pairs of A and B."""
    return {name: np.asarray(logs[1::2] - logs[::2]) for name, logs in values.items()}


def with_lost(logs: Float, lost: Sequence[str]) -> Float:
    """ln B - ln A of the pairs, and of one more for each lost window [pair].

    `logs` are natural logarithms of a metric [window], A and B of each pair in turn; nan where a
    window lacks it, with which its pair is left out. Of a lost pair, B counts as the worst window
    seen and A as the best. Against the mean of the other arm it would weigh less than what was
    measured: where windows are alike, the worst one seen is nearly as good as any.
    """
    a, b = logs[::2], logs[1::2]
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    worst, best = max(a.max(), b.max()), min(a.min(), b.min())
    return np.concatenate([b - a, [worst - best for arm in lost if arm in ("A", "B")]])


def is_better(metric: str, d: Float, seed: int, alpha: float) -> bool:
    """Whether B is better, or seems so in few pairs, by the differences `d` [pair]."""
    if d.mean() >= 0:
        return False
    if len(d) < LEAST_PAIRS:
        return few(metric, d) is Judgement.SUGGESTS_BETTER
    return p_value(d, flips(len(d), seed)) <= alpha
