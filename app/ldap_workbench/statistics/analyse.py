"""From windows to a verdict: gates, then the test the design allows, then words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.statistics import details, oneshot, paired
from ldap_workbench.statistics.carryover import carry_over
from ldap_workbench.statistics.counts import WindowCounts
from ldap_workbench.statistics.gates import gate, shares
from ldap_workbench.statistics.load import Load, load_ratio, match_load, starved
from ldap_workbench.statistics.loop import CLOSED_BELOW, loop_index
from ldap_workbench.statistics.measured import (
    Measured,
    busy_types,
    measure_all,
    measure_type,
    slow_part,
)
from ldap_workbench.statistics.metrics import LEDGER, METRICS
from ldap_workbench.statistics.pooled import pooled_metrics, with_pooled
from ldap_workbench.statistics.selection import (
    ONE_SHOT,
    Selection,
    first_pairs,
    select,
    trimmed,
    without_pairs,
)
from ldap_workbench.statistics.sequential import look_alpha, look_at
from ldap_workbench.statistics.warmup import warm_up
from ldap_workbench.statistics.wording import design_words, one_shot_sentence, sentence

Float = NDArray[np.float64]
Judged = dict[str, MetricVerdict]

CLOSED = "closed"


@dataclass(frozen=True)
class Question:
    """What is asked of the windows; all of it is decided before they are measured."""

    metric: str
    kind: str
    seed: int
    slo_s: float
    resolution_ns: int
    loop: str
    looks: tuple[int, ...]
    design: str


def analyse(
    windows: Sequence[WindowCounts],
    *,
    primary: str = "slo",
    primary_type: str = "",
    seed: int = 0,
    slo_ns: int = 100_000_000,
    design: str | None = None,
    loop: str = "auto",
    trim: float | str = 0.0,
    restarted: bool = False,
    resolution_ns: int = 1,
    looks: Sequence[int] = (),
) -> Verdict:
    """The verdict over windows of arms "A" and "B".

    `primary` is a metric (p50, p95, p99, p99.9, slo, stall_len, stall_time, stall_n), on its own
    over all client operations, or as "BIND:p50" (or with `primary_type`) for one type; it must be
    chosen beforehand. Windows with the same `pair` belong together; `design` "ab", or a single
    pair, allows suggestions only, and six or more earlier windows of A then serve as history.
    `loop`: "open", "closed" (clients wait for answers, so throughput is an outcome), "auto".
    `trim`: seconds to cut from every window, or "auto" (with the longer floor if `restarted`).
    `resolution_ns`: the finest step of the log's etimes. `looks`: numbers of pairs at which it
    was planned to look, each with its share of the 5 %. Same input and seed, same Verdict.
    Raises ValueError for a primary metric, an arm or a shape of windows that does not exist.
    """
    kind, _, metric = primary.rpartition(":")
    if metric not in METRICS:
        raise ValueError(f"'{metric}' is none of {', '.join(METRICS)}")
    warm = warm_up(windows, restarted=restarted) if trim == "auto" else None
    cut = warm.seconds if warm else float(trim)
    selection = select(trimmed(windows, cut), design)
    label = design or (ONE_SHOT if selection.one_shot else f"pairs:{len(selection.pairs)}")
    asked = Question(
        metric, primary_type or kind, seed, slo_ns / 1e9, resolution_ns, loop, tuple(looks), label
    )
    if looks and not selection.one_shot:
        due = look_at(len(selection.pairs), asked.looks)
        if due is None:
            why = f"The first look is planned at {min(looks)} pairs."
            return _refusal(asked, selection, Judgement.INSUFFICIENT, why)
        selection = first_pairs(selection, due)
    if selection.why:
        return _refusal(asked, selection, Judgement.INSUFFICIENT, selection.why)
    if warm and warm.binds:
        why = "The server was still warming up after half a window."
        return _refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
    verdict = _verdict(asked, selection)
    return replace(verdict, details=verdict.details | {"trimmed_s": cut})


def _verdict(asked: Question, selection: Selection) -> Verdict:
    """Gates and load, then the judgement of what is left."""
    windows = selection.windows
    slow = slow_part(windows, asked.slo_s)
    raw = measure_all(windows, slow, asked.slo_s, asked.resolution_ns)
    loops = {arm: _loop(windows, slow, raw, arm) for arm in "AB"}
    gated = gate(windows, loops, closed=asked.loop == CLOSED)
    load = Load(windows, load_ratio(windows)) if asked.loop == CLOSED else match_load(windows)
    if why := gated.why or load.why:
        return _refusal(asked, selection, Judgement.NOT_COMPARABLE, why, gated.warnings)
    if load.warning and not selection.one_shot:
        gone = sorted({w.pair for w in load.windows if starved(w)})
        selection = without_pairs(
            replace(selection, windows=load.windows), gone, "hardly any of its load was common"
        )
        if not selection.windows:
            why = "No pair has a load that both arms saw."
            return _refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
    elif load.warning:
        selection = replace(selection, windows=load.windows)
    judge = _one_shot if selection.one_shot else _paired
    if selection.windows is not windows:
        windows = selection.windows
        slow = slow_part(windows, asked.slo_s)
        raw = measure_all(windows, slow, asked.slo_s, asked.resolution_ns)
    found = judge(asked, selection, slow, raw)
    warnings = tuple(w for w in (*gated.warnings, load.warning, *found.warnings) if w)
    told = found.details | {
        "clients": details.clients(windows, raw, loops, _waiting(asked.loop, loops), asked.slo_s),
        "load_ratio": load.ratio,
        "load_kept": load.kept,
    }
    return replace(found, warnings=warnings, details=told)


def _loop(
    windows: Sequence[WindowCounts], slow: Sequence[WindowCounts], measured: Measured, arm: str
) -> float | None:
    mine = [i for i, w in enumerate(windows) if w.arm == arm]
    return loop_index(
        [windows[i] for i in mine],
        [slow[i] for i in mine],
        [measured.stalls[i] for i in mine],
        measured.threshold_s,
    )


def _waiting(loop: str, loops: Mapping[str, float | None]) -> bool:
    """Whether the tail is to be shown without the clients' waiting, too."""
    known = [x for x in loops.values() if x is not None]
    return loop == CLOSED or (loop == "auto" and bool(known) and min(known) < CLOSED_BELOW)


