"""Ask for a file to open, or to write whole; or say why it could not be written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QIODevice, QSaveFile, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from ldap_workbench.connect.folders import free_path
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.consent import PlainBox
from ldap_workbench.model.message import Message

_LETTERS = 60
"""Letters of a title that become the name of a file."""


class Format(NamedTuple):
    """One kind of file that may be chosen."""

    words: Message
    suffix: str
    make: Callable[[], bytes]


def save_as(owner: QWidget, title: Message, name: str, formats: Sequence[Format]) -> Path | None:
    """Write what the operator chooses, by the suffix; None where nothing was written."""
    kinds = ";;".join(shown(choice.words) for choice in formats)
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    suggestion = str(Path(folder) / f"{file_name(name)}{formats[0].suffix}")
    chosen, kind = QFileDialog.getSaveFileName(owner, shown(title), suggestion, kinds)
    if not chosen:
        return None
    path = Path(chosen)
    made = next((choice for choice in formats if choice.suffix == path.suffix.lower()), None)
    if made is None:
        made = next((choice for choice in formats if shown(choice.words) == kind), formats[0])
        # The dialog has asked about the name without it.
        path = free_path(path.with_name(path.name + made.suffix))
    return path if _write(owner, title, path, made.make()) else None


def file_name(title: str) -> str:
    """Letters and digits of a title, joined by dashes: no path comes out of it."""
    words = "".join(letter if letter.isalnum() else " " for letter in title).split()
    return "-".join(words)[:_LETTERS] or "ldap-workbench"


def _write(owner: QWidget, title: Message, path: Path, content: bytes) -> bool:
    """All of it or nothing: a file that was there stays as it is."""
    file = QSaveFile(str(path))
    opened = file.open(QIODevice.OpenModeFlag.WriteOnly)
    if opened and file.write(content) == len(content) and file.commit():
        return True
    why = Message(
        "{path} could not be written: {reason}. A file that was there is unchanged. "
        "Choose another folder.",
        path=str(path),
        reason=file.errorString(),
    )
    box = PlainBox(shown(title), shown(why), parent=owner)
    box.open()
    return False


def asked_session(parent: QWidget, folder: Path) -> Path | None:
    """The session file the operator chooses; None where none is chosen."""
    kinds = shown(Message("Sessions (*.ldapwb);;All files (*)"))
    title = shown(Message("Open a session"))
    path, _ = QFileDialog.getOpenFileName(parent, title, str(folder), kinds)
    return Path(path) if path else None
