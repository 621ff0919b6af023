"""Step 1: what is tried, how each is tested, what it may cost, and what the plan can say."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from ldap_workbench.campaign.description import describe, hardest
from ldap_workbench.campaign.plan import CampaignPlan
from ldap_workbench.gui.parts.widgets.fields import DoubleSpinBox
from ldap_workbench.gui.parts.widgets.tips import set_tip
from ldap_workbench.gui.screens.campaign.form import NO_LIMIT, CampaignForm
from ldap_workbench.gui.screens.campaign.queue_card import QueueCard
from ldap_workbench.gui.screens.experiment.fields import CardGrid, card, whole_number
from ldap_workbench.gui.screens.series.plan_page import SeriesPlanPage
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message


class QueuePage(SeriesPlanPage):
    """The plan of a campaign: its queue, and hours, restarts and windows to spend on it."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
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
        self._follow(self.budget, self.restarts, self.hours, self.pairs, self.looks)
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
            **self._measurement(),
        )

    def plan(self) -> CampaignPlan:
        """Raises UsageError where the fields make none that could find anything."""
        return self.form().plan(self._clock_rate())

    def _missing(self) -> str:
        return "" if self.queue.candidates else self.tr("Choose what to try")

    def _cannot_start(self) -> str:
        return self.tr("This campaign cannot start")

    def _describe(self) -> tuple[str, Sequence[Message]]:
        plan = self.plan()
        sensitivity = self._foresee(plan) or [
            Message("Open a session of this server without changes to estimate sensitivity.")
        ]
        lines = [*describe(plan, self._clock_rate()), *sensitivity]
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

    def _clock_rate(self) -> float:
        connection = self._workbench.connection
        return connection.target.facts.clock_rate if connection else 1.0

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
        self.load.setPlaceholderText(self.tr("none: only the server's own clients"))
        set_tip(self.file, self.tr("The session of the confirmation; the others are beside it"))
        self.start.setText(self.tr("Sta&rt the campaign …"))

    def _cost_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Budget"), self.budget)
        form.addRow(self.tr("Restarts at &most"), self.restarts)
        form.addRow(self.tr("Only bet&ween"), self.hours)
        form.addRow(self.tr("Stop if errors e&xceed"), self.errors)
        form.addRow(self.tr("Load &command"), self.load)
        form.addRow(self.tr("Session f&ile"), self.file)
        return form

    def _test_form(self) -> QFormLayout:
        form = self._windows_form(self.pairs)
        form.addRow(self.tr("Interim anal&yses"), self.looks)
        self._add_metric(form)
        return form
