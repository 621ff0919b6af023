"""What a heat map holds: counts by time and etime, stalls, marks, windows.

A heat map in words and numbers: its reading, a moment of it, its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.formats import DASH, amount
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.ticks import duration_text, time_text
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import MARK, mark_label

Int64 = NDArray[np.int64]
Part = tuple[Int64, Int64]
"""Ends and etimes (ns) of operations, in the order of their ends."""

_MOST, _LEAST, _A_COLUMN = 1000, 200, 4
"""At most and at least so many columns, and between them one for every so many operations."""
_ROWS_PER_DECADE = 12
_RAREST = 10
_MS = NS_PER_S // 1000
_STEPS_NS = (
    *(ms * _MS for ms in (10, 20, 50, 100, 200, 500)),
    *(s * NS_PER_S for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)),
)
_WORDS = 32
"""Letters of the operator's own words that are drawn; all of them stand in the numbers."""


class MarkAt(NamedTuple):
    """A moment worth remembering: `kind` is drawn, `text` says what was done or seen."""

    second: float
    kind: str
    text: Message = NOTHING

    @property
    def label(self) -> Message:
        """The few words beside it: the operator's own, else what kind of mark it is."""
        if self.kind != MARK or not self.text:
            return mark_label(self.kind)
        own = str(self.text)
        return self.text if len(own) <= _WORDS else verbatim(f"{own[: _WORDS - 1]}…")

    @property
    def description(self) -> Message:
        """All that is known of it."""
        kind = mark_label(self.kind)
        return Message("{kind}: {text}", kind=kind, text=self.text) if self.text else kind


class StallAt(NamedTuple):
    """A stall: seconds of its first start and last end, its operations, their longest etime."""

    start_s: float
    end_s: float
    operations: int
    longest_ns: int


@dataclass(frozen=True)
class Rows:
    """Rows of log10(etime), `HeatGrid.height` decades each, from `bottom`."""

    bottom: float
    count: int


@dataclass(frozen=True, eq=False)
class HeatGrid:
    """Counts by column of time and row of log10(etime).

    `counts` is (columns, rows); columns of `step_s` seconds from `start_s`, rows of `height`
    decades from `bottom`.
    """

    start_s: float
    step_s: float
    bottom: float
    height: float
    counts: Int64
    marks: tuple[MarkAt, ...] = ()
    """A change, a restart, the operator's mark."""
    spans: tuple[tuple[float, float, str, str], ...] = ()
    """From, to (seconds), name and arm of every window."""
    stalls: tuple[StallAt, ...] = ()

    @property
    def rows(self) -> Rows:
        return Rows(self.bottom, self.counts.shape[1])

    @property
    def top(self) -> float:
        """Upper edge of the rows, log10(ns)."""
        return float(self.bottom + self.counts.shape[1] * self.height)

    @property
    def end_s(self) -> float:
        return float(self.start_s + len(self.counts) * self.step_s)

    def columns_between(self, from_s: float, to_s: float) -> slice:
        """The columns that lie, even in part, between two moments."""
        edges = (np.array([from_s, to_s]) - self.start_s) / self.step_s
        first, last = np.clip(edges, 0, len(self.counts))
        return slice(int(first), int(np.ceil(last)))

    def count_between(self, from_s: float, to_s: float) -> int:
        """Operations in those columns."""
        return int(self.counts[self.columns_between(from_s, to_s)].sum())

    @cached_property
    def slow_row(self) -> int:
        """The lowest row of the rarest: from here up lies one operation of a thousand, at most.

        Of fewer than ten thousand it is the ten slowest. The slowest row of all is always among
        them.
        """
        slower = self.counts.sum(axis=0)[::-1].cumsum()[::-1]
        rare = max(_RAREST, int(slower[0]) // 1000)
        slowest = int(np.count_nonzero(slower)) - 1
        return max(0, min(slowest, int(np.searchsorted(-slower, -rare))))

    def cells_from(self, row: int) -> tuple[Int64, Int64]:
        """Columns and rows of the cells that hold something, from `row` up; slowest first."""
        columns, rows = np.nonzero(self.counts[:, row:])
        order = np.argsort(-rows, kind="stable")
        return columns[order], rows[order] + row

    def with_stalls(self, stalls: Sequence[StallAt]) -> HeatGrid:
        """The same with other stalls."""
        return replace(self, stalls=tuple(stalls))


def heat_grid(end_ns: Int64, etime_ns: Int64, start_ns: int, stop_ns: int) -> HeatGrid:
    """Bin operations by when they ended: what one stall releases stays together."""
    return grid_of([(end_ns, etime_ns)], start_ns, stop_ns)


def grid_of(parts: Sequence[Part], start_ns: int, stop_ns: int) -> HeatGrid:
    """All these operations between two moments; what ended later stands in the last column."""
    rows = _rows([etime_ns for _, etime_ns in parts])
    step = step_ns(stop_ns - start_ns, sum(len(end_ns) for end_ns, _ in parts))
    return _grid(parts, start_ns, max(1, -(-(stop_ns - start_ns) // step)), step, rows)


def finer_grid(
    parts: Sequence[Part], within: tuple[int, int], step: int, rows: Rows, *, to_the_end: bool
) -> HeatGrid:
    """The operations that ended within [from, to) (ns) in columns of `step` ns.

    Each part is in the order of its ends. With `to_the_end` what ended later stands in the last
    column, as it does in the grid of everything.
    """
    start, stop = within
    cut = []
    for end_ns, etime_ns in parts:
        first, last = np.searchsorted(end_ns, (start, stop))
        inside = slice(first, None if to_the_end else last)
        cut.append((end_ns[inside], etime_ns[inside]))
    return _grid(cut, start, max(1, -(-(stop - start) // step)), step, rows)


def step_ns(span_ns: float, operations: int) -> int:
    """The column of a clock's width (at least 10 ms) for so many operations in so much time."""
    columns = min(_MOST, max(_LEAST, operations // _A_COLUMN))
    least = span_ns / columns
    hours = int(-(-least // _STEPS_NS[-1])) * _STEPS_NS[-1]
    return next((step for step in _STEPS_NS if step >= least), hours)


def _rows(etimes: Sequence[Int64]) -> Rows:
    known = [etime_ns for etime_ns in etimes if len(etime_ns)]
    if not known:
        return Rows(5.0, 1)
    low = np.log10(max(1, min(int(etime_ns.min()) for etime_ns in known)))
    high = np.log10(max(1, max(int(etime_ns.max()) for etime_ns in known)))
    bottom = float(np.floor(low))
    return Rows(bottom, max(1, int(np.ceil((high - bottom) * _ROWS_PER_DECADE + 1e-9))))


def _grid(parts: Sequence[Part], start_ns: int, columns: int, step: int, rows: Rows) -> HeatGrid:
    counts = np.zeros(columns * rows.count, np.int64)
    for end_ns, etime_ns in parts:
        logs = np.log10(np.maximum(etime_ns, 1))
        x = np.clip((end_ns - start_ns) // step, 0, columns - 1)
        y = ((logs - rows.bottom) * _ROWS_PER_DECADE).astype(np.int64)
        cells = x * rows.count + np.clip(y, 0, rows.count - 1)
        counts += np.bincount(cells, minlength=len(counts))
    return HeatGrid(
        start_ns / NS_PER_S,
        step / NS_PER_S,
        rows.bottom,
        1.0 / _ROWS_PER_DECADE,
        counts.reshape(columns, rows.count),
    )


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
