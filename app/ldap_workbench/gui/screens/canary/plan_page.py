"""Step 1: which replicas, which change, how many windows; what the plan can find and costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
)

from ldap_workbench.campaign.canary import CanaryPlan, Survey
from ldap_workbench.campaign.canary_description import describe_canary, foresee_canary
from ldap_workbench.figures.forms.experiment import THEN, CanaryForm
from ldap_workbench.figures.verdict.canary_view import SURVEYED, others_of
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import anywhere
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import DoubleSpinBox, KnobEntry
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.experiment.fields import (
    CardGrid,
    beside,
    card,
    choices,
    count_field,
    duration_field,
)
from ldap_workbench.gui.screens.series.plan_page import Foreseen, SeriesPlanPage
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model import plan_fields
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile

_ROWS = 6


class ChangeCard(QFrame):
    """A knob, or an atomic group of them.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.settings: tuple[Setting, ...] = ()
        self.entry = KnobEntry(self.tr("Val&ue"))
        self.entry.added.connect(self.add)
        self._planned = label("", wrap=True)
        self._hint = label(
            self.tr(
                "Add the change; each replica has it in turn. Several settings form one group."
            ),
            "dim",
            wrap=True,
        )
        self._clear = anywhere(self.tr("Remove"), "Alt+Del", self.clear)
        column(
            label(self.tr("What is tried"), "heading"),
            self.entry,
            row((self._hint, 1), (self._planned, 1), self._clear),
            on=self,
            margins=(14, 10, 14, 12),
        )
        self._show()

    @Slot(str, str)
    def add(self, knob: str, value: str) -> None:
        """Try this value, in place of an earlier one of the same knob; others stay beside it."""
        name, _, place = knob.partition("@")
        rest = tuple(
            setting for setting in self.settings if (setting.knob, setting.place) != (name, place)
        )
        self._put((*rest, Setting(name, value, place)))

    @Slot()
    def clear(self) -> None:
        """Nothing is to be tried any more."""
        self._put(())

    def _put(self, settings: tuple[Setting, ...]) -> None:
        self.settings = settings
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self._planned.setText(" + ".join(map(str, self.settings)))
        self._hint.setHidden(bool(self.settings))
        for widget in (self._planned, self._clear):
            widget.setVisible(bool(self.settings))


