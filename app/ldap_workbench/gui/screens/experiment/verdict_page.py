"""Step 4: the verdict in one line and one picture, the statistics below; keep or revert."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QWidget

from ldap_workbench.experiment.description import length
from ldap_workbench.experiment.further import longer_wait
from ldap_workbench.experiment.in_force import NOT_READ, InForce
from ldap_workbench.experiment.plan import duration_s
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.verdict.view import (
    COLUMNS,
    BeforeAfter,
    before_after,
    metrics_of,
    rungs_of,
)
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.pairs import RatioLadder
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.bands import Band, VerdictBand
from ldap_workbench.gui.parts.widgets.buttons import push_button, set_primary
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.experiment.running import Decision
from ldap_workbench.model.change import after_reverts, reverted
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Verdict

_NARROW_EM, _CHART_EM = 50, 14
"""In heights of a line: narrower than this is narrow; the least height of the tails."""


class VerdictPage(QWidget):
    """*Signals:* decided(Then), againWanted(), furtherWanted(), reportWanted()."""

    decided = Signal(object)
    againWanted = Signal()
    furtherWanted = Signal()
    reportWanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._deciding = False
        self._verdict = VerdictBand()
        self.chart, self._ladder = TailsChart(), RatioLadder()
        name = self.tr("Metrics of the verdict")
        self._table = RowsTable(name, COLUMNS, stretch=len(COLUMNS) - 1)
        self._metrics = self._table.rows
        self.bars = BeforeAfterChart()
        self.chart.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
        pictures = _split("verdict pictures", (self.bars, 2), (self.chart, 3))
        self._statistics = self._make_statistics()
        split = _split("verdict halves", (pictures, 4), (self._statistics, 3))
        split.setOrientation(Qt.Orientation.Vertical)
        self.splits = (pictures, split)
        self._make_bar()
        # The bar above what may have to be scrolled to.
        column(self._verdict, self._bar, (split, 1), on=self, margins=0, spacing=10)

    def show_decision(self, decision: Decision, plan: Plan, left: Sequence[Message] = ()) -> None:
        """The verdict is in; somebody must decide. `left` is what a revert leaves stored."""
        self.show_verdict(decision.verdict)
        # The safe choice is the primary button.
        set_primary(self._keep, decision.verdict.earns_keep)
        set_primary(self._revert, not decision.verdict.earns_keep)
        self.show_tails(decision.picture)
        self.show_open(plan, left=left)
        self.show_in_force(decision.in_force)

    def show_tails(self, picture: TailsPicture) -> None:
        """The tails of A against B; without any there is no chart."""
        self.chart.set_picture(picture)
        self.chart.setVisible(bool(picture.curves))

    def show_verdict(self, verdict: Verdict) -> None:
        """The verdict and its metrics; the chart is set apart."""
        metrics = metrics_of(verdict)
        self._verdict.show_verdict(verdict)
        self._offer_rerun(longer_wait=longer_wait(verdict) is not None)
        self._show_bars(before_after(verdict))
        self._metrics.set_rows(metrics)
        self._ladder.set_rungs(rungs_of(metrics))

    def _offer_rerun(self, *, longer_wait: bool) -> None:
        """After a verdict that had not settled it is the next step, with the wait it asks for."""
        if longer_wait:
            self._again.setText(self.tr("Rer&un with a longer wait …"))
        else:
            self._again.setText(self.tr("Rer&un …"))
        set_primary(self._again, longer_wait)
        set_primary(self._report, not longer_wait)

    def clear(self) -> None:
        """Show the verdict of nothing."""
        self._verdict.show_none(NOTHING)
        self._show_bars(None)
        self._metrics.set_rows(())
        self._ladder.set_rungs(())
        self.show_tails(TailsPicture())
        self.show_in_force(NOT_READ)
        self.offer_further(None)

    def _show_bars(self, bars: BeforeAfter | None) -> None:
        self.bars.set_bars(bars)
        self.bars.setVisible(bars is not None)

    def show_open(self, plan: Plan, hint: str = "", left: Sequence[Message] = ()) -> None:
        """The change is in force, or may be: somebody must decide; with a `hint`, not now."""
        exactly = Message("Revert restores the server exactly as it was.")
        self._bar.say(
            self.tr("Keep {treatment}?").format(treatment=plan.treatment),
            hint or shown(after_reverts(left, exactly)),
            "warn",
        )
        self._show_buttons(deciding=True)
        for button in (self._revert, self._keep):
            button.setEnabled(not hint)
            set_tip(button, hint)

    def show_in_force(self, now: InForce) -> None:
        """What the settings of the change say now, below what is asked or has been decided."""
        self._in_force.setText("\n".join(map(shown, now.lines)))
        self._in_force.setVisible(bool(now.lines))

    def offer_further(self, plan: Plan | None, clock_rate: float = 1.0) -> None:
        """Offer to measure more pairs by this plan; without one not."""
        self._further.setVisible(plan is not None)
        if plan is None:
            return
        words = self.tr("Mea&sure {n} more pairs ({length}) …")
        takes = shown(length(duration_s(plan, clock_rate)))
        self._further.setText(words.format(n=len(plan.steps) // 2, length=takes))
        tip = self.tr(
            "An experiment of its own: its verdict rests on the new pairs alone and names what was "
            "seen before."
        )
        if self._deciding:
            first = self.tr("The change is reverted first.")
            tip = f"{tip} {first}"
        set_tip(self._further, tip)

    def show_end(self, experiment: Experiment) -> None:
        """What became of the change."""
        is_kept = experiment.state is State.KEPT
        headings = {
            State.KEPT: self.tr("The change was kept. You can still revert it in the change log."),
            State.REVERTED: shown(reverted(experiment.left_stored)),
            State.ABORTED: self.tr("The experiment ended early."),
        }
        undecided = self.tr("The experiment ended without a decision; no change is left open.")
        heading = headings.get(experiment.state, undecided)
        self._bar.say(
            heading, shown(experiment.why), "good" if is_kept or not experiment.why else "bad"
        )
        self._show_buttons(deciding=False)

    def _make_statistics(self) -> QTabWidget:
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.addTab(self._table, self.tr("Verd&ict by metric"))
        tabs.addTab(self._ladder, self.tr("B / A by &metric"))
        # Shown in a turn after the pictures: all of the page at once is felt.
        tabs.hide()
        self._next_turn = single_shot(self, tabs.show)
        return tabs

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow page one picture stands below the other: both keep room for their words."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW_EM * self.fontMetrics().height()
        turned = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        self.splits[0].setOrientation(turned)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._statistics.isHidden():
            self._next_turn.start()

    def _make_bar(self) -> None:
        self._bar = Band()
        self._in_force = label("", wrap=True)
        self._in_force.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._in_force.hide()
        self._revert = push_button(
            self.tr("&Revert"), lambda: self._decide(Then.REVERT), primary=True
        )
        self._keep = push_button(self.tr("&Keep"), lambda: self._decide(Then.KEEP))
        self._again = push_button(self.tr("Rer&un …"), self.againWanted)
        self._further = push_button(self.tr("Mea&sure more pairs …"), self._on_further)
        self._report = push_button(self.tr("Re&port"), self.reportWanted, primary=True)
        for button in (self._revert, self._keep, self._again, self._report):
            self._bar.add_button(button)
        self._bar.add_row(self._in_force, self._further)
        self._show_buttons(deciding=False)
        self.offer_further(None)

    def _decide(self, then: Then) -> None:
        self._close_decision()
        self.decided.emit(then)

    @Slot()
    def _on_further(self) -> None:
        self._close_decision()
        self.furtherWanted.emit()

    def _close_decision(self) -> None:
        """Nobody decides twice."""
        for button in (self._revert, self._keep):
            button.setEnabled(False)
        if self._deciding:
            self._further.setEnabled(False)

    def _show_buttons(self, *, deciding: bool) -> None:
        if deciding is not self._deciding:  # what was said and offered is of the other case
            self.show_in_force(NOT_READ)
            self.offer_further(None)
        self._deciding = deciding
        self._further.setEnabled(True)
        for button in (self._revert, self._keep):
            button.setVisible(deciding)
            button.setEnabled(deciding)
        for button in (self._again, self._report):
            button.setVisible(not deciding)


def _split(name: str, *parts: tuple[QWidget, int]) -> QSplitter:
    """Parts side by side, with how much of the room each takes."""
    split = QSplitter(Qt.Orientation.Horizontal)
    split.setObjectName(name)
    for widget, stretch in parts:
        split.addWidget(widget)
        split.setStretchFactor(split.count() - 1, stretch)
    return split
