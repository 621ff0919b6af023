"""The line of the latency target (SLO), in every chart with an etime on one of its axes."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from ldap_workbench.gui.parts.charts.legend import swatch
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import Message

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
