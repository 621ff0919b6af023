"""Finer columns of the heat map for the part of the time that is shown."""

from __future__ import annotations

from typing import NamedTuple

from ldap_workbench.figures.timeline.heat_grid import HeatGrid, step_ns
from ldap_workbench.model.units import NS_PER_S

_BESIDE = 1.0
"""As much again is read on both sides: moving on shows it at once."""


class Zoom(NamedTuple):
    """From, to and width of a column, in ns."""

    from_ns: int
    to_ns: int
    step_ns: int


def zoom_at(whole: HeatGrid, low: float, high: float) -> Zoom | None:
    """What to read where `low` to `high` (s) is shown; None where `whole` is fine enough."""
    low, high = max(low, whole.start_s), min(high, whole.end_s)
    if low >= high:
        return None
    step = step_ns(round((high - low) * NS_PER_S), whole.count_between(low, high))
    base = round(whole.step_s * NS_PER_S)
    if step >= base:
        return None
    beside = _BESIDE * (high - low)
    start, end = round(whole.start_s * NS_PER_S), round(whole.end_s * NS_PER_S)
    first = max(start, round((low - beside) * NS_PER_S) // step * step)
    last = min(end, -(-round((high + beside) * NS_PER_S) // step) * step)
    return Zoom(first, last, step)


def covered(finer: HeatGrid | None, low: float, high: float, step: int, whole: HeatGrid) -> bool:
    """Whether this finer grid already shows what is wanted, wherever there is anything."""
    if finer is None or round(finer.step_s * NS_PER_S) != step:
        return False
    low, high = max(low, whole.start_s), min(high, whole.end_s)
    room = finer.step_s
    return finer.start_s <= low + room and finer.end_s >= high - room
