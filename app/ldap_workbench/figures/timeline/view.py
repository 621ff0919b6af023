"""What the timeline shows of some windows, and their stalls. Called in the session's thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldap_workbench.advice.evidence.stalls import Stall, find_stalls
from ldap_workbench.figures.formats import NOT_KNOWN
from ldap_workbench.figures.operations.view import resolved
from ldap_workbench.figures.table import Column, always, quantity
from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    MarkAt,
    Part,
    Rows,
    StallAt,
    finer_grid,
    grid_of,
)
from ldap_workbench.figures.timeline.strips import (
    Series,
    Strip,
    build_strips,
    concurrency_strip,
    series_of,
    wanted,
)
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.operations import COLUMNS, Operations
from ldap_workbench.model.remarks import remarks, skipped_as
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import MARK, Mark, Source, SourceKind, SourceState, Window
from ldap_workbench.session.conditions import Condition
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, columns

_TOLD_BY = ("end_ns", "etime_ns", "kind", "fingerprint", "notes")
"""All that says whether operations are usually quick, overlap and end together."""


def stalls_of(session: Session, window: Window) -> tuple[StallAt, ...]:
    """Stalls of the client operations of a window, in the order of their ends."""
    read = session.client_columns(window, _TOLD_BY)
    logs = [s for s in session.sources(window.id) if s.kind == SourceKind.ACCESS_LOG]
    finest = max((s.resolution_ns for s in logs), default=1)
    return tuple(map(_at, find_stalls(_operations(read), finest)))


def _operations(read: dict[str, Any]) -> Operations:
    """Client operations with these columns; all others are empty of meaning and of memory."""
    n = len(read["end_ns"])
    blank = {name: np.broadcast_to(np.zeros(1, dtype), n) for name, dtype in COLUMNS.items()}
    return Operations(**(blank | read))


def _at(episode: Stall) -> StallAt:
    first, last = episode.start_ns / NS_PER_S, episode.end_ns / NS_PER_S
    return StallAt(first, last, len(episode.rows), episode.length_ns)


_KEPT = 20_000_000
"""Operations whose end and etime are kept, 16 bytes each; others are read again."""

_CLOSE = 0.01
"""A mark so near to a moment, as a share of what is shown, is meant."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """A heat map and the strips under it, on one time axis."""

    grid: HeatGrid | None
    strips: tuple[Strip, ...]


class TimelineReader:
    """Reads windows of one session, each once as long as it is kept.

    Of their operations those of clients that meet all conditions, or those that a condition asks
    for besides.
    """

    def __init__(self, session: Session, conditions: tuple[Condition, ...] = ()) -> None:
        self.session, self._conditions = session, conditions
        self._parts: OrderedDict[int, Part] = OrderedDict()
        self._last_end: dict[int, int] = {}
        self._stalls: dict[int, tuple[StallAt, ...]] = {}

    def narrowed(self, conditions: tuple[Condition, ...]) -> TimelineReader:
        """A reader of the operations that meet these conditions; itself where it is one."""
        if conditions == self._conditions:
            return self
        reader = TimelineReader(self.session, conditions)
        reader._stalls = self._stalls  # of whole windows, whatever is shown
        return reader

    def timeline(self, windows: Sequence[Window]) -> Timeline:
        """Operations and samples of these; marks between the first and the last.

        Only stalls that are known already: they are asked for window by window.
        """
        if not windows:
            return Timeline(None, ())
        parts = [self._part(window) for window in windows]
        marks = self._marks(windows)
        grid = self._grid(windows, parts, marks)
        known = [stall for w in windows for stall in self._stalls.get(w.id, ())]
        strips = sampled_strips(self.session, windows, marks)
        if concurrency := concurrency_strip(parts, windows, marks):
            strips.insert(1, concurrency)
        return Timeline(grid.with_stalls(known), tuple(strips))

    def grid(self, windows: Sequence[Window]) -> HeatGrid | None:
        """The heat map alone, with its marks; None without a window."""
        if not windows:
            return None
        parts = [self._part(window) for window in windows]
        return self._grid(windows, parts, self._marks(windows))

    def stalls(self, window: Window) -> tuple[StallAt, ...]:
        """The stalls of a window."""
        if window.id not in self._stalls:
            self._stalls[window.id] = stalls_of(self.session, window)
        return self._stalls[window.id]

    def zoomed(
        self, windows: Sequence[Window], within: tuple[int, int], step: int, rows: Rows
    ) -> HeatGrid:
        """What ended within [from, to) (ns), in finer columns of `step` ns."""
        there = [
            window
            for window in windows
            if window.start_ns < within[1] and self._last_end.get(window.id, within[0]) >= within[0]
        ]
        parts = [self._part(window) for window in there]
        to_the_end = within[1] >= max(window.end_ns for window in windows)
        return finer_grid(parts, within, step, rows, to_the_end=to_the_end)

    def _part(self, window: Window) -> Part:
        if window.id not in self._parts:
            self._parts[window.id] = part = _in_order(self.session, window, self._conditions)
            self._last_end[window.id] = int(part[0][-1]) if len(part[0]) else window.start_ns
        self._parts.move_to_end(window.id)
        operations = sum(len(end_ns) for end_ns, _ in self._parts.values())
        while operations > _KEPT and len(self._parts) > 1:
            operations -= len(self._parts.popitem(last=False)[1][0])
        return self._parts[window.id]

    def _grid(
        self, windows: Sequence[Window], parts: Sequence[Part], marks: tuple[MarkAt, ...]
    ) -> HeatGrid:
        spans = tuple((w.start_ns / NS_PER_S, w.end_ns / NS_PER_S, w.name, w.arm) for w in windows)
        return replace(grid_of(parts, *_limits(windows)), spans=spans, marks=marks)

    def _marks(self, windows: Sequence[Window]) -> tuple[MarkAt, ...]:
        start, stop = _limits(windows)
        return tuple(
            MarkAt(mark.time_ns / NS_PER_S, mark.kind, mark.text)
            for mark in self.session.marks()
            if start <= mark.time_ns <= stop
        )


def _limits(windows: Sequence[Window]) -> tuple[int, int]:
    """From the first to the last moment (ns)."""
    return min(w.start_ns for w in windows), max(w.end_ns for w in windows)


def sampled_strips(
    session: Session, windows: Sequence[Window], marks: tuple[MarkAt, ...] = ()
) -> list[Strip]:
    """The strips of what was sampled in these windows, broken between them."""
    device = session.facts.device if session.facts else None
    names = sorted({name for window in windows for name in session.series_names(window)})
    shown = wanted(names, device)
    sampled = [(session.every_sample(window, shown), window.end_ns) for window in windows]

    def read(name: str) -> Series:
        return series_of([(values[name], end) for values, end in sampled if name in values])

    return build_strips(names, read, device, marks)


def _in_order(session: Session, window: Window, conditions: tuple[Condition, ...]) -> Part:
    names = ("end_ns", "etime_ns")
    if conditions:
        read = columns(session, resolved(session, Search((window,), conditions)), names)
    else:
        read = session.client_columns(window, names)
    order = np.argsort(read["end_ns"], kind="stable")
    return read["end_ns"][order], read["etime_ns"][order]


def note_near(marks: Sequence[Mark], second: float, shown_s: float) -> Mark | None:
    """The operator's own mark nearest to a moment, as long as it is drawn close to it."""
    own = [mark for mark in marks if mark.kind == MARK]
    nearest = min(own, key=lambda mark: abs(mark.time_ns / NS_PER_S - second), default=None)
    if nearest is None or abs(nearest.time_ns / NS_PER_S - second) > _CLOSE * shown_s:
        return None
    return nearest


