"""Strips in columns, each over one time axis that stays; scrolled where there is no room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ldap_workbench.figures.timeline.strips import Strip
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.model.message import Message

_GAP = 8
"""Pixels between two charts."""

_LABEL = 120
"""Pixels that the words of a tick may take."""


class StripStack(QScrollArea):
    """Charts are kept by title, so that live values do not make new ones.

    A chart is made or drawn anew in a turn of the event loop of its own: all at once is felt.

    *Signals:* chartMade(StripChart), complete() when all that was wanted is shown
    """

    chartMade = Signal(object)
    complete = Signal()

    def __init__(self, columns: int = 2) -> None:
        super().__init__()
        self._columns = columns
        self._wanted: list[Message] = []
        self._waiting: dict[Message, Strip] = {}
        self._charts: dict[Message, StripChart] = {}
        self._leader: ChartView | None = None
        self._moving = False
        self._turns = single_shot(self, self._on_turn)
        self._make_inside()
        self._rulers = [TimeRuler(self) for _ in range(columns)]

    def _make_inside(self) -> None:
        inside = QWidget()
        inside.setObjectName("page")
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        # Gaps are rows of their own: Qt's spacing is left out beside a chart that is not seen yet,
        # and all would move when it is.
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(0)
        inside.installEventFilter(self)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._show_bar(0)

    def charts(self) -> list[StripChart]:
        """Those there are now, in their order."""
        return [self._charts[title] for title in self._wanted if title in self._charts]

    def coming(self) -> bool:
        """Whether something is still to be made or drawn."""
        return self._turns.isActive()

    def set_strips(self, strips: Sequence[Strip]) -> None:
        """Show these, in this order, in the next turns; charts of others go now."""
        newest = {strip.title: strip for strip in strips}
        self._drop(self._charts.keys() - newest.keys())
        self.setViewportMargins(0, 0, 0, self._ruler_height() if newest else 0)
        self._show_bar(len(newest))
        if list(newest) != self._wanted:
            self._wanted = list(newest)
            self._place()
        # What waits longest is next, so that values which come fast leave no chart behind.
        first = [title for title in self._waiting if title in newest]
        self._waiting = {title: newest[title] for title in [*first, *newest]}
        self._turns.start()

    def _show_bar(self, strips: int) -> None:
        """All the time there are rows: were it to come and go, their width would change."""
        policy = Qt.ScrollBarPolicy
        rows = strips > self._columns  # one row has room, or never
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if rows else policy.ScrollBarAsNeeded
        )

    def show_strip(self, title: Message) -> None:
        """Scroll a strip into view; nothing where there is none of that title."""
        if chart := self._charts.get(title):
            self._grid.activate()
            self.ensureWidgetVisible(chart, 0, 0)

    @Slot()
    def _on_turn(self) -> None:
        if title := next(iter(self._waiting), None):
            self._show(self._waiting.pop(title))
        if self._waiting:
            self._turns.start()
        else:
            self.complete.emit()

    def _show(self, strip: Strip) -> None:
        if chart := self._charts.get(strip.title):
            chart.set_strip(strip)
            return
        self._charts[strip.title] = self._made(strip)
        self._place()

    def rulers(self) -> list[TimeRuler]:
        """The time axis of every column."""
        return list(self._rulers)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_rulers()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The charts stand elsewhere: their axes with them."""
        if event.type() == QEvent.Type.LayoutRequest or event.type() == QEvent.Type.Resize:
            self._place_rulers()
        return False

    def follow(self, leader: ChartView) -> None:
        """Show the same time range as another chart, from now on, and it as these."""
        # pyqtgraph's own link aligns pixels, which is wrong for charts of different widths.
        self._leader = leader
        leader.plot.getViewBox().sigXRangeChanged.connect(self._on_range)
        self._on_range(None, leader.plot.getViewBox().viewRange()[0])

    def _on_range(self, moved: object, limits: Sequence[float]) -> None:
        """One chart was moved in time: move the others."""
        if self._moving:
            return
        self._moving = True
        charts: list[ChartView] = list(self._charts.values())
        for chart in [*charts, self._leader] if self._leader else charts:
            if chart.plot.getViewBox() is not moved:
                chart.plot.setXRange(limits[0], limits[1], padding=0)
        self._moving = False

    def _made(self, strip: Strip) -> StripChart:
        chart = StripChart(strip)
        chart.show_time(False)
        chart.plot.getViewBox().sigTransformChanged.connect(self._on_moved)
        if self._leader:
            chart.follows = True
            low, high = self._leader.plot.getViewBox().viewRange()[0]
            chart.plot.setXRange(low, high, padding=0)
            chart.plot.getViewBox().sigXRangeChanged.connect(self._on_range)
            chart.plot.getViewBox().history = self._leader.plot.getViewBox().history
        self.chartMade.emit(chart)
        return chart

    @Slot(object)
    def _on_moved(self, _: object) -> None:
        for ruler in self._rulers:
            ruler.update()

    def _ruler_height(self) -> int:
        return self.fontMetrics().height() + 6

    def _place_rulers(self) -> None:
        """Below what is scrolled, as wide as it."""
        room = self.viewport().geometry()
        for ruler in self._rulers:
            ruler.setGeometry(room.left(), room.bottom() + 1, room.width(), self._ruler_height())
            ruler.update()

    def _drop(self, titles: Iterable[Message]) -> None:
        for title in titles:
            chart = self._charts.pop(title)
            chart.hide()
            chart.deleteLater()

    def _place(self) -> None:
        """Each chart in its cell, and room for those to come: none is laid out anew for another."""
        rows = -(-len(self._wanted) // self._columns)
        height = max((chart.minimumSizeHint().height() for chart in self.charts()), default=0)
        for row in range(max(2 * rows, self._grid.rowCount())):
            chart_here, seen = row % 2 == 0, row < 2 * rows - 1
            self._grid.setRowStretch(row, int(chart_here and seen))
            room = height if chart_here else _GAP
            self._grid.setRowMinimumHeight(row, room if seen else 0)
        for number, title in enumerate(self._wanted):
            if chart := self._charts.get(title):
                self._grid.addWidget(chart, 2 * (number // self._columns), number % self._columns)
        for column, ruler in enumerate(self._rulers):
            inside = [self._charts.get(title) for title in self._wanted[column :: self._columns]]
            ruler.show_times_of(next(filter(None, inside), None))


class TimeRuler(QWidget):
    """The ticks of a chart above it, at the same moments and in the same words as its own would be.

    It says nothing of its own, so a screen reader passes it by: every chart tells its times.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._chart: ChartView | None = None

    @property
    def chart(self) -> ChartView | None:
        """Whose times it shows."""
        return self._chart

    def show_times_of(self, chart: ChartView | None) -> None:
        """Stand under this chart."""
        self._chart = chart
        self.update()

    def ticks(self) -> list[tuple[int, str]]:
        """Where each tick is, in pixels of the ruler, and what it says."""
        if self._chart is None:
            return []
        box, axis = self._chart.plot.getViewBox(), self._chart.plot.getAxis("bottom")
        low, high = box.viewRange()[0]
        [(step, seconds)] = axis.tickValues(low, high, box.width())
        words = axis.tickStrings(seconds, 1.0, step)
        return [(self._place(second), text) for second, text in zip(seconds, words, strict=True)]

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._chart is not None:
                painter.setPen(QColor(self._chart.colours().dim))
            for x, text in self.ticks():
                box = QRect(x - _LABEL // 2, 0, _LABEL, self.height())
                if self.rect().contains(
                    painter.boundingRect(box, Qt.AlignmentFlag.AlignCenter, text)
                ):
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _place(self, second: float) -> int:
        assert self._chart is not None
        canvas, box = self._chart.canvas, self._chart.plot.getViewBox()
        within = canvas.mapFromScene(box.mapViewToScene(QPointF(second, 0.0)))
        return int(self.mapFromGlobal(canvas.mapToGlobal(within)).x())
