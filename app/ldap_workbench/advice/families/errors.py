"""Errors of the server, and answers that are none: refused, referred, cut off."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.clients import BIND, SRCH, Rows
from ldap_workbench.advice.evidence.cost import p95_of, worker_ns
from ldap_workbench.advice.evidence.rows import evidence_of_rows, in_groups, on_own_entries
from ldap_workbench.advice.evidence.tasks import BEFORE_S, kinds
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import (
    finding,
    limits,
    once_or_more,
    phrase,
    search_words,
    times,
)
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import (
    NO_ERROR,
    TYPES,
    Int64,
    Operations,
    client_operations,
    text_at,
)
from ldap_workbench.model.units import NS_PER_S

_NAME = re.compile(r"(?<==)[^,\s\")]+|0x[0-9a-f]+|\d+", re.IGNORECASE)
"""What differs from one line to the next that says the same: values of names, and numbers."""
_SEVERE = re.compile(r"(?:EMERG|ALERT|CRIT) - |category=\S+ severity=(?:FATAL|SEVERE)_ERROR\b")
_COMPLAINS = re.compile(r"(?:EMERG|ALERT|CRIT|ERR) - |category=\S+ severity=(?:\w+_)?ERROR\b")
"""How a line of 389 DS, or of OpenDJ and PingDirectory, says that something is wrong."""
_WARNS = re.compile(r"WARN - |category=\S+ severity=(?:\w+_)?WARNING\b")
_OF_OTHERS = ("deadlock", "refused", "threads_exhausted", "heap_full", "no_descriptors")
"""Findings whose lines are told by their words."""
_CODE = re.compile(r"-3099\d\b")
_CONNECTIONS = (f"{series.BASE}:currentconnections", "cn=snmp,cn=monitor:connections")
_RESERVED = 64
"""nsslapd-reservedescriptors where it is not known."""
MEANINGS = {
    1: Message("operations error: the server could not do it"),
    3: Message("time limit exceeded"),
    4: Message("size limit exceeded"),
    8: Message("strong authentication required"),
    10: Message("referral: another server takes it"),
    11: Message("administrative limit exceeded"),
    13: Message("confidentiality required"),
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
_SERVER_SIDE = (1, 3, 51, 52, 80)
"""Result codes that speak of the server; 32, 49 and the like are the client's affair."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    workers = {
        "threads": working_threads(view),
        "cpu_idle_percent": series.rounded(series.idle_percent(view.samples)),
    }
    return [
        *deadlocks(view.errors, view.operations),
        *said_in_log("refused", view.errors),
        *said_in_log("threads_exhausted", view.errors, workers),
        *said_in_log("heap_full", view.errors),
        *said_in_log("no_descriptors", view.errors),
        *descriptors(view),
        *failed_operations(view.operations),
        *complaints(view.errors),
    ]


def said_alike(texts: Iterable[str], most: int = 1) -> Iterator[tuple[str, int]]:
    """Texts that say the same of other names and numbers: the first of them, and how many."""
    firsts: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in texts:
        shape = _NAME.sub("?", text)
        firsts.setdefault(shape, text)
        counts[shape] += 1
    for shape, n in counts.most_common(most):
        yield firsts[shape], n


def complains(line: str) -> bool:
    """Whether the error log calls what it says an error."""
    return _COMPLAINS.match(line) is not None


def complaints(lines: tuple[ErrorLine, ...]) -> Iterator[Finding]:
    """What the error log calls an error, where no other finding knows the words."""
    limit = limits("log_complaints")
    known = {line for which in _OF_OTHERS for line in matching(lines, which)}
    wrong = [line for line in lines if complains(line.text) and line not in known]
    severe = [line for line in wrong if _SEVERE.match(line.text)]
    if not severe and len(wrong) < limit["lines"]:
        return
    said = list(said_alike((line.text for line in wrong), round(limit["shown"])))
    first, n = said[0]
    yield finding(
        "log_complaints",
        numbers={"lines": len(wrong), "severe": len(severe), "most": n},
        evidence=[
            Evidence(phrase("log_complaints", "line", n=times, line=verbatim(text[:300])))
            for text, times in said
        ],
        severity=2 if severe or n >= limit["many"] else 1,
        count=count_of("{n} line", "{n} lines", n=len(wrong)),
        line=verbatim(first[:200]),
        times=once_or_more(n),
        before=said_before(lines, next(line for line in wrong if line.text == first)),
    )


def said_before(lines: tuple[ErrorLine, ...], first: ErrorLine) -> Message:
    """In a sentence: what the log warned of, or long work, shortly before a line and never yet."""
    ahead = lines[: lines.index(first)]
    since_ns = first.time_ns - round(BEFORE_S * NS_PER_S)
    usual = {_NAME.sub("?", line.text) for line in ahead if line.time_ns < since_ns}
    near = [line.text for line in ahead if line.time_ns >= since_ns and _tells(line.text)]
    new = [text for text in near if _NAME.sub("?", text) not in usual]
    return phrase("log_complaints", "before", line=verbatim(new[-1][:300])) if new else NOTHING


def _tells(text: str) -> bool:
    """Whether a line warns, or long work of the server begins or ends with it."""
    if _WARNS.match(text):
        return True
    return any(kind.begins.search(text) or kind.ends.search(text) for kind in kinds())


