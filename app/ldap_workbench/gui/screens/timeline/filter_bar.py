"""Narrows the timeline to the operations of the finding it was opened from."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import link_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import row
from ldap_workbench.gui.parts.widgets.tips import set_tip
from ldap_workbench.model.message import NOTHING, count_of
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.session.conditions import Condition, parse_conditions, words_of


class FilterBar(QFrame):
    """One line; hidden while there is no filter. At first all operations are shown.

    *Signals:* changed(), operationsWanted(OperationFilter)
    """

    changed = Signal()
    operationsWanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "band")
        self._which: OperationFilter | None = None
        self.only = QCheckBox(self.tr("Only the operations of the findin&g"))
        set_tip(self.only, self.tr("The heat map and its concurrency show no other operations"))
        self.only.toggled.connect(self.changed)
        self._count = label("", "dim")
        self.listed = link_button(self.tr("Show operations"))
        self.listed.clicked.connect(self._on_listed)
        row(self.only, (self._count, 1), self.listed, on=self, margins=(14, 4, 12, 4))
        self.hide()

    def set_filter(self, which: OperationFilter | None) -> None:
        """Offer this filter, or none; it is not applied yet."""
        self._which = which
        self.only.blockSignals(True)
        self.only.setChecked(False)
        self.only.blockSignals(False)
        self.setVisible(which is not None)
        count = count_of("{n} operation", "{n} operations", n=which.count) if which else NOTHING
        self._count.setText(shown(count))

    def conditions(self) -> tuple[Condition, ...]:
        """What the operations shown have to meet; empty for all."""
        if self._which is None or not self.only.isChecked():
            return ()
        return parse_conditions(words_of(self._which))

    @Slot()
    def _on_listed(self) -> None:
        self.operationsWanted.emit(self._which)
