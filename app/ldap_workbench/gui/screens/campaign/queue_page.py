"""Step 1: what is tried, how each is tested, what it may cost, and what the plan can say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QLineEdit, QWidget

from ldap_workbench.campaign.description import describe, hardest
from ldap_workbench.campaign.plan import CampaignPlan, Candidate, advised, levels, named
from ldap_workbench.figures.forms.experiment import NO_LIMIT, CampaignForm
from ldap_workbench.figures.verdict.campaign_view import QUEUE
from ldap_workbench.gui.parts.widgets.bands import anywhere
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import DoubleSpinBox, KnobEntry
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.experiment.fields import (
    CardGrid,
    LagFields,
    beside,
    card,
    whole_number,
)
from ldap_workbench.gui.screens.series.plan_page import SeriesPlanPage
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message

_ROWS = 7


class QueueCard(QFrame):
    """Every candidate is checked against the server before it is in the table.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._workbench = workbench
        self.candidates: tuple[Candidate, ...] = ()
        self.table = RowsTable(self.tr("Queue of the campaign"), QUEUE, stretch=0)
        self._make_fields()
        self._lay_out()
        self._show(0)

    def is_ladder(self) -> bool:
        """Whether the candidates are levels of one knob."""
        return self.ladder.isChecked()

    def set_knobs(self, names: Sequence[str]) -> None:
        """Offer these knobs."""
        self.entry.set_knobs(names)

    def clear(self) -> None:
        """Nothing is to be tried any more."""
        self._put(())

    def add(self, text: str) -> None:
        """Add 'KNOB=VALUE', a group joined by +, or the levels of a ladder: KNOB=V,V,..."""
        if self.is_ladder():
            self._ask(lambda c: levels(c.target, c.tuner, text, asks_for_stop=True))
        else:
            self._ask(lambda c: [named(c.target, c.tuner, text, asks_for_stop=True)])

    def add_advice(self, session: Path) -> None:
        """Add what the advice of a session can try."""
        self._ask(lambda c: advised(c.target, c.tuner, session, asks_for_stop=True))

    def _ask(self, work: Callable[[Connection], list[Candidate]]) -> None:
        self._workbench.ask_server(
            self.tr("Checking the changes"),
            lambda c, _, __: work(c),
            on_done=self._on_candidates,
        )

    @Slot(object)
    def _on_candidates(self, candidates: list[Candidate]) -> None:
        known = {str(candidate.treatment) for candidate in self.candidates}
        new = [candidate for candidate in candidates if str(candidate.treatment) not in known]
        if not new:
            self._workbench.show_status(self.tr("Nothing new: the queue has it already."))
        self._put((*self.candidates, *new))

    def _put(self, candidates: Sequence[Candidate], chosen: int = 0) -> None:
        self.candidates = tuple(candidates)
        self._show(chosen)
        self.changed.emit()

    def _show(self, chosen: int) -> None:
        self.table.rows.set_rows(self.candidates)
        self.table.fit_height(_ROWS)
        self.table.setVisible(bool(self.candidates))
        self._nothing.setVisible(not self.candidates)
        if self.candidates:
            self.table.selectRow(min(chosen, len(self.candidates) - 1))
        for button in (self._up, self._down, self._remove):
            button.setEnabled(bool(self.candidates))

    @Slot()
    def _on_advice(self) -> None:
        if opened := self._workbench.opened:
            self.add_advice(opened.path)
        else:
            self._workbench.show_status(self.tr("Open a session of this server first."))

    @Slot()
    def _on_ladder(self) -> None:
        """Levels and changes do not mix."""
        placeholder = self.tr("4, 8, 16, 32") if self.is_ladder() else self.tr("512 MiB, 60, on …")
        self.entry.value.setPlaceholderText(placeholder)
        self.advice.setEnabled(not self.is_ladder())
        self.clear()

    def _move(self, by: int) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row + by < len(self.candidates) and row >= 0:
            moved = list(self.candidates)
            moved[row], moved[row + by] = moved[row + by], moved[row]
            self._put(moved, row + by)

    @Slot()
    def _on_remove(self) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self._put((*self.candidates[:row], *self.candidates[row + 1 :]), row)

    def _make_fields(self) -> None:
        self.entry = KnobEntry(self.tr("Val&ue"))
        self.entry.added.connect(lambda knob, value: self.add(f"{knob}={value}"))
        self.advice = push_button(self.tr("Add the advice of the o&pen session"), self._on_advice)
        self.ladder = QCheckBox(self.tr("&Levels of one setting (4 to 6 values)"))
        self.ladder.toggled.connect(self._on_ladder)
        self._up = anywhere(self.tr("Move up"), "Alt+Up", lambda: self._move(-1))
        self._down = anywhere(self.tr("Move down"), "Alt+Down", lambda: self._move(1))
        self._remove = anywhere(self.tr("Remove"), "Alt+Del", self._on_remove)

    def _lay_out(self) -> None:
        self._nothing = label(
            self.tr(
                "Add changes in the order in which to try them. Each is tested alone; an "
                "improvement is kept and becomes the baseline of the next."
            ),
            "dim",
            wrap=True,
        )
        tools = QWidget()
        flow(self.advice, self._up, self._down, self._remove, self.ladder, on=tools)
        column(
            label(self.tr("What is tried"), "heading"),
            self.entry,
            self._nothing,
            self.table,
            tools,
            on=self,
            margins=(14, 10, 14, 12),
        )


