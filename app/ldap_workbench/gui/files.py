"""Session files as the operator opens, drops and saves them."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.model.errors import SessionError

SUFFIX = ".ldapwb"


class SessionFiles(QObject):
    """Opens and copies session files for a window; belongs to it."""

    def __init__(self, workbench: Workbench, window: QWidget) -> None:
        super().__init__(window)
        self._workbench = workbench
        self._window = window

    def open_paths(self, paths: list[Path]) -> None:
        """Open what was dropped or named: a session; logs are told how to become one."""
        for path in paths:
            if path.suffix == SUFFIX:
                self._workbench.open_session(path)
                return
        if paths:
            self._workbench.fail(
                SessionError(
                    f"{paths[0].name} is not a session file (*{SUFFIX}).",
                    safe="It was not touched.",
                    remedy=f"To read logs, run: ldap-workbench import {paths[0]} -o FILE{SUFFIX}",
                )
            )

    @Slot()
    def choose(self) -> None:
        """Ask which session to open."""
        if path := asked_session(self._window, self._workbench.settings.folder):
            self._workbench.open_session(path)

    @Slot()
    def save_copy(self) -> None:
        """Ask where to, then copy the open session in its own thread."""
        opened = self._workbench.opened
        if opened is None:
            return
        kinds = self.tr("Sessions (*.ldapwb)")
        title = self.tr("Save a copy as")
        path, _ = QFileDialog.getSaveFileName(self._window, title, str(opened.path), kinds)
        if path and Path(path) != opened.path:
            self._workbench.ask_session(
                self.tr("Saving a copy"),
                lambda session: shutil.copy2(session.path, path),
                self._on_saved,
            )

    @Slot(object)
    def _on_saved(self, path: str) -> None:
        self._workbench.tell(self.tr("A copy was saved as {path}").format(path=path))


def asked_session(parent: QWidget, folder: Path) -> Path | None:
    """The session file the operator chooses; None where none is chosen."""
    kinds = parent.tr("Sessions (*.ldapwb);;All files (*)")
    path, _ = QFileDialog.getOpenFileName(parent, parent.tr("Open a session"), str(folder), kinds)
    return Path(path) if path else None
