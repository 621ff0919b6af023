"""The judgement of windows that are no pairs, A against B as a whole: suggestions only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.ledger import CountedStall
from ldap_workbench.inference.counts.measured import Measured, busy_types, measure_type
from ldap_workbench.inference.counts.metrics import LEDGER, METRICS
from ldap_workbench.inference.counts.strata import mix_weights
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.selection import Selection
from ldap_workbench.inference.significance import paired, unpaired
from ldap_workbench.inference.significance.pooled import pooled_metrics, with_pooled
from ldap_workbench.inference.verdict.question import (
    HUNG,
    Judged,
    Question,
    common_details,
    excess,
    missing_windows,
    no_such_type,
)
from ldap_workbench.inference.verdict.wording import NAMES, unpaired_sentence
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict

Float = NDArray[np.float64]
_IN_EVERY_SESSION = Message("a value of it in every session")


def judge_unpaired(
    asked: Question, selection: Selection, slow: Sequence[WindowCounts], whole: Measured
) -> Verdict:
    """What windows suggest that were not randomised."""
    windows = selection.windows
    if asked.kind and asked.kind not in busy_types(windows):
        return no_such_type(asked, selection)
    metrics = _suggestions(asked, windows, whole)
    types = {}
    for name in busy_types(windows):
        mine = [w.of(name) for w in windows]
        slow_mine = [w.of(name) for w in slow]
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
        why=NOTHING,
        design=asked.design,
        sentence=unpaired_sentence(first),
        types=types,
        dropped=selection.dropped,
        warnings=(*missing_windows(asked), *_clusters(asked, windows, whole, metrics)),
        details=common_details(asked, windows, whole),
    )


def _clusters(
    asked: Question, windows: Sequence[WindowCounts], whole: Measured, metrics: Judged
) -> tuple[Message, ...]:
    """What the intervals rest on where there are several windows of each arm."""
    if asked.of_sessions:
        counts = {arm: len({w.pair for w in windows if w.arm == arm}) for arm in "AB"}
        return (
            Message(
                "The intervals rest on how the {a} sessions of A and the {b} of B differ among "
                "themselves: the windows of a session count as one.",
                a=counts["A"],
                b=counts["B"],
            ),
        )
    a, b = (len(side) for side in _sides(windows).values())
    if min(a, b) < unpaired.LEAST_WINDOWS:
        return ()
    said = [
        Message(
            "The intervals are at least as wide as the {a} windows of A and the {b} of B differ "
            "among themselves.",
            a=a,
            b=b,
        ),
    ]
    alone = [
        NAMES[name]
        for name, logs in whole.values.items()
        if metrics[name].ratio is not None and not np.isfinite(logs).all()
    ]
    if alone:
        said.append(
            Message(
                "Not those of {metrics:and}, which not every window has a value of.",
                metrics=tuple(alone),
            )
        )
    return tuple(said)


def _suggestions(asked: Question, windows: Sequence[WindowCounts], measured: Measured) -> Judged:
    sides = _sides(windows)
    arms = {arm: asked.with_coarse_times([windows[i] for i in side]) for arm, side in sides.items()}
    stalls = {arm: _stalls(measured, side) for arm, side in sides.items()}
    hours = {arm: _hours(mine) for arm, mine in arms.items()}
    differences = unpaired.histogram_differences(arms, _mix_weights(arms), asked.slo_s)
    differences |= unpaired.ledger_differences(stalls, hours)
    logs = {
        name: {arm: values[side] for arm, side in sides.items()}
        for name, values in measured.values.items()
    }
    if asked.of_sessions:
        differences = _between_sessions(differences, logs, arms)
    else:
        differences = {
            name: unpaired.between_windows(difference, logs[name])
            for name, difference in differences.items()
        }
    operations = [sum(float(w.histogram.sum()) for w in mine) for mine in arms.values()]
    columns = paired.Columns(
        {},
        min(operations),
        measured.stall_count,
        measured.over,
        measured.unresolved,
    )
    lacking = {name: columns.lacks(name) for name in METRICS}
    if asked.of_sessions:
        lacking |= {name: _IN_EVERY_SESSION for name in METRICS if name not in differences}
    metrics = unpaired.judge_metrics(
        differences, lacking, asked.metric, _history(windows, measured)
    )
    metrics = {name: _conserved(v, measured, arms, sides, asked) for name, v in metrics.items()}
    metrics = {name: _unless_hung(verdict, asked) for name, verdict in metrics.items()}
    return _pooled_arms(metrics, measured, windows, asked)


def _between_sessions(
    differences: Mapping[str, unpaired.Difference],
    logs: Mapping[str, Mapping[str, Float]],
    arms: Mapping[str, Sequence[WindowCounts]],
) -> dict[str, unpaired.Difference]:
    """Those of which every session has a value; a narrower one is taken of none."""
    sessions = {arm: [window.pair for window in windows] for arm, windows in arms.items()}
    between = {}
    for name, difference in differences.items():
        if of_sessions := unpaired.between_sessions(logs[name], sessions):
            between[name] = replace(of_sessions, effective=difference.effective)
    return between


def _unless_hung(verdict: MetricVerdict, asked: Question) -> MetricVerdict:
    """A suggestion; none for an arm of which only what it answered is known."""
    suggested = {Judgement.SUGGESTS_BETTER: "B", Judgement.SUGGESTS_WORSE: "A"}
    arm = suggested.get(Judgement(verdict.verdict))
    if arm is None or not excess(asked.hung, arm):
        return verdict
    return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=HUNG)


def _conserved(
    verdict: MetricVerdict,
    measured: Measured,
    arms: unpaired.Arms,
    sides: Mapping[str, list[int]],
    asked: Question,
) -> MetricVerdict:
    """A suggestion, unless the time waited did not move with it; a session counts once here too."""
    waiting = measured.service if asked.waiting else measured.waiting
    if verdict.metric not in waiting:
        return verdict
    logs = {arm: waiting[verdict.metric][sides[arm]] for arm in "AB"}
    if asked.of_sessions:
        logs = {arm: unpaired.session_means(logs[arm], [w.pair for w in arms[arm]]) for arm in "AB"}
    a, b = (float(np.mean(logs[arm])) for arm in "AB")
    return paired.conserved_in_all(verdict, b - a, closed=asked.waiting)


def _sides(windows: Sequence[WindowCounts]) -> dict[str, list[int]]:
    """Which of the windows belong to each arm."""
    sides: dict[str, list[int]] = {"A": [], "B": []}
    for i, window in enumerate(windows):
        sides[window.arm].append(i)
    return sides


def _stalls(measured: Measured, side: Sequence[int]) -> list[CountedStall]:
    return [stall for i in side for stall in measured.stalls[i]]


def _hours(windows: Sequence[WindowCounts]) -> float:
    return sum(window.seconds for window in windows) / 3600


def _mix_weights(arms: Mapping[str, Sequence[WindowCounts]]) -> dict[str, Float]:
    """Per arm [stratum], what an operation counts so that both arms have the mean mix."""
    totals = np.array([np.sum([w.parts.sum(1) for w in arms[arm]], axis=0) for arm in "AB"])
    weights = mix_weights(totals, "AB", arms["A"][0].parted_by)
    return dict(zip("AB", weights, strict=True))


def _history(windows: Sequence[WindowCounts], measured: Measured) -> dict[str, float]:
    """The prediction test of one window of B against earlier windows of A, where there are 6."""
    b = [i for i, w in enumerate(windows) if w.arm == "B"]
    same = [i for i, w in enumerate(windows) if w.arm == "A" and w.bins == windows[b[0]].bins]
    if len(b) != 1:
        return {}
    return {
        name: unpaired.prediction_p(logs[same], float(logs[b[0]]))
        for name, logs in measured.values.items()
    }


def _pooled_arms(
    metrics: Judged,
    measured: Measured,
    windows: Sequence[WindowCounts],
    asked: Question,
) -> Judged:
    """Pooled values of each arm as a whole, without an interval."""
    sides = list(_sides(windows).values())
    histograms = np.array([measured.histograms[side].sum(0) for side in sides])
    stalls = [_stalls(measured, side) for side in sides]
    of_arms = pooled_metrics(histograms, stalls, windows[0].edges_s, asked.slo_s)
    hours = [_hours([windows[i] for i in side]) for side in sides]
    pooled = {}
    for name, verdict in metrics.items():
        both = with_pooled(verdict, of_arms)
        if name in LEDGER[1:] and both.pooled is not None:
            both = replace(both, pooled=both.pooled * hours[0] / hours[1])
        pooled[name] = both
    return pooled
