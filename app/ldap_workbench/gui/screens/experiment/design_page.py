"""Step 2: how the change is tested: its size, and behind Details windows, metric, load, limits."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from ldap_workbench.experiment.origin import Origin
from ldap_workbench.experiment.plan import SIZES, parse_design
from ldap_workbench.figures.forms.experiment import (
    DESIGNS,
    PRIMARIES,
    THEN,
    ExperimentForm,
    sentences,
)
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band, anywhere
from ldap_workbench.gui.parts.widgets.buttons import push_button, small_button
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.screens.experiment.fields import (
    CardGrid,
    LagFields,
    beside,
    card,
    choices,
    count_field,
    duration_field,
    note,
    percent,
    scrolled,
    whole_number,
)
from ldap_workbench.gui.screens.experiment.foresight import Foresight
from ldap_workbench.gui.screens.experiment.kind_choice import KindChoice
from ldap_workbench.gui.screens.experiment.sizes import SizesBar
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model import plan_fields
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message


class DesignPage(QWidget):
    """Every change of a field is told at once in sentences: what it costs, what it can say.

    *Signals:* changed(), noiseFloorWanted()
    """

    changed = Signal()
    noiseFloorWanted = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._seed = secrets.randbelow(2**31)
        self._file = Band("warn")
        self._own = anywhere(self.tr("Use my own values"), "Alt+Shift+O", self.forget_file)
        self._file.add_button(self._own)
        self._file.hide()
        self.origin: Origin | None = None
        """The file the fields were filled from, until somebody has agreed to what it says."""
        self._treatment: Treatment | None = None
        self._earlier: tuple[Treatment | None, tuple[Message, ...]] = (None, ())
        """A treatment, and what earlier pairs of it showed that its verdict has to name."""
        self._restart = False
        self._filling = False
        self._why_not = ""
        self._foreseen: list[str] = []
        self._foresight = Foresight(workbench, self)
        self._foresight.foreseen.connect(self._on_foreseen)
        self.sizes = SizesBar()
        self.sizes.wanted.connect(self._on_size)
        self._make_fields()
        self.summary = label("", wrap=True)
        self._lay_out()
        self._connect()

    def set_treatment(self, treatment: Treatment | None, *, restart: bool) -> None:
        """What is to be tested."""
        self._treatment, self._restart = treatment, restart
        self._on_edited()

    def throw_coin(self) -> None:
        """Draw another order for the next run: two runs with one coin are no two experiments."""
        self._seed = secrets.randbelow(2**31)
        self._on_edited()

    def take_plan(self, plan: Plan, origin: Origin | None) -> None:
        """Fill the fields with an earlier plan, its treatment and its coin."""
        self._set_origin(origin)
        self._treatment, self._restart, self._seed = plan.treatment, plan.restart, plan.seed
        self._earlier = plan.treatment, plan.earlier
        self._fill(ExperimentForm.of(plan))

    @Slot()
    def forget_file(self) -> None:
        """Put back what stands in the fields before anybody fills them."""
        if self.origin is not None:
            self._set_origin(None)
            self._earlier = (None, ())
            self._fill(ExperimentForm())

    def take_over(self) -> None:
        """Somebody has read all of the plan in the file and agreed to it: it is theirs now."""
        self._set_origin(None)

    def _set_origin(self, origin: Origin | None) -> None:
        self.origin = origin
        self._file.setVisible(origin is not None)
        if origin is not None:
            heading = Message("This plan comes from the file {file}", file=origin.path.name)
            warning = Message(
                "Whoever wrote the file chose these values and the load command. All of it is "
                "shown in full, and asked for, before anything starts."
            )
            self._file.say(shown(heading), shown(warning))
            self.details.setChecked(True)

    def _fill(self, form: ExperimentForm) -> None:
        """Twenty fields, and the plan is described once."""
        self._filling = True
        try:
            self._put(form)
        finally:
            self._filling = False
        self._on_edited()

    def _put(self, form: ExperimentForm) -> None:
        for box, value in (
            (self._design, form.design),
            (self._primary, form.primary),
            (self._then, form.then),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))
        self._kind.choose(form.kind)
        self._pairs.setValue(form.pairs)
        self._repeats.setValue(form.max_repeats)
        for field, number in (
            (self._window, form.window_s),
            (self._settle, form.settle_s),
            (self._trim, form.trim_s),
            (self._slo, form.slo_ms),
            (self._errors, form.max_error_percent),
            (self._p99, form.max_p99_ms),
            (self._lag.limit, form.max_lag_s),
            (self._reconnect, form.reconnect_s),
            (self._restart_wait, form.restart_s),
        ):
            field.setValue(number)
        self._trim_auto.setChecked(form.trim_auto)
        self._on_host.setChecked(form.load_on_host)
        self._cold.setChecked(form.cold)
        self._looks.setText(form.looks)
        self._load.setText(form.load)

    def set_primary(self, primary: PrimaryMetric) -> None:
        """Let the verdict look at what a finding is about."""
        self._primary.setCurrentIndex(max(0, self._primary.findData(primary.metric)))
        self._kind.advise(primary.type)

    def set_design(self, design: str) -> None:
        """Choose the order of the windows, such as ab."""
        chosen = parse_design(design)
        if chosen.kind == "ab":
            self._pairs.setValue(chosen.k)
        self._design.setCurrentIndex(self._design.findData(chosen.kind))

    def set_path(self, path: Path) -> None:
        """Suggest a session file."""
        self._path.setText(str(path))

    def path(self) -> Path:
        """The session file to write."""
        return Path(self._path.text()).expanduser()

    def replicas(self) -> tuple[str, ...]:
        """Profiles of the other replicas, each once."""
        return self._lag.names()

    def set_baseline(self, path: Path) -> None:
        """Tell by the windows of this session what a plan can find."""
        self._baseline.setText(str(path))

    def _baseline_path(self) -> Path | None:
        text = self._baseline.text().strip()
        return Path(text).expanduser() if text else None

    def form(self) -> ExperimentForm:
        """What the fields say."""
        return ExperimentForm(
            design=self._design.currentData(),
            pairs=self._pairs.value(),
            window_s=self._window.value(),
            settle_s=self._settle.value(),
            trim_s=self._trim.value(),
            trim_auto=self._trim_auto.isChecked(),
            looks=self._looks.text() if self._looks.isEnabled() else "",
            load=self._load.text(),
            load_on_host=self._on_host.isChecked(),
            cold=self._cold.isChecked(),
            primary=self._primary.currentData(),
            kind=self._kind.kind(),
            slo_ms=self._slo.value(),
            max_error_percent=self._errors.value(),
            max_p99_ms=self._p99.value(),
            max_repeats=self._repeats.value(),
            reconnect_s=self._reconnect.value(),
            restart_s=self._restart_wait.value(),
            max_lag_s=self._lag.limit.value(),
            replicas=self.replicas(),
            then=Then(self._then.currentData()),
            seed=self._seed,
        )

    def plan(self) -> Plan | None:
        """The plan, or None where the fields do not make one."""
        return self._made(self._treatment) if self._treatment is not None else None

    def noise_floor(self) -> Plan | None:
        """The same windows without a change, or None where the fields do not make a plan."""
        return self._made(Treatment(()))

    def _made(self, treatment: Treatment) -> Plan | None:
        self._why_not = ""
        try:
            plan = self.form().plan(treatment, restart=self._restart)
        except WorkbenchError as error:
            self._why_not = shown(error.explanation)
            return None
        measured_before, earlier = self._earlier
        return replace(plan, earlier=earlier) if treatment == measured_before else plan

    def _make_fields(self) -> None:
        self._design = choices(DESIGNS)
        self._pairs = whole_number(
            plan_fields.PAIRS.least, plan_fields.PAIRS.most, ExperimentForm.pairs, ""
        )
        self._window = duration_field(plan_fields.WINDOW)
        self._settle = duration_field(plan_fields.SETTLE)
        self._trim = duration_field(plan_fields.TRIM)
        self._trim_auto = QCheckBox(self.tr("Detect the warm-&up"))
        self._cold = QCheckBox(self.tr("E&qualise cache state (--cold)"))
        self._looks = QLineEdit()
        self._looks.setPlaceholderText(self.tr("none: verdict at the end only"))
        self._baseline = QLineEdit()
        self._baseline.setPlaceholderText(self.tr("none: sensitivity unknown"))
        self._choose = small_button("open", self.tr("Load from a file"))
        self._measure = push_button(self.tr("Measure a baseli&ne …"))
        self._load = QLineEdit()
        self._load.setPlaceholderText(self.tr("none: only the server's own clients"))
        self._on_host = QCheckBox(self.tr("Run i&t on the server's host"))
        self._primary = choices(PRIMARIES)
        self._kind = KindChoice(self._workbench)
        self._slo = duration_field(plan_fields.SLO)
        self._errors = percent(self.tr("no limit"))
        self._p99 = duration_field(plan_fields.P99)
        self._p99.setSpecialValueText(self.tr("no limit"))
        self._lag = LagFields()
        self._repeats = count_field(plan_fields.REPEATS, "")
        set_tip(
            self._repeats,
            self.tr(
                "A pair is rerun if the connection breaks during it or another "
                "administrator changes the server."
            ),
        )
        self._reconnect = duration_field(plan_fields.PATIENCE)
        self._restart_wait = duration_field(plan_fields.RESTART_WAIT)
        self._restart_wait.setAccessibleName(self.tr("Wait for the server after a restart"))
        set_tip(
            self._restart_wait,
            self.tr(
                "Longest wait for the server after the restart command; then the experiment ends "
                "and the change is reverted"
            ),
        )
        self._then = choices(THEN)
        self._path = QLineEdit()
        self.details = push_button(
            self.tr("Details"), tip=self.tr("Every field of the plan (Alt+Shift+D)")
        )
        self.details.setShortcut("Alt+Shift+D")
        self.details.setCheckable(True)

    def _lay_out(self) -> None:
        page = QGridLayout()
        page.setSpacing(12)
        page.addWidget(self.sizes, 0, 0)
        page.addWidget(self._noise_card(), 1, 0)
        band = QFrame()
        band.setProperty("role", "band")
        column(
            label(self.tr("Summary of this plan"), "heading"),
            self.summary,
            on=band,
            margins=(14, 10, 14, 12),
        )
        page.addWidget(band, 2, 0)
        page.addWidget(self.details, 3, 0, Qt.AlignmentFlag.AlignLeft)
        page.addWidget(self._make_details(), 4, 0)
        column(self._file, (scrolled(page), 1), on=self, margins=0, spacing=12)

    def _make_details(self) -> QWidget:
        """Every field, hidden until somebody asks for them."""
        self._cards = CardGrid(
            card(self.tr("Windows"), self._windows_form()),
            card(self.tr("Primary metric"), self._metric_form()),
            card(self.tr("Load"), self._load_form()),
            card(self.tr("Safety limits; afterwards"), self._end_form()),
        )
        self._cards.hide()
        self.details.toggled.connect(self._cards.setVisible)
        self.details.toggled.connect(self._name_details)
        return self._cards

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the cards stand one below the other."""
        super().resizeEvent(event)
        self._cards.arrange(self.width())

    @Slot(bool)
    def _name_details(self, seen: bool) -> None:
        self.details.setText(self.tr("Hide details") if seen else self.tr("Details"))
        self.details.setShortcut("Alt+Shift+D")  # a new text takes it away

    def _windows_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Design"), self._design)
        form.addRow(self.tr("Num&ber of pairs"), self._pairs)
        form.addRow(self.tr("Window si&ze"), self._window)
        form.addRow(self.tr("Wait after each chan&ge"), self._settle)
        form.addRow(self.tr("Dis&card warm-up"), beside(self._trim, self._trim_auto))
        form.addRow("", self._cold)
        form.addRow(self.tr("Interim anal&yses"), self._looks)
        return form

    def _noise_card(self) -> QFrame:
        form = QFormLayout()
        row = beside(self._baseline, self._choose, self._measure)
        form.addRow(self.tr("&Judge by the windows of"), row)
        said = self.tr(
            "Windows without a change show how much the server varies on its own. No plan can "
            "detect a smaller effect. Measuring takes as long as the plan."
        )
        return card(self.tr("Baseline session"), form, note(said))

    def _metric_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("The verdict loo&ks at"), self._primary)
        form.addRow(self.tr("Of &operations"), self._kind)
        form.addRow(self.tr("&Latency target (SLO)"), self._slo)
        form.addRow(
            "",
            note(self.tr("Fixed before the start, so that the result cannot be cherry-picked.")),
        )
        return form

    def _load_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("Co&mmand"), self._load)
        form.addRow("", self._on_host)
        form.addRow(
            "",
            note(
                self.tr(
                    "Runs during every window, with and without the change. {seconds} is "
                    "replaced by the length of the window."
                )
            ),
        )
        return form

    def _end_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("Stop if errors e&xceed"), self._errors)
        # In one row, as no letter is free: one key leads to the first, Tab to the others.
        lag = beside(self._p99, label(self.tr("or lag")), self._lag.limit, self._lag.replicas)
        form.addRow(self.tr("Stop if p&99 exceeds"), lag)
        form.addRow(self.tr("Re&peat at most"), self._repeats)
        waits = beside(self._reconnect, label(self.tr("after a restart")), self._restart_wait)
        form.addRow(self.tr("&Wait for a lost server"), waits)
        form.addRow(self.tr("&Afterwards"), self._then)
        form.addRow(self.tr("Session f&ile"), self._path)
        return form

    def _connect(self) -> None:
        for box in (self._design, self._primary, self._kind, self._then):
            box.currentIndexChanged.connect(self._on_edited)
        for spin in (
            self._pairs,
            self._window,
            self._settle,
            self._trim,
            self._slo,
            self._lag.limit,
            self._repeats,
            self._reconnect,
            self._restart_wait,
        ):
            spin.valueChanged.connect(self._on_edited)
        for line in (self._load, self._looks, self._baseline, self._lag.replicas):
            line.textChanged.connect(self._on_edited)
        self._trim_auto.toggled.connect(self._on_edited)
        self._cold.toggled.connect(self._on_edited)
        self._design.activated.connect(self._on_design_chosen)
        self._choose.clicked.connect(self._on_choose)
        self._measure.clicked.connect(self.noiseFloorWanted)

    @Slot()
    def _on_design_chosen(self) -> None:
        """One window of each arm, unless more are asked for: no number of pairs is meant."""
        if self._design.currentData() == "ab":
            self._pairs.setValue(1)

    @Slot()
    def _on_edited(self) -> None:
        if self._filling:
            return
        design = self._design.currentData()
        self._looks.setEnabled(design == "pairs")
        self._trim.setEnabled(not self._trim_auto.isChecked())
        self._restart_wait.setEnabled(self._restart)
        self._kind.set_baseline(self._baseline_path())
        plan = self.plan()
        sizes = self._sized_plans()
        self._look_ahead(plan, tuple(sizes.values()))
        self.sizes.show_plans(sizes, self._workbench.clock_rate)
        self.sizes.choose(self.form().size())
        self._show_summary(plan)
        self.changed.emit()

    @Slot(str)
    def _on_size(self, name: str) -> None:
        self._fill(self.form().sized(name))

    def _sized_plans(self) -> dict[str, Plan]:
        """The plan of the fields in every size; none where the fields do not make a plan."""
        form, treatment = self.form(), self._treatment or Treatment(())
        try:
            return {name: form.sized(name).plan(treatment, restart=self._restart) for name in SIZES}
        except WorkbenchError:
            return {}  # the summary says why

    def _look_ahead(self, plan: Plan | None, sizes: tuple[Plan, ...]) -> None:
        baseline = self._baseline_path()
        if plan is None or baseline is None:
            self._foreseen = []
            self._foresight.forget()
            unknown = self.tr("Measure a baseline to estimate sensitivity.")
            self.sizes.show_finds(dict.fromkeys(SIZES, unknown))
        else:
            self._foresight.ask(plan, sizes, baseline)

    @Slot(object, object)
    def _on_foreseen(self, sentences: list[Message], sizes: tuple[Message, ...]) -> None:
        self._foreseen = [shown(line) for line in sentences]
        self.sizes.show_finds(dict(zip(SIZES, map(shown, sizes), strict=False)))
        self._show_summary(self.plan())

    def _show_summary(self, plan: Plan | None) -> None:
        if plan is None:
            lines = [self._why_not or self.tr("Choose the change first.")]
        else:
            unknown = self.tr("Measure a baseline to estimate sensitivity.")
            rate = self._workbench.clock_rate
            lines = [*map(shown, sentences(plan, rate)), *(self._foreseen or [unknown])]
            if rate != 1.0:
                fast = self.tr("The practice directory runs {rate} times faster than real time.")
                lines.insert(1, fast.format(rate=f"{rate:g}"))
        self.summary.setText("\n".join(f"• {line}" for line in lines))

    @Slot()
    def _on_choose(self) -> None:
        folder = str(self._workbench.settings.folder)
        kinds = self.tr("Sessions (*.ldapwb);;All files (*)")
        title = self.tr("Session with a noise floor")
        path, _ = QFileDialog.getOpenFileName(self, title, folder, kinds)
        if path:
            self.set_baseline(Path(path))
