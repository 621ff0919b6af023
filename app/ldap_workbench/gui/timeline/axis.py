"""Several charts on one time axis: pointed at, and selected on, as one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut

from ldap_workbench.gui.charts.moment import TimeOverlay
from ldap_workbench.gui.charts.view import ChartView

_SHOW_MS = 30
"""A mouse tells of its moves far more often than charts can follow."""
_LEAST_S = 0.05
"""A stretch shorter than this was a click."""


class TimeAxis(QObject):
    """Shows one crosshair over all its charts, and the stretch that is chosen.

    Drawing with Shift selects, and the key S selects what is shown.

    *Signals:* selected(float from_s, float to_s)
    """

    selected = Signal(float, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._overlays: dict[ChartView, TimeOverlay] = {}
        self._moment: float | None = None
        self._chosen: tuple[float, float] | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_SHOW_MS)
        self._later.timeout.connect(self._show_moment)

    @property
    def moment(self) -> float | None:
        """Seconds of the crosshair; None where nothing is pointed at."""
        return self._moment

    @Slot(object)
    def add(self, chart: ChartView) -> None:
        """Let a chart take part."""
        overlay = self._overlays[chart] = TimeOverlay(chart)
        overlay.mark(self._chosen)
        chart.more_keys = self.tr("S, or drawing with Shift, selects a stretch of time.")
        box = chart.plot.getViewBox()
        box.pointedAt.connect(self._on_pointed)
        box.drawn.connect(self._on_drawn)
        chart.destroyed.connect(partial(self._overlays.pop, chart, None))
        shortcut = QShortcut(QKeySequence("S"), chart)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(partial(self.select_shown, chart))

    def select_shown(self, chart: ChartView) -> None:
        """Select the stretch that a chart shows."""
        self.selected.emit(*chart.plot.getViewBox().viewRange()[0])

    def mark(self, stretch: tuple[float, float] | None) -> None:
        """Show a stretch (seconds) as chosen over every chart, or none."""
        self._chosen = stretch
        for overlay in self._overlays.values():
            overlay.mark(stretch)

    @Slot(object)
    def _on_pointed(self, second: float | None) -> None:
        self._moment = second
        if not self._later.isActive():
            self._later.start()

    @Slot()
    def _show_moment(self) -> None:
        for chart, overlay in self._overlays.items():
            overlay.point(self._moment)
            chart.say_moment(self._moment)

    @Slot(float, float, bool)
    def _on_drawn(self, first: float, last: float, done: bool) -> None:
        stretch = min(first, last), max(first, last)
        if not done:
            for overlay in self._overlays.values():
                overlay.mark(stretch)
        elif stretch[1] - stretch[0] < _LEAST_S:
            self.mark(self._chosen)
        else:
            self.selected.emit(*stretch)
