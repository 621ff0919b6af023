"""What charts of one time axis share: the moment pointed at, and the time range that is chosen."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsItem, QGraphicsLineItem, QGraphicsRectItem

from ldap_workbench.gui.parts.charts.view import ChartView

_FAR = 1000.0
"""A crosshair reaches so many times the height of the view, that moving it up leaves no gap."""


class TimeOverlay:
    """A crosshair and a chosen time range over one chart; both stay when it is drawn anew.

    Plain Qt items: pyqtgraph's lines and regions take milliseconds each, and there are many charts.
    """

    def __init__(self, chart: ChartView) -> None:
        self._chart = chart
        self._line: QGraphicsLineItem | None = None
        self._region: QGraphicsRectItem | None = None

    @property
    def moment(self) -> float | None:
        """Where the crosshair is shown."""
        shown = self._line is not None and self._line.isVisible()
        return self._line.line().x1() if self._line and shown else None

    def point(self, second: float | None) -> None:
        """Show the crosshair at a moment, or not at all."""
        if second is None:
            if self._line is not None:
                self._line.hide()
            return
        if self._line is None:
            self._line = QGraphicsLineItem()
            self._add(self._line, 60)
        self._line.setPen(pg.mkPen(self._chart.colours().text, width=self._chart.plot.pixel_ratio))
        low, high = self._heights()
        self._line.setLine(QLineF(second, low, second, high))
        self._line.show()

    def mark(self, span: tuple[float, float] | None) -> None:
        """Show a time range (seconds) as chosen, or none."""
        if span is None:
            if self._region is not None:
                self._region.hide()
            return
        if self._region is None:
            self._region = QGraphicsRectItem()
            self._add(self._region, 50)
        colour = QColor(self._chart.colours().mark)
        self._region.setPen(pg.mkPen(colour, width=2 * self._chart.plot.pixel_ratio))
        colour.setAlpha(45)
        self._region.setBrush(colour)
        low, high = self._heights()
        self._region.setRect(QRectF(span[0], low, span[1] - span[0], high - low))
        self._region.show()

    def _heights(self) -> tuple[float, float]:
        low, high = self._chart.plot.getViewBox().viewRange()[1]
        return low - _FAR * (high - low), high + _FAR * (high - low)

    def _add(self, item: QGraphicsItem, above: float) -> None:
        item.setZValue(above)
        self._chart.plot.getViewBox().addItem(item, ignoreBounds=True)
