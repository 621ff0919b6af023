"""A table as text for other tools: headings first, cells as they are shown, none of them run."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ldap_workbench.report.text import cell, markdown

Rows = Sequence[Sequence[str]]
"""The first row has the headings; all are as long."""


def table_csv(rows: Rows) -> str:
    """Comma-separated, as a spreadsheet reads it (RFC 4180)."""
    written = io.StringIO()
    csv.writer(written).writerows([cell(text) for text in row] for row in rows)
    return written.getvalue()


def table_markdown(rows: Rows) -> str:
    """A table of Markdown."""
    headings, *others = [f"| {' | '.join(map(markdown, row))} |" for row in rows]
    ruler = f"|{'---|' * len(rows[0])}"
    return "\n".join((headings, ruler, *others)) + "\n"
