"""What the timeline asks of the session's thread: first the map, then stalls, a closer zoom."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    Int64,
    StallAt,
    Zoom,
    covered,
    zoom_at,
)
from ldap_workbench.figures.timeline.view import Timeline, TimelineReader
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.window import Window
from ldap_workbench.session.conditions import Condition
from ldap_workbench.session.reader import Session

StallsRead = tuple[TimelineReader, Window, tuple[StallAt, ...]]

_REST_MS = 150
"""Nothing is read while a hand still moves the chart."""


class TimelineQueries(QObject):
    """Keeps one reader for each session that is opened.

    Stalls are asked for window by window, so that nothing else waits long for its turn.

    *Signals:* arrived(Timeline), failed(Exception) where it could not be read
    """

    arrived = Signal(object)
    failed = Signal(object)

    def __init__(
        self, workbench: Workbench, heatmap: Heatmap, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._heatmap = heatmap
        self._reader: TimelineReader | None = None
        self._windows: tuple[Window, ...] = ()
        self._stalls: dict[int, tuple[StallAt, ...]] = {}
        self._asked: int | None = None
        """The window whose stalls are being looked for."""
        self._zoom = HeatmapZoom(heatmap, self._zoom_in, self)

    def read_from(self, session: Session | None) -> None:
        """Forget the session before; from now on ask this one."""
        self._zoom.stop()
        self._reader = TimelineReader(session) if session else None
        self._windows, self._stalls, self._asked = (), {}, None

    def ask(self, windows: Sequence[Window], conditions: tuple[Condition, ...] = ()) -> None:
        """Read these windows, of their operations those that meet all conditions.

        `arrived` tells of it.
        """
        if self._reader is None:
            return
        self._zoom.stop()
        self._reader = reader = self._reader.narrowed(conditions)
        self._windows = windows = tuple(windows)
        title = self.tr("Reading the timeline")
        self._workbench.ask_session(
            title,
            lambda _: reader.timeline(windows),
            self._on_timeline,
            self._on_failed,
            view=True,
        )

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(error)

    @Slot(object)
    def _on_timeline(self, timeline: Timeline) -> None:
        self.arrived.emit(timeline)
        self._next_stalls()

    def _next_stalls(self) -> None:
        reader = self._reader
        window = next((w for w in self._windows if w.id not in self._stalls), None)
        if reader is None or window is None or self._asked is not None:
            return
        self._asked = window.id
        title = self.tr("Looking for stalls")
        self._workbench.ask_session(
            title, lambda _: (reader, window, reader.stalls(window)), self._on_stalls
        )

    @Slot(object)
    def _on_stalls(self, answer: StallsRead) -> None:
        reader, window, stalls = answer
        if self._reader is None or reader.session is not self._reader.session:
            return
        self._asked = None
        self._stalls[window.id] = stalls
        if window in self._windows and (stalls or not self._missing()):
            self._heatmap.set_stalls(
                [stall for w in self._windows for stall in self._stalls.get(w.id, ())]
            )
        self._next_stalls()

    def _missing(self) -> bool:
        return any(window.id not in self._stalls for window in self._windows)

    def _zoom_in(self, zoom: Zoom) -> None:
        reader, windows, whole = self._reader, self._windows, self._heatmap.grid
        if reader is None or whole is None or not windows:
            return
        within, rows = (zoom.from_ns, zoom.to_ns), whole.rows

        def read(_: object) -> HeatGrid:
            return reader.zoomed(windows, within, zoom.step_ns, rows)

        title = self.tr("Zooming in")
        self._workbench.ask_session(title, read, self._zoom.take)


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
        self._rest = single_shot(self, self._on_rest, _REST_MS)
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
