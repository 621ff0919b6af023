"""Searches in pages (RFC 2696): which pages are of one search, and what size was asked for.

389 DS prints the place of a paged search on its connection, pr_idx, and a cookie, -1 with the last
page. It does not print the size of a page: that is what a page holds which is not the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ldap_workbench.model.operations import Operations

_PLACE = re.compile(r'pr_idx"?[=:]\s*(-?\d{1,9})\b')
_COOKIE = re.compile(r'pr_cookie"?[=:]\s*(-?\d{1,18})\b')


@dataclass(frozen=True)
class Page:
    """One page of a search: the size asked for, and the number of its search."""

    size: int
    search: int
    first: bool


def pages_of(operations: Operations, results: Mapping[int, str]) -> dict[int, Page]:
    """By row. `results` are the result lines of the rows; one that tells no place has no page."""
    pages: dict[int, Page] = {}
    for number, (rows, ended) in enumerate(_searches(operations, results), start=1):
        entries = [int(operations.nentries[row]) for row in rows]
        # The last page may hold fewer than were asked for, and one alone has room left.
        size = max(entries[:-1], default=entries[-1] + 1) if ended else max(entries)
        for row in rows:
            pages[row] = Page(max(size, 1), number, first=row == rows[0])
    return pages


def _searches(
    operations: Operations, results: Mapping[int, str]
) -> Iterator[tuple[list[int], bool]]:
    """Rows of each search in their order, and whether its last page is among them."""
    running: dict[tuple[int, int, int], list[int]] = {}

    def in_order(row: int) -> tuple[int, int, int]:
        return (int(operations.boot[row]), int(operations.conn[row]), int(operations.op[row]))

    for row in sorted(results, key=in_order):
        place, cookie = _PLACE.search(results[row]), _COOKIE.search(results[row])
        if place is None or cookie is None:
            continue
        key = (*in_order(row)[:2], int(place[1]))
        running.setdefault(key, []).append(row)
        if int(cookie[1]) < 0:
            yield running.pop(key), True
    for rows in running.values():
        yield rows, False
