"""Times in which a server sends its clients elsewhere, as it does while its data are replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ldap_workbench.advice.account.account import group_keys
from ldap_workbench.advice.evidence.clients import BIND, SRCH, Rows
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.operations import NO_ERROR, TYPES, client_operations, text_at
from ldap_workbench.model.units import NS_PER_S

_REFERRAL = 10
_SAYS_WHY = re.compile(r"\bERR\b|error|fail|abandon|abort|offline", re.IGNORECASE)
_AROUND_NS = 2 * NS_PER_S
"""What began or ended a span was logged a moment before or after it."""
_LINES = 2


def find(view: WindowView) -> list[Finding]:
    """The finding of this family in one window: searches and binds that were all referred."""
    limit, operations = limits("sent_elsewhere"), view.operations
    spans = _spans(view)
    rows = np.concatenate(spans) if spans else np.empty(0, np.intp)
    if len(rows) < limit["operations"]:
        return []
    edges = [(int(operations.start_ns[s].min()), int(operations.end_ns[s].max())) for s in spans]
    longest = max(edges, key=lambda edge: edge[1] - edge[0])
    beside = list(_beside(view, edges))
    return [
        finding(
            "sent_elsewhere",
            numbers={
                "operations": len(rows),
                "spans": len(spans),
                "addresses": len(np.unique(operations.client[rows])),
                "longest_ns": longest[1] - longest[0],
            },
            evidence=[
                evidence_of_rows(operations, phrase("sent_elsewhere", n=len(span)), span)
                for span in spans
            ],
            severity=3 if beside else None,
            times=times(len(spans)),
            n=len(rows),
            clients=len(np.unique(operations.client[rows])),
            length=longest[1] - longest[0],
            at=longest[0],
            beside=sentences(*beside) if beside else None,
        )
    ]


def _spans(view: WindowView) -> list[Rows]:
    """Runs of searches and binds with a referral, of kinds that are answered at other times."""
    limit, operations = limits("sent_elsewhere"), view.operations
    reads = client_operations(operations) & np.isin(operations.kind, (SRCH, BIND))
    referred = reads & (operations.err == _REFERRAL)
    if referred.sum() < limit["operations"]:
        return []
    kinds = group_keys(operations, "kind")
    answered = np.unique(kinds[reads & ~referred & np.isin(operations.err, NO_ERROR)])
    rows = np.flatnonzero(reads & np.isin(kinds, np.intersect1d(kinds[referred], answered)))
    rows = rows[np.argsort(operations.end_ns[rows], kind="stable")]
    pieces = np.split(rows, np.flatnonzero(np.diff(referred[rows].astype(np.int8))) + 1)
    return [piece for piece in pieces if len(piece) >= limit["in_a_row"] and referred[piece[0]]]


def _beside(view: WindowView, edges: Sequence[tuple[int, int]]) -> Iterator[Message]:
    """What failed meanwhile, and what the error log says of it."""
    operations = view.operations
    inside = np.zeros(len(operations), np.bool_)
    for start, end in edges:
        inside |= (operations.end_ns >= start - _AROUND_NS) & (
            operations.end_ns <= end + _AROUND_NS
        )
    failed = inside & client_operations(operations) & ~np.isin(operations.err, (-1, 32, *NO_ERROR))
    columns = (operations.client[failed], operations.kind[failed], operations.err[failed])
    for (client, kind, code), n in Counter(
        zip(*(column.tolist() for column in columns), strict=True)
    ).most_common(1):
        if n >= len(edges) // 2 + 1 and client >= 0:
            yield phrase(
                "sent_elsewhere",
                "failed",
                n=n,
                type=TYPES[kind],
                client=text_at(operations.clients, client),
                code=code,
            )
    lines = Counter(
        line.text.partition(" - ")[2] or line.text
        for line in view.errors
        if _SAYS_WHY.search(line.text)
        and any(start - _AROUND_NS <= line.time_ns <= end + _AROUND_NS for start, end in edges)
    )
    for text, n in lines.most_common(_LINES):
        yield phrase("sent_elsewhere", "logged", line=text[:200], times=times(n))
