"""A button whose menu keeps what is shown now, shows again what was kept, and forgets it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton

from ldap_workbench.gui.parts.widgets.buttons import IconButton
from ldap_workbench.gui.parts.widgets.tips import set_tip

Kept = dict[str, Any]
Now = Callable[[], tuple[str, Kept] | None]
"""What is shown, with the name it would be kept under; None where it is nothing to keep."""
_MOST = 30
"""More in a menu are not found again: the oldest goes."""
_LETTERS = 60


class Store(Protocol):
    """Where it is kept."""

    def kept(self, key: str) -> dict[str, Kept]: ...
    def keep(self, key: str, kept: dict[str, Kept]) -> None: ...


class KeptButton(IconButton):
    """Its menu is made when it opens. `key` says where in its store; `keys` open it.

    *Signals:* wanted(Kept), what was chosen
    """

    wanted = Signal(object)

    def __init__(self, icon: str, title: str, keep: str, keys: str, store: Store, now: Now) -> None:
        super().__init__(icon, title)
        self._keep, self._store, self._now = keep, store, now
        self.key = ""
        self.setShortcut(QKeySequence(keys))
        native = self.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        set_tip(self, f"{title} ({native})")
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for before in self._menu.findChildren(QMenu):
            before.deleteLater()
        kept, now = self._store.kept(self.key), self._now()
        keep = self._menu.addAction(self._keep)
        keep.setEnabled(now is not None and now[0] not in kept)
        keep.triggered.connect(self._on_keep)
        if not kept:
            return
        self._menu.addSeparator()
        for name, value in kept.items():
            self._menu.addAction(_words(name)).triggered.connect(partial(self._show, value))
        self._menu.addSeparator()
        forget = self._menu.addMenu(self.tr("&Remove"))
        for name in kept:
            forget.addAction(_words(name)).triggered.connect(partial(self._forget, name))

    @Slot()
    def _on_keep(self) -> None:
        if now := self._now():
            kept = {**self._store.kept(self.key), now[0]: now[1]}
            self._store.keep(self.key, dict(list(kept.items())[-_MOST:]))

    def _show(self, value: Kept, *_: object) -> None:
        self.wanted.emit(value)

    def _forget(self, name: str, *_: object) -> None:
        kept = self._store.kept(self.key)
        kept.pop(name, None)
        self._store.keep(self.key, kept)


def _words(name: str) -> str:
    short = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return short.replace("&", "&&")
