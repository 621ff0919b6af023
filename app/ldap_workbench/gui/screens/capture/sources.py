"""How complete a capture is: a line for every source while it runs, a sentence at its end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ldap_workbench.figures.timeline.live import LiveSource
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, label
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Source, SourceKind, SourceState

_QUIET_S = 3
"""After so long nothing is received: a log that is buffered, a sampler that has ended."""
_COLUMNS = 4


class SourceLines(QWidget):
    """Name, what has come, how long ago the last of it, and how the source stands."""

    def __init__(self) -> None:
        super().__init__()
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
            texts = shown(kind.label), self._received(kind, source), self._last(source)
            for cell, text in zip(cells, texts, strict=True):
                cell.setText(text)
            stand.set_whole(self._stand(source))

    def texts(self) -> list[str]:
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

    def _received(self, kind: SourceKind, source: LiveSource) -> str:
        if kind is SourceKind.ACCESS_LOG:
            words = self.tr("{count} operations, {size}")
            return words.format(
                count=localised(source.operations), size=localised(source.bytes_read, "size")
            )
        if kind is SourceKind.ERROR_LOG:
            return localised(source.bytes_read, "size")
        return self.tr("{count} samples").format(count=localised(source.samples))

    def _last(self, source: LiveSource) -> str:
        if source.last is None:
            return self.tr("nothing yet")
        seconds = max(0.0, time.monotonic() - source.last)
        return shown(Message("last {seconds:.0f} s ago", seconds=seconds))

    def _stand(self, source: LiveSource) -> str:
        if source.state is None and source.note:
            return shown(source.note)
        if source.state is None:
            quiet = source.last is None or time.monotonic() - source.last > _QUIET_S
            return "" if quiet else self.tr("receiving")
        why = f": {shown(source.why)}" if source.why else ""
        return f"{shown(source.state.label)}{why}"


def lacking(sources: Iterable[Source]) -> str:
    """Which sources are not complete and why, in a sentence each; '' where all are."""
    incomplete = [source for source in sources if source.state is not SourceState.COMPLETE]
    return " ".join(map(_state_and_reason, incomplete))


def _state_and_reason(source: Source) -> str:
    state = f"{shown(source.kind.label)}: {shown(source.state.label)}"
    return f"{state} – {shown(source.why).rstrip('.')}." if source.why else f"{state}."
