"""Step 1: which replicas, which change, how many windows; what the plan can find and costs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.campaign import CanaryPlan, Survey, describe_canary, foresee_canary
from ldap_workbench.gui.canary.change_card import ChangeCard
from ldap_workbench.gui.canary.form import CanaryForm
from ldap_workbench.gui.canary.replicas_card import ReplicasCard
from ldap_workbench.gui.experiment.fields import (
    CardGrid,
    beside,
    card,
    choices,
    milliseconds,
    scrolled,
    seconds,
    whole_number,
)
from ldap_workbench.gui.experiment.foresight import Foresight
from ldap_workbench.gui.experiment.form import KINDS, PRIMARIES, THEN
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.bands import Band, anywhere
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.tips import set_tip
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.model.errors import UsageError, WorkbenchError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message, verbatim

Foreseen = tuple[list[Message], tuple[Message, ...]]


class PlanPage(QWidget):
    """Every edit is told at once. Before the start the replicas must have been checked.

    *Signals:* checkWanted(), startWanted()
    """

    checkWanted = Signal()
    startWanted = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._seed = secrets.randbelow(2**31)
        self.found: Survey | None = None
        """The replicas as they were checked, for what is ticked and tried now."""
        self._foreseen: Foreseen = ([], ())
        self._foresight = Foresight(workbench, self, foresee=_foresee)
        self._foresight.found.connect(self._on_foreseen)
        self.replicas = ReplicasCard()
        self.change = ChangeCard()
        self._band = Band()
        self._make_fields()
        self._lay_out()
        self._connect()
        self.tell()

    def form(self) -> CanaryForm:
        """What the fields say."""
        return CanaryForm(
            profiles=self.replicas.ticked(),
            settings=self.change.settings,
            blocks=self.blocks.value(),
            window_s=self.window_length.value(),
            settle_s=self.settle.value(),
            trim_s=self.trim.value(),
            load=self.load.text(),
            primary=self.primary.currentData(),
            kind=self.kind.currentData(),
            slo_ms=self.slo.value(),
            max_error_percent=self.errors.value(),
            max_p99_ms=self.p99.value(),
            max_lag_s=self.lag.value(),
            effect=self.effect.value(),
            baseline=self.baseline.text().strip(),
            then=Then(self.then.currentData()),
            seed=self._seed,
        )

    def plan(self) -> CanaryPlan:
        """Raises UsageError where the fields make none that could find anything."""
        found = self.found
        treatment = found.treatment if found else Treatment(self.change.settings)
        return self.form().plan(treatment, restart=bool(found and found.restart))

    def path(self) -> Path:
        """Where the session of the first replica goes."""
        return Path(self.file.text().strip()).expanduser()

    def set_path(self, path: Path) -> None:
        """Suggest a file."""
        self.file.setText(str(path))

    def draw_again(self) -> None:
        """Another seed for the next canary."""
        self._seed = secrets.randbelow(2**31)

    def take_found(self, found: Survey) -> None:
        """The replicas have been checked, as the fields say now."""
        self.found = found
        self.replicas.show_found(found)
        self.tell()

    @Slot()
    def forget_found(self) -> None:
        """Other replicas or another change: what was checked says nothing about them."""
        self.found = None
        self.replicas.show_found(None)
        self.tell()

    @Slot()
    def tell(self) -> None:
        """Say what the canary would be, or what stands against it."""
        form = self.form()
        missing = self._missing(form)
        if missing:
            self._say(missing, [], "", checkable=False, startable=False)
            return
        try:
            plan = self.plan()
            lines = describe_canary(plan, form.profiles)
            lines += self._foresee(plan, form)
        except WorkbenchError as error:
            heading = self.tr("This canary cannot start")
            told = [shown(error.explanation)]
            self._say(heading, told, "warn", checkable=True, startable=False)
            return
        heading = self.tr("Summary of this canary")
        if self.found is None:
            heading = self.tr("Next: check the replicas")
            lines.append(
                Message(
                    "The check connects to them, reads who replicates to whom, and "
                    "says what would change on each."
                )
            )
        startable = self.found is not None and not self._foreseen[1]
        told = [shown(line) for line in lines]
        self._say(heading, told, "", checkable=True, startable=startable)

    def _missing(self, form: CanaryForm) -> str:
        if len(form.profiles) < 2:
            return self.tr("Tick two replicas or more")
        return "" if form.settings else self.tr("Choose what to try")

    def _say(
        self, heading: str, lines: list[str], mood: str, *, checkable: bool, startable: bool
    ) -> None:
        bench = self._workbench
        hint = self.tr("Read-only mode is on. Turn it off in the Server menu.")
        if bench.read_only:
            lines = [*lines, hint]
        self._band.say(heading, "\n".join(f"• {line}" for line in lines), mood)
        free = bench.running.run is None
        self.check.setEnabled(checkable and free)
        self.start.setEnabled(startable and free and not bench.read_only)

    def _foresee(self, plan: CanaryPlan, form: CanaryForm) -> Sequence[Message]:
        """Raises UsageError where the plan could find next to nothing."""
        if not form.baseline:
            self._foresight.forget()
            self._foreseen = ([], ())
            return foresee_canary(plan, form.profiles, None, form.effect)
        self._foresight.ask(plan, (form.profiles, form.effect), Path(form.baseline).expanduser())
        sentences, refused = self._foreseen
        if refused:
            raise UsageError(refused[0], remedy=refused[1])
        return sentences or [Message("Reading the baseline …")]

    @Slot(object, object)
    def _on_foreseen(self, sentences: list[Message], refused: tuple[Message, ...]) -> None:
        if (sentences, refused) != self._foreseen:
            self._foreseen = (sentences, refused)
            self.tell()

    @Slot()
    def _on_baseline(self) -> None:
        title = self.tr("Baseline of the first replica")
        folder = str(self._workbench.settings.folder)
        path, _ = QFileDialog.getOpenFileName(self, title, folder, "*.ldapwb")
        if path:
            self.baseline.setText(path)
            self.tell()

    def _make_fields(self) -> None:
        self.blocks = whole_number(1, 200, CanaryForm.blocks, self.tr(" blocks"))
        set_tip(self.blocks, self.tr("In every block each replica is the canary for one window."))
        self.window_length = seconds(1, 86_400, CanaryForm.window_s)
        self.settle = seconds(0, 3600, CanaryForm.settle_s)
        self.trim = seconds(0, 3600, 0)
        self.primary = choices(PRIMARIES)
        self.kind = choices({kind: verbatim(kind) for kind in KINDS})
        self.slo = milliseconds(CanaryForm.slo_ms)
        self.effect = _ratio(CanaryForm.effect)
        self.baseline = QLineEdit()
        self.baseline.setPlaceholderText(self.tr("none: sensitivity is estimated"))
        tip = self.tr("A capture of these replicas side by side, without a change")
        set_tip(self.baseline, tip)
        self.load = QLineEdit()
        self.load.setPlaceholderText(self.tr("none: only the servers' own clients"))
        tip = self.tr("Runs for each replica: {url}, {host} and {port} become its own.")
        set_tip(self.load, tip)
        no_limit = self.tr("no limit")
        self.errors = QDoubleSpinBox()
        self.errors.setRange(0, 100)
        self.errors.setSuffix(" %")
        self.p99 = milliseconds(0)
        self.lag = seconds(0, 86_400, 0)
        for limit in (self.errors, self.p99, self.lag):
            limit.setSpecialValueText(no_limit)
        set_tip(self.lag, self.tr("How far a replica may be behind the others"))
        self.then = choices(THEN)
        self.file = QLineEdit()
        set_tip(self.file, self.tr("The session of the first replica; the others are beside it"))
        self.check = push_button(self.tr("Check the &replicas"))
        self.start = push_button(self.tr("Start the canar&y …"), primary=True)
        self._choose = anywhere(self.tr("Choose …"), "Alt+Shift+B")

    def _connect(self) -> None:
        self.replicas.changed.connect(self.forget_found)
        self.change.changed.connect(self.forget_found)
        self.check.clicked.connect(self.checkWanted)
        self.start.clicked.connect(self.startWanted)
        self._choose.clicked.connect(self._on_baseline)
        for number in (
            self.blocks, self.window_length, self.settle, self.trim, self.slo, self.effect,
            self.errors, self.p99, self.lag,
        ):  # fmt: skip
            number.valueChanged.connect(self.tell)
        for line in (self.load, self.baseline):
            line.editingFinished.connect(self.tell)
        for box in (self.primary, self.kind, self.then):
            box.currentIndexChanged.connect(self.tell)
        bench = self._workbench
        for signal in (bench.readOnlyChanged, bench.running.changed):
            signal.connect(self.tell)

    def _lay_out(self) -> None:
        page = QGridLayout()
        page.setSpacing(12)
        self._cards = CardGrid(
            card(self.tr("How it is measured"), self._test_form()),
            card(self.tr("Safety limits, and afterwards"), self._safety_form()),
        )
        for row, part in enumerate((self.replicas, self.change, self._cards, self._band)):
            page.addWidget(part, row, 0)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.check)
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

    def _test_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Number"), self.blocks)
        form.addRow(self.tr("Window si&ze"), self.window_length)
        form.addRow(self.tr("Wait after each chan&ge"), self.settle)
        form.addRow(self.tr("&Discard warm-up"), self.trim)
        form.addRow(self.tr("&Judged by"), self.primary)
        form.addRow(self.tr("Of &operations"), self.kind)
        form.addRow(self.tr("Latency &target"), self.slo)
        form.addRow(self.tr("Load &command"), self.load)
        return form

    def _safety_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("Stop if errors e&xceed"), self.errors)
        form.addRow(self.tr("Stop if p&99 exceeds"), self.p99)
        form.addRow(self.tr("Stop if &lag exceeds"), self.lag)
        form.addRow(self.tr("After&wards"), self.then)
        form.addRow(self.tr("S&mallest change to find"), self.effect)
        form.addRow(self.tr("&Baseline"), beside(self.baseline, self._choose))
        form.addRow(self.tr("Session f&ile"), self.file)
        return form


def _ratio(value: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(1.01, 100)
    box.setPrefix("×")
    box.setValue(value)
    return box


def _foresee(
    plan: CanaryPlan, asked: tuple[tuple[str, ...], float], baseline: Path
) -> tuple[list[Message], tuple[Message, ...]]:
    """What it can find; where that is next to nothing, why and what to do instead."""
    profiles, effect = asked
    try:
        return foresee_canary(plan, profiles, baseline, effect), ()
    except UsageError as error:
        return [], (error.what, error.remedy)
