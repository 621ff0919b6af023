"""Answers that wait to be taken by their clients.

389 DS 3.2 logs writetime where it is asked to: optime is long because writing is, so the client or
the network takes the answer slowly, or there is much to take
(docs/389ds/design/fine-grain-operation-timing.md of the vendor). A search whose answer slapd cannot
send has no line but its request; cn=Waiters of its monitor counts the threads that wait so.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.account.shared import described
from ldap_workbench.advice.evidence.clients import Client, Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.threads import working_threads
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ABSENT, Int64
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import Waiting

_WRITERS = "cn=write,cn=waiters,cn=monitor:monitorcounter"
_MOST = 20


def find(view: WindowView) -> list[Finding]:
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
        numbers={"share": share, "most": most, "threads": threads, "open": len(waiting)},
        evidence=[
            view.evidence(Message("Threads that wait to write."), series=_WRITERS),
            *(_evidence(one, end_ns) for one in waiting[:_MOST]),
        ],
        severity=3 if half else None,
        worker_ns=round(float(writers.mean()) * view.window.seconds * NS_PER_S),
        readings=count_of("{n} reading", "{n} readings", n=len(writers)),
        waiting=count_of("{n} worker thread", "{n} worker threads", n=most),
        first=_text(first, end_ns) if first else None,
    )


def _evidence(search: Waiting, end_ns: int) -> Evidence:
    return Evidence(_text(search, end_ns), search.time_ns, end_ns)


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
