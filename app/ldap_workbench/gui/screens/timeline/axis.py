"""Several charts on one time axis: pointed at, and selected on, as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QGraphicsItem, QGraphicsLineItem, QGraphicsRectItem

from ldap_workbench.gui.parts.charts.view import ChartView, Entry
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.model.message import Message

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


_SHOW_MS = 30
"""A mouse tells of its moves far more often than charts can follow."""
_LEAST_S = 0.05
"""A time range shorter than this was a click."""
_STEPS = {"Ctrl+Left": -0.01, "Ctrl+Right": 0.01, "Ctrl+Shift+Left": -0.1, "Ctrl+Shift+Right": 0.1}
"""How far a key moves the crosshair, as a share of what is shown."""


class TimeAxis(QObject):
    """Shows one crosshair over all its charts, and the time range that is chosen.

    Drawing with Shift selects, and the key S selects what is shown. The crosshair follows the
    pointer, or the arrows with Ctrl.

    *Signals:* selected(float from_s, float to_s), noted(float second, float shown_s)
    """

    selected = Signal(float, float)
    noted = Signal(float, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._overlays: dict[ChartView, TimeOverlay] = {}
        self._moment: float | None = None
        self._chosen: tuple[float, float] | None = None
        self._later = single_shot(self, self._show_moment, _SHOW_MS)

    @property
    def moment(self) -> float | None:
        """Seconds of the crosshair; None where nothing is pointed at."""
        return self._moment

    @Slot(object)
    def add(self, chart: ChartView) -> None:
        """Let a chart take part."""
        overlay = self._overlays[chart] = TimeOverlay(chart)
        overlay.mark(self._chosen)
        chart.more_keys = self.tr(
            "Press S or drag with Shift to select a time range. Ctrl+Left and "
            "Ctrl+Right move the crosshair and read out the values, with Shift in "
            "larger steps; Esc hides it. N writes a note at the crosshair."
        )
        chart.show_moment(self._moment)
        box = chart.plot.getViewBox()
        box.pointedAt.connect(self._on_pointed)
        box.drawn.connect(self._on_drawn)
        chart.destroyed.connect(partial(self._overlays.pop, chart, None))
        chart.more_entries = partial(self._entries, chart)
        self._make_key(chart, "S", partial(self.select_shown, chart))
        self._make_key(chart, "N", lambda: self._note(chart, self._moment))
        self._make_key(chart, "Esc", partial(self._on_pointed, None))
        for keys, share in _STEPS.items():
            self._make_key(chart, keys, partial(self.step, chart, share))

    def step(self, chart: ChartView, share: float) -> None:
        """Move the crosshair by a share of what a chart shows; from its middle at first."""
        box = chart.plot.getViewBox()
        low, high = box.viewRange()[0]
        at = self._moment
        if at is None or not low <= at <= high:
            at = (low + high) / 2
        at += share * (high - low)
        beyond = min(0.0, at - low) + max(0.0, at - high)
        if beyond:
            box.translateBy(x=beyond)
        self._on_pointed(at)

    def select_shown(self, chart: ChartView) -> None:
        """Select the time range that a chart shows."""
        self.selected.emit(*chart.plot.getViewBox().viewRange()[0])

    def mark(self, span: tuple[float, float] | None) -> None:
        """Show a time range (seconds) as chosen over every chart, or none."""
        self._chosen = span
        for overlay in self._overlays.values():
            overlay.mark(span)

    def _entries(self, chart: ChartView) -> list[Entry]:
        """The menu takes the pointer away: the moment is that of its opening."""
        moment = self._moment
        return [(Message("&Note at this time …"), "N", lambda: self._note(chart, moment), True)]

    def _note(self, chart: ChartView, moment: float | None) -> None:
        low, high = chart.plot.getViewBox().viewRange()[0]
        self.noted.emit((low + high) / 2 if moment is None else moment, high - low)

    @staticmethod
    def _make_key(chart: ChartView, keys: str, slot: Callable[[], None]) -> None:
        shortcut = QShortcut(QKeySequence(keys), chart)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(slot)

    @Slot(object)
    def _on_pointed(self, second: float | None) -> None:
        self._moment = second
        if not self._later.isActive():
            self._later.start()

    @Slot()
    def _show_moment(self) -> None:
        for chart, overlay in self._overlays.items():
            overlay.point(self._moment)
            chart.show_moment(self._moment)

    @Slot(float, float, bool)
    def _on_drawn(self, first: float, last: float, done: bool) -> None:
        span = min(first, last), max(first, last)
        if not done:
            for overlay in self._overlays.values():
                overlay.mark(span)
        elif span[1] - span[0] < _LEAST_S:
            self.mark(self._chosen)
        else:
            self.selected.emit(*span)
