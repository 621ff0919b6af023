"""Searches that no index narrows, by the notes of the log or by the configuration of slapd.

slapd notes no such search in its access log. It reads every entry of the scope where no term of a
filter has its index, and which those are stands in olcDbIndex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.indexes import TERM, Database, databases
from ldap_workbench.advice.evidence.rows import base_at, filter_at
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.model.operations import NOTES, TYPES, client_operations

FULLY = np.uint8(1 << NOTES.index("A"))
PARTLY = np.uint8(1 << NOTES.index("U"))
_SRCH = TYPES.index("SRCH")
_BASE_SCOPE = re.compile(r"\bscope=0\b")


def without_index(view: WindowView) -> NDArray[np.bool_]:
    """Which operations are searches of clients that the indexes did not help."""
    operations = view.operations
    searches: NDArray[np.bool_] = client_operations(operations) & (operations.kind == _SRCH)
    if not view.configuration.is_openldap:
        searches &= (operations.notes & (FULLY | PARTLY)) != 0
        return searches
    result = np.zeros(len(operations), np.bool_)
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
    text = filter_at(operations, slowest)
    base = base_at(operations, slowest)
    places = [database for database in known if base and database.suffix and database.holds(base)]
    if len(places) != 1 or not _narrowed_by_none(text, places[0]):
        return False
    asked = view.request_of(slowest) if view.request_of else None
    return not (asked and _BASE_SCOPE.search(asked))


def _narrowed_by_none(text: str, database: Database) -> bool | None:
    """Of '&' no part has an index, of '|' any part has none. None: no index could help it."""
    inner = text[1:-1]
    if inner[:1] in ("&", "|"):
        parts = [_narrowed_by_none(part, database) for part in _parts(inner[1:])]
        known = [part for part in parts if part is not None]
        if not known:
            return None
        return all(known) if inner[0] == "&" else any(known)
    term = TERM.fullmatch(text)
    if term is None or (term[1].lower(), term[3]) == ("objectclass", "*"):
        return None
    return not _has_index(database.types(term[1]), term[2], term[3])


def _has_index(types: frozenset[str], operator: str, value: str) -> bool:
    if operator == "~=":
        return bool(types & {"approx", "eq"})
    if operator == "=" and value == "*":
        return "pres" in types
    if operator == "=" and "*" in value:
        return any(name.startswith("sub") for name in types)
    return "eq" in types


def _parts(text: str) -> Iterator[str]:
    """The filters of a list: '(a=?)(b=?)' are two."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            yield text[begin : at + 1]
            begin = at + 1
