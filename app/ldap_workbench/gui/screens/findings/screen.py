"""Findings: what stands out in the open session, where to look, and what is worth trying."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.screens.findings.page import FindingsPage
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench


class FindingsScreen(Screen):
    """The page of findings; a connected server can be asked without a session, too."""

    name = "findings"
    of_whole_windows = True

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.page = self._body = FindingsPage(workbench)
        self._empty = EmptyState(
            "findings",
            self.tr("No session is open"),
            self.tr(
                "Open a session, drop logs or capture a window to see here what stands out, "
                "what it costs and what is worth trying."
            ),
            actions,
        )
        self.add_bodies(self._empty, self.page)
        workbench.sessionChanged.connect(self._on_changed)
        workbench.connectionChanged.connect(self._on_changed)

    def shown(self) -> None:
        self.page.shown()

    def reload(self) -> None:
        self.page.reload()

    @Slot()
    def _on_changed(self) -> None:
        opened = self.workbench.opened
        self.set_subtitle(shown(opened.summary.headline()) if opened else "")
        self.show_body(self.page if opened or self.workbench.connection else self._empty)
