"""Summary: the verdict or where the time went, tails and timeline small, and the findings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ldap_workbench.figures.overview.findings import FindingsView, findings_of
from ldap_workbench.figures.overview.session_summary import SessionSummary
from ldap_workbench.figures.overview.view import (
    completeness_of,
    is_of_earlier_rules,
    read_grid,
    read_stalls,
    read_tails,
    read_verdict,
    stored_verdict,
)
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.verdict.view import before_after
from ldap_workbench.gui.parts.charts.account import AccountChart
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, set_mood
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row, scroll
from ldap_workbench.gui.screens.overview.findings import FindingsPanel
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.reader import Session

TAILS, GRID, STALLS, FINDINGS, VERDICT = "tails", "grid", "stalls", "findings", "verdict"


class _Part(NamedTuple):
    name: str
    title: Message
    read: Callable[[Session], Any]


class OverviewParts(QObject):
    """Asks for a part when the one before has come: whoever goes on waits for one at most.

    *Signals:* came(name, what was read), failed(Exception)
    """

    came = Signal(str, object)
    failed = Signal(object)

    def __init__(self, workbench: Workbench, findings: FindingsPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._findings = workbench, findings
        self._wanted: list[_Part] = []
        self._job: Job | None = None
        self._part = ""
        """Which part the job reads."""
        self._looked_at = False

    def start(self, opened: OpenSession | None) -> None:
        """Forget what was asked for, and list the parts of this session."""
        if self._job:
            self._job.drop()  # its answer would be taken for one of the new parts
        self._job = None
        self._wanted = self._parts(opened) if opened else []

    def look(self, wanted: bool) -> None:
        """Somebody looks at the overview, or no longer."""
        self._looked_at = wanted
        self._next()

    def _parts(self, opened: OpenSession) -> list[_Part]:
        summary = opened.summary
        findings = _Part(FINDINGS, Message("Looking for causes"), findings_of)
        if not summary.windows:
            return [findings]
        slo_ns = round(self._workbench.settings.slo_ms * NS_PER_S / 1000)
        parts = [
            _Part(
                TAILS,
                Message("Reading latencies"),
                partial(read_tails, summary=summary, slo_ns=slo_ns),
            ),
            _Part(GRID, Message("Reading the timeline"), partial(read_grid, summary=summary)),
        ]
        if is_of_earlier_rules(summary):
            title = Message("Judging the experiment by today's rules")
            parts.insert(1, _Part(VERDICT, title, partial(read_verdict, summary=summary)))
        # Those of a test come after its pictures: they tell of many windows.
        parts.insert(1 if stored_verdict(summary) is None else len(parts), findings)
        parts += [
            _Part(STALLS, Message("Looking for stalls"), partial(read_stalls, windows=(window,)))
            for window in summary.windows
        ]
        return parts

    def _next(self) -> None:
        if (self._job and self._job.running) or not self._looked_at or not self._wanted:
            return
        part = self._wanted.pop(0)
        if part.name == FINDINGS:
            if not self._findings.stale:  # another screen asked for them
                self._next()
                return
            part = part._replace(read=self._findings.reader())  # as they are wanted by now
        self._part = part.name
        self._job = self._workbench.ask_session(
            shown(part.title), part.read, self._on_part, self._on_failed, view=True
        )

    @Slot(object)
    def _on_part(self, value: Any) -> None:
        self.came.emit(self._part, value)
        self._next()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        """The other parts may be readable; what fails in one window is not tried in the next."""
        if self._part == FINDINGS:
            self._findings.show_failure()
        self._wanted = [part for part in self._wanted if part.name != self._part]
        self.failed.emit(error)
        self._next()


_CHART_EM, _TIMELINE_EM, _NARROW_EM = 16, 13, 50
"""Least heights of the charts and of the timeline, and what is narrow."""
_CHART_SHARE, _TIMELINE_SHARE = 0.38, 0.3
"""Of a high window: what is left shows the first findings."""


class OverviewScreen(Screen):
    """What a session is about; it is where a session opens. A server answers without one, too.

    *Signals:* verdictWanted(), testWanted(); operationsWanted(str): the operations that these
    words find
    """

    name = "overview"
    of_whole_windows = True

    verdictWanted = Signal()
    testWanted = Signal()
    operationsWanted = Signal(str)

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.band = VerdictBand()
        self.bars, self.time, self.tails = BeforeAfterChart(), AccountChart(), TailsChart()
        self.heatmap, self.findings = Heatmap(), FindingsPanel(workbench)
        self._grid = QGridLayout()
        self._narrow: bool | None = None
        self._stalls: list[Any] = []
        self._tested = NOTHING
        self._state, self._complete = badge(""), ElidedLabel("", Qt.TextElideMode.ElideRight)
        self._read = push_button(self.tr("Read the verd&ict"), self.verdictWanted, primary=True)
        self.add_tool(self._read)
        self.add_tool(push_button(self.tr("Test a cha&nge …"), self.testWanted))
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        self.time.wanted.connect(self.operationsWanted)
        self.findings.seenChanged.connect(self._on_seen)
        self.parts = OverviewParts(workbench, self.findings, self)
        self.parts.came.connect(self._on_part)
        self.parts.failed.connect(workbench.fail)
        workbench.sessionChanged.connect(self._on_session)
        workbench.connectionChanged.connect(self._show_what_there_is)
        self._show_what_there_is()

    def shown(self) -> None:
        self.parts.look(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parts.look(False)

    def reload(self) -> None:
        self.findings.stale = True
        self._on_session()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Charts side by side; in a narrow window the findings follow the first of them.

        Heights are fixed: in a layout each chart would be as high as its words like it for its
        width.
        """
        em, room = self.fontMetrics().height(), self.area.height()
        for chart in (self.bars, self.time, self.tails):
            chart.setFixedHeight(max(_CHART_EM * em, round(_CHART_SHARE * room)))
        self.heatmap.setFixedHeight(max(_TIMELINE_EM * em, round(_TIMELINE_SHARE * room)))
        narrow = self.width() < _NARROW_EM * em
        if narrow is self._narrow:
            return
        self._narrow = narrow
        places = {self.findings: (1, 0), self.tails: (2, 0), self.heatmap: (3, 0)}
        if not narrow:
            places = {self.tails: (0, 1), self.heatmap: (1, 0), self.findings: (2, 0)}
        for part, (line, place) in places.items():
            wide = 1 if narrow or part is self.tails else 2
            self._grid.addWidget(part, line, place, 1, wide)
        self._grid.setColumnStretch(1, 0 if narrow else 5)

    def _make_body(self) -> QWidget:
        inside = QWidget()
        inside.setObjectName("page")
        self._grid.setSpacing(10)
        self._grid.setColumnStretch(0, 5)
        first = column(self.bars, self.time, margins=0)  # never both
        self._grid.addLayout(first, 0, 0)
        column(self._grid, Stretch(), on=inside, margins=0)
        self.area: QScrollArea = scroll(inside, framed=False)
        body = QWidget()
        sources = row(self._state, (self._complete, 1))
        column(self.band, (self.area, 1), sources, on=body, margins=0, spacing=10)
        self._arrange()
        return body

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self.parts.start(opened)
        self._stalls = []
        self.tails.set_picture(TailsPicture())
        self.heatmap.set_grid(None)
        self.set_subtitle(shown(opened.summary.headline()) if opened else "")
        if opened is not None:
            self._show_summary(opened.summary)
        self._show_what_there_is()
        self.parts.look(self.isVisible())

    @Slot()
    def _show_what_there_is(self) -> None:
        """A connected server alone can be asked about references."""
        opened = self.workbench.opened
        charts = (self.band, self.bars, self.time, self.tails, self.heatmap, self._state)
        if opened is None:
            for part in (*charts, self._complete, self._read):
                part.hide()
        served = self.workbench.connection is not None
        self.show_body(self._body if opened or served else self._empty)

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
        logged = any(
            source.kind is SourceKind.ACCESS_LOG and source.state is not SourceState.MISSING
            for source in summary.sources
        )
        self.time.setVisible(verdict is None and logged)
        self.time.set_bars(())
        self._read.setVisible(verdict is not None)
        for chart in (self.tails, self.heatmap):
            chart.setVisible(logged)  # without operations they have nothing to show
        self._state.show()
        self._complete.show()
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
        elif name == FINDINGS:
            self.findings.show_seen(value)
        elif name == GRID:
            self.heatmap.set_grid(value)
        elif name == STALLS and value:
            self._stalls += value
            self.heatmap.set_stalls(self._stalls)

    @Slot(object)
    def _on_seen(self, seen: FindingsView) -> None:
        self.time.set_bars(seen.bars)
