"""A button whose menu saves the view on screen, shows a saved one again, and removes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton

from ldap_workbench.gui.parts.widgets.buttons import IconButton
from ldap_workbench.gui.parts.widgets.labels import set_tip

SavedView = dict[str, Any]
Now = Callable[[], tuple[str, SavedView] | None]
"""The view on screen and the name to save it under; None where there is nothing to save."""
_MOST = 30
"""More in a menu are not found again: the oldest goes."""
_LETTERS = 60


class Store(Protocol):
    """Where views are kept."""

    def saved_views(self, key: str) -> dict[str, SavedView]: ...
    def save_views(self, key: str, views: dict[str, SavedView]) -> None: ...


class SavedViewsButton(IconButton):
    """Its menu is made when it opens. `key` says where in its store; `keys` open it.

    *Signals:* wanted(SavedView), what was chosen
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
        views, now = self._store.saved_views(self.key), self._now()
        keep = self._menu.addAction(self._keep)
        keep.setEnabled(now is not None and now[0] not in views)
        keep.triggered.connect(self._on_keep)
        if not views:
            return
        self._menu.addSeparator()
        for name, value in views.items():
            self._menu.addAction(_words(name)).triggered.connect(partial(self._show, value))
        self._menu.addSeparator()
        forget = self._menu.addMenu(self.tr("&Remove"))
        for name in views:
            forget.addAction(_words(name)).triggered.connect(partial(self._forget, name))

    @Slot()
    def _on_keep(self) -> None:
        if now := self._now():
            views = {**self._store.saved_views(self.key), now[0]: now[1]}
            self._store.save_views(self.key, dict(list(views.items())[-_MOST:]))

    def _show(self, value: SavedView, *_: object) -> None:
        self.wanted.emit(value)

    def _forget(self, name: str, *_: object) -> None:
        views = self._store.saved_views(self.key)
        views.pop(name, None)
        self._store.save_views(self.key, views)


def _words(name: str) -> str:
    short = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return short.replace("&", "&&")