class ReplicasCard(QFrame):
    """A tick for each profile; below, what was found when they were checked.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._profiles: list[Profile] = []
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Servers of the canary"))
        self.list.itemChanged.connect(self.changed)
        self.table = RowsTable(self.tr("Replicas and their agreements"), SURVEYED, stretch=2)
        self._others = label("", "dim", wrap=True)
        heading = label(self.tr("Which re&plicas"), "heading")
        heading.setBuddy(self.list)
        column(heading, self.list, self.table, self._others, on=self, margins=(14, 10, 14, 12))
        self.show_survey(None)

    def set_profiles(self, profiles: Sequence[Profile]) -> None:
        """Offer these; what was ticked stays so."""
        if list(profiles) == self._profiles:
            return
        ticked = set(self.ticked())
        self._profiles = list(profiles)
        self.list.blockSignals(True)
        self.list.clear()
        for profile in self._profiles:
            item = QListWidgetItem(f"{profile.name}   ({profile.server_url})", self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = Qt.CheckState.Checked if profile.name in ticked else Qt.CheckState.Unchecked
            item.setCheckState(on)
        self.list.blockSignals(False)
        self.list.setCurrentRow(0)
        rows = max(2, min(len(self._profiles), _ROWS))
        self.list.setFixedHeight(round((rows * 1.6 + 0.6) * self.fontMetrics().height()))
        self.changed.emit()

    def ticked(self) -> tuple[str, ...]:
        """The names of the profiles that take part."""
        return tuple(
            profile.name
            for place, profile in enumerate(self._profiles)
            if self.list.item(place).checkState() is Qt.CheckState.Checked
        )

    def tick(self, *names: str) -> None:
        """Let these profiles take part, and no other."""
        for place, profile in enumerate(self._profiles):
            on = profile.name in names
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            self.list.item(place).setCheckState(state)

    def show_survey(self, survey: Survey | None) -> None:
        """The topology, or nothing before anybody has checked."""
        self.table.rows.set_rows(survey.replicas if survey else ())
        self.table.fit_height(_ROWS)
        self.table.setVisible(survey is not None)
        others = shown(others_of(survey, self._profiles)) if survey else ""
        self._others.setText(others)
        self._others.setVisible(bool(others))


class PlanPage(SeriesPlanPage):
    """The plan of a canary. Before the start the replicas must have been checked.

    *Signals:* checkWanted(), startWanted()
    """

    checkWanted = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, foresee=_foresee)
        self.survey: Survey | None = None
        """The replicas as they were checked, for what is ticked and tried now."""
        self.replicas = ReplicasCard()
        self.change = ChangeCard()
        for edited in (self.replicas.changed, self.change.changed):
            edited.connect(self.forget_survey)
        self._make_fields()
        self._lay_out(
            self.replicas,
            self.change,
            cards=CardGrid(
                card(self.tr("How it is measured"), self._test_form()),
                card(self.tr("Safety limits; afterwards"), self._safety_form()),
            ),
            buttons=[self.check, self.start],
        )
        self._follow(self.blocks, self.effect, self.p99, self.lag, self.baseline, self.then)
        self.tell()

    def form(self) -> CanaryForm:
        """What the fields say."""
        return CanaryForm(
            profiles=self.replicas.ticked(),
            settings=self.change.settings,
            blocks=self.blocks.value(),
            max_p99_ms=self.p99.value(),
            max_lag_s=self.lag.value(),
            effect=self.effect.value(),
            baseline=self.baseline.text().strip(),
            then=Then(self.then.currentData()),
            **self._measurement(),
        )

    def plan(self) -> CanaryPlan:
        """Raises UsageError where the fields make none that could find anything."""
        survey = self.survey
        treatment = survey.treatment if survey else Treatment(self.change.settings)
        return self.form().plan(treatment, restart=bool(survey and survey.restart))

    def take_survey(self, survey: Survey) -> None:
        """The replicas have been checked, as the fields say now."""
        self.survey = survey
        self.replicas.show_survey(survey)
        self.tell()

    @Slot()
    def forget_survey(self) -> None:
        """Other replicas or another change: what was checked says nothing about them."""
        self.survey = None
        self.replicas.show_survey(None)
        self.tell()

    @Slot()
    def tell(self) -> None:
        """As any plan; what may be checked may have no plan yet."""
        super().tell()
        self.check.setEnabled(not self._missing() and self._workbench.running.run is None)

    def _missing(self) -> str:
        if len(self.replicas.ticked()) < 2:
            return self.tr("Tick two replicas or more")
        return "" if self.change.settings else self.tr("Choose what to try")

    def _cannot_start(self) -> str:
        return self.tr("This canary cannot start")

    def _describe(self) -> tuple[str, Sequence[Message]]:
        plan, form = self.plan(), self.form()
        lines = [*describe_canary(plan, form.profiles), *self._foresee(plan, form)]
        if self.survey:
            return self.tr("Summary of this canary"), lines
        check = Message(
            "The check connects to them, reads who replicates to whom, and "
            "says what would change on each."
        )
        return self.tr("Next: check the replicas"), [*lines, check]

    def _may_start(self) -> bool:
        return self.survey is not None and super()._may_start()

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

    @Slot()
    def _on_baseline(self) -> None:
        title = self.tr("Baseline of the first replica")
        folder = str(self._workbench.settings.folder)
        path, _ = QFileDialog.getOpenFileName(self, title, folder, "*.ldapwb")
        if path:
            self.baseline.setText(path)
            self.tell()

    def _make_fields(self) -> None:
        self.blocks = count_field(plan_fields.BLOCKS, self.tr(" blocks"))
        set_tip(self.blocks, self.tr("In every block each replica is the canary for one window."))
        self.effect = _ratio(CanaryForm.effect)
        self.baseline = QLineEdit()
        self.baseline.setPlaceholderText(self.tr("none: sensitivity is estimated"))
        tip = self.tr("A capture of these replicas side by side, without a change")
        set_tip(self.baseline, tip)
        self.load.setPlaceholderText(self.tr("none: only the servers' own clients"))
        tip = self.tr("Runs for each replica: {url}, {host} and {port} become its own.")
        set_tip(self.load, tip)
        self.p99 = duration_field(plan_fields.P99)
        self.lag = duration_field(plan_fields.LAG)
        for limit in (self.p99, self.lag):
            limit.setSpecialValueText(self.tr("no limit"))
        set_tip(self.lag, self.tr("How far a replica may be behind the others"))
        self.then = choices(THEN)
        set_tip(self.file, self.tr("The session of the first replica; the others are beside it"))
        self.check = push_button(self.tr("Check the &replicas"), self.checkWanted)
        self.start.setText(self.tr("Start the canar&y …"))
        self._choose = anywhere(self.tr("Choose …"), "Alt+Shift+B", self._on_baseline)

    def _test_form(self) -> QFormLayout:
        form = self._windows_form(self.blocks)
        self._add_metric(form)
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
    box = DoubleSpinBox()
    box.setRange(1.01, 100)
    box.setPrefix("×")
    box.setValue(value)
    return box


def _foresee(plan: CanaryPlan, asked: tuple[tuple[str, ...], float], baseline: Path) -> Foreseen:
    """What it can find; where that is next to nothing, why and what to do instead."""
    profiles, effect = asked
    try:
        return foresee_canary(plan, profiles, baseline, effect), ()
    except UsageError as error:
        return [], (error.what, error.remedy)
