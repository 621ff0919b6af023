"""Searches that no index narrows, by the notes of the log or by the configuration of slapd.

slapd notes no such search in its access log. It reads every entry of the scope where no term of a
filter has its index, and which those are stands in olcDbIndex.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.indexes import (
    Database,
    database_of,
    databases,
    parts_of,
    term_of,
)
from ldap_workbench.advice.evidence.rows import base_at, filter_at
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.model.operations import NOTES, TYPES, client_operations

FULLY = np.uint8(1 << NOTES.index("A"))
PARTLY = np.uint8(1 << NOTES.index("U"))
_SRCH = TYPES.index("SRCH")
_BASE_SCOPE = re.compile(r"""scope"?[=:]\s*"?(?:0\b|base)""")


def without_index(view: WindowView) -> NDArray[np.bool_]:
    """Which operations are searches of clients that the indexes did not help."""
    operations = view.operations
    searches: NDArray[np.bool_] = client_operations(operations) & (operations.kind == _SRCH)
    noted: NDArray[np.bool_] = searches & ((operations.notes & (FULLY | PARTLY)) != 0)
    if not view.configuration.is_openldap:
        return noted
    result = noted
    known = databases(view.configuration)
    for fingerprint in np.unique(operations.fingerprint[searches]):
        rows = np.flatnonzero(searches & (operations.fingerprint == fingerprint))
        if _reads_all(view, rows, known):
            result[rows] = True
    return result


def _reads_all(view: WindowView, rows: NDArray[np.intp], known: list[Database]) -> bool:
    """Whether searches of one kind read every entry, judged by base and scope of the slowest."""
    operations = view.operations
    slowest = int(rows[np.argmax(operations.etime_ns[rows])])
    place = database_of(known, base_at(operations, slowest))
    if place is None or not _narrowed_by_none(filter_at(operations, slowest), place):
        return False
    return not reads_one_entry(view, slowest)


def reads_one_entry(view: WindowView, row: int) -> bool:
    """Whether the line of a search says that it is of its base alone, which needs no index."""
    asked = view.request_of(row) if view.request_of else ""
    return bool(_BASE_SCOPE.search(asked))


def _narrowed_by_none(text: str, database: Database) -> bool | None:
    """Of '&' no part has an index, of '|' any part has none. None: no index could help it."""
    sign = text[1:2]
    if sign and sign in "&|":
        parts = [_narrowed_by_none(part, database) for part in parts_of(text[2:-1])]
        known = [part for part in parts if part is not None]
        if not known:
            return None
        return all(known) if sign == "&" else any(known)
    term = term_of(text)
    return None if term is None else not database.serves(term)
