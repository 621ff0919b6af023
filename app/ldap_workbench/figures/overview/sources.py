"""The sources of windows as a table: what was sampled, and how complete it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.figures.formats import NOT_KNOWN
from ldap_workbench.figures.table import Column, always, quantity
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.skipped import skipped_as
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window


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


def _remarks(row: SourceRow) -> Message:
    return sentences(*remarks(row.source))


COLUMNS: tuple[Column[SourceRow], ...] = (
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
    Column(Message("Why"), _remarks, tip=lambda r: remarks(r.source)),
)
