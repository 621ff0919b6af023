"""Text from logs, servers and session files made harmless for a reader's eyes and tools."""

from __future__ import annotations

import re
import unicodedata

LONG = 300
"""Letters of a request or message that a table shows."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that draw nothing or change how their neighbours are drawn."""

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|%]|[\t\r]")
"""How a cell starts that a spreadsheet may run."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~>$^-])")


def printable(text: str) -> str:
    """The text with every control and direction mark as an escape; line feeds and tabs stay.

    ESC becomes \\x1b, a right-to-left override \\u202e: what the reader sees is what is there.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(letter) for letter in text)


def _visible(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in _HIDDEN:
        return letter
    code = ord(letter)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def short(text: str, limit: int = LONG) -> str:
    """At most `limit` letters, and how many there were where some are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text):,} characters)"


def cell(text: str) -> str:
    """Text for a CSV file: a spreadsheet shows it and never runs it as a formula."""
    shown = printable(text)
    return f"'{shown}" if _FORMULA.match(text) else shown


def markdown(text: str) -> str:
    """One line of plain text for Markdown: no markup, link, cell or HTML comes out of it."""
    line = " ".join(printable(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", line)
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def fence(text: str) -> str:
    """A fenced block that nothing in the text can end."""
    shown = printable(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{shown.rstrip()}\n{marks}"
