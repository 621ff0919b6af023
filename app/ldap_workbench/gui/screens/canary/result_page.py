"""Step 3: the verdict of a canary in one line and one picture; keep or revert on all replicas."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QSplitter, QTabWidget

from ldap_workbench.campaign.canary import Canary, Outcome, Seat
from ldap_workbench.campaign.canary_description import outcome_of
from ldap_workbench.figures.verdict.canary_view import SEATS, title_of
from ldap_workbench.figures.verdict.view import COLUMNS, before_after, metrics_of, rungs_of
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.pairs import RatioLadder
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.series.result_page import SeriesResultPage
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Verdict

_ROWS = 5
_CHART_EM = 12


class CanaryResultPage(SeriesResultPage):
    """One of the canaries of this user; the one that waits for a decision is the only one then.

    *Signals:* decided(Then) and those of every series
    """

    decided = Signal(object)
    chosen: Canary | None
    _kind = Message("&Canary")
    _rows = Message("Replicas and their sessions")
    _columns = SEATS
    _stretch = 2

    def __init__(self) -> None:
        super().__init__()
        self._waiting = False
        self._next_turn = single_shot(self, self._fill_tabs)
        self.verdict = VerdictBand()
        self.bars, self._ladder = BeforeAfterChart(), RatioLadder()
        name = self.tr("Metrics of the verdict")
        self._metrics = RowsTable(name, COLUMNS, stretch=len(COLUMNS) - 1)
        self.undo = push_button(self.tr("&Revert"), lambda: self._decide(Then.REVERT))
        self.keep = push_button(self.tr("&Keep"), lambda: self._decide(Then.KEEP), primary=True)
        for button in (self.undo, self.keep):
            self.band.add_button(button)
        whole = self._lay_out(self.verdict, self.band, self._button_row())
        whole.addWidget(self._make_parts(), 1)

    def ask(self, canary: Canary, verdict: Verdict) -> None:
        """The verdict is in: somebody must decide."""
        self._waiting, self.chosen = True, canary
        self._show(canary, verdict)

    def answered(self) -> None:
        """Nobody has to decide any more."""
        self._waiting = False
        self._enable()

    @Slot(int)
    def _on_which(self, index: int) -> None:
        if not self._waiting:
            super()._on_which(index)

    def _title(self, series: Canary) -> Message:
        return title_of(series)

    def _session_of(self, row: Seat) -> str:
        return row.session

    def _show_chosen(self) -> None:
        if self.chosen:
            self._show(self.chosen, self.chosen.verdict)

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
        self._metrics.rows.set_rows(metrics)
        self._ladder.set_rungs(rungs_of(metrics))
        self.table.rows.set_rows(canary.seats)
        self.table.selectRow(0)
        for number in (0, 1):
            self._tabs.setTabEnabled(number, bool(metrics))
        if not metrics:
            self._tabs.setCurrentIndex(2)

    def _tell(self, canary: Canary) -> None:
        # What a run that was interrupted read last may have changed since.
        self._show_in_force(canary.in_force if self._waiting or canary.ended else ())
        if self._waiting:
            heading = self.tr("Keep {treatment} on all replicas?")
            exactly = Message("Revert restores every replica exactly as it was.")
            self.band.say(
                heading.format(treatment=canary.plan.treatment),
                shown(after_reverts(canary.left_stored, exactly)),
                "warn",
            )
            return
        moods = {Outcome.RUNNING: "warn", Outcome.ABORTED: "bad"}
        why = canary.why
        if canary.outcome is Outcome.RUNNING:
            template = self.tr("It was interrupted after {done} of {of} windows.")
            words = template.format(done=len(canary.windows), of=len(canary.plan.windows))
        else:
            words = shown(why) if why else ""
        self.band.say(shown(outcome_of(canary)), words, moods.get(canary.outcome, "good"))

    def _enable(self) -> None:
        ended = self.chosen is None or self.chosen.ended
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

    def _make_parts(self) -> QSplitter:
        """The picture, and below it the metrics and the replicas."""
        self.bars.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self._metrics, self.tr("Verd&ict by metric"))
        self._tabs.addTab(self._ladder, self.tr("B / A by &metric"))
        self._tabs.addTab(self.table, self.tr("Re&plicas"))
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setObjectName("canary verdict halves")
        self.split.addWidget(self.bars)
        self.split.addWidget(self._tabs)
        return self.split
