"""The stalls a verdict counted: those of each arm in all, and the longest one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldap_workbench.figures.formats import DASH, amount, clock, seconds
from ldap_workbench.figures.names import arm_name
from ldap_workbench.model.units import format_duration

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
