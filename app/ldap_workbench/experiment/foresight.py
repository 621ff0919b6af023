"""What an experiment can find at all, from earlier windows without a change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldap_workbench.experiment.counting import counted, kind_in
from ldap_workbench.experiment.index_proof import would_serve
from ldap_workbench.inference.counts.ledger import stalls_of, threshold_s
from ldap_workbench.inference.counts.metrics import FAILED, MATERIAL
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.pairs import LEAST_BASELINE, expected_noise
from ldap_workbench.inference.significance.power import (
    Range,
    Tested,
    detectable_range,
    known_from_steps,
    pairs_range,
)
from ldap_workbench.inference.verdict.wording import name_of
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

STALLS_IN_A_WINDOW = 5
"""A window with fewer measures where it happened to begin."""
_SAME_LENGTH = 0.1
_HALF = 0.5


def baseline_windows(session: Session, plan: Plan) -> list[Window]:
    """Windows of the server as it is, about as long as those planned, in time order.

    Longer ones are cut: two minutes out of five are two minutes without a change, too.
    """
    treated = {
        window
        for experiment in session.experiments()
        if not experiment.plan.changes_nothing
        for window in experiment.windows
    }
    windows = [
        window
        for window in session.windows()
        if not window.cancelled and (window.arm != "B" or window.id not in treated)
    ]
    parts = [part for window in windows for part in _parts(window, plan.window_s)]
    return sorted(parts, key=lambda window: window.start_ns)


def _parts(window: Window, seconds: float) -> list[Window]:
    """As many parts of about `seconds` as a window holds; none of a shorter one."""
    number = int(window.seconds / seconds + _SAME_LENGTH)
    if number == 1 and window.seconds <= seconds * (1 + _SAME_LENGTH):
        return [window]
    step = round(seconds * NS_PER_S)
    starts = [window.start_ns + n * step for n in range(number)]
    return [replace(window, start_ns=at, end_ns=min(at + step, window.end_ns)) for at in starts]


class Foresight:
    """Judges plans by the baseline windows of a session, each length of which is counted once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._counted: dict[tuple[object, ...], list[WindowCounts]] = {}

    def sentences(self, plan: Plan) -> list[Message]:
        """What the plan can find, and which searches its indexes would serve."""
        counts, served = self._counts(plan), would_serve(self._session, plan.treatment)
        if len(counts) < LEAST_BASELINE:
            return [*served, _too_few(len(counts), plan)]
        return [*served, _smallest(counts, plan), *_stalls(counts, plan)]

    def finds(self, plan: Plan) -> Message:
        """The same in a few words, to compare plans by."""
        counts = self._counts(plan)
        if len(counts) < LEAST_BASELINE:
            return Message("The baseline has too few windows of this length.")
        noise, why = _noise(counts, plan)
        if noise is None:
            return Message("Sensitivity unknown: {why}.", why=why)
        return Message("Detects that {effect}.", effect=_effect(noise, len(counts), plan))

    def _counts(self, plan: Plan) -> list[WindowCounts]:
        wanted = kind_in(plan.primary)
        key = plan.window_s, plan.slo_ns, plan.trim_s, wanted
        if key not in self._counted:
            windows = baseline_windows(self._session, plan)
            self._counted[key] = counted(self._session, windows, plan.slo_ns, plan.trim_s, wanted)
        return self._counted[key]


def foresee(session: Session, plan: Plan) -> list[Message]:
    """Sentences on what the plan can find, judged by the baseline windows of a session."""
    return Foresight(session).sentences(plan)


def _too_few(count: int, plan: Plan) -> Message:
    return Message(
        "Its sensitivity is not known: there are {count} windows of {window:g} s without "
        "a change, and it takes {least}. Measure a noise floor, the same pairs without a "
        "change.",
        count=count,
        window=plan.window_s,
        least=LEAST_BASELINE,
    )


def _noise(counts: Sequence[WindowCounts], plan: Plan) -> tuple[float | None, Message]:
    primary = plan.primary_metric
    if primary.metric == FAILED:
        return None, Message("it is counted in the windows of an experiment alone")
    kind = "" if primary.of_all else primary.type
    return expected_noise(counts, primary.metric, kind, plan.slo_ns / 1e9)


def _pairs(plan: Plan) -> int:
    return len({step.pair for step in plan.steps})


def _effect(noise: float, count: int, plan: Plan) -> Message:
    """The smallest it can find, as far as `count` windows tell the noise.

    What is smaller than the margin would be called too small to matter.
    """
    margin = MATERIAL[plan.primary_metric.metric]
    tested = Tested(
        _pairs(plan), plan.level, plan.looks, math.log(margin) if plan.futility else None
    )
    detectable = detectable_range(noise, known_from_steps(count), tested)
    low, high = max(detectable.low, margin), max(detectable.high, margin)
    if low == high:
        return Message(
            "{metric} falls to {down:ratio} or less, or rises to {up:ratio} or more",
            metric=name_of(plan.primary_metric),
            down=1 / high,
            up=high,
        )
    return Message(
        "{metric} falls to between {least:ratio} and {down:ratio}, or rises to between {up:ratio} "
        "and {most:ratio}",
        metric=name_of(plan.primary_metric),
        least=1 / high,
        down=1 / low,
        up=low,
        most=high,
    )


def _needed(pairs: Range) -> Message:
    if pairs.low == pairs.high:
        return Message("{pairs} pairs", pairs=pairs.high)
    return Message("{least} to {most} pairs", least=pairs.low, most=pairs.high)


def _smallest(counts: Sequence[WindowCounts], plan: Plan) -> Message:
    noise, why = _noise(counts, plan)
    if noise is None:
        return Message(
            "The smallest detectable effect on {metric} is not known: {why}.",
            metric=name_of(plan.primary_metric),
            why=why,
        )
    return Message(
        "Judging by {count} windows without a change, {pairs} pairs detect in 8 of 10 experiments "
        "that {effect}; to detect that it halves or doubles takes {half}.",
        count=len(counts),
        pairs=_pairs(plan),
        effect=_effect(noise, len(counts), plan),
        half=_needed(pairs_range(noise, known_from_steps(len(counts)), _HALF, plan.level)),
    )


def _stalls(counts: Sequence[WindowCounts], plan: Plan) -> list[Message]:
    stalls = stalls_of(counts, threshold_s(counts, plan.slo_ns / 1e9))
    per_window = float(np.mean([len(episodes) for episodes in stalls]))
    if per_window == 0 or per_window >= STALLS_IN_A_WINDOW:
        return []
    wanted = plan.window_s * STALLS_IN_A_WINDOW / per_window
    return [
        Message(
            "A window holds {each:.1f} stalls. For a tail it should hold {least} or more: use "
            "windows of {window:.0f} s.",
            each=per_window,
            least=STALLS_IN_A_WINDOW,
            window=wanted,
        )
    ]
