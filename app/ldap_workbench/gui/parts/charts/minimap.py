"""The overview strip under a timeline: all of it, and the range that is shown as a frame."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame

from ldap_workbench.figures.timeline.minimap import Minimap, Shown, minimap_reading
from ldap_workbench.gui.parts.charts.view import PAN_SHARE, ZOOM, left_width
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours, chart_colours, is_dark
from ldap_workbench.gui.parts.widgets.labels import set_tip

_GRIP = 6
"""So near to an end of the frame, in pixels, the pointer takes hold of it."""
_EDGE = 4
"""Pixels above and below what is drawn."""
_LEFT, _RIGHT = 13, 11
"""Beside it as in a chart, so that moments stand above one another where all is shown."""
_PAGE = 1.0 - PAN_SHARE


class MinimapView(QFrame):
    """Says which range shall be shown, and shows which one is.

    *Signals:* grabbed() before a hand or a key moves the frame, wanted(float from_s, float to_s)
    """

    grabbed = Signal(str)
    wanted = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chart")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._minimap: Minimap | None = None
        self._now: Shown | None = None
        self._grip: tuple[str, float] | None = None
        """What is being dragged, 'from', 'to' or 'all', and the moment under the pointer."""
        keys = self.tr(
            "Drag the frame to move what is shown, or its ends to change how much. Arrows and "
            "Page keys move, + and - zoom, Home shows all."
        )
        set_tip(self, keys)
        self.setAccessibleDescription(keys)
        self._say()

    @property
    def now(self) -> Shown | None:
        """The range that is framed."""
        return self._now

    def set_minimap(self, minimap: Minimap | None) -> None:
        """Show all of this."""
        self._minimap = minimap
        self._say()

    def set_shown(self, from_s: float, to_s: float) -> None:
        """Frame the range that is shown elsewhere."""
        self._now = Shown(from_s, to_s)
        self._say()

    def sizeHint(self) -> QSize:
        return QSize(200, 3 * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 2 * self.fontMetrics().height())

    def place_of(self, second: float) -> float:
        """Where a moment is, in pixels from the left."""
        area, whole = self._area(), self._minimap
        if whole is None:
            return area.left()
        return area.left() + (second - whole.start_s) / (whole.end_s - whole.start_s) * area.width()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (target := self._by_key(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
            return
        self.grabbed.emit("keys")
        self.wanted.emit(target.from_s, target.to_s)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._minimap or not self._now:
            return
        x = event.position().x()
        part, second = self._part_at(x), self._second_at(x)
        self.grabbed.emit("drag")
        if part == "":
            self._want(
                self._minimap.moved(self._now, second - (self._now.from_s + self._now.to_s) / 2)
            )
            part = "all"
        self._grip = part, second

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._grip is None:
            shapes = {"all": Qt.CursorShape.OpenHandCursor, "": Qt.CursorShape.ArrowCursor}
            self.setCursor(shapes.get(self._part_at(x), Qt.CursorShape.SizeHorCursor))
            return
        (part, before), second = self._grip, self._second_at(x)
        self._grip = part, second
        assert self._minimap is not None
        assert self._now is not None
        if part == "all":
            self._want(self._minimap.moved(self._now, second - before))
        elif part == "from":
            self._want(self._minimap.between(second, self._now.to_s))
        else:
            self._want(self._minimap.between(self._now.from_s, second))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        colours = chart_colours(is_dark(self.palette()))
        with QPainter(self) as painter:
            self._paint_counts(painter, colours)
            self._paint_windows(painter, colours)
            self._paint_frame(painter, colours)

    def _by_key(self, key: Qt.Key) -> Shown | None:
        """What a key asks for; None where it means nothing here."""
        whole, now = self._minimap, self._now
        if whole is None or now is None:
            return None
        moves = {
            Qt.Key.Key_Left: -PAN_SHARE, Qt.Key.Key_Right: PAN_SHARE,
            Qt.Key.Key_PageUp: -_PAGE, Qt.Key.Key_PageDown: _PAGE,
        }  # fmt: skip
        zooms = {Qt.Key.Key_Plus: 1 / ZOOM, Qt.Key.Key_Equal: 1 / ZOOM, Qt.Key.Key_Minus: ZOOM}
        if key in moves:
            return whole.moved(now, moves[key] * now.length_s)
        if key in zooms:
            return whole.zoomed(now, zooms[key])
        return whole.whole if key == Qt.Key.Key_Home else None

    def _want(self, target: Shown) -> None:
        self.wanted.emit(target.from_s, target.to_s)

    def _part_at(self, x: float) -> str:
        """What of the frame is under the pointer; '' beside it."""
        if self._now is None:
            return ""
        left, right = self.place_of(self._now.from_s), self.place_of(self._now.to_s)
        if abs(x - right) <= _GRIP:
            return "to"
        if abs(x - left) <= _GRIP:
            return "from"
        return "all" if left < x < right else ""

    def _second_at(self, x: float) -> float:
        assert self._minimap is not None
        area, whole = self._area(), self._minimap.whole
        return whole.from_s + (x - area.left()) / max(area.width(), 1.0) * whole.length_s

    def _area(self) -> QRectF:
        left = left_width(self) + _LEFT
        return QRectF(self.rect()).adjusted(left, _EDGE, -_RIGHT, -_EDGE)

    def _say(self) -> None:
        title = self.tr("Whole time range")
        self.setAccessibleName(f"{title}: {shown(minimap_reading(self._minimap, self._now))}")
        self.update()

    def _paint_counts(self, painter: QPainter, colours: ChartColours) -> None:
        area = self._area()
        if self._minimap is None:
            return
        colour = QColor(colours.series[0])
        for x, share in enumerate(self._minimap.heights(int(area.width()))):
            if share:
                height = max(1.0, share * (area.height() - _EDGE))
                bar = QRectF(area.left() + x, area.bottom() - _EDGE - height, 1.0, height)
                painter.fillRect(bar, colour)

    def _paint_windows(self, painter: QPainter, colours: ChartColours) -> None:
        """A line under every window, in the colour of its arm, dashed for B."""
        bottom = self._area().bottom() - 1
        for start, stop, _, arm in self._minimap.spans if self._minimap else ():
            colour = {"A": colours.a, "B": colours.b}.get(arm, colours.dim)
            style = Qt.PenStyle.DashLine if arm == "B" else Qt.PenStyle.SolidLine
            painter.setPen(QPen(QColor(colour), 2, style, Qt.PenCapStyle.FlatCap))
            painter.drawLine(
                int(self.place_of(start)), int(bottom), int(self.place_of(stop)), int(bottom)
            )

    def _paint_frame(self, painter: QPainter, colours: ChartColours) -> None:
        """A veil over what is not shown, and a frame with two grips around what is."""
        if self._minimap is None or self._now is None:
            return
        area = self._area()
        left = min(max(self.place_of(self._now.from_s), area.left()), area.right())
        right = min(max(self.place_of(self._now.to_s), left), area.right())
        veil = QColor(colours.ground)
        veil.setAlpha(170)
        painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), veil)
        painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), veil)
        painter.setPen(QPen(QColor(colours.text), 1))
        painter.drawRect(QRectF(left, area.top(), max(right - left, 2.0), area.height()))
        for x in (left, right):
            grip = QRectF(x - 1.5, area.center().y() - area.height() / 4, 3.0, area.height() / 2)
            painter.fillRect(grip, QColor(colours.text))
