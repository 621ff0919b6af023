"""Strips in two columns, all on one time axis; scrolled where there is no room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ldap_workbench.gui.charts.strip import Strip, StripChart
from ldap_workbench.gui.charts.view import ChartView


class StripStack(QScrollArea):
    """Charts are kept by title, so that live values do not make new ones.

    *Signals:* chartMade(StripChart)
    """

    chartMade = Signal(object)

    def __init__(self, columns: int = 2, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self._charts: dict[str, StripChart] = {}
        self._leader: ChartView | None = None
        self._moving = False
        inside = QWidget()
        inside.setObjectName("page")
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def charts(self) -> list[StripChart]:
        return list(self._charts.values())

    def set_strips(self, strips: Sequence[Strip], at_once: int | None = None) -> None:
        """Show these, in this order; charts of others go.

        At most `at_once` charts are made now, the others at the next call: live values come again.
        """
        if at_once is not None:
            strips = self._with_few_new(strips, at_once)
        titles = [strip.title for strip in strips]
        if titles != list(self._charts):
            self._arrange(strips)
        for strip in strips:
            self._charts[strip.title].set_strip(strip)

    def show_strip(self, title: str) -> None:
        """Scroll a strip into view; nothing where there is none of that title."""
        if chart := self._charts.get(title):
            self._grid.activate()
            self.ensureWidgetVisible(chart, 0, 0)

    def _with_few_new(self, strips: Sequence[Strip], most: int) -> list[Strip]:
        new = [strip.title for strip in strips if strip.title not in self._charts]
        return [strip for strip in strips if strip.title not in new[most:]]

    def follow(self, leader: ChartView) -> None:
        """Show the same stretch of time as another chart, from now on, and it as these."""
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
        if self._leader:
            chart.follows = True
            limits = self._leader.plot.getViewBox().viewRange()[0]
            chart.plot.setXRange(*limits, padding=0)
            chart.plot.getViewBox().sigXRangeChanged.connect(self._on_range)
        self.chartMade.emit(chart)
        return chart

    def _arrange(self, strips: Sequence[Strip]) -> None:
        kept = {strip.title: self._charts.pop(strip.title, None) for strip in strips}
        for chart in self._charts.values():
            chart.hide()
            chart.deleteLater()
        self._charts = {strip.title: kept[strip.title] or self._made(strip) for strip in strips}
        for number, chart in enumerate(self._charts.values()):
            self._grid.addWidget(chart, number // self._columns, number % self._columns)
