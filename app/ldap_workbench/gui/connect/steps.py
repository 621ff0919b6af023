"""The steps of a connection test: each with a sign, what was seen, and the way out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QVBoxLayout, QWidget

from ldap_workbench.capture.check import StepResult
from ldap_workbench.gui.models.table import Column, RowsModel, always
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.labels import label
from ldap_workbench.gui.widgets.table import TableView
from ldap_workbench.model.message import NOTHING, Message

COLUMNS = (
    Column[StepResult](
        NOTHING,
        lambda s: Message("✓ works") if s.ok else Message("✗ fails"),
        strong=lambda s: not s.ok,
    ),
    Column[StepResult](Message("Step"), lambda s: shown(s.name), strong=always),
    Column[StepResult](Message("Result"), lambda s: shown(s.text)),
    Column[StepResult](Message("What to do"), lambda s: shown(s.remedy)),
)


class StepList(QWidget):
    """A hint before the test, what is being tried during it, a table after it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RowsModel(COLUMNS, parent=self)
        self._table = TableView(self.tr("Steps of the connection test"))
        self._table.set_rows(self.model)
        self._table.setWordWrap(True)
        for column in (2, 3):
            mode = QHeaderView.ResizeMode.Stretch
            self._table.horizontalHeader().setSectionResizeMode(column, mode)
        self._hint = label("", "dim", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._hint)
        self._pages.addWidget(self._table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)
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
        """What came out."""
        self.model.set_rows(steps)
        self._pages.setCurrentWidget(self._table)
        self._table.resizeRowsToContents()
