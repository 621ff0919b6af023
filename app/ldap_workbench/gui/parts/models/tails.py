"""The tails table: a row per window and operation type."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.tails.table import COLUMNS
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.tail import Tail


class TailsModel(RowsModel[Tail]):
    """Nearest-rank quantiles of the etime."""

    def __init__(self, rows: Sequence[Tail] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)
