"""Searches without an index that the configuration has: never built, or over the limit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import share_of_work, user_ns, worker_ns
from ldap_workbench.advice.evidence.indexes import Database, database_of, databases, terms_of
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.rows import base_at, evidence_of_rows, filter_at
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import NOTES, TYPES, client_operations, text_at

_SRCH = TYPES.index("SRCH")
_UNINDEXED = np.uint8((1 << NOTES.index("A")) | (1 << NOTES.index("U")))


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    known = databases(view.configuration)
    operations, limit = view.operations, limits("index_not_used")
    if not known or not len(operations):
        return []
    clients = client_operations(operations)
    rows = clients & (operations.kind == _SRCH) & ((operations.notes & _UNINDEXED) != 0)
    rows &= (operations.err == 0) & (operations.nentries <= limit["returned"])
    rows &= operations.etime_ns >= limit["longest_ms"] * 1_000_000
    groups = [(text, same) for text, same in _by_filter(view, rows) if _place(view, same, known)]
    groups = [group for group in groups if len(group[1]) >= limit["searches"]]
    if not groups:
        return []
    text, same = max(groups, key=lambda group: worker_ns(operations, group[1]))
    share = share_of_work(operations, same)
    return [_finding(view, text, same, known)] if share >= limit["share_of_time"] else []


def _by_filter(view: WindowView, rows: NDArray[np.bool_]) -> list[tuple[str, Rows]]:
    operations = view.operations
    return [
        (text_at(operations.fingerprints, int(i)), np.flatnonzero(rows & same))
        for i in np.unique(operations.fingerprint[rows])
        for same in [operations.fingerprint == i]
    ]


def _place(view: WindowView, rows: Rows, known: list[Database]) -> Database | None:
    """The database of a base, where it has an index for every term of a filter."""
    operations = view.operations
    terms = terms_of(filter_at(operations, rows[0]))
    place = database_of(known, base_at(operations, rows[0]))
    if not terms or place is None or any(term.negated for term in terms):
        return None
    served = all(term.kind != "ordering" and place.serves(term) for term in terms)
    return place if served else None


def _finding(view: WindowView, text: str, rows: Rows, known: list[Database]) -> Finding:
    operations = view.operations
    longest = int(operations.etime_ns[rows].max())
    shown = Message("{filter}: all of its indexes are configured.", filter=text)
    evidence = evidence_of_rows(operations, shown, rows, rows[:EVIDENCE_ROWS])
    place = _place(view, rows, known)
    assert place is not None, "only such kinds of search are chosen"
    attributes = dict.fromkeys(term.attribute for term in terms_of(text))
    numbers = {"searches": len(rows), "filter": text, "longest_ns": longest}
    return finding(
        "index_not_used",
        numbers=numbers | {"missing_indexes": missing_in(place, attributes, types=())},
        evidence=[evidence],
        worker_ns=worker_ns(operations, rows),
        user_ns=user_ns(operations, rows),
        longest=longest,
    )
