"""From one moment on nobody gets entries below a base where searches returned some before.

Whoever may not see an entry gets an empty answer and no error: after a change of access rules a log
shows nothing but this. So does one from which the entries went away.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ldap_workbench.advice.evidence.clients import Rows
from ldap_workbench.advice.evidence.numbering import in_groups
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, count_of
from ldap_workbench.model.operations import Operations, text_at


def find(view: WindowView) -> list[Finding]:
    """The base with the most searches that return nothing any more."""
    operations, asked = view.operations, view.asked
    rows = asked.rows[asked.searches]
    rows = rows[(operations.err[rows] == 0) & (operations.base[rows] >= 0)]
    hidden = max(_hidden(operations, rows), key=lambda pair: len(pair[1]), default=None)
    if hidden is None:
        return []
    before, since = hidden
    at_ns, clients = int(operations.start_ns[since[0]]), np.unique(operations.client[since])
    base = text_at(operations.bases, int(operations.base[since[0]]))
    asked_for = asked_before(operations, at_ns, base)
    return [
        finding(
            "empty_since",
            numbers={"searches": len(since), "before": len(before), "at_ns": at_ns, "base": base},
            operations=operations,
            rows=since,
            share=float((operations.nentries[before] > 0).mean()),
            clients=count_of("{n} client", "{n} clients", n=len(clients)),
            named=tuple(text_at(operations.clients, int(client)) for client in clients[:3]),
            asked=None if asked_for == NOTHING else asked_for,
        )
    ]


def _hidden(operations: Operations, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """The searches below each such base of who asked before and since, by when; `rows` by start."""
    limit = limits("empty_since")
    order, begins = in_groups(operations.base[rows])
    for begin, end in pairwise(begins):
        group = rows[order[begin:end]]
        returned = np.flatnonzero(operations.nentries[group] > 0)
        if not len(returned):
            continue
        before, since = np.split(group, [returned[-1] + 1])
        if min(len(before), len(since)) < limit["searches"]:
            continue
        same = np.intersect1d(_who(operations, before), _who(operations, since))
        before, since = (part[np.isin(_who(operations, part), same)] for part in (before, since))
        clients = len(np.unique(operations.client[since]))
        enough = min(len(before), len(since)) >= limit["searches"] and clients >= limit["clients"]
        if enough and (operations.nentries[before] > 0).mean() >= limit["share"]:
            yield before, since


def _who(operations: Operations, rows: Rows) -> Rows:
    """A number for the client and the shape of filter of each."""
    shapes = len(operations.fingerprints) + 1
    return operations.client[rows].astype(np.int64) * shapes + operations.fingerprint[rows]
