"""Text and tables from servers and files made harmless for a reader's eyes and tools."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from ldap_workbench.model.message import Message
from ldap_workbench.model.visible import printable

LONG = 300
"""Letters of a request or message that a table shows."""

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|%]|[\t\r]")
"""How a cell starts that a spreadsheet may run."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~>$^-])")

_ADDRESS = re.compile(r":(?=//)|(?<=\bwww)\.", re.IGNORECASE)
"""Where a bare address would be made a link."""

Rows = Sequence[Sequence[str]]
"""The first row has the headings; all are as long."""


def short(words: Message | str, limit: int = LONG) -> str:
    """At most `limit` letters, and how many there were where some are left out."""
    text = str(words)
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
    escaped = _ADDRESS.sub(r"\\\g<0>", _MARKDOWN.sub(r"\\\1", line))
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def fence(text: str) -> str:
    """A fenced block that nothing in the text can end."""
    shown = printable(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{shown.rstrip()}\n{marks}"


def table_csv(rows: Rows) -> str:
    """Comma-separated, as a spreadsheet reads it (RFC 4180)."""
    written = io.StringIO()
    csv.writer(written).writerows([cell(text) for text in row] for row in rows)
    return written.getvalue()


def table_markdown(rows: Rows) -> str:
    """A table of Markdown; no cell is markup."""
    headings, *others = [f"| {' | '.join(map(markdown, row))} |" for row in rows]
    ruler = f"|{'---|' * len(rows[0])}"
    return "\n".join((headings, ruler, *others)) + "\n"


def bullets(items: Iterable[Message | str]) -> str:
    """A list of Markdown, each item as text."""
    return "\n".join(f"- {markdown(str(item))}" for item in items)


def paragraphs(parts: Iterable[str]) -> str:
    """A document of Markdown: its blocks with an empty line between; empty ones are left out."""
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"