def _paired(
    asked: Question, selection: Selection, slow: Sequence[WindowCounts], whole: Measured
) -> Verdict:
    windows = selection.windows
    types = {
        name: measure_type(name, windows, slow, asked.slo_s, asked.resolution_ns)
        for name in busy_types(windows)
    }
    if asked.kind and asked.kind not in types:
        return _no_such_type(asked, selection)
    test = paired.Test(asked.seed, look_alpha(asked.looks))
    columns = _columns(whole)
    families = {name: _columns(measured) for name, measured in types.items()}
    metrics = paired.judge_all(columns, "" if asked.kind else asked.metric, test)
    metrics = _pooled(metrics, whole, windows, asked)
    by_type = paired.types_judged(families, (asked.kind, asked.metric), test)
    by_type = {name: _pooled(by_type[name], types[name], windows, asked) for name in by_type}
    first = by_type[asked.kind][asked.metric] if asked.kind else metrics[asked.metric]
    tested = families.get(asked.kind, columns).pairs(asked.metric)
    carried = carry_over(windows, whole.values[asked.metric], asked.seed)
    return Verdict(
        primary=first,
        metrics=metrics,
        comparable=True,
        why="",
        design=asked.design,
        sentence=sentence(
            first,
            metrics,
            design_words(asked.design, len(selection.pairs), windows[0].seconds),
        ),
        types=_marked(by_type, metrics, first),
        dropped=selection.dropped,
        warnings=_carried_over(carried, len(selection.pairs)),
        details=_details(asked, windows, whole)
        | {
            "planning": details.planning(columns, 2 * windows[0].seconds / 3600),
            "anytime": details.anytime(tested),
            "carry_over_p": carried,
            "alpha": test.alpha,
        },
    )


def _columns(measured: Measured) -> paired.Columns:
    return paired.Columns(
        paired.differences(measured.values),
        measured.n,
        measured.stall_count,
        measured.over,
        measured.unresolved,
    )


def _pooled(
    metrics: Judged, measured: Measured, windows: Sequence[WindowCounts], asked: Question
) -> Judged:
    found = pooled_metrics(measured.histograms, measured.stalls, windows[0].edges_s, asked.slo_s)
    return {name: with_pooled(verdict, found) for name, verdict in metrics.items()}


def _marked(types: dict[str, Judged], metrics: Judged, primary: MetricVerdict) -> dict[str, Judged]:
    """Types are exploratory unless the same metric of all operations was decided, too."""
    decided = {n for n, m in metrics.items() if m.verdict in (Judgement.BETTER, Judgement.WORSE)}
    return {
        kind: {
            name: replace(v, exploratory=name not in decided and v is not primary)
            for name, v in found.items()
        }
        for kind, found in types.items()
    }


def _carried_over(p: float | None, pairs: int) -> tuple[str, ...]:
    if p is None or p > paired.ALPHA:
        return ()
    text = f"The arm measured before still shows in a window (p = {p:.2g}, {pairs} pairs)"
    return (f"{text}: a longer settling time would tell more.",)


def _one_shot(
    asked: Question, selection: Selection, slow: Sequence[WindowCounts], whole: Measured
) -> Verdict:
    windows = selection.windows
    if asked.kind and asked.kind not in busy_types(windows):
        return _no_such_type(asked, selection)
    metrics = _suggestions(asked, windows, whole)
    types = {}
    for name in busy_types(windows):
        mine = [w.from_bucket(0, (name,)) for w in windows]
        slow_mine = [w.from_bucket(0, (name,)) for w in slow]
        measured = measure_type(name, windows, slow_mine, asked.slo_s, asked.resolution_ns)
        types[name] = {
            metric: replace(v, type=name, exploratory=(name, metric) != (asked.kind, asked.metric))
            for metric, v in _suggestions(asked, mine, measured).items()
        }
    first = types[asked.kind][asked.metric] if asked.kind else metrics[asked.metric]
    return Verdict(
        primary=first,
        metrics=metrics,
        comparable=True,
        why="",
        design=asked.design,
        sentence=one_shot_sentence(first),
        types=types,
        dropped=selection.dropped,
        details=_details(asked, windows, whole),
    )


