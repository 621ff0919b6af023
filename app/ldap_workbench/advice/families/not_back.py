"""What a client kept open until a moment and did not open again: connections, searches that listen.

No operation takes longer for it, so that nothing else of a log shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.rows import numbered
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import Waiting, is_persistent, left_open


def find(view: WindowView) -> list[Finding]:
    """The client that lacks most connections of a pool, else one that listens no more."""
    pools = sorted(_pools(view), key=lambda seen: -seen.numbers["lost"])
    return pools[:1] or list(_listeners(view))


def _pools(view: WindowView) -> Iterator[Finding]:
    """Clients whose connections ended together; few came back, and these do as much work.

    A pool that needs fewer for a time leaves the others open, and nothing is asked on them: only
    those count that the log shows opened and closed.
    """
    limit, asked = limits("not_back"), view.asked
    connections, start = asked.connections, asked.operations.start_ns[asked.rows]
    whole, width = _length(view), round(limit["together_s"] * NS_PER_S)
    begin, last = asked.operations.start_ns[connections.first], np.zeros_like(connections.client)
    # Rows are in the order of their starts: of each connection the last one stands.
    last[connections.number] = asked.operations.end_ns[asked.rows]
    lasting = np.flatnonzero(last - begin >= limit["history"] * whole)
    is_closed, (first, of) = _is_closed(view), numbered(connections.client[lasting])
    for number in np.flatnonzero(np.bincount(of) >= limit["lost"]):
        mine = lasting[of == number]
        ends = np.sort(last[mine[is_closed[mine]]])
        if len(ends) < limit["lost"]:
            continue
        together = np.searchsorted(ends, ends + width, "right") - np.arange(len(ends))
        lost, at_ns = int(together.max()), int(ends[np.argmax(together)])
        if lost < limit["lost"] or view.window.end_ns - at_ns - width < limit["rest"] * whole:
            continue
        own = asked.client == connections.client[lasting[first[number]]]
        earlier, later = own & (start < at_ns), own & (start > at_ns + width)
        before = int(((begin[mine] < at_ns) & (last[mine] >= at_ns)).sum())
        after = len(np.unique(connections.number[later]))
        since = max(at_ns - int(start[own][0]), 1)
        pace = later.sum() / (view.window.end_ns - at_ns - width) * since / max(earlier.sum(), 1)
        if after <= limit["left"] * before and pace >= limit["pace"]:
            places = np.flatnonzero(own & (start <= at_ns + width))
            client = asked.describe(places)
            yield finding(
                "not_back",
                numbers={"lost": lost, "before": before, "after": after, "at_ns": at_ns}
                | client.as_numbers(),
                evidence=[asked.evidence(places, phrase("not_back", "until"))],
                restarted=None,
                what=phrase(
                    "not_back", "pool", client=client.name, before=before, at=at_ns, lost=lost,
                    after=after, within=width, pace=float(pace),
                ),
            )  # fmt: skip


def _is_closed(view: WindowView) -> NDArray[np.bool_]:
    """Of each connection whether the log shows it opened and, by its end, closed."""
    connections, boot = view.asked.connections, view.operations.boot[view.asked.connections.first]
    if not any("left_open" in source.details for source in view.sources):
        return np.zeros(len(boot), np.bool_)
    # A restart has closed whatever was opened before it; left_open is about the newest start.
    still = np.isin(view.operations.conn[connections.first], left_open(view.sources))
    still &= boot == view.operations.boot.max(initial=0)
    closed: NDArray[np.bool_] = (connections.opened_ns != ABSENT) & ~still
    return closed


def _listeners(view: WindowView) -> Iterator[Finding]:
    """The client with most searches that stayed open until a restart, and that are not back."""
    gone: dict[tuple[str, int], list[Waiting]] = {}
    for search in view.given_up:
        if _is_missed(view, search):
            gone.setdefault((search.client, search.boot), []).append(search)
    for (client, boot), searches in sorted(gone.items(), key=lambda item: -len(item[1]))[:1]:
        at_ns, operations = max(search.closed_ns or 0 for search in searches), view.operations
        later = operations.start_ns[operations.boot > boot]
        restarted = int(later.min()) if len(later) else None
        yield finding(
            "not_back",
            numbers={"lost": len(searches), "after": 0, "at_ns": at_ns, "client": client}
            | {"bind_dn": searches[0].bind_dn},
            evidence=[
                Evidence(_kept_open(search), search.time_ns, search.closed_ns)
                for search in searches
            ],
            what=phrase(
                "not_back", "listener", n=len(searches), client=client, base=searches[0].base,
                filter=searches[0].filter, at=at_ns,
            ),
            restarted=restarted,
        )  # fmt: skip


def _is_missed(view: WindowView, search: Waiting) -> bool:
    """Whether it told of changes until its end, and its client goes on without one like it."""
    limit, operations, whole = limits("not_back"), view.operations, _length(view)
    closed_ns = search.closed_ns or 0
    listens = search.is_search and search.waited_ns(0) >= limit["history"] * whole
    if not listens or view.window.end_ns - closed_ns < limit["rest"] * whole:
        return False
    later = operations.start_ns > closed_ns
    # What a client gives up by itself, a server that goes on may have left without an answer.
    restarted = bool((operations.boot[later] > search.boot).any())
    if not restarted and not (view.line_at and is_persistent(search, view.line_at)):
        return False
    own = np.array([name == search.client for name in (*operations.clients, "")])
    if (later & own[operations.client]).sum() < limit["others"]:
        return False
    return not any(
        (again.client, again.base, again.filter) == (search.client, search.base, search.filter)
        for again in (*view.waiting, *view.given_up)
        if again.time_ns > closed_ns
    )


def _kept_open(search: Waiting) -> Message:
    return phrase("not_back", conn=search.conn, base=search.base, filter=search.filter)


def _length(view: WindowView) -> int:
    return view.window.end_ns - view.window.start_ns
