"""What the window remembers of itself: size, theme, recent files. Never a secret, never a server.

An INI file does not keep types ('true' comes back as text), so every value has an accessor.
"""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from ldap_workbench.connect.folders import config_folder
from ldap_workbench.gui.theme import Scheme

RECENT = 12


class Settings:
    """Typed accessors over window.ini in the configuration folder."""

    def __init__(self, path: Path | None = None) -> None:
        file = path or config_folder() / "window.ini"
        self._store = QSettings(str(file), QSettings.Format.IniFormat)

    @property
    def scheme(self) -> Scheme:
        text = str(self._store.value("scheme", Scheme.SYSTEM.value))
        return Scheme(text) if text in Scheme.__members__.values() else Scheme.SYSTEM

    @scheme.setter
    def scheme(self, scheme: Scheme) -> None:
        self._store.setValue("scheme", scheme.value)

    @property
    def language(self) -> str:
        """'en', 'de', ...; '' as the desktop speaks."""
        return str(self._store.value("language", ""))

    @language.setter
    def language(self, name: str) -> None:
        self._store.setValue("language", name)

    @property
    def read_only(self) -> bool:
        """Whether the window refuses to change servers."""
        return str(self._store.value("read_only", "false")) == "true"

    @read_only.setter
    def read_only(self, wanted: bool) -> None:
        self._store.setValue("read_only", "true" if wanted else "false")

    @property
    def slo_ms(self) -> float:
        """Limit of a good answer the operator last worked with."""
        return float(str(self._store.value("slo_ms", "100")))

    @slo_ms.setter
    def slo_ms(self, value: float) -> None:
        self._store.setValue("slo_ms", str(value))

    @property
    def folder(self) -> Path:
        """Where sessions were last opened or written."""
        return Path(str(self._store.value("folder", str(Path.home()))))

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._store.setValue("folder", str(folder))

    @property
    def recent(self) -> list[Path]:
        """Session files opened lately that are still there, latest first."""
        try:
            names = json.loads(str(self._store.value("recent", "[]")))
        except json.JSONDecodeError:
            return []
        return [path for path in map(Path, names) if path.is_file()]

    def remember(self, path: Path) -> None:
        """Put a session on top of the recent ones."""
        path = path.absolute()
        kept = [path, *(other for other in self.recent if other != path)][:RECENT]
        self._store.setValue("recent", json.dumps([str(each) for each in kept]))
        self.folder = path.parent

    @property
    def open_session(self) -> Path | None:
        """The session that is open, or was when the program ended badly."""
        name = str(self._store.value("open_session", ""))
        return Path(name) if name and Path(name).is_file() else None

    @open_session.setter
    def open_session(self, path: Path | None) -> None:
        self._store.setValue("open_session", str(path.absolute()) if path else "")
        self._store.sync()

    def forget_recent(self) -> None:
        """Clear the list of recent files."""
        self._store.setValue("recent", "[]")

    def bytes(self, name: str) -> QByteArray:
        """State of a window or a splitter; empty where none is kept."""
        value = self._store.value(name)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_bytes(self, name: str, value: QByteArray) -> None:
        """Keep the state of a window or a splitter."""
        self._store.setValue(name, value)

    def sync(self) -> None:
        """Write to disk now."""
        self._store.sync()
