"""The plan of a campaign or a canary: the fields of every measurement, and what they amount to."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from ldap_workbench.figures.forms.experiment import PRIMARIES
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.screens.experiment.fields import (
    CardGrid,
    choices,
    duration_field,
    percent,
    scrolled,
)
from ldap_workbench.gui.screens.experiment.foresight import Foresee, Foresight
from ldap_workbench.gui.screens.experiment.kind_choice import KindChoice
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model import plan_fields
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message

Foreseen = tuple[list[Message], tuple[Message, ...]]
"""What the plan can find; and where that is next to nothing, why and what to do instead."""


class SeriesPlanPage(QWidget):
    """After every edit it says what the plan amounts to, or why it cannot start.

    A subclass makes its own fields before `_lay_out` and describes the plan in `_describe`.

    *Signals:* startWanted()
    """

    startWanted = Signal()

    def __init__(self, workbench: Workbench, *, foresee: Foresee | None = None) -> None:
        super().__init__()
        self._workbench = workbench
        self.draw_again()
        self._band = Band()
        self._foreseen: Foreseen = ([], ())
        self._foresight = Foresight(workbench, self, foresee=foresee)
        self._foresight.foreseen.connect(self._on_foreseen)
        self.window_length = duration_field(plan_fields.WINDOW)
        self.settle = duration_field(plan_fields.SETTLE)
        self.trim = duration_field(plan_fields.TRIM)
        self.primary = choices(PRIMARIES)
        self.kind = KindChoice(workbench)
        self.slo = duration_field(plan_fields.SLO)
        self.errors = percent(self.tr("no limit"))
        self.load = QLineEdit()
        self.file = QLineEdit()
        self.start = push_button("", self.startWanted, primary=True)

    def path(self) -> Path:
        """The session file that was named; others of the series are beside it."""
        return Path(self.file.text().strip()).expanduser()

    def set_path(self, path: Path) -> None:
        """Suggest a file."""
        self.file.setText(str(path))

    def draw_again(self) -> None:
        """Draw the seed of the next series: two with one seed would have one order."""
        self._seed = secrets.randbelow(2**31)

    @Slot()
    def tell(self) -> None:
        """Say what the plan amounts to, or why it cannot start."""
        if missing := self._missing():
            self._say(missing, ())
            return
        try:
            heading, lines = self._describe()
        except WorkbenchError as error:
            self._say(self._cannot_start(), [error.explanation], "warn")
            return
        self._say(heading, lines, startable=self._may_start())

    def _measurement(self) -> dict[str, Any]:
        """The fields of a MeasurementForm, as they are filled in."""
        return {
            "window_s": self.window_length.value(),
            "settle_s": self.settle.value(),
            "trim_s": self.trim.value(),
            "load": self.load.text(),
            "primary": self.primary.currentData(),
            "kind": self.kind.kind(),
            "slo_ms": self.slo.value(),
            "max_error_percent": self.errors.value(),
            "seed": self._seed,
        }

    def _missing(self) -> str:
        """What has to be chosen first; '' where nothing has."""
        raise NotImplementedError

    def _describe(self) -> tuple[str, Sequence[Message]]:
        """A heading, and what the plan does, costs and can find. Raises WorkbenchError."""
        raise NotImplementedError

    def _cannot_start(self) -> str:
        """The heading where the fields make no plan."""
        raise NotImplementedError

    def _may_start(self) -> bool:
        """Whether a plan without fault may start now."""
        bench = self._workbench
        return not bench.read_only and bench.running.run is None

    def _say(
        self, heading: str, lines: Sequence[Message], mood: str = "", *, startable: bool = False
    ) -> None:
        sentences = [shown(line) for line in lines]
        if self._workbench.read_only:
            sentences.append(self.tr("Read-only mode is on. Turn it off in the Server menu."))
        self._band.say(heading, "\n".join(f"• {sentence}" for sentence in sentences), mood)
        self.start.setEnabled(startable)

    @Slot(object, object)
    def _on_foreseen(self, sentences: list[Message], refused: tuple[Message, ...]) -> None:
        if (sentences, refused) != self._foreseen:
            self._foreseen = (sentences, refused)
            self.tell()

    def _follow(self, *fields: QWidget) -> None:
        """Tell again after every edit of the common fields and of these."""
        common = (self.window_length, self.settle, self.trim, self.primary, self.kind, self.slo)
        for field in (*common, self.errors, self.load, *fields):
            if isinstance(field, QLineEdit):
                field.editingFinished.connect(self.tell)
            elif isinstance(field, QComboBox):
                field.currentIndexChanged.connect(self.tell)
            elif isinstance(field, QSpinBox | QDoubleSpinBox):
                field.valueChanged.connect(self.tell)
        bench = self._workbench
        for signal in (bench.readOnlyChanged, bench.running.changed):
            signal.connect(self.tell)

    def _windows_form(self, number: QWidget) -> QFormLayout:
        form = QFormLayout()
        form.addRow(self.tr("&Number"), number)
        form.addRow(self.tr("Window si&ze"), self.window_length)
        form.addRow(self.tr("Wait after each chan&ge"), self.settle)
        form.addRow(self.tr("&Discard warm-up"), self.trim)
        return form

    def _add_metric(self, form: QFormLayout) -> None:
        form.addRow(self.tr("&Judged by"), self.primary)
        form.addRow(self.tr("Of &operations"), self.kind)
        form.addRow(self.tr("Latency &target"), self.slo)

    def _lay_out(self, *parts: QWidget, cards: CardGrid, buttons: Sequence[QPushButton]) -> None:
        """Parts, cards and what the plan amounts to; the buttons stay at the foot."""
        self._cards = cards
        page = QGridLayout()
        page.setSpacing(12)
        for place, part in enumerate((*parts, cards, self._band)):
            page.addWidget(part, place, 0)
        column((scrolled(page), 1), button_row(*buttons), on=self, margins=0, spacing=12)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the cards stand one below the other."""
        super().resizeEvent(event)
        self._cards.arrange(self.width())
