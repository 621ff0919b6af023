"""Overview: the verdict or what costs most, tails and timeline small, and where to go next."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.figures.overview.session_summary import SessionSummary
from ldap_workbench.figures.overview.view import completeness_of, stored_verdict
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.verdict.before_after import before_after
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, set_mood
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.verdict_band import VerdictBand
from ldap_workbench.gui.screens.overview.reading import (
    GRID,
    STALLS,
    TAILS,
    VERDICT,
    WORST,
    OverviewParts,
)
from ldap_workbench.gui.screens.overview.worst import WorstCard
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import NOTHING, Message, sentences

_CHART_EM, _NARROW_EM = 16, 50
"""Least height of a row of charts, where the page scrolls in a lower window; and what is narrow."""


class OverviewScreen(Screen):
    """What a session is about, on one screen; it is where a session opens.

    *Signals:* wanted(str): "verdict", "findings", "tails", "timeline", "experiment" or "report"
    """

    name = "overview"
    icon = "overview"
    title = Message("Overview")

    wanted = Signal(str)

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        self.band = VerdictBand()
        self.bars, self.worst = BeforeAfterChart(), WorstCard()
        self.tails, self.heatmap = TailsChart(), Heatmap()
        self._stalls: list[Any] = []
        self._tested = NOTHING
        self._state, self._complete = badge(""), ElidedLabel("", Qt.TextElideMode.ElideRight)
        self.buttons = self._make_buttons()
        self._body = self._make_body()
        self._empty = EmptyState(
            "overview",
            self.tr("No session is open"),
            self.tr(
                "Open a session, drop logs or capture a window to see here what was slow, "
                "what it costs and what to do next."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        self.worst.wanted.connect(lambda: self.wanted.emit("findings"))
        self.parts = OverviewParts(workbench, self)
        self.parts.came.connect(self._on_part)
        self.parts.failed.connect(workbench.fail)
        workbench.sessionChanged.connect(self._on_session)

    def shown(self) -> None:
        self.parts.look(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parts.look(False)

    def reload(self) -> None:
        self._on_session()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window one chart stands below the other: both keep room for their words."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW_EM * self.fontMetrics().height()
        upper = self.splits[0]
        upper.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        upper.setMinimumHeight(_CHART_EM * self.fontMetrics().height() * (2 if narrow else 1))

    def _make_buttons(self) -> dict[str, QPushButton]:
        words = {
            "verdict": self.tr("Read the verd&ict"),
            "findings": self.tr("Loo&k at the findings"),
            "tails": self.tr("Compare the &tails"),
            "timeline": self.tr("Open the ti&meline"),
            "experiment": self.tr("Plan an e&xperiment"),
            "report": self.tr("&Write the report"),
        }
        buttons = {}
        for name, text in words.items():
            # The first way: the verdict where there is one, else the findings.
            button = push_button(text, primary=name in ("verdict", "findings"))
            button.clicked.connect(lambda _=False, name=name: self.wanted.emit(name))
            buttons[name] = button
        return buttons

    def _make_body(self) -> QWidget:
        # Splitters: in a layout each chart would be as high as its words like it for its width.
        upper = QSplitter(Qt.Orientation.Horizontal)
        for widget, stretch in ((self.bars, 4), (self.worst, 4), (self.tails, 5)):
            upper.addWidget(widget)
            upper.setStretchFactor(upper.count() - 1, stretch)
        upper.setSizes([400, 400, 500])  # else as wide as each likes: a list of titles, not at all
        split = QSplitter(Qt.Orientation.Vertical)
        for half in (upper, self.heatmap):
            half.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
            split.addWidget(half)
            split.setStretchFactor(split.count() - 1, 1)
        split.setSizes([1, 1])
        self.splits = (upper, split)
        for name, splitter in zip(("overview upper", "overview halves"), self.splits, strict=True):
            splitter.setObjectName(name)
            splitter.setChildrenCollapsible(False)
        self.area = QScrollArea()
        self.area.setWidget(split)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QWidget()
        column(self.band, (self.area, 1), self._foot(), on=body, margins=0, spacing=10)
        return body

    def _foot(self) -> QVBoxLayout:
        sources = row(self._state, (self._complete, 1))
        return column(sources, flow(*self.buttons.values()), spacing=8)

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self.parts.start(opened)
        self._stalls = []
        self.tails.set_picture(TailsPicture())
        self.heatmap.set_grid(None)
        if opened is None:
            self.set_subtitle("")
            self.show_body(self._empty)
            return
        self.set_subtitle(shown(opened.summary.headline()))
        self._show_summary(opened.summary)
        self.show_body(self._body)
        self.parts.look(self.isVisible())

    def _show_summary(self, summary: SessionSummary) -> None:
        """What is known of a session without reading its operations."""
        verdict, experiment = stored_verdict(summary), summary.experiment
        self.band.setVisible(verdict is not None)
        self._tested = NOTHING
        if verdict and experiment:
            treatment = str(experiment.plan.treatment)
            self._tested = Message("Tested: {treatment}", treatment=treatment)
            self.band.show_line(verdict, self._tested)
        self.bars.setVisible(verdict is not None)
        self.bars.set_bars(before_after(verdict) if verdict else None)
        self.worst.setVisible(verdict is None)
        self.worst.show_reading()
        self.buttons["verdict"].setVisible(verdict is not None)
        self.buttons["findings"].setVisible(verdict is None)
        complete = completeness_of(summary.sources, len(summary.windows))
        self._state.setText(self.tr("complete") if complete.complete else self.tr("not complete"))
        set_mood(self._state, "good" if complete.complete else "warn")
        self._complete.set_whole(shown(complete.sentence))

    @Slot(str, object)
    def _on_part(self, name: str, value: Any) -> None:
        if name == TAILS:
            self.tails.set_picture(value)
        elif name == VERDICT and value:
            self.band.show_line(value, sentences(value.warnings[0], self._tested))
            self.bars.set_bars(before_after(value))
        elif name == WORST:
            self.worst.show_worst(value)
        elif name == GRID:
            self.heatmap.set_grid(value)
        elif name == STALLS and value:
            self._stalls += value
            self.heatmap.set_stalls(self._stalls)
