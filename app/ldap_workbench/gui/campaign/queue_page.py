"""Step 1: what is tried, how each is tested, what it may cost, and what the plan can say."""

from __future__ import annotations

import secrets
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.campaign import CampaignPlan, describe
from ldap_workbench.campaign.chance import hardest
from ldap_workbench.gui.campaign.form import NO_LIMIT, CampaignForm
from ldap_workbench.gui.campaign.queue_card import QueueCard
from ldap_workbench.gui.experiment.fields import (
    CardGrid,
    card,
    choices,
    milliseconds,
    scrolled,
    seconds,
    whole_number,
)
from ldap_workbench.gui.experiment.foresight import Foresight
from ldap_workbench.gui.experiment.form import KINDS, PRIMARIES
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.tips import set_tip
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, verbatim


class QueuePage(QWidget):
    """Every edit is told at once: hours, restarts, what can be found, or why it cannot start.

    *Signals:* startWanted()
    """

    startWanted = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._seed = secrets.randbelow(2**31)
        self.queue = QueueCard(workbench)
        self._band = Band()
        self._foreseen: list[str] = []
        self._foresight = Foresight(workbench, self)
        self._foresight.found.connect(self._on_foreseen)
        self._make_fields()
        self._lay_out()
        self._connect()
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
            window_s=self.window_length.value(),
            settle_s=self.settle.value(),
            trim_s=self.trim.value(),
            looks=self.looks.text(),
            load=self.load.text(),
            primary=self.primary.currentData(),
            kind=self.kind.currentData(),
            slo_ms=self.slo.value(),
            max_error_percent=self.errors.value(),
            seed=self._seed,
        )

    def plan(self) -> CampaignPlan:
        """Raises UsageError where the fields make none that could find anything."""
        return self.form().plan(self._clock_rate())

    def path(self) -> Path:
        """Where the session of the confirmation goes."""
        return Path(self.file.text().strip()).expanduser()

    def set_path(self, path: Path) -> None:
        """Suggest a file."""
        self.file.setText(str(path))

    def draw_again(self) -> None:
        """Another seed for the next campaign."""
        self._seed = secrets.randbelow(2**31)

    @Slot()
    def tell(self) -> None:
        """Say what the campaign would be, or what stands against it."""
        if not self.queue.candidates:
            self._say(self.tr("Choose what to try"), [], "", startable=False)
            return
        try:
            plan = self.plan()
        except WorkbenchError as error:
            heading = self.tr("This campaign cannot start")
            self._say(heading, [shown(error.explanation)], "warn", startable=False)
            return
        self._foresee(plan)
        lines = [shown(line) for line in describe(plan, self._clock_rate())]
        unknown = self.tr("Open a session of this server without changes to estimate sensitivity.")
        lines += self._foreseen or [unknown]
        heading = self.tr("Summary of this campaign")
        self._say(heading, lines, "", startable=self._may_start())

    def _say(self, heading: str, lines: list[str], mood: str, *, startable: bool) -> None:
        self._band.say(heading, "\n".join(f"• {line}" for line in lines), mood)
        self.start.setEnabled(startable)

    def _may_start(self) -> bool:
        bench = self._workbench
        return bench.connection is not None and not bench.read_only and not bench.running.run

    def _foresee(self, plan: CampaignPlan) -> None:
        opened = self._workbench.opened
        if opened and opened.summary.facts:
            self._foresight.ask(hardest(plan), (), opened.path)
        else:
            self._foresight.forget()
            self._foreseen = []

    @Slot(object, object)
    def _on_foreseen(self, sentences: list[Message], _: object) -> None:
        found = [shown(each) for each in sentences]
        if found != self._foreseen:
            self._foreseen = found
            self.tell()

    def _clock_rate(self) -> float:
        connection = self._workbench.connection
        return connection.target.facts.clock_rate if connection else 1.0

    def _make_fields(self) -> None:
        self.budget = QDoubleSpinBox()
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
        self.window_length = seconds(1, 86_400, CampaignForm.window_s)
        self.settle = seconds(0, 3600, CampaignForm.settle_s)
        self.trim = seconds(0, 3600, 0)
        self.looks = QLineEdit()
        self.looks.setPlaceholderText(self.tr("none: verdict at the end only"))
        self.load = QLineEdit()
        self.load.setPlaceholderText(self.tr("none: only the server's own clients"))
        self.primary = choices(PRIMARIES)
        self.kind = choices({kind: verbatim(kind) for kind in KINDS})
        self.slo = milliseconds(CampaignForm.slo_ms)
        self.errors = QDoubleSpinBox()
        self.errors.setRange(0, 100)
        self.errors.setSuffix(" %")
        self.errors.setSpecialValueText(self.tr("no limit"))
        self.file = QLineEdit()
        set_tip(self.file, self.tr("The session of the confirmation; the others are beside it"))
        self.start = push_button(self.tr("Sta&rt the campaign …"), primary=True)

    def _connect(self) -> None:
        self.queue.changed.connect(self.tell)
        self.start.clicked.connect(self.startWanted)
        for number in (
            self.budget, self.restarts, self.pairs, self.window_length, self.settle, self.trim,
            self.slo, self.errors,
        ):  # fmt: skip
            number.valueChanged.connect(self.tell)
        for line in (self.hours, self.looks, self.load):
            line.editingFinished.connect(self.tell)
        for box in (self.primary, self.kind):
            box.currentIndexChanged.connect(self.tell)
        bench = self._workbench
        for signal in (bench.sessionChanged, bench.readOnlyChanged, bench.running.changed):
            signal.connect(self.tell)

    def _lay_out(self) -> None:
        page = QGridLayout()
        page.setSpacing(12)
        self._cards = CardGrid(
            card(self.tr("What it may cost"), self._cost_form()),
            card(self.tr("How each is tested"), self._test_form()),
        )
        page.addWidget(self.queue, 0, 0)
        page.addWidget(self._cards, 1, 0)
        page.addWidget(self._band, 2, 0)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.start)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(scrolled(page), 1)
        whole.addLayout(foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the cards stand one below the other."""
        super().resizeEvent(event)
        self._cards.arrange(self.width())

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
        form = QFormLayout()
        form.addRow(self.tr("&Number"), self.pairs)
        form.addRow(self.tr("Window si&ze"), self.window_length)
        form.addRow(self.tr("Wait after each chan&ge"), self.settle)
        form.addRow(self.tr("&Discard warm-up"), self.trim)
        form.addRow(self.tr("Interim anal&yses"), self.looks)
        form.addRow(self.tr("&Judged by"), self.primary)
        form.addRow(self.tr("Of &operations"), self.kind)
        form.addRow(self.tr("Latency &target"), self.slo)
        return form
