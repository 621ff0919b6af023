"""What the window remembers of itself: size, theme, recent files. Never a secret, never a server.

QSettings would write from the GUI thread and wait there for the disk, for seconds where that is
busy. So the values are kept here, and a thread writes them.
"""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from ldap_workbench.connect.folders import config_folder, documents_folder, free_path
from ldap_workbench.figures.overview.session_summary import SessionBadges
from ldap_workbench.files import replace
from ldap_workbench.gui.parts.style.theme import Scheme

RECENT = 12


class Settings:
    """Typed accessors over window.json in the configuration folder; close it after use.

    Where there is none yet, what the first version kept in window.ini counts.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = path or config_folder() / "window.json"
        self._values = _read(self._file) if self._file.exists() else _of_0_1(self._file)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="settings")
        self._written: Future[None] | None = None

    @property
    def scheme(self) -> Scheme:
        text = self._values.get("scheme", Scheme.SYSTEM.value)
        return Scheme(text) if text in Scheme.__members__.values() else Scheme.SYSTEM

    @scheme.setter
    def scheme(self, scheme: Scheme) -> None:
        self._set("scheme", scheme.value)

    @property
    def language(self) -> str:
        """'en', 'de', ...; '' as the desktop speaks."""
        return self._values.get("language", "")

    @language.setter
    def language(self, name: str) -> None:
        self._set("language", name)

    @property
    def read_only(self) -> bool:
        """Whether the window refuses to change servers."""
        return self._values.get("read_only", "false") == "true"

    @read_only.setter
    def read_only(self, wanted: bool) -> None:
        self._set("read_only", "true" if wanted else "false")

    @property
    def slo_ms(self) -> float:
        """Latency target (SLO) the operator last worked with."""
        return float(self._values.get("slo_ms", "100"))

    @slo_ms.setter
    def slo_ms(self, value: float) -> None:
        self._set("slo_ms", str(value))

    @property
    def folder(self) -> Path:
        """Where files were last opened: where a dialog begins."""
        return Path(self._values.get("folder", str(Path.home())))

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._set("folder", str(folder))

    @property
    def new_folder(self) -> Path:
        """Where new sessions are written: the documents, or what the operator chose instead.

        Never where a session was merely opened: a sample lies in a cache, which may be emptied.
        """
        chosen = Path(self._values.get("new_folder", ""))
        return chosen if chosen.is_absolute() and chosen.is_dir() else documents_folder()

    @new_folder.setter
    def new_folder(self, folder: Path) -> None:
        self._set("new_folder", str(folder.absolute()))

    def new_session(self, name: str, *, stamped: bool = False) -> Path:
        """A path for a new session, in that folder and not taken yet; `stamped` with the time."""
        stamp = f"-{datetime.now(UTC):%Y%m%d-%H%M}" if stamped else ""
        return free_path(self.new_folder / f"{name}{stamp}.ldapwb")

    @property
    def recent(self) -> list[Path]:
        """Session files opened lately that are still there, latest first."""
        try:
            names = json.loads(self._values.get("recent", "[]"))
        except json.JSONDecodeError:
            return []
        return [path for path in map(Path, names) if path.is_file()]

    def remember(self, path: Path, badges: SessionBadges | None = None) -> None:
        """Put a session on top of the recent ones, with what tells it from others."""
        path = path.absolute()
        paths = [path, *(other for other in self.recent if other != path)][:RECENT]
        self._set("recent", json.dumps([str(recent) for recent in paths]))
        known = self._badges() | ({str(path): asdict(badges)} if badges else {})
        names = known.keys() & set(map(str, paths))
        self._set("badges", json.dumps({name: known[name] for name in sorted(names)}))
        self.folder = path.parent

    def badges(self, path: Path) -> SessionBadges:
        """What was known of a recent session when it was open last."""
        stored = self._badges().get(str(path.absolute()))
        values = stored if isinstance(stored, dict) else {}
        names = {field.name for field in fields(SessionBadges)}
        return SessionBadges(**{name: str(values[name]) for name in names & values.keys()})

    def _badges(self) -> dict[str, Any]:
        try:
            stored = json.loads(self._values.get("badges", "{}"))
        except json.JSONDecodeError:
            return {}
        return stored if isinstance(stored, dict) else {}

    def saved_views(self, key: str) -> dict[str, dict[str, Any]]:
        """What was kept under a key: filters, comparisons, each by its name."""
        try:
            stored = json.loads(self._values.get(key, "{}"))
        except json.JSONDecodeError:
            return {}
        named = stored.items() if isinstance(stored, dict) else ()
        return {name: value for name, value in named if isinstance(value, dict)}

    def save_views(self, key: str, views: dict[str, dict[str, Any]]) -> None:
        """Keep these, and no others, under a key."""
        self._set(key, json.dumps(views))

    @property
    def open_session(self) -> Path | None:
        """The session that is open, or was when the program ended badly."""
        name = self._values.get("open_session", "")
        return Path(name) if name and Path(name).is_file() else None

    @open_session.setter
    def open_session(self, path: Path | None) -> None:
        self._set("open_session", str(path.absolute()) if path else "")

    def bytes(self, name: str) -> QByteArray:
        """State of a window or a splitter; empty where none is kept."""
        return QByteArray.fromBase64(self._values.get(name, "").encode())

    def set_bytes(self, name: str, value: QByteArray) -> None:
        """Keep the state of a window or a splitter."""
        self._set(name, value.toBase64().toStdString())

    def sync(self) -> None:
        """Wait until all is written. Raises OSError where it could not be."""
        if self._written:
            self._written.result()

    def close(self) -> None:
        """End the thread once all is written. Raises OSError as `sync`."""
        self._writer.shutdown(wait=True)
        self.sync()

    def _set(self, name: str, value: str) -> None:
        if self._values.get(name) != value:
            self._values[name] = value
            text = json.dumps(self._values, indent=1, sort_keys=True)
            self._written = self._writer.submit(_write, self._file, text)


def _read(file: Path) -> dict[str, str]:
    """What was kept; nothing where that cannot be read, for the window must open all the same."""
    try:
        values = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in values.items()} if isinstance(values, dict) else {}


def _of_0_1(file: Path) -> dict[str, str]:
    """What version 0.1 kept beside `file`, in a file of Qt's own; that is read and stays."""
    earlier = file.with_suffix(".ini")
    if not earlier.is_file():
        return {}
    store = QSettings(str(earlier), QSettings.Format.IniFormat)
    return {name: _as_text(store.value(name)) for name in store.allKeys()}


def _as_text(value: object) -> str:
    return value.toBase64().toStdString() if isinstance(value, QByteArray) else str(value)


def _write(file: Path, text: str) -> None:
    """All or nothing: a program that dies meanwhile leaves the earlier file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    replace(beside, file)
