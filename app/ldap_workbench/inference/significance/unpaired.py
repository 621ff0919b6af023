"""Windows of A, then windows of B: at best a suggestion, for change and time are confounded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import first_above, quantile
from ldap_workbench.inference.counts.distributions import t_limit, t_two_sided
from ldap_workbench.inference.counts.ledger import CountedStall
from ldap_workbench.inference.counts.metrics import METRICS, QUANTILE, SLO, histogram_metrics
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.significance.paired import ALPHA, material
from ldap_workbench.inference.significance.pooled import bounded_exp
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, MetricVerdict

Float = NDArray[np.float64]
Arms = Mapping[str, Sequence[WindowCounts]]

BATCHES = 20
LEAST_EFFECTIVE = 5.0
LEAST_HISTORY = 6
LEAST_WINDOWS = 2
"""Windows of each arm from which on they are what is counted: what is slow comes together."""
_BIN_S = 60.0
_NOT_RANDOMISED = Message("randomised pairs (pairs:8): A before B cannot separate change and time")


@dataclass(frozen=True)
class Difference:
    """ln B - ln A with standard error and degrees of freedom; `effective` is the lesser n_eff."""

    value: float
    error: float
    freedom: float
    effective: float = math.inf

    @property
    def p(self) -> float:
        """Two-sided p of Welch's t."""
        if self.error <= 0 or not math.isfinite(self.freedom):
            return 1.0
        return t_two_sided(self.value / self.error, self.freedom)

    @property
    def reach(self) -> float:
        """Half the length of its interval."""
        return t_limit(0.05, self.freedom) * self.error

    def interval(self) -> tuple[float, float]:
        """95 % limits of the difference."""
        return self.value - self.reach, self.value + self.reach


def judge_metrics(
    differences: Mapping[str, Difference],
    lacking: Mapping[str, Message],
    primary: str,
    history: Mapping[str, float] | None = None,
) -> dict[str, MetricVerdict]:
    """Suggestions: the primary by its own p, the others by Holm.

    `history` holds p-values of the prediction test from earlier windows, and the worse of the two
    answers counts.
    """
    p = {name: max(d.p, (history or {}).get(name, 0.0)) for name, d in differences.items()}
    adjusted = holm({name: value for name, value in p.items() if name != primary})
    verdicts = {}
    for name in METRICS:
        verdicts[name] = MetricVerdict(
            name, Judgement.INSUFFICIENT.value, takes=lacking.get(name) or _NOT_RANDOMISED
        )
        if name in differences:
            verdict = _described(name, differences[name], p[name], adjusted.get(name, p[name]))
            verdicts[name] = _worded(verdict, differences[name], lacking.get(name, NOTHING))
    return verdicts


def _described(name: str, difference: Difference, p: float, p_adjusted: float) -> MetricVerdict:
    low, high = difference.interval()
    return MetricVerdict(
        name,
        "",
        ratio=bounded_exp(difference.value),
        low=bounded_exp(low),
        high=bounded_exp(high),
        p=p,
        p_adjusted=p_adjusted,
    )


def _worded(verdict: MetricVerdict, difference: Difference, lacking: Message) -> MetricVerdict:
    if lacking:
        return replace(verdict, verdict=Judgement.INSUFFICIENT.value, takes=lacking)
    if difference.effective < LEAST_EFFECTIVE:
        takes = Message(
            "more independent events: what lies beyond this comes from about {n:.1f} of them, and "
            "it takes {least:.0f}",
            n=difference.effective,
            least=LEAST_EFFECTIVE,
        )
        return replace(verdict, verdict=Judgement.INSUFFICIENT.value, takes=takes)
    word = Judgement.INCONCLUSIVE
    if verdict.p_adjusted <= ALPHA and material(verdict.metric, difference.value):
        better = difference.value < 0
        word = Judgement.SUGGESTS_BETTER if better else Judgement.SUGGESTS_WORSE
    return replace(verdict, verdict=word.value, takes=_NOT_RANDOMISED)


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values; SciPy has only Benjamini and Hochberg's."""
    adjusted, largest = {}, 0.0
    for rank, name in enumerate(sorted(p, key=lambda n: (p[n], n))):
        largest = max(largest, min(1.0, p[name] * (len(p) - rank)))
        adjusted[name] = largest
    return adjusted


def histogram_differences(
    arms: Arms, weights: Mapping[str, Float], slo_s: float
) -> dict[str, Difference]:
    """Quantiles and share over the limit, from 20 batches of time per arm, delete-one jackknife.

    `weights` [stratum] puts the mix of each arm to the mean mix of both.
    """
    edges = arms["A"][0].edges_s
    batches = {arm: _batches(arms[arm], weights[arm]) for arm in "AB"}
    parts = {arm: _jackknife(batches[arm], edges, slo_s) for arm in "AB"}
    differences = {}
    for metric in (*QUANTILE, SLO):
        (a, var_a), (b, var_b) = parts["A"][metric], parts["B"][metric]
        if math.isfinite(a + b + var_a + var_b):
            freedom = _welch(var_a, var_b, len(batches["A"]), len(batches["B"]))
            effective = effective_events(metric, arms, slo_s)
            differences[metric] = Difference(b - a, math.sqrt(var_a + var_b), freedom, effective)
    return differences


def between_windows(difference: Difference, logs: Mapping[str, Float]) -> Difference:
    """With the error that windows differ by, where that is more than stretches of time say.

    `logs` are ln of the metric in each window, by arm. Within a window operations are slow or quick
    together, and from window to window the load and the hour change: that stretches of one window
    differ little says nothing of the next.
    """
    a, b = logs["A"], logs["B"]
    if min(len(a), len(b)) < LEAST_WINDOWS or not np.isfinite(np.concatenate([a, b])).all():
        return difference
    var_a, var_b = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    freedom = _welch(var_a, var_b, len(a), len(b))
    windows = replace(difference, error=math.sqrt(var_a + var_b), freedom=freedom)
    return windows if windows.reach > difference.reach else difference


