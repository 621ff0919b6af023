"""The dialogs of servers, opened over the window: add, edit, sudo rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.profile import Profile

if TYPE_CHECKING:
    from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
    from ldap_workbench.gui.screens.connect.sudoers import HostRights, SudoersDialog


class ServerDialogs(QObject):
    """At most one is open; nobody waits for it.

    *Signals:* saved()
    """

    saved = Signal()

    def __init__(self, workbench: Workbench, window: QWidget) -> None:
        super().__init__(window)
        self._workbench, self._window = workbench, window
        self.dialog: ProfileDialog | None = None
        self.rights: SudoersDialog | None = None

    @Slot()
    def add(self) -> None:
        """Ask for a new server."""
        self.edit(None)

    def edit(self, profile: Profile | None) -> ProfileDialog:
        """Open the dialog with a known server, or with none."""
        from ldap_workbench.gui.screens.connect.dialog import (
            ProfileDialog,  # the window starts without
        )

        self.dialog = ProfileDialog(self._workbench, profile, self._window)
        self.dialog.finished.connect(self._on_finished)
        self.dialog.open()
        return self.dialog

    @Slot()
    def show_rights(self) -> None:
        """Read what the connected profile needs as root, and show it."""
        from ldap_workbench.gui.screens.connect.sudoers import rights_of

        self._workbench.ask_server(
            self.tr("Sudo rights on the host"),
            lambda connection, _, __: rights_of(connection.target),
            on_done=self._on_rights,
        )

    @Slot(object)
    def _on_rights(self, rights: HostRights) -> None:
        from ldap_workbench.gui.screens.connect.sudoers import SudoersDialog

        self.rights = SudoersDialog(self._workbench, rights, self._window)
        self.rights.finished.connect(self.rights.deleteLater)
        self.rights.open()

    @Slot(int)
    def _on_finished(self, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        if result and dialog.profile:
            self.saved.emit()
            if dialog.connect_now:
                self._workbench.connect_to(dialog.profile)
        dialog.deleteLater()
