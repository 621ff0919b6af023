"""Answers that never came, that nobody takes, and searches left open for changes.

389 DS 3.2 logs writetime where it is asked to: optime is long because writing is, so the client or
the network takes the answer slowly, or there is much to take
(docs/389ds/design/fine-grain-operation-timing.md of the vendor). A search whose answer slapd cannot
send has no line but its request; cn=Waiters of its monitor counts the threads that wait so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ldap_workbench.advice.account.shared import described
from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.clients import Client, Rows
from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, search_words
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import ABSENT, Int64, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.unanswered import Waiting, is_persistent

_OF_HOST = ("psi:", "iostat:", "cpu:")
"""Series that the host still reports while the server is silent."""
_PARENT = re.compile(r"^(?:[^,\\]|\\.)*(?:,|$)")
"""The first part of a DN; a comma behind a backslash is of its value."""
_SHARED = 0.8
"""What this share of operations has in common describes them."""
_MOST = 20
_LINES = 3
_DUMPS, _CROWD, _INNERMOST = 2, 3, 3
"""Stack dumps and threads from which on they stand still, and frames that say where."""
_PLACES = ("at_log", "at_database", "at_backend")
"""Places of which it is known what those wait for that stand there."""


def find(view: WindowView) -> list[Finding]:
    """The times without an answer, and the requests that had none."""
    return [*_silence(view), *_unanswered(view)]


def _silence(view: WindowView) -> Iterator[Finding]:
    """The times without an answer, and what the host and the error log show of them."""
    monitors = [source for source in view.sources if source.kind is SourceKind.MONITOR]
    outages = sorted(span for source in monitors for span in source.outages)
    if not outages:
        return
    silent_ns = sum(end - start for start, end in outages)
    start, end = max(outages, key=lambda span: span[1] - span[0])
    yield finding(
        "no_answer",
        numbers={"outages": len(outages), "silent_s": silent_ns / NS_PER_S},
        evidence=_evidence(view, outages),
        start=start,
        end=end,
        # It took the connection and did not answer before the window, either.
        waited_s=max((s.details.get("no_worker_s") or 0 for s in monitors), default=0) or None,
        heard=_host(view, start, end),
    )


def _host(view: WindowView, start_ns: int, end_ns: int) -> Message:
    """Whether the host was reached meanwhile: then it is the server, not the way to it."""
    names = [name for name in view.samples if name.startswith(_OF_HOST)]
    if any(((view.samples[n][0] > start_ns) & (view.samples[n][0] < end_ns)).any() for n in names):
        return Message("Its host answered meanwhile: the server itself was stopped or stuck.")
    return Message("Its host was not heard of either: the network or the host may be the cause.")


def _evidence(view: WindowView, outages: list[tuple[int, int]]) -> list[Evidence]:
    spans = [
        Evidence(phrase("no_answer", start=start, end=end), start, end)
        for start, end in outages[:_MOST]
    ]
    first, last = outages[0][0] - NS_PER_S, outages[-1][1] + NS_PER_S
    lines = [line for line in view.errors if first <= line.time_ns <= last]
    return spans + [Evidence(verbatim(e.text), e.time_ns, e.time_ns) for e in lines[:_LINES]]


# --- requests of clients --------------------------------------------------------------------------


def _unanswered(view: WindowView) -> Iterator[Finding]:
    """Operations on several connections that waited far longer than usual and have no result."""
    waiting = view.never_answered
    connections = {(operation.boot, operation.conn) for operation in waiting}
    if len(connections) < limits("unanswered")["connections"]:
        return
    end_ns = view.window.end_ns
    first_ns = waiting[0].time_ns
    given_up = [operation for operation in waiting if operation.closed_ns is not None]
    still = [operation for operation in waiting if operation.closed_ns is None]
    ends = view.operations.end_ns[client_operations(view.operations)]
    last_ns = max(operation.time_ns + operation.waited_ns(end_ns) for operation in waiting)
    others = int(((ends > first_ns) & (ends <= last_ns)).sum())
    types = Counter(operation.type for operation in waiting)
    yield finding(
        "unanswered",
        numbers={
            "operations": len(waiting),
            "connections": len(connections),
            "given_up": len(given_up),
            "longest_ns": max(operation.waited_ns(end_ns) for operation in waiting),
            "answered_meanwhile": others,
            "types": dict(types),
        },
        evidence=[_waits(view, operation) for operation in waiting[:_MOST]],
        user_ns=sum(operation.waited_ns(end_ns) for operation in waiting),
        count=phrase("unanswered", "count", n=len(waiting)),
        kinds=tuple(Message("{n} {type}", n=n, type=kind) for kind, n in types.most_common()),
        given_up=_closed(given_up),
        still=_open(still, end_ns),
        who=described(_in_common(waiting)),
        meanwhile=phrase("unanswered", "meanwhile", n=others),
        standing=standing(view.stacks),
        asked=asked_before(view.operations, first_ns),
    )


def standing(dumps: Sequence[StackDump]) -> Message | None:
    """Where most threads wait for a lock in all of several stack dumps, and which others do.

    None where they do not stand still. The frames that others have outside those of most are
    those of what called them: a plug-in, a thread of the server's own.
    """
    if len(dumps) < _DUMPS:
        return None
    still = [
        frames
        for thread, frames in dumps[0].threads.items()
        if _has("waits", frames[:_INNERMOST])
        and not _has("idle", frames)
        and all(dump.threads.get(thread) == frames for dump in dumps)
    ]
    if not still:
        return None
    [(most, n)] = Counter(still).most_common(1)
    if n < _CROWD:
        return None
    where = tuple(frame for frame in most if not _has("waits", [frame]))[: _INNERMOST - 1]
    others = [
        Message("{frames:list}", frames=tuple(frame for frame in frames if frame not in most)[-3:])
        for frames in dict.fromkeys(still)
        if frames != most
    ]
    threads = count_of("{n} thread", "{n} threads", n=n)
    together = count_of("{n} stack dump", "{n} stack dumps", n=len(dumps))
    said = [phrase("unanswered", "standing", dumps=together, threads=threads, where=where)]
    said += [phrase("unanswered", which) for which in _PLACES if _has(which, most)]
    if others:
        said.append(phrase("unanswered", "beside", others=tuple(others[:_MOST])))
    return sentences(*said)


def _has(which: str, frames: Sequence[str]) -> bool:
    """Whether one of some frames has a word of a list."""
    return any(word in frame for frame in frames for word in search_words("unanswered", which))


def _closed(given_up: Sequence[Waiting]) -> Message | None:
    """How many connections were closed, and how long the longest wait until then was."""
    longest = max((operation.waited_ns(0) for operation in given_up), default=None)
    if longest is None:
        return None
    return phrase("unanswered", "given_up", n=len(given_up), longest=longest)


def _open(still: Sequence[Waiting], end_ns: int) -> Message | None:
    """How many wait where the window ends; they come oldest first."""
    if not still:
        return None
    since = still[0].time_ns
    return phrase("unanswered", "still", n=len(still), since=since, waits=end_ns - since)


def _in_common(waiting: Sequence[Waiting]) -> dict[str, str]:
    """What most of some operations share, by who asked and on what."""
    of_each = {
        "client": [operation.client for operation in waiting],
        "bind_dn": [operation.bind_dn for operation in waiting],
        "base": [operation.base for operation in waiting],
        "below": [_PARENT.sub("", operation.base, count=1) for operation in waiting],
    }
    shared = {}
    for key, values in of_each.items():
        value, n = Counter(values).most_common(1)[0]
        if value and n >= _SHARED * len(waiting):
            shared[key] = value
    if "base" in shared:
        shared.pop("below", None)
    return shared


def _waits(view: WindowView, operation: Waiting) -> Evidence:
    end_ns = operation.closed_ns or view.window.end_ns
    text = phrase(
        "unanswered",
        "given_up_one" if operation.closed_ns else "",
        waited=end_ns - operation.time_ns,
        conn=operation.conn,
        client=operation.client or Message("a client that the log does not name"),
        type=operation.type,
        what=operation.filter or operation.base,
        since=operation.time_ns,
    )
    return Evidence(text, operation.time_ns, end_ns)


_THREADS = ("ps-send", "sync-send")
_THREADS_PER_CONNECTION = 5
"""Default of nsslapd-maxthreadsperconn."""


def find_persistent_searches(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("persistent_searches")
    searches = [
        search for search in view.waiting if view.line_at and is_persistent(search, view.line_at)
    ]
    changes = int(client_writes(view.operations).sum())
    by_connection = Counter(search.conn for search in searches)
    fullest, most = max(by_connection.items(), key=lambda item: item[1], default=(0, 0))
    allowed = view.number("nsslapd-maxthreadsperconn") or _THREADS_PER_CONNECTION
    full = most >= allowed
    if not full and (len(searches) < limit["searches"] or changes < limit["changes"]):
        return []
    spent = _spent_ns(view)
    return [
        finding(
            "persistent_searches",
            numbers={"searches": len(searches), "changes": changes, "on_one_connection": most},
            evidence=[
                _persistent_searches_evidence(view, searches, conn)
                for conn, _ in by_connection.most_common(20)
            ],
            severity=2 if full or spent >= limit["share"] * view.seconds * NS_PER_S else None,
            worker_ns=spent or None,
            searches=count_of(
                "{n} persistent or synchronising search is",
                "{n} persistent or synchronising searches are",
                n=len(searches),
            ),
            comparisons=changes * len(searches),
            changes=count_of("{n} change", "{n} changes", n=changes),
            full=full,
            client=_client_of(searches, fullest),
            allowed=int(allowed),
        )
    ]


def _spent_ns(view: WindowView) -> int:
    """Processor time of the threads of 389 DS that send changes, where they were sampled."""
    shares = [series.mean(view.samples.get(f"thread:{name}:cpu")) for name in _THREADS]
    return round(sum(share or 0.0 for share in shares) / 100 * view.seconds * NS_PER_S)


def _client_of(searches: list[Waiting], conn: int) -> str | Message:
    clients = (search.client for search in searches if search.conn == conn and search.client)
    return next(clients, Message("a client that the log does not name"))


def _persistent_searches_evidence(view: WindowView, searches: list[Waiting], conn: int) -> Evidence:
    mine = [search for search in searches if search.conn == conn]
    since = min(search.time_ns for search in mine)
    text = phrase(
        "persistent_searches",
        conn=conn,
        client=_client_of(mine, conn),
        searches=count_of("{n} search", "{n} searches", n=len(mine)),
        since=since,
    )
    return Evidence(text, since, view.window.end_ns)


_WRITERS = "cn=write,cn=waiters,cn=monitor:monitorcounter"


def find_answer_writing(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_logged(view), *_counted(view)]


def _counted(view: WindowView) -> Iterator[Finding]:
    """Threads of slapd that wait to write through most of a window, and what they work on."""
    limit, samples = limits("answers_unread"), view.samples.get(_WRITERS)
    if samples is None or len(samples[1]) < limit["readings"]:
        return
    writers, end_ns = samples[1], view.window.end_ns
    share = float((writers >= 1).mean())
    if share < limit["share"]:
        return
    most, threads = round(float(writers.max())), working_threads(view)
    half = threads is not None and most >= threads / 2
    waiting = [one for one in view.waiting if one.is_search]
    waiting.sort(key=lambda one: one.time_ns)
    first = waiting[0] if waiting else None
    yield finding(
        "answers_unread",
        numbers={
            "share": share,
            "most": most,
            "threads": threads,
            "open": len(waiting),
            "bind_dn": first.bind_dn if first else "",
            "base": first.base if first else "",
            "is_root_dn": first is not None and _is_root_dn(view, first.bind_dn),
        },
        evidence=[
            view.evidence(Message("Threads that wait to write."), series=_WRITERS),
            *(Evidence(_text(one, end_ns), one.time_ns, end_ns) for one in waiting[:_MOST]),
        ],
        severity=3 if half else None,
        worker_ns=round(float(writers.mean()) * view.window.seconds * NS_PER_S),
        readings=count_of("{n} reading", "{n} readings", n=len(writers)),
        waiting=count_of("{n} worker thread", "{n} worker threads", n=most),
        first=_text(first, end_ns) if first else None,
    )


def _is_root_dn(view: WindowView, dn: str) -> bool:
    """Whether a database of slapd has this DN as its own: no limits apply to it."""
    roots = {normal_dn(entry.first("olcRootDN")) for entry in view.configuration.entries}
    return bool(dn) and normal_dn(dn) in roots


def _text(search: Waiting, end_ns: int) -> Message:
    who = described({"client": search.client, "bind_dn": search.bind_dn})
    return phrase(
        "answers_unread",
        filter=search.filter,
        base=search.base or Message("the root"),
        conn=search.conn,
        who=who or (Message("of a client that the log does not name"),),
        since=search.time_ns,
        time=end_ns - search.time_ns,
    )


def _logged(view: WindowView) -> list[Finding]:
    limit, asked = limits("answer_writing"), view.asked
    if (view.operations.writetime_ns == ABSENT).all():
        return []
    writing = view.operations.writetime_ns[asked.rows]
    logged = writing != ABSENT
    slow = np.flatnonzero(logged & (writing >= limit["write_ms"] * 1e6))
    etime = int(view.operations.etime_ns[asked.rows][logged].sum())
    share = int(writing[slow].sum()) / max(etime, 1)
    if len(slow) < limit["operations"] or share < limit["share"]:
        return []
    client, part = _slowest(view, slow, writing)
    entries = int(np.median(np.maximum(view.operations.nentries[asked.rows][slow], 0)))
    numbers = {
        "write_share": share,
        "operations": len(slow),
        "entries_p50": entries,
        "client_share": part,
        **client.as_numbers(),
    }
    return [
        finding(
            "answer_writing",
            numbers=numbers,
            evidence=[asked.evidence(slow, Message("Answers that took long to write."))],
            worker_ns=int(writing[slow].sum()),
            user_ns=int(writing[slow].sum()),
            share=share,
            answers=count_of("{n} answer", "{n} answers", n=len(slow)),
            entries=count_of("{n} entry", "{n} entries", n=entries),
            client=client.name,
            part=part,
        )
    ]


def _slowest(view: WindowView, slow: Rows, writing: Int64) -> tuple[Client, float]:
    """Whose answers took longest to write in all, and their part of that time."""
    times = [(int(writing[rows].sum()), rows) for rows in view.asked.groups(slow)]
    most, rows = max(times, key=lambda item: item[0])
    return view.asked.describe(rows), most / max(int(writing[slow].sum()), 1)
