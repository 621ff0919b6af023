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
from ldap_workbench.session.search import Search, groups, ordered, rows

COPIED_AT_MOST = 100_000
_AT_ONCE = 8192
_AROUND = 8


@dataclass(frozen=True, eq=False)
class Listing:
    """All operations that were found, as row numbers in their order, and the first page of them."""

    search: Search
    numbers: NDArray[np.int64]
    first: list[OperationRow]


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


def listed(session: Session, search: Search, by: str, *, descending: bool) -> Listing:
    """What a search finds, sorted by one of search.ORDERS."""
    numbers = ordered(session, search, by, descending=descending)
    return Listing(search, numbers, page(session, search, numbers, 0))


def page(
    session: Session, search: Search, numbers: NDArray[np.int64], place: int
) -> list[OperationRow]:
    """The rows of one page of a listing."""
    return _rows(session, search, numbers[place * PAGE : (place + 1) * PAGE])


def grouped(session: Session, search: Search, by: str) -> Grouping:
    """The groups of what a search finds, each with its part of the time."""
    found = groups(session, search, by)
    whole = sum(group.sum_ns for group in found) or 1
    coarsest = max(_resolutions(session).values(), default=1)
    return Grouping(search, [GroupRow(g, g.sum_ns / whole, coarsest) for g in found])


def chosen(listing: Listing, ranges: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """The row numbers of these first and last rows, of all without any; no more than fit."""
    parts = [listing.numbers[first : last + 1] for first, last in ranges]
    return (np.concatenate(parts) if parts else listing.numbers)[:COPIED_AT_MOST]


def tab_separated(session: Session, search: Search, numbers: NDArray[np.int64]) -> str:
    """Operations as text for a spreadsheet, below their headings."""
    lines = ["\t".join(column.heading for column in COLUMNS)]
    for first in range(0, len(numbers), _AT_ONCE):
        lines += [
            "\t".join(_cell(column.text(row)) for column in COLUMNS)
            for row in _rows(session, search, numbers[first : first + _AT_ONCE])
        ]
    return "\n".join(lines)


def raw_lines(session: Session, row: OperationRow) -> RawLines:
    """What the log says of an operation; '' where the line was not kept."""
    request = session.raw_line(row.source, row.request_at) if row.request_at >= 0 else ""
    if row.result_at < 0:
        return RawLines(request, "", ())
    around = tuple(session.raw_around(row.source, row.result_at, _AROUND))
    return RawLines(request, session.raw_line(row.source, row.result_at), around)


def printable(text: str) -> str:
    """Text of a log without what could pass for something else on a screen."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _rows(session: Session, search: Search, numbers: NDArray[np.int64]) -> list[OperationRow]:
    return operation_rows(rows(session, search, numbers), search.windows, _resolutions(session))


def _resolutions(session: Session) -> dict[int, int]:
    return {source.id: source.resolution_ns for source in session.sources()}


def _cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
