"""Step 2: how the change is tested: design, windows, load, guard rails."""

from __future__ import annotations

import secrets
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.gui.experiment.form import (
    DESIGNS,
    KINDS,
    PRIMARIES,
    THEN,
    ExperimentForm,
    sentences,
)
from ldap_workbench.gui.widgets.labels import label, level_labels
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.knob import Treatment


class DesignPage(QWidget):
    """Every change of a field is told at once in sentences: what it costs, what it can say.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seed = secrets.randbelow(2**31)
        self._treatment: Treatment | None = None
        self._restart = False
        self._make_fields()
        self._summary = label("", wrap=True)
        self._lay_out()
        self._connect()

    def set_treatment(self, treatment: Treatment | None, *, restart: bool) -> None:
        """What is to be tested."""
        self._treatment, self._restart = treatment, restart
        self._tell()

    def set_path(self, path: Path) -> None:
        """Suggest a session file."""
        self._path.setText(str(path))

    def path(self) -> Path:
        """The session file to write."""
        return Path(self._path.text()).expanduser()

    def form(self) -> ExperimentForm:
        """What the fields say."""
        return ExperimentForm(
            design=self._design.currentData(),
            pairs=self._pairs.value(),
            window_s=self._window.value(),
            settle_s=self._settle.value(),
            trim_s=self._trim.value(),
            load=self._load.text(),
            load_on_host=self._on_host.isChecked(),
            primary=self._primary.currentData(),
            kind=self._kind.currentText(),
            slo_ms=self._slo.value(),
            max_error_percent=self._errors.value(),
            max_p99_ms=self._p99.value(),
            then=Then(self._then.currentData()),
            seed=self._seed,
        )

    def plan(self) -> Plan | None:
        """The plan, or None where the fields do not make one."""
        if self._treatment is None:
            return None
        try:
            return self.form().plan(self._treatment, restart=self._restart)
        except WorkbenchError:
            return None

    def _make_fields(self) -> None:
        self._design = _choices(DESIGNS)
        self._pairs = _whole(1, 200, 8, self.tr(" pairs"))
        self._window = _seconds(1, 86_400, 300)
        self._settle = _seconds(0, 3600, 5)
        self._trim = _seconds(0, 3600, 0)
        self._load = QLineEdit()
        self._load.setPlaceholderText(self.tr("none: the server's own clients"))
        self._on_host = QCheckBox(self.tr("Run it on the server's &host"))
        self._primary = _choices(PRIMARIES)
        self._kind = QComboBox()
        self._kind.addItems(list(KINDS))
        self._slo = _milliseconds(100)
        self._errors = QDoubleSpinBox()
        self._errors.setRange(0, 100)
        self._errors.setSuffix(" %")
        self._errors.setSpecialValueText(self.tr("no limit"))
        self._p99 = _milliseconds(0)
        self._p99.setSpecialValueText(self.tr("no limit"))
        self._then = _choices(THEN)
        self._path = QLineEdit()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(12)
        grid.addWidget(_card(self.tr("Windows"), self._windows_form()), 0, 0)
        grid.addWidget(_card(self.tr("What counts"), self._metric_form()), 0, 1)
        grid.addWidget(_card(self.tr("Load"), self._load_form()), 1, 0)
        grid.addWidget(_card(self.tr("Guard rails, and the end"), self._end_form()), 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        band = QFrame()
        band.setProperty("role", "band")
        inside = QVBoxLayout(band)
        inside.addWidget(label(self.tr("What this plan means"), "heading"))
        inside.addWidget(self._summary)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(_scrolled(grid), 1)
        whole.addWidget(band)

    def _windows_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Design"), self._design)
        form.addRow(self.tr("How &many"), self._pairs)
        form.addRow(self.tr("Length of a &window"), self._window)
        form.addRow(self.tr("&Settle after a change"), self._settle)
        form.addRow(self.tr("&Cut from the start of each"), self._trim)
        return form

    def _metric_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("The verdict &rests on"), self._primary)
        form.addRow(self.tr("Of &operations"), self._kind)
        form.addRow(self.tr("&Limit of a good answer"), self._slo)
        form.addRow(
            "",
            _note(
                self.tr(
                    "Decided before the start, so that nobody picks the best number afterwards."
                )
            ),
        )
        return form

    def _load_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("Comm&and"), self._load)
        form.addRow("", self._on_host)
        form.addRow(
            "",
            _note(
                self.tr(
                    "Runs during every window, with and without the change alike; {seconds} is "
                    "replaced by how long."
                )
            ),
        )
        return form

    def _end_form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("End when &errors exceed"), self._errors)
        form.addRow(self.tr("End when &p99 exceeds"), self._p99)
        form.addRow(self.tr("A&fterwards"), self._then)
        form.addRow(self.tr("Session f&ile"), self._path)
        return form

    def _connect(self) -> None:
        for box in (self._design, self._primary, self._kind, self._then):
            box.currentIndexChanged.connect(self._tell)
        for spin in (self._pairs, self._window, self._settle, self._trim, self._slo):
            spin.valueChanged.connect(self._tell)
        self._load.textChanged.connect(self._tell)

    def _tell(self) -> None:
        self._pairs.setEnabled(self._design.currentData() != "ab")
        plan = self.plan()
        lines = sentences(plan) if plan else [self.tr("Choose the change first.")]
        self._summary.setText("\n".join(f"• {line}" for line in lines))
        self.changed.emit()


def _scrolled(grid: QGridLayout) -> QScrollArea:
    inside = QWidget()
    inside.setObjectName("page")
    grid.setContentsMargins(0, 0, 6, 0)
    column = QVBoxLayout(inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.addLayout(grid)
    column.addStretch(1)
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def _choices(words: dict) -> QComboBox:
    box = QComboBox()
    for key, text in words.items():
        box.addItem(text, key)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box


def _whole(low: int, high: int, value: int, suffix: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(low, high)
    box.setSuffix(suffix)
    box.setValue(value)
    return box


def _seconds(low: float, high: float, value: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(1)
    box.setSuffix(" s")
    box.setValue(value)
    return box


def _milliseconds(value: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(0, 600_000)
    box.setDecimals(2)
    box.setSuffix(" ms")
    box.setValue(value)
    return box


def _note(text: str) -> QLabel:
    return label(text, "dim", wrap=True)


def _card(title: str, form: QFormLayout) -> QFrame:
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
    card = QFrame()
    card.setProperty("role", "card")
    inside = QVBoxLayout(card)
    inside.setContentsMargins(14, 10, 14, 12)
    inside.addWidget(label(title, "heading"))
    inside.addLayout(level_labels(form))
    inside.addStretch(1)
    return card