def between_sessions(
    logs: Mapping[str, Float], sessions: Mapping[str, Sequence[int]]
) -> Difference | None:
    """Welch's difference of the means of sessions, each of which counts once; None without them.

    `logs` are ln of a metric in each window, by arm, `sessions` the number of each window's. What
    differs from session to session (the day, the load, a cache) is in all windows of one, so that
    more windows of a session do not narrow the interval.
    """
    a, b = (session_means(logs[arm], sessions[arm]) for arm in "AB")
    if min(len(a), len(b)) < LEAST_WINDOWS or not np.isfinite(np.concatenate([a, b])).all():
        return None
    var_a, var_b = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    freedom = _welch(var_a, var_b, len(a), len(b))
    return Difference(float(b.mean() - a.mean()), math.sqrt(var_a + var_b), freedom)


def session_means(logs: Float, sessions: Sequence[int]) -> Float:
    """The mean of `logs` [window] in each session, by the number of each window's session."""
    numbers = np.asarray(sessions)
    return np.array([logs[numbers == number].mean() for number in sorted({*sessions})])


def _batches(windows: Sequence[WindowCounts], weights: Float) -> Float:
    """Histograms [batch, bucket] of about equal stretches of time."""
    bins = sum(w.bins for w in windows)
    count = min(BATCHES, bins)
    buckets = len(windows[0].edges_s) - 1
    total, before = np.zeros(count * buckets), 0
    for w in windows:
        batch = (before + w.bin) * count // bins
        counts = w.count * weights[w.part]
        if w.weights is not None:
            counts = counts * w.weights[w.bin]
        total += np.bincount(batch * buckets + w.bucket, counts, count * buckets)
        before += w.bins
    return total.reshape(count, buckets)


def _jackknife(batches: Float, edges: Float, slo_s: float) -> dict[str, tuple[float, float]]:
    """(value, variance) of each metric."""
    total, k = batches.sum(0), len(batches)
    without = np.maximum(total - batches, 0)
    values = histogram_metrics(np.vstack([total, without]), edges, slo_s)
    return {
        metric: (float(v[0]), float((k - 1) / k * ((v[1:] - v[1:].mean()) ** 2).sum()))
        for metric, v in values.items()
    }


def _welch(var_a: float, var_b: float, n_a: int, n_b: int) -> float:
    below = var_a**2 / max(n_a - 1, 1) + var_b**2 / max(n_b - 1, 1)
    return float((var_a + var_b) ** 2 / below) if below > 0 else float(n_a + n_b - 2)


def ledger_differences(
    stalls: Mapping[str, Sequence[CountedStall]], hours: Mapping[str, float]
) -> dict[str, Difference]:
    """Length by Welch over ln lengths, time as a compound Poisson sum, number as Poisson."""
    a, b = (np.array([s.length_s for s in stalls[arm]]) for arm in "AB")
    if len(a) < 2 or len(b) < 2:
        return {}
    more = math.log(hours["B"] / hours["A"])
    freedom = float(len(a) + len(b) - 2)
    spread = [float(np.log(x).var(ddof=1)) / len(x) for x in (a, b)]
    length = float(np.log(b).mean() - np.log(a).mean())
    time_error = math.sqrt(sum(float((x**2).sum() / x.sum() ** 2) for x in (a, b)))
    events = float(min(len(a), len(b)))
    return {
        "stall_len": Difference(
            length, math.sqrt(sum(spread)), _welch(spread[0], spread[1], len(a), len(b)), events
        ),
        "stall_time": Difference(math.log(b.sum() / a.sum()) - more, time_error, freedom, events),
        "stall_n": Difference(
            math.log(len(b) / len(a)) - more, math.sqrt(1 / len(a) + 1 / len(b)), freedom, events
        ),
    }


def effective_events(metric: str, arms: Arms, slo_s: float) -> float:
    """Kish's n_eff of the operations beyond the quantile over 60 s bins, the smaller arm's.

    One four-minute stall puts them all into a few bins: n_eff about 1, however many they are. Of a
    share an arm that has none of them counts as the other: had it as many, it would show some.
    """
    if metric == "p50":
        return math.inf
    edges = arms["A"][0].edges_s
    pooled = np.sum([w.histogram.sum(0) for arm in "AB" for w in arms[arm]], axis=0)
    limit = quantile(pooled, edges, QUANTILE[metric]) if metric in QUANTILE else slo_s
    first = first_above(edges, limit)
    events = [_kish(arms[arm], first) for arm in "AB"]
    return max(events) if metric == SLO and not min(events) else min(events)


def _kish(windows: Sequence[WindowCounts], first: int) -> float:
    beyond = np.concatenate([_coarse(w.from_bucket(first)) for w in windows])
    squares = float((beyond**2).sum())
    return float(beyond.sum()) ** 2 / squares if squares else 0.0


def _coarse(window: WindowCounts) -> Float:
    width = max(1, round(min(_BIN_S, window.seconds / 10) / window.dt))
    return np.asarray(np.add.reduceat(window.per_bin, np.arange(0, window.bins, width)))


def prediction_p(history: Float, value: float) -> float:
    """p that a window like the earlier ones gives `value`: t with k - 1 degrees of freedom."""
    k = len(history)
    if k < LEAST_HISTORY or not np.isfinite(history).all() or not math.isfinite(value):
        return 0.0
    spread = float(history.std(ddof=1)) * math.sqrt(1 + 1 / k)
    if spread <= 0:
        return 0.0
    return t_two_sided((value - float(history.mean())) / spread, k - 1)
