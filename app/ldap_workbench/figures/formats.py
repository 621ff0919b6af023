"""Numbers as a table or a chart shows them: a unit on each, a dash where nothing is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.units import format_time, latency_range

DASH = "–"
NOT_KNOWN = verbatim(DASH)
ABSENT = Message("absent")


def amount(value: float | None, kind: str = "count", unit: str = "") -> Message:
    """A number that is written in the reader's language; `kind` as in model/message.py."""
    if value is None:
        return NOT_KNOWN
    # Not a literal: a number by itself is nothing to translate.
    template = f"{{value:{kind}}}{unit}"
    return Message(template, value=value)


def etime(ns: int | None, resolution_ns: int = 1) -> Message:
    """A latency, or the range it may lie in where the log shows only coarse steps: 0 to 1 s."""
    if ns is None:
        return NOT_KNOWN
    if (limits := latency_range(ns, resolution_ns)) is None:
        return amount(ns, "duration")
    low, high, unit = limits
    return Message("{low:plain} to {high:plain} {unit}", low=low, high=high, unit=unit)


def share(value: float) -> Message:
    """0.0034 as 0.34 %."""
    return amount(value * 100, ".3g", " %")


def percent(value: float) -> Message:
    """0.2543 as 25.4 %: for columns, whose numbers stand below each other."""
    return amount(value * 100, ".1f", " %")


def ratio(value: float | None) -> Message:
    """×0.26, or a dash."""
    return amount(number(value), "ratio")


def ratio_interval(low: float | None, high: float | None) -> Message:
    """×0.2 to ×0.4, or a dash."""
    if (least := number(low)) is None or (most := number(high)) is None:
        return NOT_KNOWN
    return Message("{low:ratio} to {high:ratio}", low=least, high=most)


def seconds(value: float) -> str:
    """A span in the unit a person would choose: 20 s, 5 min, 2 h 30 min."""
    if value < 120:
        return f"{value:g} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 120:
        return f"{minutes} min" + (f" {rest} s" if rest else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h" + (f" {minutes} min" if minutes else "")


def number(value: object) -> float | None:
    """A finite number, or None: a session file may come from a stranger."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def attribute_values(values: Sequence[str] | None) -> Message:
    """Values of an attribute side by side; None is absent."""
    return ABSENT if values is None else verbatim(", ".join(values))


def clock(ns: int) -> str:
    """An instant for a column that says UTC in its heading: 2026-11-20 08:00:00.000."""
    return format_time(ns).removesuffix(" UTC")
