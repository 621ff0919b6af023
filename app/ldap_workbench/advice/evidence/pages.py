"""Pages of paged searches: which are followed by another page of the same search.

Libraries send the control with every search, and most results fit in one page. Two searches of a
shape on a connection are therefore pages of one search only where the first says that it goes on.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import PAGED, Rows
from ldap_workbench.advice.evidence.inside import filter_of, sample
from ldap_workbench.advice.evidence.rows import numbered
from ldap_workbench.advice.evidence.view import WindowView

_COOKIE = re.compile(r'\bpr_cookie"?[=:]\s*(-?\d+)')

_READ = 20_000
"""Pages whose lines are read, 17 us each; of what is beyond them the size alone decides."""


def is_last_page(line: str) -> bool | None:
    """Whether the result line of a page is of the last one; None where it has no cookie."""
    cookie = _COOKIE.search(line)
    return cookie[1] == "-1" if cookie else None


def goes_on(view: WindowView, pages: Rows, after: Rows) -> NDArray[np.bool_]:
    """Whether each of `pages` is continued by the operation in the same place of `after`, [n].

    By the cookie of its result line. Where none is logged: it is as full as the largest of its
    shape on this connection, and base and values are the same. Nobody reads in pages of one entry.
    """
    operations = view.operations
    same = (operations.notes[pages] & operations.notes[after] & PAGED) > 0
    same &= operations.err[pages] == 0
    for column in (operations.fingerprint, operations.base, operations.conn, operations.boot):
        same &= column[pages] == column[after]
    at = np.flatnonzero(same)
    at = at[np.argsort(pages[at])]  # lines of a log are read quickly in its order alone
    same[at] = full = _is_full(view, pages[at])
    some = sample(np.arange(len(at)), _READ)
    one, other = pages[at[some]], after[at[some]]
    pairs = zip(one.tolist(), other.tolist(), full[some].tolist(), strict=True)
    same[at[some]] = [_continues(view, *pair) for pair in pairs]
    return same


def _continues(view: WindowView, page: int, after: int, is_full: bool) -> bool:
    last = is_last_page(view.line_of(page)) if view.line_of else None
    if last is not None:
        return not last
    if not is_full or view.request_of is None:
        return is_full
    return filter_of(view.request_of(page)) == filter_of(view.request_of(after))


def _is_full(view: WindowView, pages: Rows) -> NDArray[np.bool_]:
    """Whether each returned as many entries as the largest page of its shape and connection."""
    operations = view.operations
    paged = np.flatnonzero((operations.notes & PAGED) > 0)
    connections = numbered(
        (operations.boot[paged].astype(np.int64) << 42) + operations.conn[paged]
    )[1]
    wide = int(operations.fingerprint.max(initial=-1)) + 2
    groups = numbered(connections.astype(np.int64) * wide + operations.fingerprint[paged] + 1)[1]
    most = np.zeros(int(groups.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, groups, operations.nentries[paged])
    size = most[groups[np.searchsorted(paged, pages)]]
    full: NDArray[np.bool_] = (operations.nentries[pages] == size) & (size > 1)
    return full
