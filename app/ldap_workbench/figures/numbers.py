"""The numbers behind a chart: headings and rows of text, as a table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from ldap_workbench.figures.table import Column
from ldap_workbench.model.message import ENGLISH, Language, Message

Row: TypeAlias = tuple[Message | str, ...]
"""Messages, or data of the user that is shown as it is."""


@dataclass(frozen=True)
class Numbers:
    """`rows` have as many cells as there are `headings`; the first column names the row.

    Cells are messages, or texts shown as they are.
    """

    headings: tuple[Message, ...]
    rows: tuple[Row, ...] = ()

    @property
    def columns(self) -> tuple[Column[Row], ...]:
        """As a table has them; headings change with the chart, so they do, too."""
        headings = enumerate(self.headings)
        return tuple(Column(text, itemgetter(i), number=i > 0) for i, text in headings)

    def tsv(self, language: Language = ENGLISH) -> str:
        """With headings, for a spreadsheet."""
        return "\n".join("\t".join(map(_one_line, row)) for row in self.texts(language))

    def texts(self, language: Language = ENGLISH) -> list[list[str]]:
        """Headings, then the rows, as they are shown."""
        return [[_cell(language, cell) for cell in row] for row in (self.headings, *self.rows)]


def every_nth(rows: Sequence[Row], limit: int) -> tuple[Row, ...]:
    """At most `limit` rows, evenly chosen: a person reads no thousand."""
    step = max(1, -(-len(rows) // limit))
    return tuple(rows[::step])


def _cell(language: Language, cell: Message | str) -> str:
    return language.render(cell) if isinstance(cell, Message) else cell


def _one_line(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
