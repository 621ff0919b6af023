"""The table of operations: its rows are copied by whoever has them."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal

from ldap_workbench.gui.parts.models.operations import COLUMNS, RARE_COLUMNS
from ldap_workbench.gui.parts.widgets.table import TableView


class OperationsTable(TableView):
    """Rows are not all here, so Ctrl+C asks for them.

    *Signals:* copyWanted(list of (first, last) rows; empty for all)
    """

    copyWanted = Signal(object)

    def show_rare(self, names: Collection[str]) -> None:
        """Of the columns that few logs fill, show those of these names alone."""
        rare = enumerate(RARE_COLUMNS, start=len(COLUMNS))
        self.columns.set_empty(place for place, name in rare if name not in names)

    def copy(self) -> None:
        """Ask for the selected rows, or for all."""
        # Ranges, for a list of millions of selected rows would stall the window.
        chosen = self.selectionModel().selection()
        self.copyWanted.emit(
            sorted((part.top(), part.bottom()) for part in map(chosen.at, range(chosen.count())))
        )
