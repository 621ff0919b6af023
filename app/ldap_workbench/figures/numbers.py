"""The numbers behind a chart: headings and rows of text, as a table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.model.message import ENGLISH, Language, Text


@dataclass(frozen=True)
class Numbers:
    """`rows` have as many cells as there are `headings`; the first column names the row.

    Cells are messages, or texts shown as they are.
    """

    headings: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...] = ()

    def tsv(self, language: Language = ENGLISH) -> str:
        """With headings, for a spreadsheet."""
        rows = (self.headings, *self.rows)
        return "\n".join("\t".join(_cell(language.render(cell)) for cell in row) for row in rows)


def every_nth(rows: Sequence[tuple[Text, ...]], limit: int) -> tuple[tuple[Text, ...], ...]:
    """At most `limit` rows, evenly chosen: a person reads no thousand."""
    step = max(1, -(-len(rows) // limit))
    return tuple(rows[::step])


def _cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
