"""Times in which a server sends its clients elsewhere, as it does while its data are replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys
from ldap_workbench.advice.evidence.clients import BIND, SRCH, Rows
from ldap_workbench.advice.evidence.rows import evidence_of_rows, on_own_entries
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, once_or_more, phrase, times
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.operations import (
    NO_ERROR,
    TYPES,
    Int64,
    client_operations,
    text_at,
)
from ldap_workbench.model.units import NS_PER_S

_REFERRAL = 10
_EXTENDED = TYPES.index("EXT")
_OF_DATA = re.compile(r"\bimport|total update|\brestore|going offline", re.IGNORECASE)
"""Lines of an error log about data that are replaced."""
_AROUND_NS = 2 * NS_PER_S
"""What began or ended a span was logged a moment before or after it."""
_LINES, _MOST = 2, 20


def find(view: WindowView) -> list[Finding]:
    """The finding of this family in one window: times in which nobody got data."""
    operations = view.operations
    spans = _spans(view)
    if not spans:
        return []
    rows = np.concatenate(spans)
    clients = np.unique(operations.client[rows])
    addresses = len(clients[clients >= 0])
    starts = np.array([operations.start_ns[span].min() for span in spans], np.int64)
    ends = np.array([operations.end_ns[span].max() for span in spans], np.int64)
    longest = int(np.argmax(ends - starts))
    beside = list(_beside(view, starts, ends))
    return [
        finding(
            "sent_elsewhere",
            numbers={
                "operations": len(rows),
                "spans": len(spans),
                "addresses": addresses,
                "longest_ns": int(ends[longest] - starts[longest]),
            },
            evidence=[
                evidence_of_rows(operations, phrase("sent_elsewhere", n=len(span)), span)
                for span in spans[:_MOST]
            ],
            severity=3 if beside else None,
            confidence="high" if beside else "",
            times=once_or_more(len(spans)),
            n=len(rows),
            clients=count_of("{n} address", "{n} addresses", n=addresses),
            length=int(ends[longest] - starts[longest]),
            at=int(starts[longest]),
            beside=sentences(*beside) if beside else None,
        )
    ]


def _spans(view: WindowView) -> list[Rows]:
    """Runs of referrals in which nobody got data, of kinds that are answered at other times."""
    limit, operations = limits("sent_elsewhere"), view.operations
    reads = client_operations(operations) & np.isin(operations.kind, (SRCH, BIND))
    reads &= ~on_own_entries(operations)
    referred = reads & (operations.err == _REFERRAL)
    if referred.sum() < limit["operations"]:
        return []
    answered = reads & ~referred & np.isin(operations.err, NO_ERROR)
    rows = np.flatnonzero(referred | answered)
    rows = rows[np.argsort(operations.end_ns[rows], kind="stable")]
    pieces = np.split(rows, np.flatnonzero(np.diff(referred[rows].astype(np.int8))) + 1)
    kinds = group_keys(operations, "kind")
    known = np.isin(kinds, np.unique(kinds[answered]))
    spans = [
        piece
        for piece in pieces
        if len(piece) >= limit["in_a_row"] and referred[piece[0]] and known[piece].any()
    ]
    return spans if sum(map(len, spans)) >= limit["operations"] else []


def _beside(view: WindowView, starts: Int64, ends: Int64) -> Iterator[Message]:
    """Which extended operations failed meanwhile, and what the error log says of the data."""
    operations = view.operations
    failed = np.flatnonzero(
        _within(operations.end_ns, starts, ends)
        & client_operations(operations)
        & (operations.kind == _EXTENDED)
        & ~np.isin(operations.err, (-1, *NO_ERROR))
    )
    columns = (operations.client[failed].tolist(), operations.err[failed].tolist())
    for (client, code), n in Counter(zip(*columns, strict=True)).most_common(1):
        if 2 * n > len(starts) and client >= 0:
            address = text_at(operations.clients, client)
            yield phrase("sent_elsewhere", "failed", n=n, client=address, code=code)
    lines = [line for line in view.errors if _OF_DATA.search(line.text)]
    near = _within(np.array([line.time_ns for line in lines], np.int64), starts, ends)
    said = Counter(
        line.text.partition(" - ")[2] or line.text
        for line, is_near in zip(lines, near.tolist(), strict=True)
        if is_near
    )
    for text, n in said.most_common(_LINES):
        yield phrase("sent_elsewhere", "logged", line=text[:200], times=times(n))


def _within(moments: Int64, starts: Int64, ends: Int64) -> NDArray[np.bool_]:
    """Which moments lie in a span or near it; spans come in order and do not overlap."""
    place = np.searchsorted(starts - _AROUND_NS, moments, "right") - 1
    near: NDArray[np.bool_] = (place >= 0) & (moments <= ends[place] + _AROUND_NS)
    return near
