"""Tails: A and B on a log-percentile axis, the verdict above, the numbers below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QTabWidget,
    QWidget,
)

from ldap_workbench.figures.overview.session_summary import comparison_name, default_comparison
from ldap_workbench.figures.tails.client_view import CAVEAT
from ldap_workbench.figures.tails.icicle import Stacks
from ldap_workbench.figures.tails.table import COLUMNS as TAILS
from ldap_workbench.figures.tails.view import TailsReader, TailsView
from ldap_workbench.figures.verdict.changed_groups import change_numbers
from ldap_workbench.figures.verdict.host_changes import host_numbers
from ldap_workbench.figures.verdict.view import COLUMNS as METRICS
from ldap_workbench.figures.verdict.view import Evidence, evidence_of, metrics_of, name_of, rungs_of
from ldap_workbench.gui.parts.charts.icicle import StacksView
from ldap_workbench.gui.parts.charts.pairs import PairDotPlot, RatioLadder
from ldap_workbench.gui.parts.charts.probes import ProbesView
from ldap_workbench.gui.parts.charts.shape import CcdfChart, Histogram
from ldap_workbench.gui.parts.charts.shift import ShiftChart
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import plain_tip, shown
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox, DoubleSpinBox, WindowPicker
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.saved_views import SavedView, SavedViewsButton
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.tails.compare import KEY, Comparison
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.model.window import Window

_FUNCTIONS, _CLIENT, _GROUPS = 4, 5, 6
"""Places of their tables among the tabs."""


class TailsScreen(SessionScreen):
    """Compares windows of the open session."""

    name = "tails"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._reader: TailsReader | None = None
        self.comparison = Comparison(workbench, self)
        self.comparison.began.connect(self._on_two_sessions)
        self.comparison.ended.connect(self._on_session)
        self._make_tools()
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.selection.changed.connect(self.outdate)

    def kind(self) -> str:
        """The operation type looked at."""
        return str(self._kind.currentData() or ALL)

    def slo_ns(self) -> int:
        """The latency target (SLO)."""
        return round(self._slo.value() * NS_PER_S / 1000)

    def _make_tools(self) -> None:
        self._a, self._b = WindowPicker("A", "Alt+Shift+A"), WindowPicker("B", "Alt+Shift+B")
        self._kind = ComboBox()
        self._kind.setAccessibleName(self.tr("Operation type"))
        self._kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._kind.addItem(self.tr("All client operations"), ALL)
        self._slo = DoubleSpinBox()
        self._slo.setRange(0.01, 600_000)
        self._slo.setDecimals(2)
        self._slo.setSuffix(" ms")
        self._slo.setValue(self.workbench.settings.slo_ms)
        self._slo.setKeyboardTracking(False)
        words = label(self.tr("S&LO"))
        set_tip(
            words, self.tr("Latency target (SLO): the tables show the share of slower operations")
        )
        compare = push_button(self.tr("C&ompare …"), self.comparison.ask)
        set_tip(compare, self.tr("Any windows of any two sessions, side by side"))
        self.pins = SavedViewsButton(
            "flag",
            self.tr("Pinned comparisons"),
            self.tr("&Pin this comparison"),
            "Alt+Shift+P",
            self.workbench.settings,
            self._pin,
        )
        self.pins.wanted.connect(self._on_pinned)
        for widget in (compare, self.pins, self._a, self._b):
            self.add_tool(widget)
        self.add_field(label(self.tr("&Type")), self._kind)
        self.add_field(words, self._slo)
        for picker in (self._a, self._b):
            picker.chosen.connect(self._ask)
        self._kind.activated.connect(self._ask)
        self._slo.valueChanged.connect(self._on_slo)

    def _make_body(self) -> QWidget:
        self._band = VerdictBand()
        self.chart = TailsChart()
        self._ladder, self._histogram, self._ccdf = RatioLadder(), Histogram(), CcdfChart()
        self._shift, self._pairs = ShiftChart(), PairDotPlot()
        self.probes, self.stacks = ProbesView(), StacksView()
        self._charts = QTabWidget()
        self._charts.setDocumentMode(True)
        for chart, title in (
            (self.chart, self.tr("By &percentile")),
            (self._ladder, self.tr("B / A by &metric")),
            (self._pairs, self.tr("Pai&r by pair")),
            (self._shift, self.tr("B / A by q&uantile")),
            (self._histogram, self.tr("Histo&gram")),
            (self._ccdf, self.tr("E&xceedance (CCDF)")),
            (self.probes, self.tr("Pro&bes")),
            (self.stacks, self.tr("Stac&ks")),
        ):
            self._charts.addTab(chart, title)
        self.panes = Panes("tails panes", self._charts, lines=20)
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        self.panes.add("tables", self.tr("Tables"), self._make_tables(), bottom, 32)
        body = QWidget()
        column(self.comparison.band, self._band, (self.panes, 1), on=body, margins=0, spacing=10)
        return body

    def _make_tables(self) -> QWidget:
        self._metrics = RowsTable(
            self.tr("Metrics of the verdict"),
            METRICS,
            keep="metrics table",
            stretch=len(METRICS) - 1,
        )
        name = self.tr("Latency of each window and operation type")
        self._rows = RowsTable(name, TAILS, keep="tails table", sort=-1)
        self._ledger = RowsTable(self.tr("Stalls of both sides"))
        self.host = RowsTable(self.tr("Host activity on both sides"))
        self.functions = RowsTable(self.tr("Functions in stacks of threads"))
        self.client = RowsTable(self.tr("What a client measured, beside the server"))
        # No label below: it would leave the rows no room in a small window.
        self.client.setAccessibleDescription(shown(CAVEAT))
        self.groups = RowsTable(self.tr("What is new, gone or changed in B"))
        self._tables = QTabWidget()
        self._tables.setDocumentMode(True)
        for table, title in (
            (self._metrics, self.tr("Verd&ict by metric")),
            (self._rows, self.tr("&Numbers of each window")),
            (self._ledger, self.tr("Stall le&dger")),
            (self.host, self.tr("Host &activity")),
            (self.functions, self.tr("&Functions")),
            (self.client, self.tr("Client's vie&w")),
            (self.groups, self.tr("C&hanges")),
        ):
            self._tables.addTab(table, title)
        self._tables.setTabToolTip(_CLIENT, plain_tip(shown(CAVEAT)))
        return self._tables

    @Slot()
    def _on_session(self) -> None:
        if self.comparison.sides:
            self.comparison.end()  # calls this again
        else:
            super()._on_session()

    def _clear(self) -> None:
        opened = self.workbench.opened
        self._reader = TailsReader(opened.session) if opened else None
        self.pins.setEnabled(opened is not None)
        self.pins.key = f"pinned {opened.path.absolute()}" if opened else ""

    def _begin(self, opened: OpenSession) -> None:
        a, b = default_comparison(opened.summary)
        self._offer((opened.summary.windows, a), (opened.summary.windows, b))

    @Slot()
    def _on_two_sessions(self) -> None:
        """Show the windows that were chosen of two sessions."""
        sides = self.comparison.sides
        assert sides is not None
        self._reader = sides.reader
        a, b = self.comparison.wanted()
        summaries = sides.summaries
        self._offer((summaries["A"].windows, a.windows), (summaries["B"].windows, b.windows))
        self.set_subtitle("")
        self.outdate()

    def _pin(self) -> tuple[str, SavedView] | None:
        """What is compared, to be shown again; of two sessions it is not kept."""
        a, b = self._a.windows(), self._b.windows()
        if self.comparison.sides or self.workbench.opened is None or not a:
            return None
        name = shown(comparison_name(a, b, self.kind()))
        return name, {"a": [w.id for w in a], "b": [w.id for w in b], "type": self.kind()}

    @Slot(object)
    def _on_pinned(self, view: SavedView) -> None:
        opened = self.workbench.opened
        if opened is None or self.comparison.sides:
            return
        for picker, side in ((self._a, "a"), (self._b, "b")):
            every = opened.summary.windows
            picker.set_windows(every, [w for w in every if w.id in view.get(side, ())])
        self._kind.setCurrentIndex(max(0, self._kind.findData(view.get("type", ALL))))
        self._ask()

    def _offer(self, *sides: tuple[tuple[Window, ...], tuple[Window, ...]]) -> None:
        """Let windows be ticked for A and for B: those there are, and those ticked at first."""
        for picker, (there, chosen) in zip((self._a, self._b), sides, strict=True):
            picker.set_windows(there, chosen)
        self.show_reading(self.tr("Reading latencies"))

    @Slot()
    def _ask(self) -> None:
        """Read what is to be shown, in the thread of what is read."""
        reader = self._reader
        if reader is None:
            return
        self._stale = False
        a, b, kind, slo = self._a.windows(), self._b.windows(), self.kind(), self.slo_ns()
        selection = self.workbench.selection.now

        def work() -> TailsView:
            return reader.view(a, b, kind, slo, selection)

        self._start(self.tr("Reading latencies"), work, self._on_view, self._on_unread)
        self._ask_verdict(reader, a, b, slo)

    def _start(
        self,
        title: str,
        work: Callable[[], Any],
        on_done: Callable[[Any], None],
        on_failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run a job in the thread of the open session, or of the two that are compared."""
        if self.comparison.sides is None:
            self.workbench.ask_session(title, lambda _: work(), on_done, on_failed, view=True)
            return
        fail = on_failed or self.workbench.fail
        runner = self.workbench.runner
        runner.start(KEY, title, lambda _, __: work(), on_done=on_done, on_failed=fail)

    def _ask_verdict(
        self, reader: TailsReader, a: tuple[Window, ...], b: tuple[Window, ...], slo: int
    ) -> None:
        """The experiment's verdict where these are its windows, else one that only suggests."""
        if self.workbench.selection.now:
            part = Message("A verdict needs whole windows; this is only part of their time.")
            self._show_no_verdict(part if b else NOTHING)
        elif experiment := self._own_experiment():

            def known() -> Evidence:
                return evidence_of(reader.as_planned(experiment))

            # Known already, but to show it in a turn of its own keeps the window answering.
            self._start(self.tr("Comparing"), known, self._show_verdict)
        elif a and b:

            def work() -> Evidence:
                return evidence_of(reader.judge(a, b, slo))

            self._start(self.tr("Comparing"), work, self._show_verdict, self._on_no_verdict)
        else:
            hint = Message("Choose windows for B to compare with A.")
            self._show_no_verdict(hint if self._a.count() > 1 else NOTHING)

    def _own_experiment(self) -> Experiment | None:
        """The judged experiment of the session, while its own windows and limit are looked at."""
        opened = None if self.comparison.sides else self.workbench.opened
        experiment = opened.summary.experiment if opened else None
        if experiment is None or not experiment.verdict:
            return None
        chosen = {w.id for w in (*self._a.windows(), *self._b.windows())}
        sides = all(w.arm == "A" for w in self._a.windows()) and all(
            w.arm == "B" for w in self._b.windows()
        )
        same = chosen == set(experiment.windows) and experiment.plan.slo_ns == self.slo_ns()
        return experiment if same and sides else None

    @Slot(object)
    def _on_view(self, view: TailsView) -> None:
        self.show_body(self._body)
        self.chart.set_picture(view.picture)
        for chart in (self._histogram, self._ccdf):
            chart.set_arms(view.shapes, view.picture.slo_ns)
        self._rows.rows.set_rows(view.rows)
        self.probes.set_pictures(view.probes)
        self._show_chart(self.probes, bool(view.probes))
        self._show_stacks(view.stacks)
        self.client.show_numbers(view.client)
        self._tables.setTabVisible(_CLIENT, view.client is not None)
        self.host.show_numbers(host_numbers(view.host))
        self._tables.setTabVisible(3, bool(view.host))
        self.groups.show_numbers(change_numbers(view.groups))
        self._tables.setTabVisible(_GROUPS, bool(view.groups))
        if not any(shape.n for shape in view.shapes):
            self._show_first(view)
        self._show_types(view.types)

    def _show_first(self, view: TailsView) -> None:
        """Without an operation, what there is."""
        if view.probes:
            self._charts.setCurrentWidget(self.probes)
        elif view.stacks:
            self._charts.setCurrentWidget(self.stacks)

    def _show_stacks(self, stacks: Stacks | None) -> None:
        self.stacks.set_stacks(stacks)
        self._show_chart(self.stacks, stacks is not None)
        self.functions.show_numbers(stacks.function_numbers() if stacks else None)
        self._tables.setTabVisible(_FUNCTIONS, stacks is not None)

    @Slot(object)
    def _show_verdict(self, evidence: Evidence) -> None:
        if self.workbench.selection.now:
            return  # asked for before the time range was chosen
        self._show_metrics(metrics_of(evidence.verdict))
        self._band.show_verdict(evidence.verdict)
        self._show_evidence(evidence)

    def _show_evidence(self, evidence: Evidence | None) -> None:
        self._shift.set_curve(evidence.shift if evidence else None)
        if evidence:
            name = name_of(replace(evidence.verdict.primary, type=ALL))
            text = Message("{metric} of all operations", metric=name)
            self._pairs.set_pairs(evidence.pairs, text)
        self._ledger.show_numbers(evidence.ledger if evidence else None)
        self._show_chart(self._shift, bool(evidence and evidence.shift))
        self._show_chart(self._pairs, bool(evidence and evidence.pairs))
        self._tables.setTabVisible(2, bool(evidence and evidence.ledger))

    def _show_chart(self, chart: QWidget, shown: bool) -> None:
        self._charts.setTabVisible(self._charts.indexOf(chart), shown)

    @Slot(object)
    def _on_no_verdict(self, error: Exception) -> None:
        self._show_no_verdict(
            error.what if isinstance(error, WorkbenchError) else verbatim(str(error))
        )

    def _show_no_verdict(self, why: Message) -> None:
        self._show_metrics([])
        self._band.show_none(why)

    def _show_metrics(self, metrics: list[MetricVerdict]) -> None:
        self._metrics.rows.set_rows(metrics)
        self._ladder.set_rungs(rungs_of(metrics))
        self._tables.setTabVisible(0, bool(metrics))
        self._show_chart(self._ladder, bool(metrics))
        self._show_evidence(None)

    def _show_types(self, types: tuple[str, ...]) -> None:
        present = self.kind()
        self._kind.clear()
        for name in types or (ALL,):
            words = {
                ALL: self.tr("All client operations"),
                "INTERNAL": self.tr("Internal operations"),
            }
            self._kind.addItem(words.get(name, name), name)
        self._kind.setCurrentIndex(max(0, self._kind.findData(present)))

    @Slot(float)
    def _on_slo(self, value: float) -> None:
        self.workbench.settings.slo_ms = value
        self._ask()
