"""The one time axis under strips that stand above one another."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.charts.view import ChartView

_LABEL = 120
"""Pixels that the words of a tick may take."""


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
