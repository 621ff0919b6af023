"""Where the time went: who waited for what, as a bar for each group, coloured by cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter

from ldap_workbench.figures import ticks
from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.overview.account import (
    Bar,
    Piece,
    grouping_of,
    kind_of,
    name_of,
    operations_of,
    reading_of,
)
from ldap_workbench.figures.table import Numbers
from ldap_workbench.gui.parts.charts.axes import CountAxis, Levels, NamesAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import ChartView, Entry
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message

_HEIGHT = 0.62
"""Of a bar, where the next one begins 1 below."""
_LEAST_LETTERS = 8
"""With room for fewer, the start of a kind or finding tells it from no other."""
_MOST_LETTERS = 30
"""Of the name of a bar."""
_LIGHT = 0.55


class _TimeAxis(CountAxis):
    """From zero, linear, a unit at every tick."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        step = ticks.count_step(max(maxVal - minVal, 1.0), max(1, int(size // 75)))
        return [(step, [i * step for i in range(int(max(maxVal, 0) / step) + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.duration_text(math.log10(value))) if value else "0" for value in values]


class AccountChart(ChartView):
    """*Signals:* wanted(str): the operations that these words find."""

    wanted = Signal(str)
    size_em = (24, 16)
    least_em = (14, 15)
    has_y_zoom = False

    def __init__(self) -> None:
        self._bars: tuple[Bar, ...] = ()
        self._names = NamesAxis("left")
        axes = {"bottom": _TimeAxis("bottom"), "left": self._names}
        super().__init__(Message("Where the time went"), axes)
        self.plot.getViewBox().invertY(True)
        self.more_entries = self._operations_of
        self.canvas.scene().sigMouseClicked.connect(self._on_clicked)

    def set_bars(self, bars: Sequence[Bar]) -> None:
        """Show these, the longest first."""
        self._bars = tuple(bars)
        self.refresh()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        self._names.set_names(tuple(self._cut(shown(name_of(bar))) for bar in self._bars))
        colour_of = self._colours(colours)
        for row, bar in enumerate(self._bars):
            start = 0
            for piece in bar.pieces:
                colour = colour_of[piece.cause]
                words = shown(piece.title) if bar.key == "kind" else piece.kind
                plot.addItem(_PieceItem(row, start, piece.ns, words, colour, colours.ground))
                start += piece.ns

    def legend(self, colours: ChartColours) -> str:
        titles = {piece.cause: piece.title for bar in self._bars for piece in bar.pieces}
        colour_of = self._colours(colours)
        return legend_of(*(swatch(colour_of[cause], "■", titles[cause]) for cause in colour_of))

    def reading(self) -> str:
        return shown(reading_of(self._bars))

    def numbers(self) -> Numbers:
        headings = (grouping_of(self._bars), Message("Waited"), Message("Kind"), Message("Finding"))
        rows = [
            (name_of(bar), etime(piece.ns), kind_of(piece), piece.title)
            for bar in self._bars
            for piece in bar.pieces
        ]
        return Numbers(headings, tuple(rows))

    def tip_at(self, x: float, y: float) -> Sequence[Message]:
        bar, piece = self._at(x, y)
        if bar is None or piece is None:
            return ()
        waited = Message("waited {time:duration}", time=piece.ns)
        return (name_of(bar), kind_of(piece), waited, piece.title)

    def fit(self) -> None:
        longest = max((bar.ns for bar in self._bars), default=1)
        rows = max(len(self._bars), 1)
        self.plot.setRange(xRange=(0, longest * 1.02), yRange=(-0.6, rows - 0.4), padding=0)

    def _cut(self, name: str) -> str:
        """A filter or a DN may be longer than the picture is wide; the tip has it whole."""
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * _MOST_LETTERS
        return metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)

    def _colours(self, colours: ChartColours) -> dict[str, str]:
        """The colour of each cause: what explains most first; what nothing explains is grey."""
        waited: dict[str, int] = {}
        for piece in (piece for bar in self._bars for piece in bar.pieces):
            waited[piece.cause] = waited.get(piece.cause, 0) + piece.ns
        causes = sorted((cause for cause in waited if cause), key=lambda cause: -waited[cause])
        known = {cause: colours.series[i % len(colours.series)] for i, cause in enumerate(causes)}
        return known | ({"": colours.dim} if "" in waited else {})

    def _at(self, x: float, y: float) -> tuple[Bar | None, Piece | None]:
        row = round(y)
        if not 0 <= row < len(self._bars) or abs(y - row) > _HEIGHT / 2:
            return None, None
        end = 0
        for piece in self._bars[row].pieces:
            end += piece.ns
            if 0 <= x < end:
                return self._bars[row], piece
        return self._bars[row], None

    def _operations_of(self) -> Sequence[Entry]:
        """By key what a click does."""
        entries: list[Entry] = []
        for bar in self._bars:
            if not bar.name:
                continue
            title = Message("Show the operations of {group}", group=bar.name)
            entries.append((title, "", partial(self.wanted.emit, operations_of(bar, None)), True))
            longest = max(bar.pieces, key=lambda piece: piece.ns)
            if longest.kind and bar.key != "kind":  # there the bar is its kind already
                title = Message(
                    "Show its {kind}, which waited {time:duration}",
                    kind=longest.kind,
                    time=longest.ns,
                )
                show = partial(self.wanted.emit, operations_of(bar, longest))
                entries.append((title, "", show, True))
        return entries

    @Slot(object)
    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = self.plot.getViewBox().mapSceneToView(event.scenePos())
        bar, piece = self._at(place.x(), place.y())
        if bar is not None and bar.name:
            self.wanted.emit(operations_of(bar, piece))


class _PieceItem(pg.BarGraphItem):
    """One piece, with as much of its words as there is room for."""

    def __init__(
        self, row: int, start: int, width: int, words: str, colour: str, seam: str
    ) -> None:
        super().__init__(
            x0=[start],
            y=[row],
            width=[width],
            height=_HEIGHT,
            brush=pg.mkBrush(colour),
            pen=pg.mkPen(seam, width=1),  # where two pieces meet
        )
        self._words = words
        light = QColor(colour).lightnessF() > _LIGHT
        self._ink = QColor(Qt.GlobalColor.black if light else Qt.GlobalColor.white)

    def paint(self, painter: QPainter, *about: Any) -> None:
        super().paint(painter, *about)
        # Letters keep their size while the picture is zoomed: they are drawn in points.
        inside = painter.worldTransform().mapRect(self.boundingRect())
        metrics = painter.fontMetrics()
        inside.adjust(metrics.averageCharWidth(), 0, -metrics.averageCharWidth(), 0)
        room = int(inside.width())
        if room < metrics.averageCharWidth() * _LEAST_LETTERS:
            return
        painter.resetTransform()
        painter.setPen(self._ink)
        text = metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
