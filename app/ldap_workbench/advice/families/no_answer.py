"""A server that did not answer: the workbench within the window, or clients."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ldap_workbench.advice.account.shared import described
from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.unanswered import Waiting

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
        if any("lock" in frame for frame in frames[:_INNERMOST])
        and all(dump.threads.get(thread) == frames for dump in dumps)
    ]
    if not still:
        return None
    [(most, n)] = Counter(still).most_common(1)
    if n < _CROWD:
        return None
    where = tuple(frame for frame in most[:_INNERMOST] if "lock" not in frame)
    others = [
        Message("{frames:list}", frames=tuple(frame for frame in frames if frame not in most)[-3:])
        for frames in dict.fromkeys(still)
        if frames != most
    ]
    threads = count_of("{n} thread", "{n} threads", n=n)
    together = count_of("{n} stack dump", "{n} stack dumps", n=len(dumps))
    said = phrase("unanswered", "standing", dumps=together, threads=threads, where=where)
    if not others:
        return said
    return sentences(said, phrase("unanswered", "beside", others=tuple(others[:_MOST])))


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
