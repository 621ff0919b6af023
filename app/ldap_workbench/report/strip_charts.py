"""Strips over time, one above the other: the windows as bands, what happened in them as lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Mark
from ldap_workbench.report.measure import Float64, Int64
from ldap_workbench.report.parts import GroupPart, StripPart, WindowPart
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

Piece = tuple[Int64, Float64]


def strips_chart(group: GroupPart, marks: Sequence[Mark]) -> str:
    """Operations a second, the longest etime, and sampled series over the time of the windows."""
    if not group.windows:
        return ""
    rows = 2 + len(group.strips)
    height = TOP + rows * (_HEIGHT + _GAP) + 24
    sheet = Sheet(WIDTH, height, _says(group))
    across = TimeScale(group.start_ns, group.end_ns, LEFT, WIDTH - RIGHT)
    bottom = TOP + rows * (_HEIGHT + _GAP) - _GAP
    _names(sheet, across, group.windows)
    for row in range(rows):
        _ground(sheet, across, group.windows, marks, TOP + row * (_HEIGHT + _GAP))
    _rate(sheet, across, group.windows, TOP)
    _longest(sheet, across, group.windows, TOP + _HEIGHT + _GAP)
    for row, strip in enumerate(group.strips, start=2):
        _sampled(sheet, across, strip, TOP + row * (_HEIGHT + _GAP))
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


def _rate(sheet: Sheet, across: TimeScale, windows: Sequence[WindowPart], top: float) -> None:
    high = max((float(part.seconds.per_second.max(initial=0)) for part in windows), default=0)
    scale = Linear(round_up(high), top + _HEIGHT, top)
    _row(sheet, across, scale, top, "Operations started a second")
    for part in windows:
        seconds = part.seconds
        _steps(sheet, across, scale, (seconds.time_ns, seconds.per_second))


def _longest(sheet: Sheet, across: TimeScale, windows: Sequence[WindowPart], top: float) -> None:
    """The longest etime of the operations that started in each second, as a dot with a stem."""
    values = [part.seconds.longest_ns for part in windows]
    known = np.concatenate([each[each > 0] for each in values])
    low = round_down(float(known.min())) if len(known) else 1e6
    high = round_up(max(float(known.max()), low * 10)) if len(known) else 1e9
    scale = LogTime(low, high, top + _HEIGHT, top)
    _row(sheet, across, scale, top, "Longest etime of what started then")
    for part in windows:
        longest = part.seconds.longest_ns.astype(np.float64)
        _steps(sheet, across, scale, (part.seconds.time_ns, np.maximum(longest, low)))


def _sampled(sheet: Sheet, across: TimeScale, strip: StripPart, top: float) -> None:
    highest = max((float(v.max()) for _, v in strip.pieces if len(v)), default=0)
    high = 100.0 if strip.unit == " %" and highest <= 100 else round_up(highest)
    scale = Linear(high, top + _HEIGHT, top, strip.unit)
    _row(sheet, across, scale, top, strip.title)
    for piece in strip.pieces:
        _steps(sheet, across, scale, piece)


def _row(sheet: Sheet, across: TimeScale, scale: Scale, top: float, title: str) -> None:
    ticks = scale.ticks()
    shown = ticks if len(ticks) <= 3 else ticks[:: -(-len(ticks) // 3)]
    for tick in shown:
        y = scale.place(tick.value)
        sheet.line((LEFT, y), (across.last, y), "grid")
        sheet.word((LEFT - 7, y + 4), tick.label, anchor="end", look="faint", size=10)
    sheet.word((LEFT + 2, top - 3), title, look="faint", size=11)


def _steps(sheet: Sheet, across: TimeScale, scale: Scale, piece: Piece) -> None:
    times, values = piece
    points = [
        (across.place(float(t)), scale.place(float(v)))
        for t, v in zip(times, values, strict=True)
        if np.isfinite(v)
    ]
    if len(points) == 1:
        sheet.dot(points[0], "series", size=1.5)
    sheet.path(_thinned(points), "series")


def _thinned(points: Sequence[Point]) -> list[Point]:
    """The lowest and highest point of every half point of paper: no spike is lost."""
    kept: list[Point] = []
    for _, run in itertools.groupby(points, key=lambda point: round(point[0] * 2)):
        ends = list(run)
        if len(ends) > 2:
            ends = sorted((min(ends, key=_height), max(ends, key=_height)))
        kept += ends
    return kept


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
    names = ["operations started a second", "longest etime"]
    names += [strip.title for strip in group.strips]
    count = len(group.windows)
    return (
        f"Strips over time through {count} window{'s' if count != 1 else ''} from "
        f"{format_time(group.start_ns)} to {format_time(group.end_ns)}: {', '.join(names)}."
    )