@dataclass(frozen=True)
class SourceRow:
    """A source, and the name of the window it belongs to."""

    window: str
    source: Source


def source_rows(windows: Sequence[Window], sources: Sequence[Source]) -> list[SourceRow]:
    """The sources of these windows, those that are not complete first."""
    names = {window.id: window.name for window in windows}
    rows = [SourceRow(names[s.window], s) for s in sources if s.window in names]
    return sorted(rows, key=lambda row: row.source.state == SourceState.COMPLETE)


def _lines(row: SourceRow) -> Message:
    if row.source.kind != SourceKind.ACCESS_LOG:
        return NOT_KNOWN
    understood = row.source.lines.understood
    return Message("{understood} of {all}", understood=understood, all=_all_lines(row))


def _all_lines(row: SourceRow) -> int:
    source = row.source
    return source.lines.understood + source.lines.set_aside + source.lines.unknown


def _lines_tip(row: SourceRow) -> list[Message]:
    lines = row.source.lines
    counts = Message(
        "{understood} parsed, {set_aside} skipped, {unknown} unknown",
        understood=lines.understood,
        set_aside=lines.set_aside,
        unknown=lines.unknown,
    )
    reasons = [
        Message("{reason}: {n}", reason=skipped_as(reason), n=n)
        for reason, n in sorted(lines.reasons.items())
    ]
    return [counts, *reasons]


SOURCE_COLUMNS: tuple[Column[SourceRow], ...] = (
    Column(Message("Window"), lambda r: r.window),
    Column(
        Message("Source"),
        lambda r: r.source.kind.label,
        strong=always,
        tip=lambda r: r.source.name,
    ),
    Column(
        Message("Completeness"),
        lambda r: r.source.state.label,
        strong=lambda r: r.source.state != SourceState.COMPLETE,
    ),
    quantity(Message("Samples"), lambda r: r.source.samples),
    Column(Message("Lines parsed"), _lines, _all_lines, number=True, tip=_lines_tip),
    Column(
        Message("Why"), lambda r: sentences(*remarks(r.source)), tip=lambda r: remarks(r.source)
    ),
)
