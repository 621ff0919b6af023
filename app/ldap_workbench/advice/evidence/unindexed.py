"""Searches that no index narrows: by notes of the log, notices of the server, or configuration.

slapd notes no such search on its result line. It says "not indexed" on a line of its own, of which
the import makes a note (logs/access/slapd_notices.py); and it reads every entry of the scope where
no term of a filter has its index, and which those are stands in olcDbIndex. 389 DS says so in its
error log, too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.indexes import (
    Database,
    database_of,
    databases,
    term_of,
)
from ldap_workbench.advice.evidence.rows import base_at, filter_at
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.logs.access.slapd_notices import parts_of
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, NOTES, TYPES, client_operations, text_at

FULLY = np.uint8(1 << NOTES.index("A"))
PARTLY = np.uint8(1 << NOTES.index("U"))
_SRCH = TYPES.index("SRCH")
_BASE_SCOPE = re.compile(r"""scope"?[=:]\s*"?(?:0\b|base)""")
_NOTICE = re.compile(
    r'(?<!internal )unindexed search: search base="(?P<base>[^\n]*?)" scope=(?P<scope>\d)\S* '
    r'filter="(?P<filter>[^\n]*)"(?: conn=(?P<conn>\d+) op=\d+)?',
    re.IGNORECASE,
)
_KEY = re.compile(r"([^\s,]+) key\((\w+)\)")
_VALUE = re.compile(r"([~<>:]?=)([^()]*)\)")
_PATTERNS = {"eq": "({}=?)", "sub": "({}=?*)", "pres": "({}=*)", "approx": "({}~=?)"}
KINDS = {
    "eq": Message("equality"),
    "sub": Message("substring"),
    "pres": Message("presence"),
    "approx": Message("approximate"),
}
"""Types of index, in words."""


@dataclass(frozen=True)
class LackingTerm:
    """A term of filters of which slapd says that it has no index of this type.

    `searches` of clients have it; where the log holds none of them, so many lines name it.
    """

    attribute: str
    kind: str
    searches: int

    @property
    def filter(self) -> str:
        """The shape of a filter with it alone."""
        return _PATTERNS.get(self.kind, "({}=?)").format(self.attribute.lower())


@dataclass(frozen=True)
class UnindexedNotice:
    """A search that the error log of 389 DS calls unindexed; `filter` is `asked` without values."""

    time_ns: int
    asked: str
    filter: str
    base: str
    conn: int | None


def lacking_terms(view: WindowView, rows: NDArray[np.bool_]) -> list[LackingTerm]:
    """What slapd says to have no index among some searches, most searches first.

    Such rows have an index key without a number of entries: 'mail key(eq), cn key(sub)'.
    """
    operations = view.operations
    named = rows & (operations.index_ids == ABSENT) & (operations.index_key >= 0)
    terms: Counter[tuple[str, str]] = Counter()
    for key, n in zip(*np.unique(operations.index_key[named], return_counts=True), strict=True):
        for match in _KEY.finditer(text_at(operations.index_keys, int(key))):
            terms[match[1], match[2]] += int(n)
    return [LackingTerm(*term, n) for term, n in terms.most_common()]


def terms_in_lines(view: WindowView) -> list[LackingTerm]:
    """What lines of slapd say to have no index, in a log without the searches themselves."""
    terms: Counter[tuple[str, str]] = Counter()
    for source in view.sources:
        for stored in source.details.get("not_indexed", ()):
            terms[stored["attribute"], stored["kind"]] += stored["lines"]
    return [LackingTerm(*term, n) for term, n in terms.most_common()]


def notices_in_errors(view: WindowView) -> list[UnindexedNotice]:
    """Searches of clients that the error log calls unindexed."""
    notices = []
    for line in view.errors:
        if match := _NOTICE.search(line.text):
            conn = int(match["conn"]) if match["conn"] else None
            asked = match["filter"]
            notices.append(UnindexedNotice(line.time_ns, asked, _shape(asked), match["base"], conn))
    return notices


def _shape(text: str) -> str:
    """A filter as the access log's are kept: in lower case, its values replaced, stars left."""

    def without_value(match: re.Match[str]) -> str:
        parts = match[2].split("*")
        return f"{match[1]}{'*'.join('?' if part else '' for part in parts)})"

    return _VALUE.sub(without_value, text).lower()


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
    if place is None or not narrowed_by_none(filter_at(operations, slowest), place):
        return False
    return not reads_one_entry(view, slowest)


def reads_one_entry(view: WindowView, row: int) -> bool:
    """Whether the line of a search says that it is of its base alone, which needs no index."""
    asked = view.request_of(row) if view.request_of else ""
    return bool(_BASE_SCOPE.search(asked))


def narrowed_by_none(text: str, database: Database) -> bool | None:
    """Of '&' no part has an index, of '|' any part has none. None: no index could help it."""
    sign = text[1:2]
    if sign and sign in "&|":
        parts = [narrowed_by_none(part, database) for part in parts_of(text[2:-1])]
        known = [part for part in parts if part is not None]
        if not known:
            return None
        return all(known) if sign == "&" else any(known)
    term = term_of(text)
    return None if term is None else not database.serves(term)
