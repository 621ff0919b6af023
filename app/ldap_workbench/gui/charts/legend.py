"""The legend of a chart, in words."""

from __future__ import annotations

from html import escape

from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.message import Message

_ENTRY_LETTERS = 60
"""A longer entry of a legend wraps within: a narrow chart has no room for it in one line."""


def swatch(colour: str, style: str, text: Message) -> str:
    """One entry of a legend: the line as it is drawn, then what it is, in one line."""
    words = escape(shown(text))
    if len(words) <= _ENTRY_LETTERS:
        words = words.replace(" ", "&nbsp;").replace("-", "&#8209;")
    return f'<span style="color:{colour}; font-weight:600">{style}</span>&nbsp;{words}'


def legend_of(*entries: str) -> str:
    """Entries side by side."""
    return "&nbsp;&nbsp;&nbsp; ".join(entry for entry in entries if entry)
