"""Models over the columns that figures/ defines: tails, metrics, clients, a chart's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject

from ldap_workbench.figures.numbers import Numbers, Row
from ldap_workbench.figures.operations.clients import ClientRow
from ldap_workbench.figures.operations.clients_table import columns
from ldap_workbench.figures.table import Column
from ldap_workbench.figures.tails.table import COLUMNS as TAILS
from ldap_workbench.figures.verdict.metrics_table import COLUMNS as METRICS
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.message import Message
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.verdict import MetricVerdict


class TailsModel(RowsModel[Tail]):
    """Nearest-rank quantiles of the etime, a row per window and operation type."""

    def __init__(self, rows: Sequence[Tail] = (), parent: QObject | None = None) -> None:
        super().__init__(TAILS, rows, parent)


class MetricsModel(RowsModel[MetricVerdict]):
    """The metrics of a verdict, the primary one first."""

    def __init__(self, rows: Sequence[MetricVerdict] = (), parent: QObject | None = None) -> None:
        super().__init__(METRICS, rows, parent)


class ClientsModel(RowsModel[ClientRow]):
    """What clients did and cost, most expensive first, and the findings that name them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(columns({}), (), parent)

    def set_clients(self, rows: Sequence[ClientRow], titles: Mapping[str, Message]) -> None:
        """Show these instead; `titles` names a finding by its id."""
        self.columns = columns(titles)
        self.set_rows(rows)


class NumbersModel(RowsModel[Row]):
    """The numbers behind a chart: headings change with the chart, so the columns do, too."""

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
