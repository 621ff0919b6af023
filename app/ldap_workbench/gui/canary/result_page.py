"""Step 3: the verdict of a canary in one line and one picture; keep or revert on all replicas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.campaign import Canary, Outcome, Seat
from ldap_workbench.campaign.canary_report import outcome_of
from ldap_workbench.figures.before_after import before_after
from ldap_workbench.figures.canary_view import title_of
from ldap_workbench.figures.verdict_view import metrics_of, rungs_of
from ldap_workbench.gui.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.charts.pairs import RatioLadder
from ldap_workbench.gui.models.canary import SEATS
from ldap_workbench.gui.models.metrics import MetricsModel
from ldap_workbench.gui.models.table import ROW_ROLE, RowsModel
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.flow import FlowLayout
from ldap_workbench.gui.widgets.labels import label
from ldap_workbench.gui.widgets.table import TableView
from ldap_workbench.gui.widgets.verdict_band import VerdictBand
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import Verdict

_ROWS = 5
_CHART_EM = 12


class CanaryResultPage(QWidget):
    """One of the canaries of this user; the one that waits for a decision is the only one then.

    *Signals:* decided(Then), sessionWanted(Path), reportWanted(Canary, Path),
    resumeWanted(Canary), revertWanted(Canary)
    """

    decided = Signal(object)
    sessionWanted = Signal(object)
    reportWanted = Signal(object, object)
    resumeWanted = Signal(object)
    revertWanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canary: Canary | None = None
        self._stored: list[Canary] = []
        self._waiting = False
        self._next_turn = QTimer(self)
        self._next_turn.setSingleShot(True)
        self._next_turn.setInterval(0)
        self._next_turn.timeout.connect(self._fill_tabs)
        self.which = QComboBox()
        self.which.setAccessibleName(self.tr("Canary"))
        adjust = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.which.setSizeAdjustPolicy(adjust)
        self.which.setMinimumContentsLength(30)
        self.which.currentIndexChanged.connect(self._on_which)
        self.verdict = VerdictBand()
        self.band = Band()
        self.bars, self._ladder = BeforeAfterChart(), RatioLadder()
        self._metrics = MetricsModel(parent=self)
        self._table = TableView(self.tr("Metrics of the verdict"))
        self._table.set_rows(self._metrics, stretch=self._metrics.columnCount() - 1)
        self._seats = RowsModel(SEATS, parent=self)
        self.seats = TableView(self.tr("Replicas and their sessions"))
        self.seats.set_rows(self._seats, stretch=2)
        self.seats.activated.connect(self._on_row)
        self._make_buttons()
        self._lay_out()

    def set_stored(self, canaries: Sequence[Canary]) -> None:
        """All canaries of this user, the latest first."""
        chosen = self.canary.output if self.canary else None
        self._stored = list(canaries)
        self.which.blockSignals(True)
        self.which.clear()
        self.which.addItems([shown(title_of(each)) for each in self._stored])
        outputs = [each.output for each in self._stored]
        self.which.setCurrentIndex(outputs.index(chosen) if chosen in outputs else 0)
        self.which.blockSignals(False)
        if not self._waiting:
            self._on_which(self.which.currentIndex())

    def choose(self, output: Path) -> None:
        """Show the canary of a file."""
        outputs = [each.output for each in self._stored]
        if output in outputs:
            self.which.setCurrentIndex(outputs.index(output))

    def ask(self, canary: Canary, verdict: Verdict) -> None:
        """The verdict is in: somebody must decide."""
        self._waiting, self.canary = True, canary
        self._show(canary, verdict)

    def answered(self) -> None:
        """Nobody has to decide any more."""
        self._waiting = False
        self._enable()

    @Slot(int)
    def _on_which(self, index: int) -> None:
        self.canary = self._stored[index] if 0 <= index < len(self._stored) else None
        if self.canary:
            self._show(self.canary, self.canary.verdict)

    def _show(self, canary: Canary, verdict: Verdict | None) -> None:
        if verdict:
            self.verdict.show_verdict(verdict)
        else:
            self.verdict.show_none(NOTHING)
        bars = before_after(verdict) if verdict else None
        self.bars.set_bars(bars)
        self.bars.setVisible(bars is not None)
        self._tell(canary)
        self._enable()
        self._filling = (canary, verdict)
        self._next_turn.start()

    @Slot()
    def _fill_tabs(self) -> None:
        """In a turn after the picture: all of the page at once is felt."""
        canary, verdict = self._filling
        metrics = metrics_of(verdict) if verdict else []
        self._metrics.set_rows(metrics)
        self._ladder.set_rungs(rungs_of(metrics))
        self._seats.set_rows(canary.seats)
        self.seats.selectRow(0)
        for number in (0, 1):
            self._tabs.setTabEnabled(number, bool(metrics))
        if not metrics:
            self._tabs.setCurrentIndex(2)

    def _tell(self, canary: Canary) -> None:
        if self._waiting:
            heading = self.tr("Keep {treatment} on all replicas?")
            self.band.say(
                heading.format(treatment=canary.plan.treatment),
                self.tr("Revert restores every replica exactly as it was."),
                "warn",
            )
            return
        moods = {Outcome.RUNNING: "warn", Outcome.ABORTED: "bad"}
        why = canary.why
        if canary.outcome is Outcome.RUNNING:
            told = self.tr("It was interrupted after {done} of {of} windows.")
            words = told.format(done=len(canary.windows), of=len(canary.plan.windows))
        else:
            words = shown(why) if why else ""
        self.band.say(shown(outcome_of(canary)), words, moods.get(canary.outcome, "good"))

    def _enable(self) -> None:
        ended = self.canary is None or self.canary.ended
        for part in (self._name, self.which):
            part.setVisible(not self._waiting)
        for button in (self.keep, self.undo):
            button.setVisible(self._waiting)
            button.setEnabled(self._waiting)
        for button in (self.resume, self.revert):
            button.setVisible(not self._waiting and not ended)
        for button in (self.session, self.report):
            button.setVisible(not self._waiting)

    def _decide(self, then: Then) -> None:
        for button in (self.keep, self.undo):
            button.setEnabled(False)
        self.decided.emit(then)

    @Slot()
    def _on_session(self) -> None:
        self._on_row(self.seats.currentIndex())

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        seat = index.data(ROW_ROLE)
        if isinstance(seat, Seat):
            self.sessionWanted.emit(Path(seat.session))

    @Slot()
    def _on_report(self) -> None:
        if self.canary is None:
            return
        suggestion = str(self.canary.output.with_suffix(".md"))
        title, kinds = self.tr("Write the report"), "Markdown (*.md)"
        path, _ = QFileDialog.getSaveFileName(self, title, suggestion, kinds)
        if path:
            self.reportWanted.emit(self.canary, Path(path))

    def _make_buttons(self) -> None:
        self.undo = push_button(self.tr("&Revert"))
        self.undo.clicked.connect(lambda: self._decide(Then.REVERT))
        self.keep = push_button(self.tr("&Keep"), primary=True)
        self.keep.clicked.connect(lambda: self._decide(Then.KEEP))
        self.resume = push_button(self.tr("&Resume …"), primary=True)
        self.revert = push_button(self.tr("Revert a&ll and end it …"))
        self.session = push_button(self.tr("&Open its session"))
        self.report = push_button(self.tr("&Write the report …"))
        self.session.clicked.connect(self._on_session)
        self.report.clicked.connect(self._on_report)
        for button, wanted in (
            (self.resume, self.resumeWanted),
            (self.revert, self.revertWanted),
        ):
            button.clicked.connect(partial(self._ask, wanted))

    def _ask(self, wanted: SignalInstance) -> None:
        if self.canary:
            wanted.emit(self.canary)

    def _lay_out(self) -> None:
        self._name = label(self.tr("&Canary"))
        self._name.setBuddy(self.which)
        first = QHBoxLayout()
        first.addWidget(self._name)
        first.addWidget(self.which, 1)
        for button in (self.undo, self.keep):
            self.band.add_button(button)
        buttons = QWidget()
        flow = FlowLayout(buttons)
        for button in (self.session, self.report, self.resume, self.revert):
            flow.addWidget(button)
        self.bars.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self._table, self.tr("Verd&ict by metric"))
        self._tabs.addTab(self._ladder, self.tr("B / A by &metric"))
        self._tabs.addTab(self.seats, self.tr("Re&plicas"))
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setObjectName("canary verdict halves")
        self.split.addWidget(self.bars)
        self.split.addWidget(self._tabs)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addLayout(first)
        for part in (self.verdict, self.band, buttons):
            whole.addWidget(part)
        whole.addWidget(self.split, 1)
