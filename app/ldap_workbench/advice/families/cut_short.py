"""Searches that a size limit cuts off, each time at the same number of entries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ldap_workbench.advice.account.account import group_name
from ldap_workbench.advice.evidence.clients import SRCH, Rows
from ldap_workbench.advice.evidence.numbering import in_groups
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import count_of
from ldap_workbench.model.operations import Operations, text_at

_SIZE_LIMIT = 4


def find(view: WindowView) -> list[Finding]:
    """The client that gets a part of what it asks for most often."""
    operations, asked = view.operations, view.asked
    rows = asked.rows[asked.kind == SRCH]
    cut = sorted(_cut(operations, rows), key=len, reverse=True)
    return [_finding(operations, cut[0], len(cut) - 1)] if cut else []


def _cut(operations: Operations, rows: Rows) -> Iterator[Rows]:
    """Searches of one kind, client and base that all end so, and after as many entries."""
    limit = limits("cut_short")
    failing = rows[operations.err[rows] == _SIZE_LIMIT]
    of_each = (operations.client, operations.base, operations.fingerprint)
    if len(failing) < limit["searches"]:
        return
    for column in of_each:
        rows = rows[np.isin(column[rows], column[failing])]
    order, begins = in_groups(*(column[rows] for column in of_each))
    for begin, end in pairwise(begins):
        group = rows[order[begin:end]]
        entries = operations.nentries[group]
        alike = (operations.err[group] == _SIZE_LIMIT).all() and entries.min() == entries.max()
        if alike and len(group) >= limit["searches"] and entries[0] >= limit["entries"]:
            yield group


def _finding(operations: Operations, rows: Rows, more: int) -> Finding:
    first = int(rows[0])
    entries = int(operations.nentries[first])
    return finding(
        "cut_short",
        numbers={"searches": len(rows), "entries": entries, "more": more},
        operations=operations,
        rows=rows,
        count=count_of("{n} search", "{n} searches", n=len(rows)),
        kind=group_name(operations, "kind", first),
        client=text_at(operations.clients, operations.client[first]),
        name=text_at(operations.bind_dns, operations.bind_dn[first]) or None,
        base=text_at(operations.bases, operations.base[first]),
        user_ns=int(operations.etime_ns[rows].sum()),
    )
