"""Axes of our own: pyqtgraph's logarithmic ticks mix 0.1, 1 and 10^1, its units give 'kms'."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics

from ldap_workbench.figures import ticks
from ldap_workbench.gui.parts.charts.legend import swatch
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message

Levels = list[tuple[float, list[float]]]
_ROW = 20
"""Pixels a number takes on an upright axis."""


class _Axis(pg.AxisItem):
    """Without SI prefixes; the unit stands at every tick or in the label."""

    _label_shown = ""

    def __init__(self, orientation: str, **options: Any) -> None:
        super().__init__(orientation, **options)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, maxTickLevel=1, hideOverlappingLabels=True)

    def _updateLabel(self) -> None:
        """Set the label only where it is seen and has changed.

        pyqtgraph sets it ten times while an axis is made and coloured, and a window has 42 axes.
        """
        label = self.labelString()
        if self.label.isVisible() and label != self._label_shown:
            self._label_shown = label
            super()._updateLabel()
        else:
            self.picture = None
            self.update()

    def boundingRect(self) -> QRectF:
        """With room for the words of the first and the last tick, which pyqtgraph leaves out."""
        bare: QRectF = super().boundingRect()
        upright = self.orientation in ("left", "right")
        return bare.adjusted(0, -_ROW / 2, 0, _ROW / 2) if upright else bare


class DurationAxis(_Axis):
    """log10(ns) as 1 ms, 10 ms, 1 s."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        upright = self.orientation in ("left", "right")
        most = max(2, int(size // (26 if upright else 72)))
        major, minor = ticks.log_ticks(minVal, maxVal, most)
        highest = _uncut(minVal, maxVal, size) if upright else maxVal
        return [
            (1.0, [t for t in major if t <= highest]),
            (0.3, [t for t in minor if t <= highest]),
        ]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.duration_text(value)) for value in values]


class PercentileAxis(_Axis):
    """-log10(1 - p) as 0, 50, 90, 99, 99.9: the further right, the rarer."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        major, minor = ticks.percentile_ticks(minVal, maxVal)
        return [(1.0, major), (0.5, minor if len(major) < 3 else [])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.percentile_text(value)) for value in values]


class ClockAxis(_Axis):
    """Seconds since 1970 as the time of day in UTC."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        step = ticks.time_step(maxVal - minVal, max(2, int(size // 90)))
        first = math.ceil(minVal / step)
        count = min(100, int((maxVal - first * step) // step) + 1)
        return [(step, [(first + i) * step for i in range(count)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [ticks.time_text(value, spacing) for value in values]


def _uncut(low: float, high: float, size: float) -> float:
    """Where the highest number of an upright axis may stand: at the edge half of it is cut."""
    return high - (high - low) * min(0.4, _ROW / 4 / max(size, 1))


class CountAxis(_Axis):
    """Numbers with k, M, G, as many as have room; `whole` for what can not be divided."""

    def __init__(self, orientation: str, *, whole: bool = False, **options: Any) -> None:
        super().__init__(orientation, **options)
        self._whole = whole

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        highest = _uncut(minVal, maxVal, size)
        most = min(8, max(1, int(size // _ROW)))
        step = ticks.count_step(highest - minVal, most, whole=self._whole)
        first, last = math.ceil(minVal / step - 1e-9), math.floor(highest / step + 1e-9)
        return [(step, [i * step for i in range(first, last + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.short_number(value)) for value in values]


class LogCountAxis(_Axis):
    """log10 of a count as 1, 10, 100, 1 k."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        return [(1.0, ticks.decades(minVal, maxVal))]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.short_number(10.0**value)) for value in values]


class LogShareAxis(_Axis):
    """log10 of a share as 100 %, 1 %, 0.01 %."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        return [(1.0, ticks.decades(minVal, maxVal))]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.share_text(value)) for value in values]


class RatioAxis(_Axis):
    """log2 of a ratio as ×0.5, ×1, ×2."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        low, high = sorted((minVal, maxVal))
        return [(1.0, ticks.ratio_ticks(low, high, 54 * (high - low) / max(size, 1)))]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [shown(ticks.ratio_text(value)) for value in values]


class NamesAxis(_Axis):
    """Rows with names, the first at 0."""

    def __init__(self, orientation: str, **options: Any) -> None:
        super().__init__(orientation, **options)
        self.names: tuple[str, ...] = ()

    def set_names(self, names: tuple[str, ...]) -> None:
        """Name the rows, and make room for the longest."""
        self.names = names
        widest = max((QFontMetrics(QFont()).horizontalAdvance(name) for name in names), default=0)
        self.setWidth(widest + 16)
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Levels:
        low, high = sorted((minVal, maxVal))
        return [(1.0, [float(i) for i in range(len(self.names)) if low <= i <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self.names[round(value)] for value in values]


ACROSS, UPRIGHT = 0, 90


def limit_at(slo_ns: int) -> float:
    """Where the limit (ns) stands on an axis of etimes."""
    return float(np.log10(max(slo_ns, 1)))


def limit_line(slo_ns: int, colours: ChartColours, angle: int) -> pg.InfiniteLine:
    """The line: ACROSS a chart of percentiles, UPRIGHT where etimes go right."""
    pen = pg.mkPen(colours.slo, width=1, style=Qt.PenStyle.DotLine)
    return pg.InfiniteLine(limit_at(slo_ns), angle=angle, pen=pen)


def limit_swatch(slo_ns: int | None, colours: ChartColours) -> str:
    """Its entry in the legend: words on the line would cover the curves that cross it."""
    if not slo_ns:
        return ""
    text = Message("latency target (SLO), {etime:duration}", etime=slo_ns)
    return swatch(colours.slo, "┈┈┈", text)
