"""The legend of a chart, in words."""

from __future__ import annotations

from html import escape

from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.message import Message

_SHORT = 30
"""An entry of no more letters stays on one line; a longer one would make its chart too wide."""


def swatch(colour: str, style: str, text: Message) -> str:
    """One entry of a legend: the line as it is drawn, then what it is."""
    words = escape(shown(text))
    if " " in words and len(words) <= _SHORT:
        words = f'<span style="white-space:nowrap">{words}</span>'
    return f'<span style="color:{colour}; font-weight:600">{style}</span>&nbsp;{words}'


def legend_of(*entries: str) -> str:
    """Entries side by side."""
    return "&nbsp;&nbsp;&nbsp; ".join(entry for entry in entries if entry)
