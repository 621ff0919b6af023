"""Imported histograms: the runs of a probe over each other, by bucket and beyond each bucket."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.figures.tails.probes import ProbePicture, ProbeRun
from ldap_workbench.gui.parts.charts.axes import DurationAxis, LogCountAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.plot import Plot
from ldap_workbench.gui.parts.charts.view import NO_DATA, ChartView
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import ChartColours
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.model.message import Message

_MILLION = 1e6
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
_SAMPLES = ("━━━", "╍╍╍", "┅┅┅")


class ProbeChart(ChartView):
    """Calls of a million by bucket, or `beyond` each bucket; both axes logarithmic."""

    def __init__(self, *, beyond: bool) -> None:
        self._picture: ProbePicture | None = None
        self._beyond = beyond
        title = Message("Beyond each bucket") if beyond else Message("Calls by bucket")
        axes = {"bottom": DurationAxis("bottom"), "left": LogCountAxis("left")}
        super().__init__(title, axes)
        self.plot.setLabel("left", Message("of a million calls"))

    def set_picture(self, picture: ProbePicture | None) -> None:
        """Show this probe instead."""
        self._picture = picture
        self.plot.setLabel(
            "bottom", Message("time of a call") if picture and picture.is_time else Message("value")
        )
        self.refresh()

    @property
    def _runs(self) -> tuple[ProbeRun, ...]:
        return self._picture.runs if self._picture else ()

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        for place, run in enumerate(self._runs):
            pen = pg.mkPen(_colour(place, colours), width=2, style=_DASHES[place % len(_DASHES)])
            shares = np.array(run.beyond if self._beyond else run.shares)
            # A bucket without a call has no logarithm: the line rests on a call of a million.
            height = np.log10(np.maximum(shares * _MILLION, 0.1))
            if self._beyond:
                at = np.log10(np.array(run.low))
                plot.addItem(pg.PlotCurveItem(at, height, pen=pen, antialias=True))
            else:
                edges = np.log10(np.array(run.edges))
                plot.addItem(pg.PlotCurveItem(edges, height, stepMode="center", pen=pen))

    def legend(self, colours: ChartColours) -> str:
        return legend_of(
            *(
                swatch(
                    _colour(place, colours),
                    _SAMPLES[place % len(_SAMPLES)],
                    Message("{run} ({calls})", run=run.label, calls=run.calls),
                )
                for place, run in enumerate(self._runs)
            )
        )

    def reading(self) -> str:
        if not self._runs:
            return shown(NO_DATA)
        sentences = [
            Message("{run}: {calls} calls.", run=run.label, calls=run.calls) for run in self._runs
        ]
        return " ".join(map(shown, sentences))

    def numbers(self) -> Numbers:
        bounds = sorted({bound for run in self._runs for bound in run.low})
        rows: list[Row] = [
            (self._bound(bound), *(_cell(run, bound) for run in self._runs)) for bound in bounds
        ]
        return Numbers((Message("from"), *(run.label for run in self._runs)), tuple(rows))

    def _bound(self, bound: float) -> Message:
        is_time = bool(self._picture and self._picture.is_time)
        return formats.amount(round(bound), "duration" if is_time else "count")

    def fit(self) -> None:
        """All of the curves."""
        if self._runs:
            self.plot.getViewBox().autoRange(padding=0.03)


class ProbesView(QWidget):
    """Both charts of one probe, and the choice of the probe where there are several."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures: tuple[ProbePicture, ...] = ()
        self.buckets, self.beyond = ProbeChart(beyond=False), ProbeChart(beyond=True)
        self._probes = ComboBox()
        self._probes.setAccessibleName(self.tr("Probe"))
        self._probes.currentIndexChanged.connect(self._show)
        self._choice = QWidget()
        name = label(self.tr("Pro&be"))
        name.setBuddy(self._probes)
        row(name, self._probes, Stretch(), on=self._choice, margins=0)
        column(self._choice, (row((self.buckets, 1), (self.beyond, 1)), 1), on=self)

    def set_pictures(self, pictures: tuple[ProbePicture, ...]) -> None:
        """Show these probes instead, the first one drawn."""
        self._pictures = pictures
        self._probes.blockSignals(True)
        self._probes.clear()
        self._probes.addItems([picture.probe for picture in pictures])
        self._probes.blockSignals(False)
        self._choice.setVisible(len(pictures) > 1)
        self._show(0)

    def _show(self, place: int) -> None:
        chosen = self._pictures[place] if 0 <= place < len(self._pictures) else None
        for chart in (self.buckets, self.beyond):
            chart.set_picture(chosen)


def _colour(place: int, colours: ChartColours) -> str:
    return colours.b if place % 2 else colours.a


def _cell(run: ProbeRun, bound: float) -> Message:
    if bound not in run.low:
        return formats.amount(0)
    at = run.low.index(bound)
    return Message("{count} ({share})", count=run.counts[at], share=formats.share(run.beyond[at]))
