"""The table of operations: its rows are copied by whoever has them."""

from __future__ import annotations

from PySide6.QtCore import Signal

from ldap_workbench.gui.widgets.table import TableView


class OperationsTable(TableView):
    """Rows are not all here, so Ctrl+C asks for them.

    *Signals:* copyWanted(list of (first, last) rows; empty for all)
    """

    copyWanted = Signal(object)

    def copy(self) -> None:
        """Ask for the selected rows, or for all."""
        # Ranges, for a list of millions of selected rows would stall the window.
        chosen = self.selectionModel().selection()
        self.copyWanted.emit(
            sorted((part.top(), part.bottom()) for part in map(chosen.at, range(chosen.count())))
        )
