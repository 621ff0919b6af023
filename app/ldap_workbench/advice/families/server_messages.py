"""What a server says in its access log beside operations: what it put off, refused and closed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.clients import PAGED
from ldap_workbench.advice.evidence.pages import is_last_page
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, once_or_more, phrase
from ldap_workbench.advice.families.errors import said_alike
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import Operations, client_operations, text_at
from ldap_workbench.model.units import NS_PER_S

_CONNECTION = re.compile(r"conn=(\d+)")
_QUOTED = re.compile(r'"([^"]+)"')
_DEFAULT_MAP = 10 << 20
"""Bytes of the map where olcDbMaxSize is absent (slapd-mdb(5))."""
_SHOWN = 10
_UNKNOWN = Message("an unknown address")
_SIZE = re.compile(r"Incoming BER Element was (\d+) bytes")
MAX_BER = 2**31 - 1
"""The largest nsslapd-maxbersize; what claims to be larger is no request (389 DS slap.h)."""

_Line = tuple[int | None, str]
"""When the server wrote it, None where that is not known, and its text."""


@dataclass(frozen=True)
class Messages:
    """The messages of one kind in a window."""

    n: int
    clients: Counter[str]
    lines: tuple[_Line, ...]

    @property
    def evidence(self) -> list[Evidence]:
        by_client = [
            Evidence(count_of("{client}: {n} time.", "{client}: {n} times.", n=n, client=client))
            for client, n in self.clients.most_common(_SHOWN)
        ]
        return by_client + self.shown

    @property
    def shown(self) -> list[Evidence]:
        """The first of its lines."""
        return [Evidence(verbatim(text), at, at) for at, text in self.lines[:_SHOWN]]


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    refusals = refused(view)
    findings = [*deferred(view), *refusals]
    findings += _of_clients("tls_failures", _handshakes(view))
    findings += by_client(view, "closed_idle", "idle")
    findings += by_client(view, "closed_unread", "unread") + cut_when_idle(view)
    findings += _too_big(view)
    findings += by_client(view, "closed_unfinished", "unfinished", lambda m: _pages_of(view, m))
    if not refusals:
        # Without a descriptor slapd cannot read hosts.allow either, and denies whoever comes.
        findings += by_client(view, "clients_denied", "denied")
    findings += said(view, "map_full", "map_full", lambda messages: _maps_of(view, messages))
    return findings + said(view, "syncrepl_failing", "syncrepl")


def _handshakes(view: WindowView) -> Messages | None:
    """The closes with a reason of TLS, and those without one before any operation.

    389 DS closes with an unknown error whatever goes wrong; of a connection that had operations it
    is no handshake. Where more came than lines are stored, the others are as those that are.
    """
    stated, unknown = messages_of(view, "tls"), messages_of(view, "unknown_error")
    if unknown is None or not unknown.lines:
        return stated
    used = dict(_ended(view.operations, unknown))
    operations = view.operations
    names = [
        text_at(operations.clients, int(operations.client[row])).strip("[]")
        for row in used.values()
    ]
    per_line = unknown.n / len(unknown.lines)
    in_use = Counter({client: round(n * per_line) for client, n in Counter(names).items()})
    lines = tuple(line for line in unknown.lines if line not in used)
    if not lines:
        return stated
    n, clients = unknown.n - round(len(used) * per_line), unknown.clients - in_use
    if stated is None:
        return Messages(n, clients, lines)
    return Messages(stated.n + n, stated.clients + clients, stated.lines + lines)


def messages_of(view: WindowView, kind: str) -> Messages | None:
    """The messages of one kind that slapd wrote in a window; None for none."""
    start_ns, end_ns = view.window.start_ns, view.window.end_ns
    rows = [
        row
        for source in view.sources
        for row in source.details.get("messages", ())
        if row["kind"] == kind and _overlaps(row, start_ns, end_ns)
    ]
    clients: Counter[str] = Counter()
    for row in rows:
        clients.update({of["client"]: of["n"] for of in row["clients"]})
    lines = [
        (line["time_ns"], line["text"])
        for row in rows
        for line in row["lines"]
        if line["time_ns"] is None or start_ns <= line["time_ns"] <= end_ns
    ]
    # Only the first of a log are stored: where none is of this window, they show what is meant.
    lines = lines or [(line["time_ns"], line["text"]) for row in rows for line in row["lines"]]
    return Messages(sum(row["n"] for row in rows), clients, tuple(lines)) if rows else None


def _overlaps(row: Mapping[str, Any], start_ns: int, end_ns: int) -> bool:
    return (row["first_ns"] or 0) < end_ns and (row["last_ns"] or start_ns) >= start_ns


def refused(view: WindowView) -> list[Finding]:
    """Connections that slapd could not accept, and who had those that were open."""
    messages = messages_of(view, "refused")
    # Where some are denied at other descriptors too, those at the last one were by chance.
    by_rule = messages_of(view, "denied") is not None
    denied = messages is not None and all("DENIED" in text for _, text in messages.lines)
    if messages is None or (by_rule and denied):
        return []
    holders: Counter[str] = Counter()
    for source in view.sources:
        of_source = {of["client"]: of["n"] for of in source.details.get("open_when_refused", ())}
        holders = max(holders, Counter(of_source), key=lambda count: count.total())
    most = holders.most_common(1)
    whose = NOTHING
    if most:
        client, n = most[0]
        whose = phrase("refused", "whose", client=client, n=n, all=holders.total())
    seen = finding(
        "refused",
        numbers={"lines": messages.n, "open_connections": dict(holders.most_common(_SHOWN))},
        evidence=[
            *(
                Evidence(phrase("refused", "open", n=n, client=client))
                for client, n in holders.most_common(_SHOWN)
            ),
            *messages.shown,
        ],
        count=once_or_more(messages.n),
        line=messages.lines[0][1],
    )
    if denied:
        said = phrase(
            "refused", "denied", count=once_or_more(messages.n), line=messages.lines[0][1]
        )
        seen = replace(seen, sentence=said, confidence="medium")
    return [replace(seen, sentence=sentences(seen.sentence, whose))]


def by_client(
    view: WindowView,
    which: str,
    kind: str,
    more: Callable[[Messages], dict[str, Any]] = lambda _: {},
) -> list[Finding]:
    """Messages that are about addresses: from how many, which has most, and more of them."""
    return _of_clients(which, messages_of(view, kind), more)


def _of_clients(
    which: str,
    messages: Messages | None,
    more: Callable[[Messages], dict[str, Any]] = lambda _: {},
) -> list[Finding]:
    if messages is None or messages.n < limits(which)["lines"]:
        return []
    client, n = messages.clients.most_common(1)[0] if messages.clients else (_UNKNOWN, messages.n)
    return [
        finding(
            which,
            numbers={"lines": messages.n, "addresses": dict(messages.clients.most_common(_SHOWN))},
            evidence=messages.evidence,
            count=once_or_more(messages.n),
            addresses=count_of("{n} address", "{n} addresses", n=max(len(messages.clients), 1)),
            client=client,
            most=n,
            line=messages.lines[0][1],
            **more(messages),
        )
    ]


def _too_big(view: WindowView) -> list[Finding]:
    """Requests above nsslapd-maxbersize, with the largest that the error log gives a size of."""
    sizes = [int(m[1]) for line in view.errors if (m := _SIZE.search(line.text))]
    sizes = [size for size in sizes if size <= MAX_BER]
    return [
        replace(seen, numbers={**seen.numbers, **({"largest_bytes": max(sizes)} if sizes else {})})
        for seen in by_client(view, "request_too_big", "too_big")
    ]


def cut_when_idle(view: WindowView) -> list[Finding]:
    """Connections that end without an unbind, each as long after its last answer as the others.

    Neither slapd, which says so where its own limit ends one, nor a client that is done does that.
    A client or host that dies ends its connections together, so they have to end at many moments.
    """
    limit, operations = limits("cut_when_idle"), view.operations
    messages = messages_of(view, "lost")
    ended = list(_ended(operations, messages)) if messages else []
    if messages is None or len(ended) < limit["connections"]:
        return []
    ends = np.array([time_ns for (time_ns, _), _ in ended])
    rows = np.array([row for _, row in ended], np.intp)
    idle = ends - operations.end_ns[rows]
    usual = int(np.median(idle))
    alike = np.abs(idle - usual) <= limit["off"] * usual
    if usual < limit["idle_s"] * NS_PER_S or alike.sum() < limit["alike"] * len(ended):
        return []
    ends, rows, idle = np.sort(ends[alike]), rows[alike], idle[alike]
    moments = 1 + int((np.diff(ends) >= limit["apart_s"] * NS_PER_S).sum())
    if moments < limit["connections"] or np.ptp(ends) < limit["spread"] * np.ptp(idle):
        return []
    of = Counter(text_at(operations.clients, int(operations.client[row])) for row in rows)
    client, most = of.most_common(1)[0]
    stored = len(messages.lines)
    return [
        finding(
            "cut_when_idle",
            numbers={
                "connections": len(rows),
                "idle_ns": usual,
                "addresses": dict(of),
                "lost": messages.n if messages.n > stored else None,
            },
            evidence=messages.evidence,
            stored=stored,
            connections=count_of("{n} connection", "{n} connections", n=len(rows)),
            client=client or _UNKNOWN,
            most=most,
        )
    ]


def _ended(operations: Operations, messages: Messages) -> Iterator[tuple[_Line, int]]:
    """The lines that name a connection that had operations, and the row of its last answer before.

    Those without a time are left out.
    """
    named = [int(m[1]) for _, text in messages.lines if (m := _CONNECTION.search(text))]
    started = np.argsort(operations.start_ns, kind="stable")
    answered = np.flatnonzero(np.isin(operations.conn, named))
    answered = answered[np.argsort(operations.end_ns[answered], kind="stable")]
    starts, ends = operations.start_ns[started], operations.end_ns[answered]
    for line in messages.lines:
        time_ns, text = line
        match = _CONNECTION.search(text)
        if time_ns is None or match is None:
            continue
        before = answered[: np.searchsorted(ends, time_ns, "right")]
        at = np.searchsorted(starts, time_ns, "right") - 1
        # Numbers of connections begin again with each start of the server.
        boot = operations.boot[started[at]] if at >= 0 else 0
        same = (operations.conn[before] == int(match[1])) & (operations.boot[before] == boot)
        if same.any():
            yield line, int(before[np.flatnonzero(same)[-1]])


def _pages_of(view: WindowView, messages: Messages) -> dict[str, Any]:
    """How many of the connections that were closed had read a part of a paged search last."""
    operations = view.operations
    closed = {int(match[1]) for _, text in messages.lines if (match := _CONNECTION.search(text))}
    rows = np.flatnonzero(client_operations(operations) & np.isin(operations.conn, list(closed)))
    last = {int(operations.conn[row]): row for row in rows[np.argsort(operations.end_ns[rows])]}
    pages = [int(row) for row in last.values() if operations.notes[row] & PAGED]
    paged = sum(view.line_of is None or not is_last_page(view.line_of(row)) for row in pages)
    seconds = view.number("nsslapd-timelimit")
    limit = phrase("closed_unfinished", "limit", seconds=round(seconds)) if seconds else NOTHING
    return {"paged": paged or None, "others": len(last) - len(pages) or None, "limit": limit}


def said(
    view: WindowView,
    which: str,
    kind: str,
    more: Callable[[Messages], dict[str, Any]] = lambda _: {},
) -> list[Finding]:
    """A finding for messages that leave no doubt, with `more` numbers."""
    messages = messages_of(view, kind)
    if messages is None or messages.n < limits(which)["lines"]:
        return []
    count = once_or_more(messages.n)
    # A library says why on a line of its own before or behind the one that counts the attempt.
    line = " / ".join(text for text, _ in said_alike((text for _, text in messages.lines), 2))
    numbers = {"lines": messages.n} | more(messages)
    return [
        finding(
            which,
            numbers=numbers,
            evidence=messages.evidence,
            count=count,
            line=line,
            tls="tls" in line.lower(),
        )
    ]


def _maps_of(view: WindowView, messages: Messages) -> dict[str, Any]:
    """The maps that may be full, in bytes: of the databases that lines name, else of all there are.

    Some lines end with the DN of the entry that had no room, others name nothing.
    """
    sizes: dict[str, int] = {}
    named: set[str] = set()
    quoted = {normal_dn(dn) for _, text in messages.lines for dn in _QUOTED.findall(text)}
    for match, entry in view.configuration.matching(r"olcDatabase=(\{\d+\}mdb),cn=config"):
        size = entry.first("olcDbMaxSize")
        sizes[match[1]] = int(size) if size.isdigit() else _DEFAULT_MAP
        suffixes = [normal_dn(suffix) for suffix in entry.values("olcSuffix")]
        if any(f",{dn}".endswith(f",{suffix}") for dn in quoted for suffix in suffixes):
            named.add(match[1])
    return {"maps": {name: size for name, size in sizes.items() if name in (named or sizes)}}


def deferred(view: WindowView) -> list[Finding]:
    """Operations that slapd put off, by its reason."""
    start_ns, end_ns = view.window.start_ns, view.window.end_ns
    rows = [
        row
        for source in view.sources
        for row in source.details.get("deferred", ())
        if _overlaps(row, start_ns, end_ns)
    ]
    n = sum(row["n"] for row in rows)
    # Of an excerpt of seconds a few lines are no rate.
    per_minute = n / max(view.seconds, 60.0) * 60
    if per_minute < limits("connection_threads")["hits_per_minute"]:
        return []
    findings = put_off(view, "connection_threads", "pending operations", rows)
    findings += put_off(view, "deferred_executing", "too many executing", rows)
    findings += put_off(view, "deferred_binding", "binding", rows)
    return findings + put_off(view, "deferred_writing", "awaiting write", rows)


def put_off(
    view: WindowView, which: str, reason: str, rows: Sequence[Mapping[str, Any]]
) -> list[Finding]:
    """The finding of one reason, where it is no rare one: each asks for something else."""
    of_all = sum(row["n"] for row in rows)
    rows = [row for row in rows if row["reasons"].get(reason)]
    rows.sort(key=lambda row: -row["reasons"][reason])
    hits = sum(row["reasons"][reason] for row in rows)
    if not hits or hits < limits("connection_threads")["share"] * of_all:
        return []
    most = rows[0]
    allowed, idle = view.number("olcConnMaxPending"), series.mean(series.cpu_idle(view.samples))
    rate = hits / max(view.seconds, 60.0) * 60
    words = {
        "hits": once_or_more(hits),
        "connections": count_of("{n} connection", "{n} connections", n=len(rows)),
        "conn": most["conn"],
        "client": most["client"] or _UNKNOWN,
    }
    seen = finding(
        which,
        numbers={
            "hits": hits,
            "hits_per_minute": round(rate, 1),
            "allowed": allowed,
            "threads": working_threads(view),
            "cpu_idle_percent": round(idle, 1) if idle is not None else None,
            "connections": [{"conn": row["conn"], "client": row["client"]} for row in rows],
        },
        evidence=[_evidence(row, row["reasons"][reason]) for row in rows[:_SHOWN]],
        rate=round(rate),
        most=NOTHING,
        **words,
    )
    if which != "connection_threads":
        return [seen]
    pending = round(allowed) if allowed else Message("100 by default")
    sentence = phrase("connection_threads", "put_off", pending=pending, **words)
    return [replace(seen, sentence=sentence)]


def _evidence(row: Mapping[str, Any], n: int) -> Evidence:
    client = row["client"] or _UNKNOWN
    text = phrase("connection_threads", "of_one", n=n, conn=row["conn"], client=client)
    return Evidence(text, row["first_ns"], row["last_ns"])
