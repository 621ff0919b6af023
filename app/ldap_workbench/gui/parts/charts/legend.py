"""The legend of a chart, in words."""

from __future__ import annotations

import re
from html import escape, unescape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.message import Message

_BETWEEN = "&nbsp;&nbsp;&nbsp; "
_WHOLE = ' style="white-space:nowrap"'
_TAG = re.compile("<[^>]*>")
_BOLD = 4
"""Pixels by which the sample of an entry is wider than its letters."""
_LEAST_EM = 12
"""In heights of a line: no legend makes its chart wider."""


def swatch(colour: str, style: str, text: Message) -> str:
    """One entry of a legend, on one line: the line as it is drawn, then what it is."""
    words = escape(shown(text)).replace("-", "-\u2060")
    sample = f'<span style="color:{colour}; font-weight:600">{style}</span>'
    return f"<span{_WHOLE}>{sample}&nbsp;{words}</span>"


def legend_of(*entries: str) -> str:
    """Entries side by side."""
    return _BETWEEN.join(entry for entry in entries if entry)


def breakable(words: str) -> str:
    """What `legend_of` gives, where an entry may be wider than there is room."""
    return words.replace(_WHOLE, "")


class Legend(QLabel):
    """Goes on below between two entries; within one only where there is no room for it at all."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._longest = 0
        self.setTextFormat(Qt.TextFormat.RichText)

    def set_words(self, words: str) -> None:
        """Show these, what `legend_of` gives."""
        if words == self._words:
            return
        self._words = words
        self._longest = max(map(self._measured, words.split(_BETWEEN)))
        self._show()

    def _measured(self, entry: str) -> int:
        """Pixels of an entry on one line."""
        return self.fontMetrics().horizontalAdvance(unescape(_TAG.sub("", entry))) + _BOLD

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), _LEAST_EM * self.fontMetrics().height()), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def _show(self) -> None:
        breaks = self.wordWrap() and self.width() < self._longest
        self.setText(breakable(self._words) if breaks else self._words)
