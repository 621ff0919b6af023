"""The metrics of a verdict: each with its ratio, interval and judgement."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.verdict.metrics_table import COLUMNS
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.verdict import MetricVerdict


class MetricsModel(RowsModel[MetricVerdict]):
    """The primary metric first."""

    def __init__(self, rows: Sequence[MetricVerdict] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)