def _suggestions(asked: Question, windows: Sequence[WindowCounts], measured: Measured) -> Judged:
    arms = {arm: [w for w in windows if w.arm == arm] for arm in "AB"}
    stalls = {
        arm: [s for w, f in zip(windows, measured.stalls, strict=True) if w.arm == arm for s in f]
        for arm in "AB"
    }
    hours = {arm: sum(w.seconds for w in arms[arm]) / 3600 for arm in "AB"}
    found = oneshot.histogram_differences(arms, _mix_weights(arms), asked.slo_s)
    found |= oneshot.ledger_differences(stalls, hours)
    columns = paired.Columns(
        {},
        min(sum(w.histogram.sum() for w in arms[arm]) for arm in "AB"),
        measured.stall_count,
        measured.over,
        measured.unresolved,
    )
    lacking = {name: columns.lacks(name) for name in METRICS}
    metrics = oneshot.judge_one_shot(found, lacking, asked.metric, _history(windows, measured))
    ordered = [i for arm in "AB" for i, w in enumerate(windows) if w.arm == arm]
    return _pooled_arms(metrics, measured, windows, ordered, asked)


def _mix_weights(arms: Mapping[str, Sequence[WindowCounts]]) -> dict[str, Float]:
    """Per arm and type, what an operation counts so that both arms have the mean mix."""
    share = {arm: shares(arms[arm]) for arm in "AB"}
    mean = (share["A"] + share["B"]) / 2
    return {
        arm: np.divide(mean, share[arm], out=np.zeros_like(mean), where=share[arm] > 0)
        for arm in "AB"
    }


def _history(windows: Sequence[WindowCounts], measured: Measured) -> dict[str, float]:
    """The prediction test of one window of B against earlier windows of A, where there are 6."""
    b = [i for i, w in enumerate(windows) if w.arm == "B"]
    same = [i for i, w in enumerate(windows) if w.arm == "A" and w.bins == windows[b[0]].bins]
    if len(b) != 1:
        return {}
    return {
        name: oneshot.prediction_p(logs[same], float(logs[b[0]]))
        for name, logs in measured.values.items()
    }


def _pooled_arms(
    metrics: Judged,
    measured: Measured,
    windows: Sequence[WindowCounts],
    ordered: Sequence[int],
    asked: Question,
) -> Judged:
    """Pooled values of each arm as a whole, without an interval."""
    sides = {arm: [i for i in ordered if windows[i].arm == arm] for arm in "AB"}
    histograms = np.array([measured.histograms[sides[arm]].sum(0) for arm in "AB"])
    stalls = [[s for i in sides[arm] for s in measured.stalls[i]] for arm in "AB"]
    # Twice the same pair: the pooled values need no second one, a jackknife would.
    found = pooled_metrics(
        np.vstack([histograms, histograms]), stalls * 2, windows[0].edges_s, asked.slo_s
    )
    hours = [sum(windows[i].seconds for i in sides[arm]) for arm in "AB"]
    pooled = {}
    for name, verdict in metrics.items():
        both = with_pooled(verdict, found)
        if name in LEDGER[1:] and both.pooled is not None:
            both = replace(both, pooled=both.pooled * hours[0] / hours[1])
        pooled[name] = replace(both, pooled_low=None, pooled_high=None)
    return pooled


def _details(asked: Question, windows: Sequence[WindowCounts], whole: Measured) -> dict[str, Any]:
    return {
        "seed": asked.seed,
        "slo_ns": round(asked.slo_s * 1e9),
        "windows": details.window_values(windows, whole),
        "ledger": details.ledger(windows, whole),
        "long_stalls": vars(details.long_stalls(windows, whole)),
        "shift": details.shift(windows, whole),
    }


def _no_such_type(asked: Question, selection: Selection) -> Verdict:
    why = f"There are no {asked.kind} operations in every window."
    return _refusal(asked, selection, Judgement.INSUFFICIENT, why)


def _refusal(
    asked: Question,
    selection: Selection,
    word: Judgement,
    why: str,
    warnings: tuple[str, ...] = (),
) -> Verdict:
    refused = {name: MetricVerdict(name, word.value) for name in METRICS}
    return Verdict(
        primary=replace(refused[asked.metric], type=asked.kind or ALL),
        metrics=refused,
        comparable=word is not Judgement.NOT_COMPARABLE,
        why=why,
        design=asked.design,
        sentence=f"{word.value.capitalize()}: {why}",
        dropped=selection.dropped,
        warnings=warnings,
    )
