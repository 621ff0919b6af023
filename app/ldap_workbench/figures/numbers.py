"""The numbers behind a chart: headings and rows of text, as a table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Numbers:
    """`rows` have as many cells as there are `headings`; the first column names the row."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def tsv(self) -> str:
        """With headings, for a spreadsheet."""
        return "\n".join("\t".join(map(_cell, row)) for row in (self.headings, *self.rows))


def every_nth(rows: Sequence[tuple[str, ...]], limit: int) -> tuple[tuple[str, ...], ...]:
    """At most `limit` rows, evenly chosen: a person reads no thousand."""
    step = max(1, -(-len(rows) // limit))
    return tuple(rows[::step])


def _cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
