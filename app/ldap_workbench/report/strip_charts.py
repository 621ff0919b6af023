"""Strips over time, one above the other: the windows as bands, what happened in them as lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ldap_workbench.figures.timeline.strips import Floats, Line, Strip
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.window import Mark
from ldap_workbench.report.parts import GroupPart, WindowPart
from ldap_workbench.report.scales import (
    Linear,
    LogTime,
    Scale,
    TimeScale,
    round_down,
    round_up,
)
from ldap_workbench.report.svg import Point, Sheet

WIDTH = 760
LEFT, RIGHT, TOP = 62, 28, 56
_HEIGHT, _GAP = 62, 26
_MARKS_SHOWN = 40

_LOOKS = ("series", "series-2")


def strips_chart(group: GroupPart, marks: Sequence[Mark]) -> str:
    """What the log tells and what was sampled over the time of the windows."""
    if not group.strips:
        return ""
    rows = len(group.strips)
    height = TOP + rows * (_HEIGHT + _GAP) + 24
    sheet = Sheet(WIDTH, height, _says(group))
    across = TimeScale(group.start_ns, group.end_ns, LEFT, WIDTH - RIGHT)
    bottom = TOP + rows * (_HEIGHT + _GAP) - _GAP
    _names(sheet, across, group.windows)
    for row in range(rows):
        _ground(sheet, across, group.windows, marks, TOP + row * (_HEIGHT + _GAP))
    for row, strip in enumerate(group.strips):
        _strip(sheet, across, strip, TOP + row * (_HEIGHT + _GAP))
    sheet.across(across, bottom, bottom, f"time in UTC, {format_time(group.start_ns)[:10]}")
    sheet.legend(LEFT, 16, _legend(group))
    return sheet.svg()


def _names(sheet: Sheet, across: TimeScale, windows: Sequence[WindowPart]) -> None:
    """The names of the windows over the strips, as many as there is room for."""
    last = -1e9
    for part in windows:
        name = part.window.name[:16]
        middle = (across.place(part.window.start_ns) + across.place(part.window.end_ns)) / 2
        if middle - 3.4 * len(name) > last + 3:
            sheet.word((middle, TOP - 20), name, anchor="middle", look="faint", size=11)
            last = middle + 3.4 * len(name)


def _ground(
    sheet: Sheet,
    across: TimeScale,
    windows: Sequence[WindowPart],
    marks: Sequence[Mark],
    top: float,
) -> None:
    """The bands of the windows and the marks behind one strip."""
    for part in windows:
        window = part.window
        x, end = across.place(window.start_ns), across.place(window.end_ns)
        look = f"fill-{window.arm.lower() if window.arm in ('A', 'B') else 'n'}"
        sheet.box(x, top, max(end - x, 1), _HEIGHT, look)
    inside = [m for m in marks if across.start_ns <= m.time_ns <= across.end_ns]
    for mark in inside[:_MARKS_SHOWN]:
        x = across.place(mark.time_ns)
        sheet.line((x, top), (x, top + _HEIGHT), "limit")


def _strip(sheet: Sheet, across: TimeScale, strip: Strip, top: float) -> None:
    values = np.concatenate([line.values for line in strip.lines])
    scale = _scale(strip, values[np.isfinite(values)], top)
    _row(sheet, across, scale, top, _title(strip))
    for line, look in zip(strip.lines, _LOOKS, strict=False):
        _draw(sheet, across, scale, line, look)


def _scale(strip: Strip, known: Floats, top: float) -> Scale:
    highest = float(known.max()) if len(known) else 0.0
    if not strip.duration:
        high = strip.ceiling if strip.ceiling and highest <= strip.ceiling else round_up(highest)
        return Linear(high, top + _HEIGHT, top, strip.unit)
    low = round_down(float(known.min())) if len(known) else 1e6
    return LogTime(low, round_up(max(highest, low * 10)), top + _HEIGHT, top)


def _title(strip: Strip) -> str:
    """With the names of its lines, where it has several."""
    names = [str(line.label) for line in strip.lines if line.label]
    return f"{strip.title} ({', '.join(names)})" if names else str(strip.title)


def _row(sheet: Sheet, across: TimeScale, scale: Scale, top: float, title: str) -> None:
    ticks = scale.ticks()
    shown = ticks if len(ticks) <= 3 else ticks[:: -(-len(ticks) // 3)]
    for tick in shown:
        y = scale.place(tick.value)
        sheet.line((LEFT, y), (across.last, y), "grid")
        sheet.word((LEFT - 7, y + 4), tick.label, anchor="end", look="faint", size=10)
    sheet.word((LEFT + 2, top - 3), title, look="faint", size=11)


def _draw(sheet: Sheet, across: TimeScale, scale: Scale, line: Line, look: str) -> None:
    """Every part of a line that is known; a moment alone is a dot."""
    known = np.isfinite(line.values)
    breaks = np.flatnonzero(np.diff(known)) + 1
    for places in np.split(np.arange(len(known)), breaks):
        if not len(places) or not known[places[0]]:
            continue
        times, values = line.seconds[places] * NS_PER_S, line.values[places]
        points = list(zip(map(across.place, times), map(scale.place, values), strict=True))
        if len(points) == 1:
            sheet.dot(points[0], look, size=1.5)
        sheet.path(_thinned(points), look)


def _thinned(points: Sequence[Point]) -> list[Point]:
    """The lowest and highest point of every half point of paper: no spike is lost."""
    ends_of_runs: list[Point] = []
    for _, run in itertools.groupby(points, key=lambda point: round(point[0] * 2)):
        ends = list(run)
        if len(ends) > 2:
            ends = sorted((min(ends, key=_height), max(ends, key=_height)))
        ends_of_runs += ends
    return ends_of_runs


def _height(point: Point) -> float:
    return point[1]


def _legend(group: GroupPart) -> list[tuple[str, str]]:
    arms = {part.window.arm for part in group.windows}
    if arms == {""}:
        return [("fill-n", "measurement window"), ("limit", "a mark or a change")]
    return [
        ("fill-a", "window of A"),
        ("fill-b", "window of B, with the change"),
        ("limit", "a mark or a change"),
    ]


def _says(group: GroupPart) -> str:
    names = [str(strip.title) for strip in group.strips]
    count = len(group.windows)
    return (
        f"Strips over time through {count} window{'s' if count != 1 else ''} from "
        f"{format_time(group.start_ns)} to {format_time(group.end_ns)}: {', '.join(names)}."
    )
