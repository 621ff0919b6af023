"""What an experiment can find at all, from earlier windows without a change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldap_workbench.experiment.judge import counted
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session
from ldap_workbench.statistics import WindowCounts, detectable, expected_noise, pairs_needed
from ldap_workbench.statistics.counts.ledger import stalls_of, threshold_s
from ldap_workbench.statistics.counts.metrics import MATERIAL
from ldap_workbench.statistics.plan.pairs import LEAST_BASELINE
from ldap_workbench.statistics.verdict.wording import name_of

STALLS_IN_A_WINDOW = 5
"""A window with fewer measures where it happened to begin."""
_SAME_LENGTH = 0.1
_HALF = 0.5


def baseline_windows(session: Session, plan: Plan) -> list[Window]:
    """Whole windows of the server as it is, about as long as those planned, in time order."""
    treated = {
        window
        for experiment in session.experiments()
        if not experiment.plan.changes_nothing
        for window in experiment.windows
    }
    found = [
        window
        for window in session.windows()
        if not window.cancelled
        and (window.arm != "B" or window.id not in treated)
        and abs(window.seconds / plan.window_s - 1) <= _SAME_LENGTH
    ]
    return sorted(found, key=lambda window: window.start_ns)


def foresee(session: Session, plan: Plan) -> list[Message]:
    """Sentences on what the plan can find, judged by the baseline windows of a session."""
    windows = baseline_windows(session, plan)
    if len(windows) < LEAST_BASELINE:
        return [
            Message(
                "Its sensitivity is not known: there are {count} windows of {window:g} s without "
                "a change, and it takes {least}. Measure a noise floor, the same pairs without a "
                "change.",
                count=len(windows),
                window=plan.window_s,
                least=LEAST_BASELINE,
            )
        ]
    counts = counted(session, windows, plan.slo_ns, plan.trim_s)
    return [*_smallest(counts, plan), *_stalls(counts, plan)]


def _smallest(counts: Sequence[WindowCounts], plan: Plan) -> list[Message]:
    primary = plan.primary_metric
    metric, kind = primary.metric, "" if primary.of_all else primary.type
    noise, why = expected_noise(counts, metric, kind, plan.slo_ns / 1e9)
    if noise is None:
        return [
            Message(
                "The smallest detectable effect on {metric} is not known: {why}.",
                metric=name_of(primary),
                why=why,
            )
        ]
    pairs = len({step.pair for step in plan.steps})
    ratio = max(detectable(noise, pairs), MATERIAL[metric])  # a smaller one is called immaterial
    half = pairs_needed(noise, _HALF)
    return [
        Message(
            "Judging by {count} windows without a change, {pairs} pairs detect in 8 of 10 "
            "experiments that {metric} falls to {down:ratio} or less, or rises to {up:ratio} or "
            "more; to detect that it halves or doubles takes {half} pairs.",
            count=len(counts),
            pairs=pairs,
            metric=name_of(primary),
            down=1 / ratio,
            up=ratio,
            half=half,
        )
    ]


def _stalls(counts: Sequence[WindowCounts], plan: Plan) -> list[Message]:
    found = stalls_of(counts, threshold_s(counts, plan.slo_ns / 1e9))
    each = float(np.mean([len(stalls) for stalls in found]))
    if each == 0 or each >= STALLS_IN_A_WINDOW:
        return []
    wanted = plan.window_s * STALLS_IN_A_WINDOW / each
    return [
        Message(
            "A window holds {each:.1f} stalls. For a tail it should hold {least} or more: use "
            "windows of {window:.0f} s.",
            each=each,
            least=STALLS_IN_A_WINDOW,
            window=wanted,
        )
    ]
