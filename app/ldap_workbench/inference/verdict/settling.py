"""What is said of an effect that was still on its way while it was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.measured import measure_all, measure_type, slow_part
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.pairs import LEAST_PAIRS
from ldap_workbench.inference.significance.crossover import Crossover, max_t
from ldap_workbench.inference.significance.pooled import bounded_exp
from ldap_workbench.inference.significance.settling import (
    SHARE,
    Course,
    Halves,
    has_halves,
    may_be_carried_over,
    paired_halves,
    relaxation,
    segments_of,
    split,
    typical_halves,
)
from ldap_workbench.inference.significance.signflip import Flips
from ldap_workbench.inference.verdict.question import Judged, Question
from ldap_workbench.inference.verdict.wording import length_of, name_of
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import HalfEffects, Judgement, MetricVerdict, Settling

Float = NDArray[np.float64]

_CLAIMS = (Judgement.BETTER, Judgement.WORSE, Judgement.IMMATERIAL, Judgement.EQUIVALENT)
"""What is said of a server that has settled."""
_STEPS = ((120.0, 10.0), (600.0, 30.0), (math.inf, 60.0))
"""Up to how many seconds a wait is rounded up to how many."""
_TRIM_STEP_S = 5.0
_MOST_TRIMMED = 0.25
"""Of a window."""


def course_in_pairs(
    asked: Question, windows: Sequence[WindowCounts], drawn: Flips, *, measured: bool
) -> Course | None:
    """Of windows that come as A, B, A, B ...; None for too few pairs or too short windows.

    `measured`: whether the windows hold enough for the primary metric.
    """
    if len(windows) < 2 * LEAST_PAIRS or not has_halves(windows):
        return None
    primary = primary_halves(asked, windows) if measured else None
    coarse = asked.with_coarse_times(windows)
    seen = Course(*paired_halves(typical_halves(coarse), primary, drawn))
    if seen.settled or seen.typical.settled:
        return seen
    segments = segments_of(coarse)
    return replace(seen, relaxation=relaxation(segments[1::2] - segments[::2], seconds_of(windows)))


def course_of_canary(
    asked: Question,
    windows: Sequence[WindowCounts],
    crossover: Callable[[Float], Crossover],
    *,
    measured: bool,
) -> Course | None:
    """Of a canary: `crossover` makes of values [window] what they say of it."""
    if not has_halves(windows):
        return None
    coarse = asked.with_coarse_times(windows)
    values = [typical_halves(coarse)]
    if measured and np.isfinite(primary := primary_halves(asked, windows)).all():
        values.append(primary)
    p = max_t([crossover(halves[:, 0] - halves[:, 1]) for halves in values])
    typical, *others = [
        Halves(crossover(halves[:, 0]).estimate, crossover(halves[:, 1]).estimate, float(of))
        for halves, of in zip(values, p, strict=True)
    ]
    seen = Course(typical, others[0] if others else None)
    if seen.settled or seen.typical.settled:
        return seen
    effects = [crossover(column).effects for column in segments_of(coarse).T]
    slow = relaxation(np.column_stack(effects), seconds_of(windows))
    return replace(seen, relaxation=slow)


def primary_halves(asked: Question, windows: Sequence[WindowCounts]) -> Float:
    """ln of the primary metric [window, half]; nan where a half does not have it."""
    parts = split(windows)
    slow = slow_part(parts, asked.slo_s)
    if asked.kind:
        measures = measure_type(asked.kind, parts, slow, asked.slo_s, asked.resolution_ns)
    else:
        measures = measure_all(parts, slow, asked.slo_s, asked.resolution_ns)
    return measures.values[asked.metric].reshape(-1, 2)


def seconds_of(windows: Sequence[WindowCounts]) -> float:
    """The part of the shortest window that is looked at: all but its last second."""
    return min((window.bins - 1) * window.dt for window in windows)


def unless_moving(metrics: Judged, seen: Course | None, asked: Question, window_s: float) -> Judged:
    """The verdicts, none of which knows an effect that is still on its way."""
    if seen is None or seen.settled:
        return metrics
    takes = what_it_takes(seen, asked, window_s)
    return {
        name: replace(verdict, verdict=Judgement.NOT_SETTLED.value, takes=takes)
        if verdict.verdict in _CLAIMS
        else verdict
        for name, verdict in metrics.items()
    }


def also_moving(
    primary: MetricVerdict, seen: Course | None, asked: Question, window_s: float
) -> tuple[Message, ...]:
    """That an effect nothing is claimed of was on its way as well: more pairs do not help there."""
    if seen is None or seen.settled or primary.verdict != Judgement.INCONCLUSIVE:
        return ()
    return (Message("Not settled: it takes {takes}.", takes=what_it_takes(seen, asked, window_s)),)


def is_carried_over(
    asked: Question, windows: Sequence[WindowCounts], primary: Float, alpha: float
) -> bool:
    """Whether it was asked that the effect lasts, and all of it may be left behind by switches.

    Of windows that come as A, B, A, B ..., with ln of the primary metric [window].
    """
    if not asked.must_last or len(windows) < 2 * LEAST_PAIRS or not has_halves(windows):
        return False
    typical = typical_halves(asked.with_coarse_times(windows))
    return may_be_carried_over(
        typical[1::2] - typical[::2], primary[1::2] - primary[::2], asked.seed, alpha
    )


def carried_over(
    primary: MetricVerdict, settling: Settling, asked: Question, window_s: float
) -> tuple[MetricVerdict, Settling]:
    """The verdict, and what to wait, where an improvement may be left behind by the switches."""
    wait_s = _a_window_more(asked, window_s)
    takes = Message(
        "a longer wait after each change, such as {wait}: typical etimes of B are {first:ratio} "
        "those of A in the first half of a window and {second:ratio} in the second, so nothing may "
        "be left of the improvement if it fades as slowly as a window lasts",
        wait=length_of(wait_s),
        first=settling.first,
        second=settling.second,
    )
    unsettled = replace(primary, verdict=Judgement.NOT_SETTLED.value, takes=takes)
    return unsettled, replace(settling, wait_s=wait_s, trim_s=_trim(_MOST_TRIMMED * window_s))


def _a_window_more(asked: Question, window_s: float) -> float:
    """A wait: what was waited, and a window."""
    return _rounded_up(asked.waited_s + window_s)


def what_it_takes(seen: Course, asked: Question, window_s: float) -> Message:
    """How long the effect takes, what to wait and to discard, and what shows it."""
    return _takes(seen, _settling(seen, asked, window_s), asked)


def settling_of(seen: Course | None, asked: Question, window_s: float) -> Settling | None:
    """The course in ratios and seconds, with what to wait and to discard the next time."""
    return None if seen is None else _settling(seen, asked, window_s)


def _settling(seen: Course, asked: Question, window_s: float) -> Settling:
    first, second, p = _ratios(seen.typical)
    primary = HalfEffects(*_ratios(seen.primary)) if seen.primary else None
    halves = Settling(first, second, p, primary)
    if seen.settled:
        return halves
    slow, most = seen.relaxation, _MOST_TRIMMED * window_s
    if slow is None:
        # How long it takes cannot be told: a window later it is further on its way, at least.
        wait_s = _a_window_more(asked, window_s)
        return replace(halves, wait_s=wait_s, trim_s=_trim(most))
    return replace(
        halves,
        reached_s=slow.reached_s,
        reached_later=slow.bounded,
        wait_s=_rounded_up(asked.waited_s + slow.wait_s),
        trim_s=_trim(min(slow.constant_s, most)),
    )


def _trim(seconds: float) -> float:
    return math.ceil(seconds / _TRIM_STEP_S) * _TRIM_STEP_S


def _ratios(halves: Halves) -> tuple[float, float, float]:
    return bounded_exp(halves.first), bounded_exp(halves.second), halves.p


def _takes(seen: Course, settling: Settling, asked: Question) -> Message:
    parameters: dict[str, Any] = {
        "wait": length_of(settling.wait_s or 0.0),
        "trim": length_of(settling.trim_s or 0.0),
        "moved": _moved(seen, asked),
    }
    if settling.reached_s is None:
        return Message(
            "a longer wait after each change, such as {wait}, and the first {trim} of each window "
            "discarded ({moved})",
            **parameters,
        )
    parameters |= {"share": SHARE, "after": length_of(_rounded_up(settling.reached_s))}
    if settling.reached_later:
        return Message(
            "a longer wait after each change: {share:percent} of the effect takes {after} or "
            "longer; wait {wait} and discard the first {trim} of each window ({moved})",
            **parameters,
        )
    return Message(
        "a longer wait after each change: {share:percent} of the effect is there after {after}; "
        "wait {wait} and discard the first {trim} of each window ({moved})",
        **parameters,
    )


def _moved(seen: Course, asked: Question) -> Message:
    """What shows it: typical etimes, unless only the primary metric does."""
    if seen.typical.settled and seen.primary is not None:
        return Message(
            "{metric} of B is {first:ratio} that of A in the first half of a window and "
            "{second:ratio} in the second",
            metric=name_of(PrimaryMetric(asked.metric, asked.kind or ALL)),
            first=bounded_exp(seen.primary.first),
            second=bounded_exp(seen.primary.second),
        )
    return Message(
        "typical etimes of B are {first:ratio} those of A in the first half of a window and "
        "{second:ratio} in the second",
        first=bounded_exp(seen.typical.first),
        second=bounded_exp(seen.typical.second),
    )


def _rounded_up(seconds: float) -> float:
    step = next(step for most, step in _STEPS if seconds <= most)
    return math.ceil(seconds / step) * step
