"""The judgement of pairs of windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.measured import Measured, busy_types, measure_type
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.selection import Selection
from ldap_workbench.inference.significance import paired
from ldap_workbench.inference.significance.carryover import carry_over
from ldap_workbench.inference.significance.paired import is_better, with_lost
from ldap_workbench.inference.significance.pooled import pooled_metrics, with_pooled
from ldap_workbench.inference.significance.sequential import evidence, look_alpha
from ldap_workbench.inference.verdict import details
from ldap_workbench.inference.verdict.question import (
    LOST,
    Judged,
    Question,
    as_asked,
    common_details,
    excess,
    missing_windows,
    no_such_type,
    without_hang,
)
from ldap_workbench.inference.verdict.settling import (
    also_moving,
    carried_over,
    course_in_pairs,
    is_carried_over,
    settling_of,
    unless_moving,
)
from ldap_workbench.inference.verdict.wording import describe_design, sentence
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict

Float = NDArray[np.float64]


def judge_in_pairs(
    asked: Question, selection: Selection, slow: Sequence[WindowCounts], whole: Measured
) -> Verdict:
    """The verdict of randomised pairs: sign flips, jackknife intervals, interim analyses."""
    windows = selection.windows
    types = {
        name: measure_type(name, windows, slow, asked.slo_s, asked.resolution_ns)
        for name in busy_types(windows)
    }
    if asked.kind and asked.kind not in types:
        return no_such_type(asked, selection)
    test = paired.Test(asked.seed, look_alpha(asked.looks, asked.level))
    drawn = _drawn(asked, windows)
    columns = _columns(asked, whole, drawn)
    families = {name: _columns(asked, measured, drawn) for name, measured in types.items()}
    metrics = paired.judge_all(columns, "" if asked.kind else asked.metric, test)
    tested = families.get(asked.kind, columns)
    enough = not tested.lacks(asked.metric)
    seen = course_in_pairs(asked, windows, columns.flips(test.seed), measured=enough)
    window_s = windows[0].seconds

    def finished(verdicts: Judged, of: Measured) -> Judged:
        pooled = _pooled(_despite_losses(verdicts, of, asked, test), of, windows, asked)
        known = _unless_lasting(pooled, asked)
        return as_asked(unless_moving(known, seen, asked, window_s), asked)

    metrics = finished(metrics, whole)
    by_type = paired.types_judged(families, (asked.kind, asked.metric), test)
    by_type = {name: finished(verdicts, types[name]) for name, verdicts in by_type.items()}
    judged, measured = (by_type[asked.kind], types[asked.kind]) if asked.kind else (metrics, whole)
    first, settling = judged[asked.metric], settling_of(seen, asked, window_s)
    if (
        settling
        and first.verdict == Judgement.BETTER
        and is_carried_over(asked, windows, measured.values[asked.metric], test.alpha)
    ):
        first, settling = carried_over(first, settling, asked, window_s)
        judged[asked.metric] = first
    carried = carry_over(windows, whole.values[asked.metric], asked.seed)
    return Verdict(
        primary=first,
        metrics=metrics,
        comparable=True,
        why=NOTHING,
        design=asked.design,
        sentence=sentence(
            first,
            metrics,
            describe_design(asked.design, len(selection.pairs), windows[0].seconds),
        ),
        types=_marked(by_type, metrics, first),
        dropped=selection.dropped,
        warnings=(
            *missing_windows(asked),
            *_carried_over(carried, len(selection.pairs)),
            *also_moving(first, seen, asked, window_s),
        ),
        details=replace(
            common_details(asked, windows, whole),
            planning=details.planning(columns, 2 * windows[0].seconds / 3600),
            anytime=evidence(tested.pairs(asked.metric).tolist(), columns.designed),
            carry_over_p=carried,
            settling=settling,
            hope=paired.hope(tested, asked.metric, asked.seed),
            alpha=test.alpha,
        ),
    )


def _drawn(asked: Question, windows: Sequence[WindowCounts]) -> tuple[tuple[int, ...], int]:
    """The order of each pair and the pairs of the design; (), 0 where no coin is known."""
    kind, _, designed = asked.design.partition(":")
    starts = [window.start_s for window in windows]
    known = [start for start in starts if start is not None]
    if kind != "pairs" or not designed.isdecimal() or len(known) < len(starts):
        return (), 0
    a_first = (a < b for a, b in zip(known[::2], known[1::2], strict=True))
    return tuple(1 if first else -1 for first in a_first), int(designed)


def _columns(
    asked: Question, measured: Measured, drawn: tuple[tuple[int, ...], int]
) -> paired.Columns:
    return paired.Columns(
        paired.differences(measured.values),
        measured.n,
        measured.stall_count,
        measured.over,
        measured.unresolved,
        *drawn,
        paired.differences(measured.service if asked.waiting else measured.waiting),
        closed=asked.waiting,
    )


def _pooled(
    metrics: Judged, measured: Measured, windows: Sequence[WindowCounts], asked: Question
) -> Judged:
    pooled = pooled_metrics(measured.histograms, measured.stalls, windows[0].edges_s, asked.slo_s)
    return {name: with_pooled(verdict, pooled) for name, verdict in metrics.items()}


def _despite_losses(
    metrics: Judged, measured: Measured, asked: Question, test: paired.Test
) -> Judged:
    """The verdicts; *better* only where it holds whatever was in the windows that were lost.

    So are those of an arm that hung, as far as they are more than those of the other: most of what
    waited meanwhile is not in their log. Those of B may hide that it is no better, those of A that
    B is no worse.
    """
    hung_a, hung_b = (excess(asked.hung, arm) for arm in "AB")
    lost = (*asked.lost, *["B"] * hung_b)

    def despite(name: str, verdict: MetricVerdict) -> MetricVerdict:
        logs = measured.values[name]
        match verdict.verdict:
            case Judgement.BETTER | Judgement.SUGGESTS_BETTER if lost:
                differences = with_lost(logs, lost)
                takes = without_hang("B") if hung_b else LOST
            case Judgement.WORSE | Judgement.SUGGESTS_WORSE if hung_a:
                differences = with_lost(-logs, ["A"] * hung_a)
                takes = without_hang("A")
            case _:
                return verdict
        if is_better(name, differences, test.seed, test.alpha):
            return verdict
        return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)

    return {name: despite(name, verdict) for name, verdict in metrics.items()}


def _unless_lasting(metrics: Judged, asked: Question) -> Judged:
    """The verdicts; none says *no difference* of what may be in the windows of A as well."""
    if not asked.lasting:
        return metrics
    takes = Message(
        "an experiment that does not switch back: {lasting}, so A may show the effect of B",
        lasting=asked.lasting,
    )
    return {
        name: replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)
        if verdict.verdict in (Judgement.EQUIVALENT, Judgement.IMMATERIAL)
        else verdict
        for name, verdict in metrics.items()
    }


def _marked(types: dict[str, Judged], metrics: Judged, primary: MetricVerdict) -> dict[str, Judged]:
    """Types are exploratory unless the same metric of all operations was decided, too."""
    decided = {n for n, m in metrics.items() if m.verdict in (Judgement.BETTER, Judgement.WORSE)}
    marked: dict[str, Judged] = {}
    for kind, verdicts in types.items():
        marked[kind] = {
            name: replace(v, exploratory=name not in decided and v is not primary)
            for name, v in verdicts.items()
        }
    return marked


def _carried_over(p: float | None, pairs: int) -> tuple[Message, ...]:
    if p is None or p > paired.ALPHA:
        return ()
    warning = Message(
        "The arm measured before still affects a window (p = {p:.2g}, {pairs} pairs): wait longer "
        "after each change.",
        p=p,
        pairs=pairs,
    )
    return (warning,)
