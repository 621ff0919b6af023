"""A heat map in words and numbers: its reading, a moment of it, its table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QCoreApplication

from ldap_workbench.figures.heat_grid import HeatGrid, StallAt
from ldap_workbench.figures.numbers import Numbers
from ldap_workbench.figures.ticks import time_text
from ldap_workbench.model.units import format_duration

_ROWS = 600
_Row = tuple[float, str, str, str, str]
"""Second, what, its length, operations, longest."""
_NEAR = 0.01
"""A mark so near to a moment, as a share of what is shown, is told with it."""


def heat_reading(grid: HeatGrid | None) -> str:
    """What the map shows, and the stalls in it, in a sentence."""
    if grid is None or not grid.counts.any():
        return QCoreApplication.translate("Heatmap", "there is nothing to show yet.")
    row = int(np.flatnonzero(grid.counts.any(axis=0))[-1])
    column = int(np.flatnonzero(grid.counts[:, row])[0])
    worst = format_duration(round(10 ** (grid.bottom + (row + 1) * grid.height)))
    when = time_text(grid.start_s + column * grid.step_s, min(1.0, grid.step_s))
    words = QCoreApplication.translate(
        "Heatmap", "{count} operations; the longest took up to {worst}, at {when}"
    )
    told = words.format(count=f"{int(grid.counts.sum()):,}", worst=worst, when=when)
    return f"{told}{_describe_stalls(grid)}."


def heat_at(grid: HeatGrid | None, whole: HeatGrid, second: float, shown_s: float) -> str:
    """What it shows at a moment, with a stall or mark that is there; '' beside the map.

    `grid` is the finer one where there is one; stalls and marks are those of `whole`.
    """
    column = int((second - grid.start_s) // grid.step_s) if grid else -1
    if grid is None or not 0 <= column < len(grid.counts):
        return ""
    count, longest = int(grid.counts[column].sum()), longest_in(grid, column)
    step = min(1.0, grid.step_s)
    translate = QCoreApplication.translate
    words = translate("Heatmap", "{time} UTC: {count} operations in {length} s")
    parts = [
        words.format(time=time_text(second, step), count=f"{count:,}", length=f"{grid.step_s:g}")
    ]
    most = translate("Heatmap", "the longest up to {etime}").format(etime=longest)
    parts += [most] if longest else []
    parts += [describe_stall(s) for s in whole.stalls if s.start_s <= second <= s.end_s]
    near = max(grid.step_s, _NEAR * shown_s)
    parts += [mark.words for mark in whole.marks if abs(mark.second - second) <= near]
    return ", ".join(parts)


def heat_numbers(grid: HeatGrid, whole: HeatGrid) -> Numbers:
    """Every column of `grid`, with the stalls and marks of `whole`, in the order of time."""
    translate = QCoreApplication.translate
    headings = (
        "Time (UTC)",
        translate("Heatmap", "What"),
        translate("Heatmap", "Length"),
        "Operations",
        "Longest, up to",
    )
    columns = list(_columns(grid))[:: max(1, -(-len(grid.counts) // _ROWS))]
    rows = sorted([*columns, *_stall_rows(whole), *_mark_rows(whole)], key=lambda row: row[0])
    step = min(1.0, grid.step_s)
    return Numbers(headings, tuple((time_text(second, step), *cells) for second, *cells in rows))


def longest_in(grid: HeatGrid, column: int) -> str:
    """The upper edge of the longest etimes of a column; '' where it has none."""
    used = np.flatnonzero(grid.counts[column])
    top = grid.bottom + (used[-1] + 1) * grid.height if len(used) else None
    return "" if top is None else format_duration(round(10**top))


def describe_stall(stall: StallAt) -> str:
    """'stall 1.2 s, 34 operations'."""
    words = QCoreApplication.translate("Heatmap", "stall {length}, {count} operations")
    length = format_duration(stall.longest_ns)
    return words.format(length=length, count=f"{stall.operations:,}")


def _describe_stalls(grid: HeatGrid) -> str:
    if not grid.stalls:
        return ""
    longest = max(grid.stalls, key=lambda stall: stall.longest_ns)
    when = time_text(longest.start_s, min(1.0, grid.step_s))
    length = format_duration(longest.longest_ns)
    if len(grid.stalls) == 1:
        words = QCoreApplication.translate("Heatmap", "one stall, of {length} from {when}")
    else:
        words = QCoreApplication.translate(
            "Heatmap", "{count} stalls, the longest of {length} from {when}"
        )
    return "; " + words.format(count=f"{len(grid.stalls):,}", length=length, when=when)


def _columns(grid: HeatGrid) -> Iterator[_Row]:
    for column, counts in enumerate(grid.counts):
        longest = longest_in(grid, column) or "–"
        second = grid.start_s + column * grid.step_s
        yield second, "", f"{grid.step_s:g} s", f"{int(counts.sum()):,}", longest


def _stall_rows(grid: HeatGrid) -> Iterator[_Row]:
    words = QCoreApplication.translate("Heatmap", "stall")
    for stall in grid.stalls:
        lasted = format_duration(round((stall.end_s - stall.start_s) * 1e9))
        longest = format_duration(stall.longest_ns)
        yield stall.start_s, words, lasted, f"{stall.operations:,}", longest


def _mark_rows(grid: HeatGrid) -> Iterator[_Row]:
    for mark in grid.marks:
        yield mark.second, mark.words, "", "–", "–"
