"""Zooming in: asks for finer columns of the heat map where the view rests."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from ldap_workbench.figures.timeline.heat_grid import HeatGrid, Int64
from ldap_workbench.figures.timeline.zoom import Zoom, covered, zoom_at
from ldap_workbench.gui.parts.charts.heatmap import Heatmap

_REST_MS = 150
"""Nothing is read while a hand still moves the chart."""


class HeatmapZoom(QObject):
    """Asks for a finer grid once the view rests; `ask` reads it and answers with `take`."""

    def __init__(
        self, heatmap: Heatmap, ask: Callable[[Zoom], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._heatmap = heatmap
        self._ask = ask
        self._asked: Int64 | None = None
        """The counts of the map that was shown when the question was put."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        heatmap.plot.getViewBox().sigXRangeChanged.connect(self._on_moved)

    def stop(self) -> None:
        """What was asked for is not wanted any more."""
        self._asked = None
        self._rest.stop()

    @Slot(object)
    def take(self, finer: HeatGrid) -> None:
        """What was asked for has been read."""
        asked, self._asked = self._asked, None
        whole = self._heatmap.grid
        if asked is not None and whole is not None and asked is whole.counts:
            self._heatmap.set_finer(finer)
        self._on_moved()

    def _on_moved(self, *_: object) -> None:
        if self._heatmap.grid is not None and self._asked is None:
            self._rest.start()

    @Slot()
    def _on_rest(self) -> None:
        whole = self._heatmap.grid
        if whole is None or not self._heatmap.isVisible():
            return
        low, high = self._heatmap.plot.getViewBox().viewRange()[0]
        zoom = zoom_at(whole, low, high)
        if zoom is None:
            if self._heatmap.finer is not None:
                self._heatmap.set_finer(None)
        elif not covered(self._heatmap.finer, low, high, zoom.step_ns, whole):
            self._asked = whole.counts
            self._ask(zoom)
