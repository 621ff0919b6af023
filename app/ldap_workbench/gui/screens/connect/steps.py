"""The steps of a connection test: each with a sign, what was seen, and the way out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QWidget

from ldap_workbench.capture.live.check import StepResult, by_urgency, summary
from ldap_workbench.figures.table import Column, always
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.model.message import NOTHING, Message

_STATES = {
    (True, True): Message("✓ works"),
    (True, False): Message("✗ fails"),
    (False, False): Message("– not tried"),
}
"""What stands before a step, by whether it was tried and is fine."""
COLUMNS = (
    Column[StepResult](
        NOTHING,
        lambda s: _STATES[s.tried, s.ok],
        strong=lambda s: s.failed,
    ),
    Column[StepResult](Message("Step"), lambda s: shown(s.name), strong=always),
    Column[StepResult](Message("Result"), lambda s: shown(s.text)),
    Column[StepResult](Message("What to do"), lambda s: shown(s.remedy)),
)


class StepList(QWidget):
    """A hint before the test, what is being tried during it, a table after it."""

    def __init__(self) -> None:
        super().__init__()
        self._table = RowsTable(self.tr("Steps of the connection test"), COLUMNS)
        self.model = self._table.rows
        self._table.setWordWrap(True)
        for section in (2, 3):
            mode = QHeaderView.ResizeMode.Stretch
            self._table.horizontalHeader().setSectionResizeMode(section, mode)
        self._hint = label("", "dim", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._hint)
        self.summary = label("", "heading", wrap=True)
        tested = QWidget()
        column(self.summary, (self._table, 1), Stretch(0), on=tested, margins=0)
        self._tested = tested
        self._pages.addWidget(tested)
        column(self._pages, on=self, margins=0)
        self.set_present(
            self.tr("Test tries every step: address, port, encryption, bind, login, logs, disks.")
        )

    def clear(self) -> None:
        """Before a new test."""
        self.model.set_rows(())

    def set_present(self, text: str) -> None:
        """What is being tried now."""
        self._hint.setText(text)
        self._pages.setCurrentWidget(self._hint)

    def set_steps(self, steps: Sequence[StepResult]) -> None:
        """What came out: a summary, then the steps, those that failed first."""
        self.summary.setText(shown(summary(steps)))
        self.model.set_rows(by_urgency(steps))
        self._pages.setCurrentWidget(self._tested)
        self._fit_table()

    def missing_height(self) -> int:
        """Pixels that the table needs beside what it has, to show every row."""
        return max(0, self._table.maximumHeight() - self._table.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_table()

    def _fit_table(self) -> None:
        """Make the table no higher than its rows, which wrap by the width."""
        self._table.resizeRowsToContents()
        frame = 2 * self._table.frameWidth()
        head = self._table.horizontalHeader().sizeHint().height()
        self._table.setMaximumHeight(head + self._table.verticalHeader().length() + frame)
        layout = self._tested.layout()
        assert layout is not None
        layout.activate()
