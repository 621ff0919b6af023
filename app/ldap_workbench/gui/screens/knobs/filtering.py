"""Knobs narrowed to those that differ from their default."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex

from ldap_workbench.gui.parts.models.knobs import differs
from ldap_workbench.gui.parts.models.table import ROW_ROLE, FoundRows


class KnobRows(FoundRows):
    """Sorted, found by words, and perhaps only what was changed."""

    _changed_only = False

    def set_changed_only(self, wanted: bool) -> None:
        """Hide what is as the server was shipped."""
        self._changed_only = wanted
        self.invalidateFilter()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        if not super().filterAcceptsRow(row, parent):
            return False
        reading = self.sourceModel().index(row, 0, parent).data(ROW_ROLE)
        return not self._changed_only or differs(reading)
