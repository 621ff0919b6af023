"""What a verdict says of its evidence, as the report and the window show it.

A session may be a stranger's or an older one: what it lacks is None or left out, and so are numbers
that cannot be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ldap_workbench.figures.formats import number
from ldap_workbench.figures.verdict.ledger import Ledger, LedgerArm, LedgerStall
from ldap_workbench.figures.verdict.ratios import PairValue, ShiftCurve
from ldap_workbench.inference.counts.metrics import SLO, observed
from ldap_workbench.model import verdict as stored
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Verdict, WindowValues
from ldap_workbench.model.window import Window

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
