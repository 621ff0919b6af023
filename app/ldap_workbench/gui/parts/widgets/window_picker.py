"""A button that opens a list of windows to tick."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import set_tip
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Window


class WindowPicker(QToolButton):
    """Which windows make up one side.

    `keys` open it where the first letter of its name is that of a menu in some language.

    *Signals:* chosen()
    """

    chosen = Signal()

    def __init__(self, side: str, keys: str = "") -> None:
        super().__init__()
        self._side = side
        self._keys = QKeySequence(keys)
        set_tip(self, self._keys.toString(QKeySequence.SequenceFormat.NativeText))
        self._windows: dict[QAction, Window] = {}
        self._menu = _StayingMenu(self)
        self._menu.aboutToHide.connect(self._on_hidden)
        self._changed = False
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)

    def set_windows(self, windows: Sequence[Window], chosen: Sequence[Window]) -> None:
        """Offer these windows, some of them ticked."""
        self._menu.clear()
        ids = {window.id for window in chosen}
        self._windows = {self._action(w, w.id in ids): w for w in windows}
        self._name()

    def windows(self) -> tuple[Window, ...]:
        """Those ticked, in the order of the session."""
        return tuple(w for action, w in self._windows.items() if action.isChecked())

    def count(self) -> int:
        """How many windows there are to tick."""
        return len(self._windows)

    def _action(self, window: Window, ticked: bool) -> QAction:
        when = format_time(window.start_ns)[11:19]
        note = f"   {shown(window.notes)}" if window.notes else ""
        words = f"{window.name}   {when} UTC, {window.seconds:.0f} s{note}"
        action = self._menu.addAction(words.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(ticked)
        action.toggled.connect(self._on_toggled)
        return action

    def _name(self) -> None:
        names = [window.name for window in self.windows()]
        several = self.tr("{count} windows").format(count=len(names))
        none = self.tr("none")
        shown = ", ".join(names) if len(names) < 3 else several
        mark = "&" if self._keys.isEmpty() else ""
        self.setText(f"{mark}{self._side}: {shown or none}")
        if not self._keys.isEmpty():  # a new text takes the keys of the old one away
            self.setShortcut(self._keys)
        template = self.tr("Windows of {side}: {names}")
        self.setAccessibleName(template.format(side=self._side, names=", ".join(names) or none))

    def _on_toggled(self) -> None:
        self._changed = True
        self._name()
        if not self._menu.isVisible():
            self._on_hidden()

    def _on_hidden(self) -> None:
        if self._changed:
            self._changed = False
            self.chosen.emit()


class _StayingMenu(QMenu):
    """Stays open while windows are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)
