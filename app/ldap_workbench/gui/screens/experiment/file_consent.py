"""The question before anything of a plan from a file is taken over."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QWidget

from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column


class FileConsent(QDialog):
    """Shows the plan whole; where it `runs` a command, that is agreed to by a tick of its own."""

    def __init__(self, lines: Sequence[str], parent: QWidget | None = None, *, runs: bool) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("A plan from a file"))
        heading = self.tr("This plan comes from a file. Read all of it before you start it.")
        self.plan = QPlainTextEdit("\n".join(lines))
        self.plan.setReadOnly(True)
        self.plan.setProperty("role", "raw")
        self.plan.setAccessibleName(self.tr("The plan in the file"))
        self.plan.setMinimumSize(self.fontMetrics().averageCharWidth() * 90, 280)
        self.tick = QCheckBox(self.tr("Allow the &command in the file to run"))
        self.tick.setVisible(runs)
        self.take = push_button(self.tr("Use &this plan"))
        self.take.setEnabled(not runs)
        self.tick.toggled.connect(self.take.setEnabled)
        self.take.clicked.connect(self.accept)
        refuse = push_button(self.tr("&Do not start"), primary=True)
        refuse.setDefault(True)
        refuse.clicked.connect(self.reject)
        column(
            label(heading, wrap=True),
            self.plan,
            self.tick,
            button_row(self.take, refuse),
            on=self,
            spacing=10,
        )

    def agreed(self) -> bool:
        """Ask, and wait for the answer."""
        return bool(self.exec())
