"""Looking closer: finer columns of the heat map for the stretch of time that is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Slot

from ldap_workbench.gui.charts.grid import HeatGrid, Int64, step_ns
from ldap_workbench.gui.charts.heatmap import Heatmap
from ldap_workbench.model.units import NS_PER_S

_REST_MS = 150
"""Nothing is read while a hand still moves the chart."""
_BESIDE = 1.0
"""As much again is read on both sides: moving on shows it at once."""


class Look(NamedTuple):
    """From, to and width of a column, in ns."""

    from_ns: int
    to_ns: int
    step_ns: int


class Closer(QObject):
    """Asks for a finer grid once the view rests; `ask` reads it and answers with `take`."""

    def __init__(
        self, heatmap: Heatmap, ask: Callable[[Look], None], parent: QObject | None = None
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
        look = look_at(whole, low, high)
        if look is None:
            if self._heatmap.finer is not None:
                self._heatmap.set_finer(None)
        elif not covered(self._heatmap.finer, low, high, look.step_ns, whole):
            self._asked = whole.counts
            self._ask(look)


def look_at(whole: HeatGrid, low: float, high: float) -> Look | None:
    """What to read where `low` to `high` (s) is shown; None where `whole` is fine enough."""
    low, high = max(low, whole.start_s), min(high, whole.end_s)
    if low >= high:
        return None
    step = step_ns(round((high - low) * NS_PER_S), whole.count_between(low, high))
    base = round(whole.step_s * NS_PER_S)
    if step >= base:
        return None
    beside = _BESIDE * (high - low)
    start, end = round(whole.start_s * NS_PER_S), round(whole.end_s * NS_PER_S)
    first = max(start, round((low - beside) * NS_PER_S) // step * step)
    last = min(end, -(-round((high + beside) * NS_PER_S) // step) * step)
    return Look(first, last, step)


def covered(finer: HeatGrid | None, low: float, high: float, step: int, whole: HeatGrid) -> bool:
    """Whether this finer grid already shows what is wanted, wherever there is anything."""
    if finer is None or round(finer.step_s * NS_PER_S) != step:
        return False
    low, high = max(low, whole.start_s), min(high, whole.end_s)
    room = finer.step_s
    return finer.start_s <= low + room and finer.end_s >= high - room
