"""Kinds of operations that fail as a rule: who asks for them, since when, and what is beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.account.shared import largest
from ldap_workbench.advice.evidence.clients import BIND, SRCH, Rows
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import TYPES, Operations

_DEL = TYPES.index("DEL")
_NO_SUCH_OBJECT = 32
_NO_FAILURE = (-1, 0, 5, 6, 10, 14)
"""Not known, success, the two answers of a comparison, referral, one more step of a bind."""
_MEANINGS = {
    1: Message("operations error: the server could not do it"),
    3: Message("time limit exceeded"),
    4: Message("size limit exceeded"),
    11: Message("administrative limit exceeded"),
    16: Message("no such attribute or value"),
    19: Message("constraint violation"),
    20: Message("attribute or value exists"),
    32: Message("no such object"),
    49: Message("invalid credentials"),
    50: Message("insufficient access rights"),
    51: Message("busy"),
    52: Message("unavailable"),
    53: Message("unwilling to perform: a limit or setting forbids it"),
    65: Message("object class violation"),
    68: Message("entry already exists"),
    80: Message("other"),
}
"""Result codes by RFC 4511; what the words do not say stands behind them."""
_KINDS, _ALL = 3, 0.95
_NOBODY = -2
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class _Failing:
    """Operations of some kinds that end with one code, of all `asked` of these kinds."""

    code: int
    rows: Rows
    asked: Rows
    kinds: tuple[str, ...]


def find(view: WindowView) -> list[Finding]:
    """One finding for the result code with which most operations fail as a rule."""
    failing = max(_failing(view), key=lambda group: len(group.rows), default=None)
    if failing is None:
        return []
    operations, rows = view.operations, failing.rows
    most, share = largest(operations, rows, np.ones(len(operations), np.int64), "client")
    since_ns = _since(operations, failing)
    count = count_of("{n} operation", "{n} operations", n=len(rows))
    return [
        finding(
            "failing_kind",
            numbers={
                "code": failing.code,
                "failed": len(rows),
                "share": len(rows) / len(failing.asked),
                "addresses": len(np.unique(operations.client[rows])),
            },
            operations=operations,
            rows=rows,
            count=count,
            user_ns=int(operations.etime_ns[rows].sum()),
            kinds=failing.kinds,
            of=len(failing.asked),
            means=_MEANINGS.get(failing.code, NOTHING),
            client=group_name(operations, "client", int(most[0])),
            of_client=share,
            said=sentences(*_beside(view, failing, since_ns)),
        )
    ]


def _failing(view: WindowView) -> Iterator[_Failing]:
    """By result code: the kinds of which most fail with it, of all clients or of some."""
    operations, rows = view.operations, view.asked.rows
    errors, kinds = operations.err[rows], group_keys(operations, "kind")[rows]
    bad = ~np.isin(errors, _NO_FAILURE)
    bad &= ~((operations.kind[rows] == SRCH) & (errors == _NO_SUCH_OBJECT))
    for code in np.unique(errors[bad]).tolist():
        failed, asked, names = [], [], []
        for kind in np.unique(kinds[bad & (errors == code)]):
            of_kind = rows[kinds == kind]
            chosen = _chosen(operations, of_kind, code)
            if len(chosen):
                asked.append(chosen)
                failed.append(chosen[operations.err[chosen] == code])
                names.append((len(failed[-1]), group_name(operations, "kind", int(chosen[0]))))
        if failed:
            named = tuple(name for _, name in sorted(names, reverse=True)[:_KINDS])
            yield _Failing(code, np.concatenate(failed), np.concatenate(asked), named)


def _chosen(operations: Operations, rows: Rows, code: int) -> Rows:
    """The operations of a kind, or those of the clients, that fail as a rule; else none."""
    if _fail(operations, rows, code):
        return rows
    clients = operations.client[rows]
    failing = [
        client
        for client in np.unique(clients[operations.err[rows] == code])
        if _fail(operations, rows[clients == client], code)
    ]
    return rows[np.isin(clients, failing)]


def _fail(operations: Operations, rows: Rows, code: int) -> bool:
    """Whether most of some operations fail; of binds, most of those who bind."""
    limit, failed = limits("failing_kind"), operations.err[rows] == code
    if int(failed.sum()) < limit["operations"]:
        return False
    share = float(failed.mean())
    if operations.kind[rows[0]] == BIND:
        names = operations.base[rows]
        share = len(np.setdiff1d(names[failed], names[~failed])) / len(np.unique(names))
    return share >= limit["share"]


def _since(operations: Operations, failing: _Failing) -> int | None:
    """From when on they fail; None where they did from the start, or only now and then."""
    starts = operations.start_ns[failing.asked]
    first = int(operations.start_ns[failing.rows].min())
    later = starts >= first
    enough = int((~later).sum()) >= limits("failing_kind")["before"]
    return first if enough and len(failing.rows) >= _ALL * int(later.sum()) else None


def _beside(view: WindowView, failing: _Failing, since_ns: int | None) -> Iterator[Message]:
    """Since when, what was asked shortly before, who else did it, what the error log says."""
    operations = view.operations
    if since_ns is not None:
        yield Message("They fail since {since:time}.", since=since_ns)
        if (before := asked_before(operations, since_ns)) != NOTHING:
            yield before
    gone = failing.rows[operations.kind[failing.rows] == _DEL]
    if failing.code == _NO_SUCH_OBJECT and len(gone):
        rows = view.asked.rows
        rows = rows[(operations.kind[rows] == _DEL) & (operations.err[rows] == 0)]
        deleters = np.full(len(operations.bases) + 1, _NOBODY, np.int64)
        deleters[operations.base[rows]] = operations.client[rows]
        deleters[-1] = _NOBODY  # of entries that the log does not name
        before = deleters[operations.base[gone]]
        others = (before != _NOBODY) & (before != operations.client[gone])
        if n := int(others.sum()):
            yield phrase("failing_kind", "deleted", share=n / len(gone))
    first = operations.start_ns[failing.rows].min()
    last = operations.end_ns[failing.rows].max()
    lines = [line for line in view.errors if first <= line.time_ns <= last]
    said = Counter(_NUMBER.sub("?", line.text) for line in lines)
    if said:
        words, times = said.most_common(1)[0]
        if times >= limits("failing_kind")["lines"]:
            line = next(line.text for line in lines if _NUMBER.sub("?", line.text) == words)
            yield phrase("failing_kind", "logged", n=times, line=line[:200])
