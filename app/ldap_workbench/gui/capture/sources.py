"""How complete a capture is: a line for every source while it runs, a sentence at its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ldap_workbench.figures.live import LiveSource
from ldap_workbench.gui.models.words import count
from ldap_workbench.gui.retold import retold
from ldap_workbench.gui.widgets.labels import ElidedLabel, label
from ldap_workbench.model.units import format_size
from ldap_workbench.model.window import Source, SourceKind, SourceState

NAMES = {
    SourceKind.MONITOR: "cn=monitor",
    SourceKind.ACCESS_LOG: "access log",
    SourceKind.ERROR_LOG: "error log",
    SourceKind.IOSTAT: "iostat",
}
_COLUMNS = 4


class SourceLines(QWidget):
    """Name, what has come, how long ago the last of it, and how the source stands."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: dict[SourceKind, tuple[QLabel, QLabel, QLabel, ElidedLabel]] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(_COLUMNS - 1, 1)

    def start(self) -> None:
        """A new capture begins: nothing is known of its sources."""
        for cells in self._lines.values():
            for cell in cells:
                cell.hide()
                cell.deleteLater()
        self._lines = {}

    def show_sources(self, sources: Mapping[SourceKind, LiveSource]) -> None:
        """How they stand now."""
        for kind, source in sources.items():
            if kind not in self._lines:
                self._lines[kind] = self._made(len(self._lines))
            *cells, stand = self._lines[kind]
            said = NAMES.get(kind, kind.value), self._come(kind, source), self._last(source)
            for cell, words in zip(cells, said, strict=True):
                cell.setText(words)
            stand.set_whole(self._stand(source))

    def words(self) -> list[str]:
        """The lines as text."""
        return [
            "  ".join([*(cell.text() for cell in cells), stand.toolTip()])
            for *cells, stand in self._lines.values()
        ]

    def _made(self, row: int) -> tuple[QLabel, QLabel, QLabel, ElidedLabel]:
        stand = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        cells = label(""), label("", "dim"), label("", "dim"), stand
        for column, cell in enumerate(cells):
            self._grid.addWidget(cell, row, column)
        return cells

    def _come(self, kind: SourceKind, source: LiveSource) -> str:
        if kind is SourceKind.ACCESS_LOG:
            words = self.tr("{count} operations, {size}")
            return words.format(count=count(source.operations), size=format_size(source.bytes_read))
        if kind is SourceKind.ERROR_LOG:
            return format_size(source.bytes_read)
        return self.tr("{count} samples").format(count=count(source.samples))

    def _last(self, source: LiveSource) -> str:
        if source.last is None:
            return self.tr("nothing yet")
        seconds = max(0.0, time.monotonic() - source.last)
        return self.tr("last {seconds} s ago").format(seconds=f"{seconds:.0f}")

    def _stand(self, source: LiveSource) -> str:
        if source.state is None:
            return retold(source.note) if source.note else self.tr("receiving")
        why = f": {retold(source.why)}" if source.why else ""
        return f"{describe_state(source.state)}{why}"


def describe_state(state: SourceState) -> str:
    """'complete', 'partial', 'missing' or 'failed'."""
    translate = QCoreApplication.translate
    return {
        SourceState.COMPLETE: translate("SourceLines", "complete"),
        SourceState.PARTIAL: translate("SourceLines", "partial"),
        SourceState.MISSING: translate("SourceLines", "missing"),
        SourceState.FAILED: translate("SourceLines", "failed"),
    }[state]


def lacking(sources: Iterable[Source]) -> str:
    """Which sources are not complete and why, in a sentence each; '' where all are."""
    said = []
    for source in sources:
        if source.state is not SourceState.COMPLETE:
            name = NAMES.get(source.kind, source.kind.value)
            why = f" – {retold(source.why).rstrip('.')}" if source.why else ""
            said.append(f"{name}: {describe_state(source.state)}{why}.")
    return " ".join(said)
