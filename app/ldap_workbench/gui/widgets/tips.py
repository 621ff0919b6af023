"""Tips that show text as it stands.

Qt reads markup in whatever looks like it, and a picture in it is fetched at once: on Windows from
any host, with the operator's credentials. Names and lines of a log end up in tips.
"""

from __future__ import annotations

from html import escape
from typing import Protocol

from PySide6.QtGui import Qt

_AS_IT_STANDS = '<span style="white-space:pre-wrap">{}</span>'


class HasTip(Protocol):
    """A widget, or an item of a chart."""

    def setToolTip(self, text: str) -> None: ...


def set_tip(owner: HasTip, text: str) -> None:
    """Give it a tip; every tip is set here."""
    owner.setToolTip(plain_tip(text))


def plain_tip(text: str) -> str:
    """A text that a tip shows letter by letter."""
    return _AS_IT_STANDS.format(escape(text)) if Qt.mightBeRichText(text) else text
