"""A strip in words and numbers: a value of a line, what the strip shows at a moment."""

from __future__ import annotations

import numpy as np

from ldap_workbench.figures.formats import NOT_KNOWN
from ldap_workbench.figures.ticks import duration_text, quantity, time_text
from ldap_workbench.figures.timeline.strips import Floats, Line, Strip
from ldap_workbench.model.message import Message


def value_text(strip: Strip, value: float | None) -> Message:
    """A value with its unit."""
    if value is None or not np.isfinite(value):
        return NOT_KNOWN
    if strip.duration:
        return duration_text(float(np.log10(max(value, 1.0))))
    return quantity(value, strip.unit)


def value_at(line: Line, second: float) -> float | None:
    """The latest value at a moment; None before the first."""
    at = int(np.searchsorted(line.seconds, second, side="right")) - 1
    return float(line.values[at]) if at >= 0 else None


def last_known(values: Floats) -> float | None:
    """The last value; None where there is none."""
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else None


def strip_at(strip: Strip, second: float, step_s: float) -> tuple[Message, ...]:
    """The time, then every line with its value at that moment; `step_s` is how exact time is."""
    values = [(line.label or strip.title, value_at(line, second)) for line in strip.lines]
    return (
        Message("{time} UTC", time=time_text(second, step_s)),
        *(
            Message("{line} {value}", line=name, value=value_text(strip, value))
            for name, value in values
        ),
    )
