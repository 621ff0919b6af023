"""Names the time range a view is narrowed to, and widens it again."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame

from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import row
from ldap_workbench.gui.workbench.selection import TimeSelection


class SelectionBar(QFrame):
    """One line; hidden while whole windows are looked at.

    A view that does not follow says that it tells of whole windows all the same.
    """

    def __init__(self, selection: TimeSelection, *, follows: bool = True) -> None:
        super().__init__()
        self._template = (
            self.tr("Showing only {selection}.")
            if follows
            else self.tr("This screen covers whole windows, not only {selection}.")
        )
        self.setProperty("role", "band")
        self._selection = selection
        self.words = label("")
        self.everything = push_button(self.tr("Show whole win&dows"), selection.clear)
        set_tip(self.everything, self.tr("In every view (Ctrl+0)"))
        row((self.words, 1), self.everything, on=self, margins=(14, 4, 12, 4))
        selection.changed.connect(self._on_changed)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        text = self._selection.describe()
        self.setVisible(bool(text))
        self.words.setText(self._template.format(selection=text))
