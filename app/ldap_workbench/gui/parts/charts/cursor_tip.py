"""What a chart shows under the pointer, in a small field beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.message import Message

_BESIDE = 14
"""Pixels between the pointer and the field."""


class CursorTip(QLabel):
    """Lines of text over a canvas, never markup: names of a log may stand in them.

    No tip of Qt: those wait, and go at every move.
    """

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.setObjectName("cursorTip")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_lines(self, lines: Sequence[Message], pointer: QPoint) -> None:
        """Show these beside the pointer, on the side that has room; hide where there are none."""
        self.setVisible(bool(lines))
        if not lines:
            return
        self.setText("\n".join(map(shown, lines)))
        self.adjustSize()
        canvas = self.parentWidget()
        assert canvas is not None
        room = canvas.size() - self.size()
        right, below = pointer.x() + _BESIDE, pointer.y() + _BESIDE
        left = right if right <= room.width() else pointer.x() - _BESIDE - self.width()
        top = below if below <= room.height() else pointer.y() - _BESIDE - self.height()
        self.move(max(0, min(left, room.width())), max(0, min(top, room.height())))
