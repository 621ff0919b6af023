"""The file dialog that asks for a session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget


def asked_session(parent: QWidget, folder: Path) -> Path | None:
    """The session file the operator chooses; None where none is chosen."""
    translate = QCoreApplication.translate
    kinds = translate("SessionFiles", "Sessions (*.ldapwb);;All files (*)")
    title = translate("SessionFiles", "Open a session")
    path, _ = QFileDialog.getOpenFileName(parent, title, str(folder), kinds)
    return Path(path) if path else None
