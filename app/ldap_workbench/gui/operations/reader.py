"""Operations as a person looks for them: a page, a group, the lines of the log. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.gui.models.operations import (
    COLUMNS,
    PAGE,
    GroupRow,
    OperationRow,
    operation_rows,
)
from ldap_workbench.session import Session
from ldap_workbench.session.search import Search, counted, groups, ordered, rows

COPIED_AT_MOST = 100_000
_AT_ONCE = 8192
_AROUND = 8


class Listing:
    """The operations that a search finds, in some order: how many, and the first page of them.

    The order of all is found out when somebody looks beyond that page.
    """

    def __init__(self, session: Session, search: Search, by: str, *, descending: bool) -> None:
        self.search = search
        self._by, self._descending = by, descending
        self._numbers: NDArray[np.int64] | None = None
        self.total = counted(session, search)
        top = ordered(session, search, by, descending=descending, limit=PAGE)
        self.first = _rows(session, search, top)

    def numbers(self, session: Session) -> NDArray[np.int64]:
        """The row numbers of all; to be called in the session's thread."""
        if self._numbers is None:
            by, descending = self._by, self._descending
            self._numbers = ordered(session, self.search, by, descending=descending)
        return self._numbers

    def page(self, session: Session, place: int) -> list[OperationRow]:
        """The rows of one page."""
        here = slice(place * PAGE, (place + 1) * PAGE)
        return _rows(session, self.search, self.numbers(session)[here])

    def text(self, session: Session, ranges: Sequence[tuple[int, int]]) -> str:
        """These first and last rows, or all without any, no more than a clipboard should hold.

        Their cells have tabs between them, below the headings.
        """
        numbers = self.numbers(session)
        parts = [numbers[first : last + 1] for first, last in ranges]
        numbers = (np.concatenate(parts) if parts else numbers)[:COPIED_AT_MOST]
        lines = ["\t".join(column.heading for column in COLUMNS)]
        for first in range(0, len(numbers), _AT_ONCE):
            lines += [
                "\t".join(_cell(column.text(row)) for column in COLUMNS)
                for row in _rows(session, self.search, numbers[first : first + _AT_ONCE])
            ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Grouping:
    """What was found, in groups."""

    search: Search
    rows: list[GroupRow]


@dataclass(frozen=True)
class RawLines:
    """The request and result line of an operation, and what stands around the result."""

    request: str
    result: str
    around: tuple[str, ...]


def grouped(session: Session, search: Search, by: str) -> Grouping:
    """The groups of what a search finds, each with its part of the time."""
    found = groups(session, search, by)
    whole = sum(group.sum_ns for group in found) or 1
    coarsest = max(_resolutions(session).values(), default=1)
    return Grouping(search, [GroupRow(g, g.sum_ns / whole, coarsest) for g in found])


def raw_lines(session: Session, row: OperationRow) -> RawLines:
    """What the log says of an operation; '' where the line was not kept."""
    request = session.raw_line(row.source, row.request_at) if row.request_at >= 0 else ""
    if row.result_at < 0:
        return RawLines(request, "", ())
    around = tuple(session.raw_around(row.source, row.result_at, _AROUND))
    return RawLines(request, session.raw_line(row.source, row.result_at), around)


def _rows(session: Session, search: Search, numbers: NDArray[np.int64]) -> list[OperationRow]:
    return operation_rows(rows(session, search, numbers), search.windows, _resolutions(session))


def _resolutions(session: Session) -> dict[int, int]:
    return {source.id: source.resolution_ns for source in session.sources()}


def _cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
