"""Text that Qt shows letter by letter: it reads markup in whatever looks like it."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt

_AS_IT_STANDS = '<span style="white-space:pre-wrap">{}</span>'


def plain_tip(text: str) -> str:
    """A text that a tip shows as it stands."""
    return _AS_IT_STANDS.format(escape(text)) if Qt.mightBeRichText(text) else text
