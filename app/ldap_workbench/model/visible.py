"""Text of others made visible: what would steer a terminal, or reorder a line, is shown instead.

Names of servers, files, windows and clients, lines of a log, a server's diagnostics: whoever wrote
them may have meant them for the reader's terminal, editor or eyes.
"""

from __future__ import annotations

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that draw nothing or change how their neighbours are drawn."""


def printable(text: str) -> str:
    r"""The text with every control and direction mark as an escape; line feeds and tabs stay.

    ESC becomes \x1b, a right-to-left override \u202e: what the reader sees is what is there.
    """
    return _escaped(text, "\n\t")


def one_line(text: str) -> str:
    """As `printable`, line feeds and tabs too: no text can pass for the line after it."""
    return _escaped(text, "")


def _escaped(text: str, allowed: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        _escape(ord(letter))
        if letter not in allowed and unicodedata.category(letter) in _HIDDEN
        else letter
        for letter in text
    )


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
