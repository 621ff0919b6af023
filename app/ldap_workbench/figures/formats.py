"""Numbers as a table or a chart shows them: a unit on each, a dash where nothing is known."""

from __future__ import annotations

import math

from ldap_workbench.figures.names import METRIC_UNITS
from ldap_workbench.model.message import Message, Text
from ldap_workbench.model.units import format_duration, format_latency, format_ratio, format_time

DASH = "–"


def amount(value: float | None, kind: str = "count", unit: str = "") -> Text:
    """A number that is written in the reader's language; `kind` as in model/message.py."""
    if value is None:
        return DASH
    # Not a literal: a number by itself is nothing to translate.
    template = f"{{value:{kind}}}{unit}"
    return Message(template, value=value)


def etime(ns: int | None, resolution_ns: int = 1) -> str:
    """A latency, or the range it may lie in where the log shows only coarse steps: 0 to 1 s."""
    return DASH if ns is None else format_latency(ns, resolution_ns)


def share(value: float) -> str:
    """0.0034 as 0.34 %."""
    return f"{value * 100:.3g} %"


def ratio(value: float | None) -> str:
    """×0.26, or a dash."""
    value = number(value)
    return DASH if value is None else format_ratio(value)


def ratio_interval(low: float | None, high: float | None) -> str:
    """×0.2 to ×0.4, or a dash."""
    if number(low) is None or number(high) is None:
        return DASH
    return f"{ratio(low)} to {ratio(high)}"


def count(value: int) -> str:
    """Thousands set apart."""
    return f"{value:,}"


def seconds(value: float) -> str:
    """A span in the unit a person would choose: 20 s, 5 min, 2 h 30 min."""
    if value < 120:
        return f"{value:g} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 120:
        return f"{minutes} min" + (f" {rest} s" if rest else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h" + (f" {minutes} min" if minutes else "")


def metric_value(metric: str, value: float | None) -> str:
    """A value of an arm in the metric's unit: 1.25 ms, 0.34 %, 12."""
    value = number(value)
    unit = METRIC_UNITS.get(metric, "count")
    if value is None:
        return DASH
    if unit == "ns":
        return format_duration(round(value))
    return share(value) if unit == "share" else f"{value:,.3g} stalls"


def number(value: object) -> float | None:
    """A finite number, or None: a session file may come from a stranger."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def clock(ns: int) -> str:
    """An instant for a column that says UTC in its heading: 2026-11-20 08:00:00.000."""
    return format_time(ns).removesuffix(" UTC")
