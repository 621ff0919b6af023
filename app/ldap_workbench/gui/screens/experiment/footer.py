"""The foot of the experiment: one step back, one on, and why it does not go on."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import row
from ldap_workbench.gui.screens.experiment.steps import CHANGE, DESIGN


class Footer(QWidget):
    """Three buttons at the right, and at the left what is missing before one of them works."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.why = label("", "dim", wrap=True)
        self.back = push_button(self.tr("Back"))
        self.back.setShortcut("Alt+Left")
        self.onward = push_button(self.tr("&Next: design"), primary=True)
        self.start = push_button(self.tr("Sta&rt …"), primary=True)
        row((self.why, 1), self.back, self.onward, self.start, on=self, margins=0)

    def show_step(self, step: int, reachable: set[int], *, planned: bool) -> None:
        """The buttons of a step; none while it runs and when it is judged."""
        self.back.setVisible(step == DESIGN)
        self.back.setEnabled(CHANGE in reachable)
        self.onward.setVisible(step == CHANGE)
        self.onward.setEnabled(planned)
        self.start.setVisible(step == DESIGN)
        # Last: every button that appears in what is seen has the whole page laid out again.
        self.setVisible(step in (CHANGE, DESIGN))

    def set_hint(self, *, connected: bool, read_only: bool, planned: bool, designing: bool) -> None:
        """Say what is missing, the first thing first; nothing where nothing is."""
        hint = ""
        if not connected:
            hint = self.tr("Connect to a server to continue (Server menu or start screen).")
        elif designing and read_only:
            hint = self.tr("Read-only mode is on. Turn it off in the Server menu.")
        elif designing and not planned:
            hint = self.tr("Choose the change first, one step back.")
        self.why.setText(hint)