class QueuePage(SeriesPlanPage):
    """The plan of a campaign: its queue, and hours, restarts and windows to spend on it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.queue = QueueCard(workbench)
        self.queue.changed.connect(self.tell)
        self._make_fields()
        self._lay_out(
            self.queue,
            cards=CardGrid(
                card(self.tr("What it may cost"), self._cost_form()),
                card(self.tr("How each is tested"), self._test_form()),
            ),
            buttons=[self.start],
        )
        self._follow(
            *(self.budget, self.restarts, self.hours, self.pairs, self.looks),
            *(self.lag.limit, self.lag.replicas),
        )
        workbench.sessionChanged.connect(self.tell)
        self.tell()

    def form(self) -> CampaignForm:
        """What the fields say."""
        return CampaignForm(
            candidates=self.queue.candidates,
            ladder=self.queue.is_ladder(),
            budget_h=self.budget.value(),
            restarts=self.restarts.value(),
            hours=self.hours.text(),
            pairs=self.pairs.value(),
            looks=self.looks.text(),
            max_lag_s=self.lag.limit.value(),
            replicas=self.lag.names(),
            **self._measurement(),
        )

    def plan(self) -> CampaignPlan:
        """Raises UsageError where the fields make none that could find anything."""
        return self.form().plan(self._workbench.clock_rate)

    def _missing(self) -> str:
        return "" if self.queue.candidates else self.tr("Choose what to try")

    def _cannot_start(self) -> str:
        return self.tr("This campaign cannot start")

    def _describe(self) -> tuple[str, Sequence[Message]]:
        plan = self.plan()
        sensitivity = self._foresee(plan) or [
            Message("Open a session of this server without changes to estimate sensitivity.")
        ]
        lines = [*describe(plan, self._workbench.clock_rate), *sensitivity]
        return self.tr("Summary of this campaign"), lines

    def _may_start(self) -> bool:
        return self._workbench.connection is not None and super()._may_start()

    def _foresee(self, plan: CampaignPlan) -> list[Message]:
        """What it can find by the open session; nothing where none tells."""
        opened = self._workbench.opened
        if opened and opened.summary.facts:
            self._foresight.ask(hardest(plan), (), opened.path)
        else:
            self._foresight.forget()
            self._foreseen = ([], ())
        return self._foreseen[0]

    def _make_fields(self) -> None:
        self.budget = DoubleSpinBox()
        self.budget.setRange(0.1, 1000)
        self.budget.setDecimals(1)
        self.budget.setSuffix(self.tr(" h"))
        self.budget.setValue(CampaignForm.budget_h)
        self.restarts = whole_number(NO_LIMIT, 10_000, NO_LIMIT, "")
        self.restarts.setSpecialValueText(self.tr("no limit"))
        self.hours = QLineEdit()
        self.hours.setPlaceholderText(self.tr("at any time, or 01:00-05:00"))
        set_tip(
            self.hours,
            self.tr(
                "Start and end by the clock of this computer; the campaign pauses outside of "
                "them. Empty: at any time."
            ),
        )
        self.pairs = whole_number(6, 200, CampaignForm.pairs, self.tr(" pairs"))
        self.looks = QLineEdit()
        self.looks.setPlaceholderText(self.tr("none: verdict at the end only"))
        self.lag = LagFields()
        self.load.setPlaceholderText(self.tr("none: only the server's own clients"))
        set_tip(self.file, self.tr("The session of the confirmation; the others are beside it"))
        self.start.setText(self.tr("Sta&rt the campaign …"))

    def _cost_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Budget"), self.budget)
        form.addRow(self.tr("Restarts at &most"), self.restarts)
        form.addRow(self.tr("Only bet&ween"), self.hours)
        form.addRow(self.tr("Stop if errors e&xceed"), self.errors)
        form.addRow(self.tr("Stop if la&g exceeds"), beside(self.lag.limit, self.lag.replicas))
        form.addRow(self.tr("Load &command"), self.load)
        form.addRow(self.tr("Session f&ile"), self.file)
        return form

    def _test_form(self) -> QFormLayout:
        form = self._windows_form(self.pairs)
        form.addRow(self.tr("Interim anal&yses"), self.looks)
        self._add_metric(form)
        return form
