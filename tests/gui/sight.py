"""What a person sees of a part of the window: its words, its fields, its buttons."""

from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

_Widget = TypeVar("_Widget", bound=QWidget)


def words(root: QWidget) -> list[str]:
    """The texts that are seen, none of them empty."""
    return [label.text() for label in seen(root, QLabel) if label.text()]


def says(root: QWidget, begin: str) -> bool:
    """Whether a text that is seen begins so."""
    return any(text.startswith(begin) for text in words(root))


def button(root: QWidget, text: str) -> QAbstractButton:
    """The one button that is seen with this text."""
    [match] = [b for b in seen(root, QAbstractButton) if b.text().replace("&", "") == text]
    return match


def field(root: QWidget, name: str) -> QLineEdit:
    """The one field that is seen behind this label."""
    buddies = [
        label.buddy() for label in seen(root, QLabel) if label.text().replace("&", "") == name
    ]
    [match] = [buddy for buddy in buddies if isinstance(buddy, QLineEdit)]
    return match


def seen(root: QWidget, kind: type[_Widget]) -> list[_Widget]:
    """The widgets of a kind that are seen, or would be if they were scrolled to."""
    return [widget for widget in root.findChildren(kind) if widget.isVisible()]