def descriptors(view: WindowView) -> Iterator[Finding]:
    """Nearly as many connections as the server may have: the next ones are refused."""
    most = most_connections(view)
    # cn=monitor shows every connection, and is read less often the more there are.
    read = [(name, *view.samples[name]) for name in _CONNECTIONS if name in view.samples]
    read = [(name, times, values) for name, times, values in read if len(values)]
    if not read or most is None:
        return
    name, times, values = max(read, key=lambda item: float(item[2].max()))
    peak, moment = int(values.max()), int(times[np.argmax(values)])
    if peak >= limits("descriptors")["share"] * most:
        text = Message("{peak} connections of {most}.", peak=peak, most=int(most))
        yield finding(
            "descriptors",
            numbers={"connections": peak, "most": int(most), "share": peak / most},
            evidence=[Evidence(text, moment, moment, series=name)],
        )


def most_connections(view: WindowView) -> float | None:
    """How many connections the server takes at once; None where nothing says it.

    389 DS 2.3.1 with 160 descriptors shows a dtablesize of 96 and takes 32 connections: it leaves
    the reserved ones out of the table, and stops to listen when as many places are left.
    """
    reserved = view.number("nsslapd-reservedescriptors")
    reserved = _RESERVED if reserved is None else reserved
    table = series.last(series.get(view.samples, series.BASE, "dtablesize"))
    descriptors = table + reserved if table else view.number("nsslapd-maxdescriptors")
    if descriptors:
        return max(descriptors - 2 * reserved, 1.0)
    return view.number("max-allowed-client-connections") or None


def matching(lines: tuple[ErrorLine, ...], which: str, name: str = "lines") -> list[ErrorLine]:
    """Lines that hold one of the words of a finding."""
    wanted = [word.lower() for word in search_words(which, name)]
    return [line for line in lines if any(word in line.text.lower() for word in wanted)]


def deadlocks(lines: tuple[ErrorLine, ...], operations: Operations) -> Iterator[Finding]:
    """Deadlock errors of the database, and the etimes beside them against the others."""
    matches = matching(lines, "deadlock")
    if len(matches) < limits("deadlock")["lines"]:
        return
    near, far = etime_near(operations, np.array([line.time_ns for line in matches], np.int64))
    # The numbers that Berkeley DB has for a deadlock, as far as the lines name them.
    codes = sorted({code for line in matches for code in _CODE.findall(line.text)})
    yield finding(
        "deadlock",
        numbers={"errors": len(matches), "etime_near_ns": near, "etime_otherwise_ns": far},
        evidence=_lines(matches),
        severity=3 if near and far and near > 2 * far else 2,
        count=count_of("{n} deadlock error", "{n} deadlock errors", n=len(matches)),
        codes=tuple(codes),
        both=bool(near and far),
    )


def etime_near(operations: Operations, times: Int64) -> tuple[int | None, int | None]:
    """p95 of client etimes that end in a second with an error, and of all others."""
    clients = client_operations(operations)
    near = np.isin(operations.end_ns[clients] // NS_PER_S, times // NS_PER_S)
    etimes = operations.etime_ns[clients]
    return p95_of(etimes[near]), p95_of(etimes[~near])


def said_in_log(
    which: str, lines: tuple[ErrorLine, ...], beside: Mapping[str, float | None] | None = None
) -> Iterator[Finding]:
    """A finding for lines of the error log that leave no doubt."""
    matches = matching(lines, which)
    if not matches:
        return
    yield finding(
        which,
        numbers={"lines": len(matches), **(beside or {})},
        evidence=_lines(matches),
        count=once_or_more(len(matches)),
        line=matches[0].text[:200],
    )


def failed_operations(operations: Operations) -> Iterator[Finding]:
    """Operations that failed for the server's reasons, when they are more than a few."""
    limit = limits("failed_operations")
    clients = client_operations(operations)
    failed = clients & np.isin(operations.err, _SERVER_SIDE)
    share = int(failed.sum()) / max(int(clients.sum()), 1)
    if failed.sum() < limit["operations"] or share < limit["share"]:
        return
    codes, counts = np.unique(operations.err[failed], return_counts=True)
    failures = tuple(
        Message("{n} err={code:plain} ({meaning})", n=int(n), code=int(c), meaning=MEANINGS[int(c)])
        for c, n in zip(codes, counts, strict=True)
    )
    yield finding(
        "failed_operations",
        numbers={"failed": int(failed.sum()), "share": share},
        operations=operations,
        rows=np.flatnonzero(failed),
        worker_ns=worker_ns(operations, failed),
        failures=failures,
    )


def _lines(lines: list[ErrorLine]) -> list[Evidence]:
    return [Evidence(verbatim(line.text[:300]), line.time_ns, line.time_ns) for line in lines[:50]]


_SIZE_LIMIT = 4


def find_cut_short(view: WindowView) -> list[Finding]:
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


_REFERRAL = 10
_EXTENDED = TYPES.index("EXT")
_OF_DATA = re.compile(r"\bimport|total update|\brestore|going offline", re.IGNORECASE)
"""Lines of an error log about data that are replaced."""
_AROUND_NS = 2 * NS_PER_S
"""What began or ended a span was logged a moment before or after it."""
_LINES, _MOST = 2, 20


def find_referrals(view: WindowView) -> list[Finding]:
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
