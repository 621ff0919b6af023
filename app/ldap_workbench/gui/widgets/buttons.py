"""Buttons with an icon that keeps up with the theme, and always with a name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from ldap_workbench.gui.icons import icon


class IconButton(QToolButton):
    """A small flat button; its tip is its accessible name as well."""

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = name
        self.setIcon(icon(name))
        self.setIconSize(QSize(18, 18))
        self.setAutoRaise(True)
        self.setToolTip(tip)
        self.setAccessibleName(tip)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(icon(self._icon))


def small_button(name: str, tip: str, *, checkable: bool = False) -> IconButton:
    """An IconButton, checkable or not."""
    button = IconButton(name, tip)
    button.setCheckable(checkable)
    return button


def push_button(text: str, *, primary: bool = False, tip: str = "") -> QPushButton:
    """A button with a text; one primary button a screen at most."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    if primary:
        button.setProperty("role", "primary")
    if tip:
        button.setToolTip(tip)
    return button


def link_button(text: str, tip: str = "") -> QPushButton:
    """A button that looks like a link."""
    button = push_button(text, tip=tip)
    button.setProperty("role", "link")
    button.setFlat(True)
    return button


def button_row(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons at the right, as at the foot of a dialog."""
    row = QHBoxLayout()
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row
