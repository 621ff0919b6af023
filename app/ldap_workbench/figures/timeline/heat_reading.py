"""A heat map in words and numbers: its reading, a moment of it, its table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.figures.formats import DASH, amount
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.ticks import duration_text, time_text
from ldap_workbench.figures.timeline.heat_grid import HeatGrid, StallAt
from ldap_workbench.model.message import NOTHING, Message, count_of

_ROWS = 600
_Timed = tuple[float, Row]
"""Second, then what, its length, operations, longest."""
_NEAR = 0.01
"""A mark so near to a moment, as a share of what is shown, is described with it."""
_LISTED = "{parts}"
_HEADINGS = (
    Message("Time (UTC)"),
    Message("What"),
    Message("Length"),
    Message("Operations"),
    Message("Longest, up to"),
)


def heat_reading(grid: HeatGrid | None) -> Message:
    """What the map shows, and the stalls in it, in a sentence."""
    if grid is None or not grid.counts.any():
        return Message("no data yet.")
    row = int(np.flatnonzero(grid.counts.any(axis=0))[-1])
    column = int(np.flatnonzero(grid.counts[:, row])[0])
    return Message(
        "{count} operations; the longest took up to {longest:duration}, at {when}{stalls}.",
        count=int(grid.counts.sum()),
        longest=_upper_edge(grid, row),
        when=_clock(grid, grid.start_s + column * grid.step_s),
        stalls=_stalls(grid),
    )


def heat_at(grid: HeatGrid | None, whole: HeatGrid, second: float, shown_s: float) -> Message:
    """What it shows at a moment, with a stall or mark that is there; nothing beside the map.

    `grid` is the finer one where there is one; stalls and marks are those of `whole`.
    """
    column = int((second - grid.start_s) // grid.step_s) if grid else -1
    if grid is None or not 0 <= column < len(grid.counts):
        return NOTHING
    parts: list[Message] = [
        Message(
            "{time} UTC: {count} operations in {length:g} s",
            time=_clock(grid, second),
            count=int(grid.counts[column].sum()),
            length=grid.step_s,
        )
    ]
    if longest := longest_in(grid, column):
        parts.append(Message("the longest up to {etime:duration}", etime=longest))
    parts += [describe_stall(s) for s in whole.stalls if s.start_s <= second <= s.end_s]
    near = max(grid.step_s, _NEAR * shown_s)
    marks = [mark.description for mark in whole.marks if abs(mark.second - second) <= near]
    parts += marks
    return Message(_LISTED, parts=tuple(parts))


def heat_cell(grid: HeatGrid, whole: HeatGrid, second: float, height: float) -> tuple[Message, ...]:
    """The time, then the cell at a height (log10 ns): its etimes and operations, and its stalls."""
    column = int((second - grid.start_s) // grid.step_s)
    row = int((height - grid.bottom) // grid.height)
    if not (0 <= column < len(grid.counts) and 0 <= row < grid.counts.shape[1]):
        return ()
    lower = grid.bottom + row * grid.height
    return (
        Message("{time} UTC", time=_clock(grid, grid.start_s + column * grid.step_s)),
        count_of(
            "etime {low} to {high}: {n} operation in {length:g} s",
            "etime {low} to {high}: {n} operations in {length:g} s",
            n=int(grid.counts[column, row]),
            low=duration_text(lower),
            high=duration_text(lower + grid.height),
            length=grid.step_s,
        ),
        *(describe_stall(s) for s in whole.stalls if s.start_s <= second <= s.end_s),
    )


def heat_numbers(grid: HeatGrid, whole: HeatGrid) -> Numbers:
    """Every column of `grid`, with the stalls and marks of `whole`, in the order of time."""
    columns = list(_columns(grid))[:: max(1, -(-len(grid.counts) // _ROWS))]
    marks = [(mark.second, (mark.description, "", DASH, DASH)) for mark in whole.marks]
    rows = sorted([*columns, *_stall_rows(whole), *marks], key=lambda row: row[0])
    return Numbers(_HEADINGS, tuple((_clock(grid, second), *cells) for second, cells in rows))


def longest_in(grid: HeatGrid, column: int) -> int | None:
    """The upper edge (ns) of the longest etimes of a column; None where it has none."""
    used = np.flatnonzero(grid.counts[column])
    return _upper_edge(grid, int(used[-1])) if len(used) else None


def describe_stall(stall: StallAt) -> Message:
    """'stall 1.2 s, 34 operations'."""
    return Message(
        "stall {length:duration}, {count} operations",
        length=stall.longest_ns,
        count=stall.operations,
    )


def _upper_edge(grid: HeatGrid, row: int) -> int:
    return round(10 ** (grid.bottom + (row + 1) * grid.height))


def _clock(grid: HeatGrid, second: float) -> str:
    return time_text(second, min(1.0, grid.step_s))


def _stalls(grid: HeatGrid) -> Message:
    if not grid.stalls:
        return NOTHING
    longest = max(grid.stalls, key=lambda stall: stall.longest_ns)
    when, length = _clock(grid, longest.start_s), longest.longest_ns
    if len(grid.stalls) == 1:
        return Message("; one stall, of {length:duration} from {when}", length=length, when=when)
    return Message(
        "; {count} stalls, the longest of {length:duration} from {when}",
        count=len(grid.stalls),
        length=length,
        when=when,
    )


def _columns(grid: HeatGrid) -> Iterator[_Timed]:
    for column, counts in enumerate(grid.counts):
        longest = amount(longest_in(grid, column), "duration")
        second, length = grid.start_s + column * grid.step_s, amount(grid.step_s, "g", " s")
        yield second, ("", length, amount(int(counts.sum())), longest)


def _stall_rows(grid: HeatGrid) -> Iterator[_Timed]:
    for stall in grid.stalls:
        lasted = amount((stall.end_s - stall.start_s) * 1e9, "duration")
        longest = amount(stall.longest_ns, "duration")
        yield stall.start_s, (Message("stall"), lasted, amount(stall.operations), longest)
