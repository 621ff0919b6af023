"""Stacks of threads as an icicle: callers above what they call, as wide as their samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QKeyEvent, QPainter, QPen, QTransform
from PySide6.QtWidgets import QLineEdit, QStyleOptionGraphicsItem, QWidget

from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.tails.icicle import COMPARED, HEADINGS, SIGNS, Frame, Stacks
from ldap_workbench.gui.parts.charts.axes import CountAxis, NamesAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.model.message import Message, count_of, verbatim

MARKS = {1: "▲ ", -1: "▼ ", 0: ""}
"""Before the name of a frame that differs: colour is never the only carrier."""
WHOLE = 100.0
"""The width of all samples, in percent."""
_LEAST_WIDTH = 0.4
"""Pixels; what is narrower is not drawn."""
_LEAST_TEXT = 24
_PADDING = 4


@dataclass
class Marked:
    """What the reader looks for and has chosen: places in the frames."""

    hits: frozenset[int] = frozenset()
    searching: bool = False
    selected: int = -1


def box_of(frame: Frame) -> QRectF:
    """Where a frame lies: percent of samples to the right, depth downwards."""
    return QRectF(WHOLE * frame.left, frame.depth, WHOLE * frame.share.width, 1.0)


class FrameCells(pg.GraphicsObject):
    """Boxes with names, painted in pixels: letters keep their size at any zoom."""

    def __init__(
        self, frames: Sequence[Frame], marked: Marked, colours: ChartColours, *, compared: bool
    ) -> None:
        super().__init__()
        self._frames, self._marked = frames, marked
        self._boxes = [box_of(frame) for frame in frames]
        self._colours, self._compared = colours, compared
        self._widest = max((abs(f.share.difference) for f in frames if f.share.sign), default=1.0)
        depth = max((frame.depth for frame in frames), default=0) + 1
        self._bounds = QRectF(0, 0, WHOLE, depth)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        seen = self.viewRect()
        to_pixels = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        for place, (frame, box) in enumerate(zip(self._frames, self._boxes, strict=True)):
            if box.intersects(seen):
                at = to_pixels.mapRect(box.intersected(seen))
                if at.width() >= _LEAST_WIDTH:
                    self._cell(painter, place, frame, at)
        painter.restore()

    def _cell(self, painter: QPainter, place: int, frame: Frame, at: QRectF) -> None:
        hit = place in self._marked.hits
        faded = self._marked.searching and not hit
        painter.fillRect(at, self._fill(frame, faded=faded))
        if frame.share.sign > 0 and not faded:
            lines = QColor(self._colours.b)
            lines.setAlpha(90)
            painter.fillRect(at, QBrush(lines, Qt.BrushStyle.BDiagPattern))
        chosen = place == self._marked.selected
        pen = QPen(QColor(self._colours.text if hit or chosen else self._colours.ground))
        pen.setWidthF(2.5 if chosen else 1.0)
        painter.setPen(pen)
        painter.drawRect(at.adjusted(0.5, 0.5, -0.5, -0.5))
        if at.width() > _LEAST_TEXT:
            painter.setPen(QColor(self._colours.text))
            inside = at.adjusted(_PADDING, 0, -_PADDING, 0)
            words = MARKS[frame.share.sign] + frame.name
            metrics = QFontMetricsF(painter.font())
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, inside.width())
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, shown)

    def _fill(self, frame: Frame, *, faded: bool) -> QColor:
        colours, sign = self._colours, frame.share.sign
        if faded:
            return _blend(colours.dim, colours.ground, 0.08)
        if not self._compared:
            return _blend(colours.a, colours.ground, 0.26 if frame.depth % 2 else 0.18)
        if not sign:
            return _blend(colours.dim, colours.ground, 0.18)
        strength = 0.2 + 0.25 * min(1.0, abs(frame.share.difference) / self._widest)
        return _blend(colours.b if sign > 0 else colours.a, colours.ground, strength)


def _blend(colour: str, ground: str, share: float) -> QColor:
    """So much of a colour on the ground: letters stay readable on it in both themes."""
    over, under = QColor(colour), QColor(ground)
    mixed = (
        round(share * a + (1 - share) * b)
        for a, b in zip(over.getRgb()[:3], under.getRgb()[:3], strict=True)  # type: ignore[index]
    )
    return QColor(*mixed)


_KEYS = Message(
    "Here the arrows go from frame to frame: down to the widest it calls, up to its caller, left "
    "and right to its neighbours; Enter zooms into it, Escape chooses none."
)
_ROW_EM = 1.5
"""Height of a frame, in heights of a line."""
_LEAST_EM = 17
"""Of the chart: in less there is no room for callers and what they call."""


class IcicleChart(ChartView):
    """Frames of one arm, or of two with what differs."""

    has_y_zoom = False

    def __init__(self) -> None:
        self._stacks: Stacks | None = None
        self._words = ""
        self.marked = Marked()
        self._cells: FrameCells | None = None
        self._first_row = 0
        axes = {"bottom": CountAxis("bottom"), "left": NamesAxis("left")}
        super().__init__(Message("Stacks of threads"), axes)
        self.more_keys = shown(_KEYS)
        self.plot.getViewBox().invertY(True)
        self.plot.setLabel("bottom", Message("% of samples"))
        self.plot.getViewBox().sigResized.connect(self._fit_height)
        self.canvas.scene().sigMouseClicked.connect(self._on_clicked)

    def set_stacks(self, stacks: Stacks | None) -> None:
        """Show these stacks instead."""
        self._stacks = stacks
        self._first_row = 0
        self.marked = Marked()
        self.show_moment(None)
        self.find_words(self._words)

    def find_words(self, words: str) -> None:
        """Mark the frames whose names hold these words."""
        self._words = words
        wanted = words.strip().lower()
        hits = (place for place, f in enumerate(self.frames) if wanted in f.name.lower())
        self.marked.hits = frozenset(hits if wanted else ())
        self.marked.searching = bool(wanted)
        self.refresh()

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self._stacks.frames if self._stacks else ()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        compared = bool(self._stacks and self._stacks.compared)
        self._cells = FrameCells(self.frames, self.marked, colours, compared=compared)
        plot.addItem(self._cells)

    def legend(self, colours: ChartColours) -> str:
        if not self._stacks or not self._stacks.compared:
            return ""
        return legend_of(
            swatch(colours.a, f"■ {MARKS[-1].strip()}", Message("less in B")),
            swatch(colours.b, f"▨ {MARKS[1].strip()}", Message("more in B")),
            swatch(colours.dim, "■", Message("no difference established")),
        )

    def reading(self) -> str:
        stacks = self._stacks
        if stacks is None:
            return shown(NO_DATA)
        parts = [count_of("{n} sample.", "{n} samples.", n=stacks.of_a)]
        if stacks.of_b is not None:
            parts = [Message("{a} samples of A, {b} of B.", a=stacks.of_a, b=stacks.of_b)]
            parts += [self._most_different()]
        if (share := stacks.matching(self._words)) is not None:
            parts += [_share_text(share.share_a, share.share_b, compared=stacks.compared)]
        return " ".join(map(shown, parts))

    def _most_different(self) -> Message:
        assert self._stacks is not None
        differ = [f for f in self._stacks.functions if f.total.sign]
        if not differ:
            return Message("No function differs by more than chance.")
        return Message(
            "Most different: {function}, {a} of A and {b} of B.",
            function=differ[0].name,
            a=formats.share(differ[0].total.share_a),
            b=formats.share(differ[0].total.share_b),
        )

    def numbers(self) -> Numbers:
        return self._stacks.frame_numbers() if self._stacks else Numbers((Message("Frame"),))

    def tip_at(self, x: float, y: float) -> Sequence[Message]:
        place = self._place_at(x, y)
        return self._lines(self.frames[place]) if place >= 0 else ()

    def _lines(self, frame: Frame) -> list[Message]:
        assert self._stacks is not None
        compared = self._stacks.compared
        headings = COMPARED if compared else HEADINGS
        cells = frame.share.cells(compared=compared)
        return [
            verbatim(frame.name),
            *(
                Message("{heading}: {value}", heading=heading, value=value)
                for heading, value in zip(headings, cells, strict=True)
            ),
        ]

    def _place_at(self, x: float, y: float) -> int:
        """The frame at a place of the axes, -1 where there is none."""
        point = QPointF(x, y)
        places = (n for n, frame in enumerate(self.frames) if box_of(frame).contains(point))
        return next(places, -1)

    def fit(self) -> None:
        self._first_row = 0
        self.plot.setXRange(0, WHOLE)
        self._fit_height()

    def _fit_height(self, *_: object) -> None:
        """As many rows as there is room for, from `_first_row` on."""
        rows = self._rows()
        self.plot.setRange(yRange=(self._first_row, self._first_row + rows), padding=0)

    def _rows(self) -> int:
        height = max(float(self.plot.getViewBox().height()), 1.0)
        return max(2, int(height / (self.fontMetrics().height() * _ROW_EM)))

    def select(self, place: int) -> None:
        """Choose a frame and say its numbers; -1 for none."""
        self.marked.selected = place
        if place >= 0:
            depth = self.frames[place].depth
            lowest = self._first_row + self._rows() - 1
            if depth < self._first_row or depth > lowest:
                self._first_row = max(0, min(depth, self._first_row + depth - lowest))
                self._fit_height()
        self.show_moment(float(place) if place >= 0 else None)
        if self._cells is not None:
            self._cells.update()

    def describe_at(self, second: float) -> str:
        assert self._stacks is not None
        frame = self.frames[int(second)]
        a, b = formats.share(frame.share.share_a), formats.share(frame.share.share_b)
        if not self._stacks.compared:
            return shown(Message("{function}: {a}", function=frame.name, a=a))
        shares = Message("{function}: {a} of A, {b} of B", function=frame.name, a=a, b=b)
        differs = SIGNS[frame.share.sign] if frame.share.sign else verbatim("")
        return ", ".join(filter(None, map(shown, (shares, differs))))

    def zoom_to(self, place: int) -> None:
        """Show a frame and what it calls alone."""
        box = box_of(self.frames[place])
        self.plot.getViewBox().remember("frame")
        self._first_row = self.frames[place].depth
        self.plot.setXRange(box.left(), max(box.right(), box.left() + 1e-3))
        self._fit_height()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, place = Qt.Key(event.key()), self.marked.selected
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and place >= 0:
            self.zoom_to(place)
        elif key == Qt.Key.Key_Escape and place >= 0:
            self.select(-1)
        else:
            super().keyPressEvent(event)

    def _steer(self, key: Qt.Key) -> bool:
        moves = {
            Qt.Key.Key_Left: self._beside(-1), Qt.Key.Key_Right: self._beside(1),
            Qt.Key.Key_Up: self._caller(), Qt.Key.Key_Down: self._called(),
        }  # fmt: skip
        if key not in moves:
            return super()._steer(key)
        if self.frames:
            self.select(moves[key])
        return True

    def _caller(self) -> int:
        selected = self.marked.selected
        parent = self.frames[selected].parent if selected >= 0 else 0
        return parent if parent >= 0 else selected

    def _called(self) -> int:
        """The widest frame it calls: they stand widest first."""
        selected = self.marked.selected
        below = (n for n, frame in enumerate(self.frames) if frame.parent == selected)
        return next(below, selected)

    def _beside(self, step: int) -> int:
        selected = self.marked.selected
        if selected < 0:
            return 0 if self.frames else -1
        depth = self.frames[selected].depth
        row = [n for n, frame in enumerate(self.frames) if frame.depth == depth]
        return row[max(0, min(len(row) - 1, row.index(selected) + step))]

    @Slot(object)
    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = self.plot.getViewBox().mapSceneToView(event.scenePos())
        place = self._place_at(at.x(), at.y())
        self.select(place)
        if event.double() and place >= 0:
            self.zoom_to(place)


def _share_text(a: float, b: float, *, compared: bool) -> Message:
    if not compared:
        return Message("In stacks with what you look for: {a}.", a=formats.share(a))
    return Message(
        "In stacks with what you look for: {a} of A, {b} of B.",
        a=formats.share(a),
        b=formats.share(b),
    )


class StacksView(QWidget):
    """The icicle, a field to find functions, and how a difference is told from chance."""

    def __init__(self) -> None:
        super().__init__()
        self.chart = IcicleChart()
        self.chart.setMinimumHeight(round(_LEAST_EM * self.fontMetrics().height()))
        self.field = QLineEdit()
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName(self.tr("Find functions"))
        self.field.setPlaceholderText(self.tr("part of a function's name"))
        self.field.textChanged.connect(self._on_words)
        words = label(self.tr("&Find"))
        words.setBuddy(self.field)
        set_tip(words, self.tr("Marks frames, and says how many samples have one of them"))
        self._hits = label("", "dim")
        self._caveat = label("", "dim", wrap=True)
        column(
            row(words, (self.field, 1), (self._hits, 2)),
            (self.chart, 1),
            self._caveat,
            on=self,
            margins=(0, 6, 0, 0),
        )
        self._stacks: Stacks | None = None

    def set_stacks(self, stacks: Stacks | None) -> None:
        """Show these stacks instead."""
        self._stacks = stacks
        self.chart.set_stacks(stacks)
        self._caveat.setVisible(bool(stacks and stacks.compared))
        self._caveat.setText(shown(stacks.caveat()) if stacks and stacks.compared else "")
        self._say_hits()

    @Slot(str)
    def _on_words(self, words: str) -> None:
        self.chart.find_words(words)
        self._say_hits()

    def _say_hits(self) -> None:
        stacks = self._stacks
        share = stacks.matching(self.field.text()) if stacks else None
        hits = (
            _share_text(share.share_a, share.share_b, compared=stacks.compared)
            if share and stacks
            else None
        )
        self._hits.setText(shown(hits) if hits else "")
