"""The file dialog that asks for a session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.message import Message


def asked_session(parent: QWidget, folder: Path) -> Path | None:
    """The session file the operator chooses; None where none is chosen."""
    kinds = shown(Message("Sessions (*.ldapwb);;All files (*)"))
    title = shown(Message("Open a session"))
    path, _ = QFileDialog.getOpenFileName(parent, title, str(folder), kinds)
    return Path(path) if path else None
