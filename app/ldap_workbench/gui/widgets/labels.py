"""Labels with a role: title, heading, dim, badge."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain-text label; text of a server or a log is never read as markup."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def badge(text: str, mood: str = "") -> QLabel:
    """A short word in a coloured pill; the word says it all, the colour repeats it."""
    made = label(text, "badge")
    made.setProperty("mood", mood)
    return made


def set_mood(widget: QWidget, mood: str) -> None:
    """Dress a widget as good, bad, warn or plain ('')."""
    widget.setProperty("mood", mood)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
