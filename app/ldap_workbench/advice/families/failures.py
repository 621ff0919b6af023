"""Kinds of operations that fail as a rule: whose they are, since when, and what the server says.

A server says why in the line of the result (OpenLDAP, OpenDJ), on a line of its own beside it, or
in its error log. These words stand in the finding as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.account.shared import largest
from ldap_workbench.advice.evidence.clients import BIND, EXT, PAGED, SRCH, Rows
from ldap_workbench.advice.evidence.missing import IndexAdvisor
from ldap_workbench.advice.evidence.pages import goes_on
from ldap_workbench.advice.evidence.rows import in_groups, numbered
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.errors import MEANINGS, complains, said_alike
from ldap_workbench.advice.families.far_data import below, stores_elsewhere
from ldap_workbench.advice.families.server_messages import messages_of
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import CHANGES, NO_ERROR, TYPES, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_DEL = TYPES.index("DEL")
_MAKES = tuple(map(TYPES.index, ("ADD", "DEL", "MODRDN")))
_NO_SUCH_OBJECT, _REFERRAL = 32, 10
_NO_FAILURE = (-1, 0, 5, 6, 14)
"""Not known, success, the two answers of a comparison, one more step of a bind."""
_DONE_HERE = (*map(TYPES.index, CHANGES), EXT)
"""What a referral leaves undone; a search goes on elsewhere."""
_KINDS, _ALL, _OTHERS = 3, 0.95, 2
_ASKS_FOR = {10: "referred", 32: "hidden", 49: "credentials"}
_ANSWERS = (4, 49)
"""A size limit and a wrong password answer one client alone; many of them at once are chance."""
_NOBODY = -2
_REASON = re.compile(
    r'(?:\bmessage=|"detail": ?)"(?P<quoted>(?:[^"\\]|\\.)+)"|\btext=(?P<rest>\S.*)$'
)
"""Why a result is no success: of OpenDJ and PingDirectory, and of slapd at the end of its line."""
_NEAR_NS = 60 * NS_PER_S
_READ, _LONGEST = 500, 200
"""Results whose reasons are read, and letters of one that are shown."""
_KINDS_OF_LINES = 2
"""Lines beside them that say different things: a cause is often in the second."""


@dataclass(frozen=True, eq=False)
class _Failing:
    """Operations of some kinds that end with one code, of all `asked` of these kinds.

    `in_spans`: they fail for some time, and succeed before and after.
    """

    code: int
    rows: Rows
    asked: Rows
    kinds: tuple[str, ...]
    in_spans: bool = False


def find(view: WindowView) -> list[Finding]:
    """One finding for the result code with which most operations fail as a rule, and the next."""
    ordered = sorted(_failing(view), key=lambda group: -len(group.rows))
    if not ordered:
        return []
    failing, *others = ordered
    operations, rows = view.operations, failing.rows
    client, share = _client(operations, rows)
    since_ns = _since(operations, failing)
    refused = any("unindexed search" in why for why in _reasons(view, rows))
    count = count_of("{n} operation", "{n} operations", n=len(rows))
    return [
        finding(
            "failing_kind",
            numbers={
                "code": failing.code,
                "failed": len(rows),
                "share": len(rows) / len(failing.asked),
                "addresses": len(np.unique(operations.client[rows])),
                "refused_unindexed": refused,
                **(_lacking(view, rows) if refused else {}),
            },
            operations=operations,
            rows=rows,
            count=count,
            user_ns=int(operations.etime_ns[rows].sum()),
            kinds=failing.kinds,
            of=len(failing.asked),
            means=MEANINGS.get(failing.code, NOTHING),
            client=client,
            of_client=share,
            said=sentences(
                *_names(operations, failing),
                *_beside(view, failing, since_ns),
                *_next(operations, failing),
                *(_also(operations, group) for group in others[:_OTHERS]),
            ),
        )
    ]


def _lacking(view: WindowView, rows: Rows) -> dict[str, Any]:
    """The indexes that searches lack which the server refuses without one."""
    operations = view.operations
    searches = rows[(operations.kind[rows] == SRCH) & (operations.fingerprint[rows] >= 0)]
    shapes = operations.fingerprint[searches]
    kinds = [
        (operations.fingerprints[shape], searches[shapes == shape]) for shape in np.unique(shapes)
    ]
    shape, _ = max(kinds, key=lambda kind: len(kind[1]), default=("", searches))
    return {"filter": shape, **IndexAdvisor(view).numbers(kinds)}


def _client(operations: Operations, rows: Rows) -> tuple[str, float]:
    """The client with most of some operations, and its share of them."""
    most, share = largest(operations, rows, np.ones(len(operations), np.int64), "client")
    return group_name(operations, "client", int(most[0])), share


def _also(operations: Operations, failing: _Failing) -> Message:
    return phrase(
        "failing_kind",
        "also",
        n=len(failing.rows),
        of=len(failing.asked),
        kinds=failing.kinds,
        code=failing.code,
        client=_client(operations, failing.rows)[0],
    )


def _failing(view: WindowView) -> Iterator[_Failing]:
    """By result code: the kinds of which most fail with it, of all clients or of some."""
    operations, rows = view.operations, _without_pages(view)
    errors, kinds = operations.err[rows], group_keys(operations, "kind", rows)
    bad = ~np.isin(errors, _NO_FAILURE)
    # What does not exist is an answer, and neither a failure nor beside one.
    absent = np.flatnonzero((operations.kind[rows] == SRCH) & (errors == _NO_SUCH_OBJECT))
    if len(absent):
        hidden = np.ones(len(rows), np.bool_)
        hidden[absent] = _shown_to_others(operations, rows, rows[absent])
        rows, errors, kinds, bad = rows[hidden], errors[hidden], kinds[hidden], bad[hidden]
    bad &= (errors != _REFERRAL) | np.isin(operations.kind[rows], _DONE_HERE)
    for code in np.unique(errors[bad]).tolist():
        failed, asked, names = [], [], []
        of_code, counts = np.unique(kinds[bad & (errors == code)], return_counts=True)
        for kind in of_code[counts >= limits("failing_kind")["operations"]]:
            of_kind = rows[kinds == kind]
            chosen = _chosen(operations, of_kind, code)
            if len(chosen):
                asked.append(chosen)
                failed.append(chosen[operations.err[chosen] == code])
                names.append((len(failed[-1]), group_name(operations, "kind", int(chosen[0]))))
        if failed:
            named = tuple(name for _, name in sorted(names, reverse=True)[:_KINDS])
            yield _Failing(code, np.concatenate(failed), np.concatenate(asked), named)
        types = operations.kind[rows]
        covered = [types[:0], *(operations.kind[of_kind] for of_kind in failed)]
        sought = np.setdiff1d(types[bad & (errors == code)], np.concatenate(covered))
        for kind in sought if code not in _ANSWERS else ():
            chosen = _in_spans(operations, rows[types == kind], code)
            if len(chosen):
                failing = chosen[operations.err[chosen] == code]
                yield _Failing(code, failing, chosen, (TYPES[int(kind)],), in_spans=True)


def _without_pages(view: WindowView) -> Rows:
    """All that clients asked, of each paged search the last page alone: it says how it ended."""
    operations, rows = view.operations, view.asked.rows
    paged = rows[(operations.notes[rows] & PAGED) > 0]
    # Of a shape that hardly fails nobody has to know how many pages its searches had.
    failed = operations.fingerprint[paged[~np.isin(operations.err[paged], _NO_FAILURE)]]
    shapes, counts = np.unique(failed, return_counts=True)
    shapes = shapes[counts >= limits("failing_kind")["operations"]]
    paged = paged[np.isin(operations.fingerprint[paged], shapes)]
    if not len(paged):
        return rows
    shapes, bases = operations.fingerprint[paged], operations.base[paged]
    order, _ = in_groups(shapes, bases, group_keys(operations, "connection", paged))
    paged = paged[order]  # of each shape, base and connection by their starts
    return rows[~np.isin(rows, paged[:-1][goes_on(view, paged[:-1], paged[1:])])]


def _shown_to_others(operations: Operations, rows: Rows, absent: Rows) -> NDArray[np.bool_]:
    """Whether one of all searches below the base of each `absent` returned something: it is there.

    Who may not see an entry is told that there is none.
    """
    rows = rows[np.isin(operations.base[rows], np.unique(operations.base[absent]))]
    bases, who, kinds = operations.base[rows], operations.bind_dn[rows], operations.kind[rows]
    # One that is made or removed in the window was absent for a time.
    came_or_went = np.unique(bases[np.isin(kinds, _MAKES)])
    returned = (kinds == SRCH) & (operations.nentries[rows] > 0) & (bases >= 0)
    returned &= ~np.isin(bases, came_or_went)
    bases_of, who_of = bases[returned], who[returned]
    pairs, _ = numbered(bases_of.astype(np.int64) * (len(operations.bind_dns) + 1) + who_of)
    bases_of, who_of = bases_of[pairs], who_of[pairs]
    first = np.full(len(operations.bases) + 1, np.iinfo(np.int32).max, np.int64)
    last = np.full(len(operations.bases) + 1, _NOBODY, np.int64)
    np.minimum.at(first, bases_of, who_of)
    np.maximum.at(last, bases_of, who_of)
    bases, who = operations.base[absent], operations.bind_dn[absent]
    there = (bases >= 0) & (last[bases] > _NOBODY)
    shown: NDArray[np.bool_] = there & ((first[bases] != who) | (last[bases] != who))
    return shown


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
    """Whether most of some operations fail; of binds, those of enough of the entries."""
    limit, failed = limits("failing_kind"), operations.err[rows] == code
    if int(failed.sum()) < limit["operations"]:
        return False
    if operations.kind[rows[0]] != BIND:
        return float(failed.mean()) >= limit["share"]
    names = len(np.unique(operations.base[rows]))
    in_vain = len(_in_vain(operations, rows, code, tries=2))
    many = in_vain >= limit["names"] and in_vain >= limit["share_of_names"] * names
    return many or len(_in_vain(operations, rows, code)) >= limit["share"] * names


def _in_vain(operations: Operations, rows: Rows, code: int, tries: int = 1) -> Rows:
    """The entries as which nobody can bind: never, in so many `tries`, or not any more.

    A password that was mistyped once is followed by one that is right.
    """
    rows = rows[(operations.base[rows] >= 0) & np.isin(operations.err[rows], (0, code))]
    if not len(rows):
        return rows
    rows = rows[np.lexsort((operations.start_ns[rows], operations.base[rows]))]
    names, begins = np.unique(operations.base[rows], return_index=True)
    places = np.arange(len(rows))
    succeeded = np.where(operations.err[rows] == code, -1, places)
    last = np.maximum.reduceat(succeeded, begins)
    ends = np.append(begins[1:], len(rows))
    since = np.where(last < 0, ends - begins, ends - 1 - last)
    least = np.where(last < 0, tries, limits("failing_kind")["again"])
    return names[since >= least].astype(np.intp)


def _in_spans(operations: Operations, rows: Rows, code: int) -> Rows:
    """The operations of a type in seconds in which nearly all fail, as few do otherwise."""
    limit = limits("failing_kind")
    failed = operations.err[rows] == code
    seconds = operations.end_ns[rows] // NS_PER_S
    _, of_second, counts = np.unique(seconds, return_inverse=True, return_counts=True)
    refused = np.bincount(of_second, failed) >= limit["in_span"] * counts
    refused &= counts >= limit["a_second"]
    chosen = rows[refused[of_second]]
    failing = chosen[operations.err[chosen] == code]
    several = len(np.unique(operations.client[failing])) >= limit["clients"]
    # Else a few that fail at any time may lie together by chance.
    most = len(failing) >= max(limit["operations"], limit["of_failures"] * failed.sum())
    others = rows[~refused[of_second]]
    succeed = len(others) >= limit["before"] and np.isin(operations.err[others], NO_ERROR).mean()
    return chosen if several and most and succeed >= limit["share"] else rows[:0]


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
    if failing.in_spans:
        seconds = np.unique(operations.end_ns[failing.rows] // NS_PER_S)
        runs = np.split(seconds, np.flatnonzero(np.diff(seconds) > 1) + 1)
        longest = max(int(run[-1] - run[0]) + 1 for run in runs)
        yield phrase("failing_kind", "spans", n=len(runs), longest=longest * NS_PER_S)
    elif since_ns is not None:
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
    yield from _longer(operations, failing)
    yield from _elsewhere(view, failing)
    reasons = list(_reasons(view, failing.rows))
    for reason, n in said_alike(reasons):
        share = n / len(reasons)
        yield phrase("failing_kind", "reason", share=share, reason=reason[:_LONGEST])
    first = int(operations.start_ns[failing.rows].min())
    last = int(operations.end_ns[failing.rows].max())
    for line, times in said_alike(_lines(view, failing, first, last), _KINDS_OF_LINES):
        if times >= limits("failing_kind")["lines"]:
            yield phrase("failing_kind", "logged", n=times, line=line[:_LONGEST])
    if since_ns is not None:
        near = [abs(line.time_ns - since_ns) <= _NEAR_NS for line in view.errors]
        then = [line.text for line, is_near in zip(view.errors, near, strict=True) if is_near]
        for line, times in said_alike(filter(complains, then)):
            if times < limits("failing_kind")["lines"]:
                yield phrase("failing_kind", "logged_then", line=line[:_LONGEST])


def _longer(operations: Operations, failing: _Failing) -> Iterator[Message]:
    """That they are for entries with much longer names than those that succeed."""
    succeed = failing.asked[np.isin(operations.err[failing.asked], NO_ERROR)]
    if not len(succeed):
        return
    length = np.array([len(base) for base in operations.bases] or [0])
    known = [rows[operations.base[rows] >= 0] for rows in (failing.rows, succeed)]
    if not all(map(len, known)):
        return
    here, others = (np.median(length[operations.base[rows]]) for rows in known)
    if here >= limits("failing_kind")["longer"] * others:
        yield phrase("failing_kind", "longer", here=round(here), others=round(others))


def _elsewhere(view: WindowView, failing: _Failing) -> Iterator[Message]:
    """Where these entries are by the configuration, if another server has them."""
    for store in stores_elsewhere(view.configuration):
        if below(view.operations, list(store.suffixes))[failing.rows].mean() >= _ALL:
            address = store.address or store.name
            yield phrase("failing_kind", "elsewhere", name=store.name, address=address)


def _names(operations: Operations, failing: _Failing) -> Iterator[Message]:
    """As whom nobody can bind, where that is what fails."""
    if failing.in_spans or (operations.kind[failing.rows] != BIND).any():
        return
    names = _in_vain(operations, failing.asked, failing.code)
    if len(names) == 1:
        yield phrase("failing_kind", "name", name=text_at(operations.bases, int(names[0])))
    elif len(names):
        of = len(np.unique(operations.base[failing.asked]))
        yield phrase("failing_kind", "names", n=len(names), of=of)


def _next(operations: Operations, failing: _Failing) -> Iterator[Message]:
    """What this code asks for."""
    name = _ASKS_FOR.get(failing.code)
    if name and (name != "hidden" or (operations.kind[failing.rows] == SRCH).all()):
        yield phrase("failing_kind", name)


def _reasons(view: WindowView, rows: Rows) -> Iterator[str]:
    """The server's own words in the results of some operations; of very many, of an even part."""
    if view.line_of is None:
        return
    for row in rows[:: len(rows) // _READ + 1]:
        if match := _REASON.search(view.line_of(int(row))):
            yield (match["quoted"] or match["rest"]).strip()


def _lines(view: WindowView, failing: _Failing, first: int, last: int) -> Iterator[str]:
    """Lines of the error log meanwhile, and what a server says beside binds in its access log."""
    yield from (line.text for line in view.errors if first <= line.time_ns <= last)
    if (view.operations.kind[failing.rows] == BIND).all() and (
        messages := messages_of(view, "bind_refused")
    ):
        yield from (text for _, text in messages.lines)
