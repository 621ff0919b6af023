"""The line of the latency target (SLO), in every chart with an etime on one of its axes."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.style.theme import ChartColours
from ldap_workbench.model.message import Message

ACROSS, UPRIGHT = 0, 90
_VEIL = 190


def limit_at(slo_ns: int) -> float:
    """Where the limit (ns) stands on an axis of etimes."""
    return float(np.log10(max(slo_ns, 1)))


class _Words(pg.InfLineLabel):
    """Above the line; below it where the edge would cut them."""

    def updatePosition(self) -> None:
        super().updatePosition()
        view, around = self.line.getViewBox(), self.line.viewRect()
        if not isinstance(view, pg.ViewBox) or around is None or not view.height():
            return  # not in a chart yet
        share = max(around.top(), around.bottom()) / max(around.height(), 1e-12)
        roomy = share * view.height() > self.boundingRect().height()
        self.setAnchor((0, 1) if roomy else (0, 0))


def limit_line(slo_ns: int, colours: ChartColours, angle: int) -> pg.InfiniteLine:
    """The line with its words: ACROSS a chart of percentiles, UPRIGHT where etimes go right."""
    pen = pg.mkPen(colours.slo, width=1, style=Qt.PenStyle.DotLine)
    anchors = [(0, 1), (0, 1)] if angle == ACROSS else [(0, 0), (1, 0)]
    position = 0.04 if angle == ACROSS else 0.98
    options = {"position": position, "color": colours.slo, "anchors": anchors}
    behind = QColor(colours.ground)
    behind.setAlpha(_VEIL)  # legible over a curve, which still shines through
    options["fill"] = behind
    text = shown(Message("latency target (SLO), {etime:duration}", etime=slo_ns))
    line = pg.InfiniteLine(limit_at(slo_ns), angle=angle, pen=pen)
    line.label = (_Words if angle == ACROSS else pg.InfLineLabel)(line, text, **options)
    return line
