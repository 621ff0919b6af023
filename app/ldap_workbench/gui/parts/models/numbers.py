"""The numbers behind a chart as a model."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from ldap_workbench.figures.numbers import Numbers, Row
from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.message import Message


class NumbersModel(RowsModel[Row]):
    """Headings change with the chart, so the columns do, too."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), (), parent)

    def set_numbers(self, numbers: Numbers) -> None:
        """Show these instead."""
        self.beginResetModel()
        self.columns = tuple(
            Column(heading, partial(_cell, i), number=i > 0)
            for i, heading in enumerate(numbers.headings)
        )
        self._rows = numbers.rows
        self.endResetModel()


def _cell(column: int, row: Row) -> Message | str:
    return row[column]
