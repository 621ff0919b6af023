"""What a verdict says of its evidence, as the report and the window show it.

A session may be a stranger's or an older one: what it lacks is None or left out, and so are numbers
that cannot be drawn.

B against A as ratios: of each pair, of each metric with its interval, at each percentile. The
stalls a verdict counted: those of each arm in all, and the longest one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.formats import DASH, amount, clock, number, seconds
from ldap_workbench.figures.names import arm_name
from ldap_workbench.inference.counts.metrics import SLO, observed
from ldap_workbench.model import verdict as stored
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S, format_duration
from ldap_workbench.model.verdict import Verdict, WindowValues
from ldap_workbench.model.window import Window

Floats = NDArray[np.float64]

_ARMS = ("A", "B")


def shift_of(verdict: Verdict) -> ShiftCurve | None:
    """The ratios at all quantiles; None where the verdict has none, or not for two quantiles."""
    shift = verdict.details.shift
    if shift is None or len(shift.p) < 2:
        return None
    p, ratio, low, high = columns = [
        np.array(column, np.float64) for column in (shift.p, shift.ratio, shift.low, shift.high)
    ]
    if any(len(column) != len(p) or not np.isfinite(column).all() for column in columns):
        return None
    if (ratio <= 0).any() or (low <= 0).any() or (p >= 1).any():
        return None
    return ShiftCurve(p, ratio, low, high)


def left_out_s(plan: Plan, verdict: Verdict | None) -> float:
    """Seconds cut from the start of every window: as asked, or what the warm-up rule found."""
    trimmed_s = number(verdict.details.trimmed_s) if verdict else None
    return plan.trim_s + (trimmed_s or 0.0)


def ledger_of(verdict: Verdict, windows: Sequence[Window], trim_s: float = 0.0) -> Ledger | None:
    """The stalls the verdict found, with their windows' names and times."""
    ledger = verdict.details.ledger
    if ledger is None or number(ledger.threshold_ns) is None:
        return None
    cut = trim_s + (number(verdict.details.trimmed_s) or 0.0)
    known = {(window.arm, window.pair): window for window in windows}
    stalls = [_stall(row, known, cut) for row in ledger.stalls]
    long_stalls = verdict.details.long_stalls
    return Ledger(
        threshold_ns=ledger.threshold_ns,
        arms=tuple(_arm(arm, ledger.arms[arm]) for arm in _ARMS if arm in ledger.arms),
        stalls=tuple(stall for stall in stalls if stall),
        of=ledger.of,
        long_stalls=str(long_stalls.sentence) if long_stalls else "",
    )


def window_value(row: WindowValues, metric: str) -> float | None:
    """A metric of one window as it was counted: of a share, 0 of n are 0.

    The test compares shares with half an operation more, for a logarithm knows no 0.
    """
    value, n = number(row.value(metric)), number(row.n)
    if value is None or value < 0 or metric != SLO:
        return value
    if n is None or n < 1 or value == 0:
        return value
    return number(observed(metric, math.log(value), n))


def pair_values(verdict: Verdict, metric: str, b_first: Mapping[int, bool]) -> list[PairValue]:
    """A metric of all operations in both windows of each pair: the data the test saw."""
    values: dict[int, dict[str, float]] = {}
    for row in verdict.details.windows:
        value = window_value(row, metric)
        if value is not None and (value > 0 or metric == SLO) and row.arm in _ARMS:
            values.setdefault(row.pair, {})[row.arm] = value
    return [
        PairValue(pair, arms["A"], arms["B"], b_first=b_first.get(pair, False))
        for pair, arms in sorted(values.items())
        if {"A", "B"} <= arms.keys()
    ]


def _arm(arm: str, row: stored.LedgerArm) -> LedgerArm:
    return LedgerArm(
        arm=arm,
        hours=number(row.hours) or 0.0,
        count=row.count,
        per_hour=number(row.per_hour) or 0.0,
        stalled_s_per_hour=number(row.stalled_s_per_hour) or 0.0,
        longest_ns=number(row.longest_ns),
    )


def _stall(
    row: stored.LedgerStall, known: Mapping[tuple[str, int], Window], cut_s: float
) -> LedgerStall | None:
    if number(row.length_ns) is None or number(row.start_s) is None:
        return None
    window = known.get((row.arm, row.pair))
    return LedgerStall(
        window=window.name if window else "",
        arm=row.arm,
        start_ns=window.start_ns + round((cut_s + row.start_s) * NS_PER_S) if window else None,
        length_ns=row.length_ns,
        operations=row.operations,
    )


@dataclass(frozen=True)
class PairRatio:
    """B / A of one pair of windows; `order` is how the coin fell, AB or BA."""

    pair: int
    ratio: float
    order: str = ""


@dataclass(frozen=True)
class PairValue:
    """One metric in both windows of a pair, in the metric's unit."""

    pair: int
    a: float
    b: float
    b_first: bool


@dataclass(frozen=True)
class Rung:
    """B / A of one metric with its interval; None where there is none."""

    name: Message
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    primary: bool = False
    material: float = 1.1
    """Nearer to ×1 than this, both ways, a change does not matter."""


SAME = 1.1
"""Of a shift curve: within this ratio, either way, nobody would notice."""


@dataclass(frozen=True, eq=False)
class ShiftCurve:
    """B / A at the quantiles p (0 to 1) and its pointwise 95 % band."""

    p: Floats
    ratio: Floats
    low: Floats
    high: Floats


STALLS = 12
"""Stalls listed one by one, the longest first."""


@dataclass(frozen=True)
class LedgerArm:
    """The stalls of one arm in all."""

    arm: str
    hours: float
    count: int
    per_hour: float
    stalled_s_per_hour: float
    longest_ns: float | None


@dataclass(frozen=True)
class LedgerStall:
    """One stall; `start_ns` None where its window is not in the session."""

    window: str
    arm: str
    start_ns: int | None
    length_ns: float
    operations: int


@dataclass(frozen=True)
class Ledger:
    """Stalls as a verdict counts them: operations of `threshold_ns` and more, longest first."""

    threshold_ns: float
    arms: tuple[LedgerArm, ...]
    stalls: tuple[LedgerStall, ...]
    of: int
    long_stalls: str


def ledger_rows(ledger: Ledger | None) -> dict[str, Any] | None:
    """The stalls of both arms, and the longest one by one."""
    if ledger is None:
        return None
    return {
        "threshold": format_duration(round(ledger.threshold_ns)),
        "of": str(amount(ledger.of)),
        "listed": str(amount(min(len(ledger.stalls), STALLS))),
        "long_stalls": ledger.long_stalls,
        "arms": [
            {
                "arm": str(arm_name(arm.arm)),
                "measured": seconds(round(arm.hours * 3600)),
                "count": str(amount(arm.count)),
                "per_hour": f"{arm.per_hour:.3g} /h",
                "stalled": f"{arm.stalled_s_per_hour:.3g} s/h",
                "longest": _rounded(arm.longest_ns),
            }
            for arm in ledger.arms
        ],
        "stalls": [
            {
                "window": stall.window or stall.arm,
                "start": clock(stall.start_ns) if stall.start_ns is not None else DASH,
                "length": _rounded(stall.length_ns),
                "operations": str(amount(stall.operations)),
            }
            for stall in ledger.stalls[:STALLS]
        ],
    }


def _rounded(ns: float | None) -> str:
    return DASH if ns is None else format_duration(round(ns))
