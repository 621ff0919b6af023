"""Buttons with an icon that keeps up with the theme, and always with a name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, SignalInstance
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QToolButton,
)

from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.widgets.labels import set_tip
from ldap_workbench.gui.parts.widgets.layouts import Stretch, row

OnClick = Callable[..., object] | SignalInstance


class IconButton(QToolButton):
    """A small flat button; its tip is its accessible name as well."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._icon = name
        self.setIcon(icon(name))
        self.setIconSize(QSize(18, 18))
        self.setAutoRaise(True)
        set_tip(self, tip)
        self.setAccessibleName(tip)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(icon(self._icon))


class LinkButton(QPushButton):
    """Its text is cut at the end where there is no room: it never widens what it stands in."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        least = self.fontMetrics().averageCharWidth() * 12
        whole = self.sizeHint()
        return QSize(min(whole.width(), least), whole.height())

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        super().initStyleOption(option)
        contents = QStyle.SubElement.SE_PushButtonContents
        room = self.style().subElementRect(contents, option, self).width()
        mode, flags = Qt.TextElideMode.ElideRight, Qt.TextFlag.TextShowMnemonic.value
        option.text = self.fontMetrics().elidedText(self.text(), mode, room, flags)


def small_button(
    name: str, tip: str, on_click: OnClick | None = None, *, checkable: bool = False
) -> IconButton:
    """An IconButton, checkable or not."""
    button = IconButton(name, tip)
    button.setCheckable(checkable)
    if on_click:
        button.clicked.connect(on_click)
    return button


def push_button(
    text: str, on_click: OnClick | None = None, *, primary: bool = False, tip: str = ""
) -> QPushButton:
    """A button with a text; one primary button a screen at most."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    if on_click:
        button.clicked.connect(on_click)
    if primary:
        set_primary(button, primary)
    if tip:
        set_tip(button, tip)
    return button


def set_primary(button: QPushButton, primary: bool) -> None:
    """Make a button the primary one of its screen, or no longer."""
    button.setProperty("role", "primary" if primary else None)
    button.style().unpolish(button)  # a style sheet looks at properties only when it is applied
    button.style().polish(button)


def link_button(text: str, tip: str = "", *, on_click: OnClick | None = None) -> LinkButton:
    """A button that looks like a link."""
    button = LinkButton(text)
    button.setAutoDefault(False)
    if on_click:
        button.clicked.connect(on_click)
    button.setProperty("role", "link")
    button.setFlat(True)
    if tip:
        set_tip(button, tip)
    return button


def button_row(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons at the right, as at the foot of a dialog."""
    return row(Stretch(), *buttons)
