"""Searches without an index that the configuration has: never built, or over the limit."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.cost import share_of_work, worker_ns
from ldap_workbench.advice.evidence.costly import client_searches, finding_of_rows
from ldap_workbench.advice.evidence.indexes import Database, database_of, databases, terms_of
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.rows import base_at, filter_at, grouped
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.unindexed import FULLY, PARTLY
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    known = databases(view.configuration)
    operations, limit = view.operations, limits("index_not_used")
    if not known or not len(operations):
        return []
    mask = client_searches(operations) & ((operations.notes & (FULLY | PARTLY)) != 0)
    mask &= (operations.err == 0) & (operations.nentries <= limit["returned"])
    mask &= operations.etime_ns >= limit["longest_ms"] * 1_000_000
    rows = np.flatnonzero(mask)
    groups = [
        same
        for same in grouped(rows, operations.fingerprint[rows])
        if len(same) >= limit["searches"] and _place(view, same, known)
    ]
    if not groups:
        return []
    same = max(groups, key=lambda group: worker_ns(operations, group))
    if share_of_work(operations, same) < limit["share_of_time"]:
        return []
    return [_finding(view, filter_at(operations, int(same[0])), same, known)]


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
    place = _place(view, rows, known)
    assert place is not None, "only such kinds of search are chosen"
    attributes = dict.fromkeys(term.attribute for term in terms_of(text))
    return finding_of_rows(
        "index_not_used",
        view.operations,
        rows,
        Message("{filter}: all of its indexes are configured.", filter=text),
        numbers={"filter": text, "missing_indexes": missing_in(place, attributes, types=())},
    )
