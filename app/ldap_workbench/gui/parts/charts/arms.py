"""Windows of A and B behind a strip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

from ldap_workbench.figures.timeline.strips import ArmSpan
from ldap_workbench.gui.parts.charts.legend import swatch
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.model.message import verbatim

_FILL = 38
"""Of 255: lines and grid are read through it."""
_STYLES = {"A": Qt.PenStyle.SolidLine, "B": Qt.PenStyle.DashLine}
_SAMPLES = {"A": "━", "B": "╍"}


def arm_shades(
    spans: Sequence[ArmSpan], limits: tuple[float, float], colours: ChartColours
) -> list[QGraphicsItem]:
    """A shade for each arm, and along its top a line, dashed for B; one item for all windows."""
    items: list[QGraphicsItem] = []
    for arm, style in _STYLES.items():
        if chosen := [span for span in spans if span.arm == arm]:
            colour = _colour(arm, colours)
            items += [_shade(chosen, limits, colour), _edge(chosen, limits[1], colour, style)]
    return items


def arm_swatches(spans: Sequence[ArmSpan], colours: ChartColours) -> list[str]:
    """Their entries in a legend."""
    there = {span.arm for span in spans}
    return [
        swatch(_colour(arm, colours), sample, verbatim(arm))
        for arm, sample in _SAMPLES.items()
        if arm in there
    ]


def _colour(arm: str, colours: ChartColours) -> str:
    return colours.b if arm == "B" else colours.a


def _shade(spans: Sequence[ArmSpan], limits: tuple[float, float], colour: str) -> QGraphicsPathItem:
    path = QPainterPath()
    for span in spans:
        height = limits[1] - limits[0]
        path.addRect(QRectF(span.start_s, limits[0], span.end_s - span.start_s, height))
    fill = QColor(colour)
    fill.setAlpha(_FILL)
    item = QGraphicsPathItem(path)
    item.setPen(pg.mkPen(None))
    item.setBrush(fill)
    item.setZValue(-20)
    return item


def _edge(
    spans: Sequence[ArmSpan], height: float, colour: str, style: Qt.PenStyle
) -> pg.PlotCurveItem:
    x = np.array([end for span in spans for end in (span.start_s, span.end_s)])
    pen = pg.mkPen(colour, width=3, style=style)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pg.PlotCurveItem(x, np.full(len(x), height), pen=pen, connect="pairs")
