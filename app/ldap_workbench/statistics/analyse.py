"""From windows to a verdict: gates, then the test the design allows, then words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.statistics import gates, oneshot
from ldap_workbench.statistics.counts import WindowCounts
from ldap_workbench.statistics.ledger import Episode, episodes, threshold_s
from ldap_workbench.statistics.metrics import (
    MATERIAL,
    METRICS,
    histogram_metrics,
    ledger_metrics,
    standardised,
)
from ldap_workbench.statistics.paired import ALPHA, Pair, judge_pairs
from ldap_workbench.statistics.pooled import with_pooled
from ldap_workbench.statistics.wording import one_shot_sentence, sentence

ONE_SHOT = "ab"


def analyse(
    windows: Sequence[WindowCounts],
    *,
    primary: str = "slo",
    seed: int = 0,
    slo_ns: int = 100_000_000,
    design: str | None = None,
    loop: str = "auto",
) -> Verdict:
    """The verdict over windows of arms "A" and "B".

    `primary` is a metric (p50, p95, p99, p99.9, slo, stall_len, stall_time, stall_n), on its own
    over all client operations or as "BIND:p50" for one type; it must be chosen beforehand. Windows
    with the same `pair` belong together; `design` "ab" (or a single pair) allows suggestions only.
    `loop`: "open", "closed" (clients wait for answers, so throughput is an outcome), "auto". The
    same input and seed give the same Verdict.
    """
    kind, _, metric = primary.rpartition(":")
    if metric not in METRICS:
        raise ValueError(f"'{metric}' is none of {', '.join(METRICS)}")
    windows = sorted(windows, key=lambda w: (w.pair, w.arm))
    slo_s = slo_ns / 1e9
    pairs = _whole_pairs(windows)
    used = [w for pair in pairs for w in pair]
    one_shot = design == ONE_SHOT or len(pairs) == 1
    chosen = list(windows) if one_shot else used
    label = design or (ONE_SHOT if one_shot else f"pairs:{len(pairs)}")
    dropped = _dropped(windows, chosen)
    if {w.arm for w in chosen if w.n > 0} != {"A", "B"}:
        return _refusal(
            metric, kind, Judgement.INSUFFICIENT, "An arm has no operations.", label, dropped
        )
    gated = gates.gate(chosen, loop)
    if not gated.comparable:
        return _refusal(metric, kind, Judgement.NOT_COMPARABLE, gated.why, label, dropped)
    judge = _one_shot if one_shot else _paired
    whole = judge(gated.windows, metric, seed, slo_s)
    types = {name: judge(_only(gated.windows, name), metric, seed, slo_s) for name in _busy(chosen)}
    types = {n: {m: replace(v, type=n) for m, v in found.items()} for n, found in types.items()}
    if kind and kind not in types:
        why = f"There are no {kind} operations in both arms."
        return _refusal(metric, kind, Judgement.INSUFFICIENT, why, label, dropped)
    first = (types[kind] if kind else whole)[metric]
    said = (
        one_shot_sentence(first)
        if one_shot
        else sentence(first, whole, len(pairs), chosen[0].seconds)
    )
    return Verdict(
        primary=first,
        metrics=whole,
        comparable=True,
        why="",
        design=label,
        sentence=said,
        types=types,
        dropped=dropped,
        warnings=gated.warnings,
    )


def _whole_pairs(windows: Sequence[WindowCounts]) -> list[tuple[WindowCounts, WindowCounts]]:
    numbers = dict.fromkeys(w.pair for w in windows)
    found = []
    for number in numbers:
        arms = {w.arm: w for w in windows if w.pair == number}
        if arms.keys() == {"A", "B"} and all(w.n > 0 for w in arms.values()):
            found.append((arms["A"], arms["B"]))
    return found


def _dropped(windows: Sequence[WindowCounts], used: Sequence[WindowCounts]) -> tuple[str, ...]:
    gone = dict.fromkeys(w.pair for w in windows if not any(w is u for u in used))
    return tuple(
        f"Pair {n + 1} was left out: one of its windows is missing or empty." for n in gone
    )


def _stalls(windows: Sequence[WindowCounts], slo_s: float) -> list[list[Episode]]:
    threshold = threshold_s(windows, slo_s)
    return [episodes(window, threshold) for window in windows]


def _paired(
    windows: Sequence[WindowCounts], primary: str, seed: int, slo_s: float
) -> dict[str, MetricVerdict]:
    """Windows come pair by pair, A before B."""
    edges = windows[0].edges_s
    histograms = standardised(windows)
    stalls = _stalls(windows, slo_s)
    floor = 0.05 * float(np.mean([sum(s.length_s for s in found) for found in stalls])) + 1e-6
    values = [
        histogram_metrics(h, edges, slo_s) | ledger_metrics(found, floor)
        for h, found in zip(histograms, stalls, strict=True)
    ]
    pairs = [
        Pair(windows[i].pair, values[i], values[i + 1], min(windows[i].n, windows[i + 1].n))
        for i in range(0, len(windows), 2)
    ]
    verdicts = judge_pairs(pairs, [s for found in stalls for s in found], primary, seed)
    a, b = histograms[::2], histograms[1::2]
    return {name: with_pooled(v, a, b, edges, slo_s) for name, v in verdicts.items()}


def _one_shot(
    windows: Sequence[WindowCounts], primary: str, seed: int, slo_s: float
) -> dict[str, MetricVerdict]:
    del primary, seed  # nothing is drawn, and Holm treats all metrics alike
    arms = {arm: [w for w in windows if w.arm == arm] for arm in "AB"}
    if not arms["A"] or not arms["B"]:
        return {name: MetricVerdict(name, Judgement.INSUFFICIENT.value) for name in METRICS}
    found = oneshot.differences(arms["A"], arms["B"], slo_s)
    histograms = dict(zip(map(id, windows), standardised(windows), strict=True))
    a, b = ([histograms[id(w)] for w in arms[arm]] for arm in "AB")
    adjusted = _holm({name: d.p for name, d in found.items()})
    verdicts = {}
    for name in METRICS:
        verdict = MetricVerdict(name, Judgement.INSUFFICIENT.value)
        if name in found:
            verdict = _suggestion(name, found[name], adjusted[name])
        verdicts[name] = with_pooled(verdict, a, b, windows[0].edges_s, slo_s)
    return verdicts


def _suggestion(name: str, difference: oneshot.Difference, p_adjusted: float) -> MetricVerdict:
    low, high = (max(-700.0, min(700.0, x)) for x in difference.interval())
    word = Judgement.INCONCLUSIVE
    if difference.effective < oneshot.LEAST_EFFECTIVE:
        word = Judgement.INSUFFICIENT
    elif p_adjusted <= ALPHA and abs(difference.value) >= math.log(MATERIAL[name]):
        better = difference.value < 0
        word = Judgement.SUGGESTS_BETTER if better else Judgement.SUGGESTS_WORSE
    return MetricVerdict(
        name,
        word.value,
        ratio=math.exp(difference.value),
        low=math.exp(low),
        high=math.exp(high),
        p=difference.p,
        p_adjusted=p_adjusted,
        takes="" if word is Judgement.SUGGESTS_BETTER else "randomised pairs (pairs:8)",
    )


def _holm(p: dict[str, float]) -> dict[str, float]:
    adjusted, largest = {}, 0.0
    for rank, name in enumerate(sorted(p, key=lambda n: (p[n], n))):
        largest = max(largest, min(1.0, p[name] * (len(p) - rank)))
        adjusted[name] = largest
    return adjusted


def _busy(windows: Sequence[WindowCounts]) -> list[str]:
    """Types that occur in every window."""
    types = windows[0].types
    totals = np.array([w.counts.sum((1, 2)) for w in windows])
    return [name for index, name in enumerate(types) if totals[:, index].min() > 0]


def _only(windows: Sequence[WindowCounts], name: str) -> list[WindowCounts]:
    index = windows[0].types.index(name)
    return [replace(w, counts=w.counts[index : index + 1], types=(name,)) for w in windows]


def _refusal(
    metric: str, kind: str, word: Judgement, why: str, design: str, dropped: tuple[str, ...]
) -> Verdict:
    refused = {name: MetricVerdict(name, word.value) for name in METRICS}
    return Verdict(
        primary=replace(refused[metric], type=kind or "ALL"),
        metrics=refused,
        comparable=word is not Judgement.NOT_COMPARABLE,
        why=why,
        design=design,
        sentence=f"{word.value.capitalize()}: {why}",
        dropped=dropped,
    )
