"""What a stored verdict says of its evidence; a session may be a stranger's or an older one.

Whatever is missing or not of the right shape is None or left out: then the report says less.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldap_workbench.figures.formats import number
from ldap_workbench.figures.ledger import Ledger, LedgerArm, LedgerStall
from ldap_workbench.figures.ratios import Floats, PairValue, ShiftCurve
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.session.codec import from_json

_ARMS = ("A", "B")


def stored_verdict(experiment: Experiment) -> Verdict | None:
    """The verdict as the session holds it."""
    if experiment.verdict is None:
        return None
    return from_json(Verdict, json.dumps(experiment.verdict))


def shift_of(verdict: Verdict) -> ShiftCurve | None:
    """The ratios at all quantiles; None where the verdict has none, or not for two quantiles."""
    found = mapping(verdict.details.get("shift"))
    columns = [_numbers(found.get(name)) for name in ("p", "ratio", "low", "high")]
    if len({len(column) for column in columns}) != 1 or len(columns[0]) < 2:
        return None
    p, ratio, low, high = columns
    if (ratio <= 0).any() or (low <= 0).any() or (p >= 1).any():
        return None
    return ShiftCurve(p, ratio, low, high)


def left_out_s(plan: Plan, verdict: Verdict | None) -> float:
    """Seconds cut from the start of every window: as asked, or what the warm-up rule found."""
    found = number(verdict.details.get("trimmed_s")) if verdict else None
    return plan.trim_s + (found or 0.0)


def ledger_of(verdict: Verdict, windows: Sequence[Window], trim_s: float = 0.0) -> Ledger | None:
    """The stalls the verdict found, with their windows' names and times."""
    found = mapping(verdict.details.get("ledger"))
    threshold = number(found.get("threshold_ns"))
    if threshold is None:
        return None
    cut = trim_s + (number(verdict.details.get("trimmed_s")) or 0.0)
    known = {(window.arm, window.pair): window for window in windows}
    arms = mapping(found.get("arms"))
    stalls = [_stall(mapping(row), known, cut) for row in _sequence(found.get("stalls"))]
    long_stalls = mapping(verdict.details.get("long_stalls")).get("sentence", "")
    return Ledger(
        threshold_ns=threshold,
        arms=tuple(_arm(arm, mapping(arms.get(arm))) for arm in _ARMS if arm in arms),
        stalls=tuple(stall for stall in stalls if stall),
        of=int(number(found.get("of")) or 0),
        long_stalls=str(long_stalls),
    )


def pair_values(verdict: Verdict, metric: str, b_first: Mapping[int, bool]) -> list[PairValue]:
    """A metric of all operations in both windows of each pair: the data the test saw."""
    rows = [mapping(row) for row in _sequence(verdict.details.get("windows"))]
    values: dict[int, dict[str, float]] = {}
    for row in rows:
        value, pair = number(row.get(metric)), number(row.get("pair"))
        if value is not None and value > 0 and pair is not None and row.get("arm") in _ARMS:
            values.setdefault(int(pair), {})[str(row["arm"])] = value
    return [
        PairValue(pair, found["A"], found["B"], b_first=b_first.get(pair, False))
        for pair, found in sorted(values.items())
        if {"A", "B"} <= found.keys()
    ]


def _arm(arm: str, row: Mapping[str, Any]) -> LedgerArm:
    return LedgerArm(
        arm=arm,
        hours=number(row.get("hours")) or 0.0,
        count=int(number(row.get("count")) or 0),
        per_hour=number(row.get("per_hour")) or 0.0,
        stalled_s_per_hour=number(row.get("stalled_s_per_hour")) or 0.0,
        longest_ns=number(row.get("longest_ns")),
    )


def _stall(
    row: Mapping[str, Any], known: Mapping[tuple[str, int], Window], cut_s: float
) -> LedgerStall | None:
    length, start = number(row.get("length_ns")), number(row.get("start_s"))
    if length is None or start is None:
        return None
    arm, pair = str(row.get("arm")), number(row.get("pair"))
    window = known.get((arm, int(pair if pair is not None else -1)))
    return LedgerStall(
        window=window.name if window else "",
        arm=arm,
        start_ns=window.start_ns + round((cut_s + start) * NS_PER_S) if window else None,
        length_ns=length,
        operations=int(number(row.get("operations")) or 0),
    )


def mapping(value: object) -> Mapping[str, Any]:
    """A table of a stored verdict; {} where it is none."""
    return value if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _numbers(value: object) -> Floats:
    """The finite numbers of a list; none at all where one of them is not."""
    found = [number(each) for each in _sequence(value)]
    if any(each is None for each in found):
        return np.empty(0)
    return np.array(found, np.float64)
