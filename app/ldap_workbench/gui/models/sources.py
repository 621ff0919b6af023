"""The sources sampled in the windows of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject

from ldap_workbench.gui.models.table import DASH, Column, RowsModel, always
from ldap_workbench.gui.models.words import count
from ldap_workbench.gui.retold import retold
from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.skipped import skipped_as
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window


@dataclass(frozen=True)
class SourceRow:
    """A source, and the name of the window it belongs to."""

    window: str
    source: Source


class SourcesModel(RowsModel[SourceRow]):
    """What was sampled, and how complete it is."""

    def __init__(self, rows: Sequence[SourceRow] = (), parent: QObject | None = None) -> None:
        super().__init__(SOURCE_COLUMNS, rows, parent)


def source_rows(windows: Sequence[Window], sources: Sequence[Source]) -> list[SourceRow]:
    """The sources of these windows, those that are not complete first."""
    names = {window.id: window.name for window in windows}
    rows = [SourceRow(names[s.window], s) for s in sources if s.window in names]
    return sorted(rows, key=lambda row: row.source.state == SourceState.COMPLETE)


def _lines(row: SourceRow) -> str:
    source = row.source
    if source.kind != SourceKind.ACCESS_LOG:
        return DASH
    lines = source.lines
    told = QCoreApplication.translate("SourcesModel", "{understood} of {all}")
    return told.format(understood=count(lines.understood), all=count(_all_lines(row)))


def _all_lines(row: SourceRow) -> int:
    source = row.source
    return source.lines.understood + source.lines.set_aside + source.lines.unknown


def _lines_tip(row: SourceRow) -> str:
    lines = row.source.lines
    why = "".join(
        f"\n{shown(skipped_as(reason))}: {n}" for reason, n in sorted(lines.reasons.items())
    )
    told = QCoreApplication.translate(
        "SourcesModel", "{understood} parsed, {set_aside} skipped, {unknown} unknown"
    ).format(understood=lines.understood, set_aside=lines.set_aside, unknown=lines.unknown)
    return told + why


def _remarks_tip(row: SourceRow) -> str:
    return "\n".join(map(retold, remarks(row.source)))


SOURCE_COLUMNS = (
    Column[SourceRow]("Window", lambda r: r.window),
    Column[SourceRow](
        "Source",
        lambda r: r.source.kind.value,
        strong=always,
        tip=lambda r: r.source.name,
        spoken=True,
    ),
    Column[SourceRow](
        "Completeness",
        lambda r: r.source.state.value,
        strong=lambda r: r.source.state != SourceState.COMPLETE,
        spoken=True,
    ),
    Column[SourceRow](
        "Samples", lambda r: count(r.source.samples), lambda r: r.source.samples, number=True
    ),
    Column[SourceRow]("Lines parsed", _lines, _all_lines, number=True, tip=_lines_tip),
    Column[SourceRow]("Why", lambda r: " ".join(map(retold, remarks(r.source))), tip=_remarks_tip),
)
