"""How clients connect: without a pool, without an end, slowly, or binding again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.clients import (
    BIND,
    EXT,
    SHORT,
    Asked,
    Habit,
    Rows,
    finding_of_habits,
)
from ldap_workbench.advice.evidence.rows import stable_order
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits, phrase, times
from ldap_workbench.advice.families.errors import most_connections
from ldap_workbench.advice.families.server_messages import Messages, messages_of
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of, sentences
from ldap_workbench.model.operations import ABSENT, Int64
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S
from ldap_workbench.session.unanswered import left_open

_SLICES = 20
"""Parts the window is cut into, to see whether connections are opened throughout."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return not_closed(view) + no_pooling(view) + slow_to_bind(view) + rebinding(view)


def not_closed(view: WindowView) -> list[Finding]:
    """Clients that open connections throughout the window, use each once and close hardly any."""
    asked, limit = view.asked, limits("connections_not_closed")
    connections, operations = asked.connections, asked.operations
    opened = connections.opened_ns != ABSENT
    opened &= operations.boot[connections.first] == operations.boot.max(initial=0)
    left = opened & np.isin(operations.conn[connections.first], left_open(view.sources))
    keys, counts = np.unique(connections.client[left], return_counts=True)
    many = (connections.client == key for key in keys[counts >= limit["connections"]])
    leaks = [leak for mine in many if (leak := _leak(view, opened & mine, left & mine))]
    leaks.sort(key=lambda leak: -leak.count)
    return finding_of_habits("connections_not_closed", asked, leaks, counted="left_open")


def _leak(view: WindowView, opened: NDArray[np.bool_], left: NDArray[np.bool_]) -> Habit | None:
    """What one client left open of what it opened, where it never came back to most of it.

    A pool that grows, or many users behind one address, go on asking on what they opened.
    """
    asked, limit, end_ns = view.asked, limits("connections_not_closed"), view.window.end_ns
    begun_ns, count, of = asked.connections.opened_ns[left], int(left.sum()), int(opened.sum())
    last = np.zeros(len(left), np.intp)
    last[asked.connections.number] = asked.rows  # by start: of each connection the last stands
    idle = end_ns - asked.operations.end_ns[last[left]]
    if (
        count < limit["share"] * of
        or _spread(begun_ns, view) < limit["spread"]
        or np.median(idle / np.maximum(end_ns - begun_ns, 1)) < limit["idle"]
    ):
        return None
    growth = _per_hour(view, count)
    numbers = {"opened": of, "closed": of - count, "growth_per_h": growth}
    says: dict[str, Value] = {"left": count, "idle": int(np.median(idle))}
    says |= {"count": _connections(of), "limit": _until_limit(view, growth)}
    code, share = _most(asked.operations.err[last[left]])
    after = phrase("connections_not_closed", "after", code=code, share=share)
    is_error = code > 0 and share >= limit["share"]
    says["after"] = after if is_error else NOTHING
    places = np.flatnonzero(left[asked.connections.number])
    return Habit(places, count=count, says=says, numbers=numbers)


def _most(codes: NDArray[np.integer]) -> tuple[int, float]:
    """The most frequent of some result codes, and its share."""
    different, counts = np.unique(codes, return_counts=True)
    return int(different[np.argmax(counts)]), float(counts.max() / len(codes))


def _until_limit(view: WindowView, growth_per_h: int) -> Message:
    """Behind the sentence: when the server has no place for one more, if it goes on like this."""
    most = most_connections(view) or 0
    current = series.last(series.get(view.samples, series.BASE, "currentconnections"))
    open_now = len(left_open(view.sources)) if current is None else round(current)
    if most <= open_now:
        return NOTHING
    return phrase(
        "connections_not_closed",
        "limit",
        most=round(most),
        free=round(most) - open_now,
        time=round(3600 * (most - open_now) / growth_per_h * NS_PER_S),
    )


def no_pooling(view: WindowView) -> list[Finding]:
    """Clients that open a connection for a few operations throughout the window."""
    openers = (opener for key in _openers(view.asked) if (opener := _opener(view, key)))
    every = finding_of_habits("no_pooling", view.asked, openers, counted="connections")
    lost = messages_of(view, "lost")
    return [
        replace(
            seen,
            numbers=seen.numbers | {"connections_per_h": _per_hour(view, n)},
            sentence=sentences(seen.sentence, *_dropped(seen, n, lost)),
        )
        for seen in every
        for n in [seen.numbers["connections"]]
    ]


def _dropped(seen: Finding, connections: int, lost: Messages | None) -> Iterator[Message]:
    """That the connections of its clients end without an unbind, where most of them do."""
    n = sum(lost.clients[of["client"]] for of in seen.numbers["clients"]) if lost else 0
    if n >= limits("no_pooling")["share"] * connections:
        yield phrase("no_pooling", "dropped", share=min(1.0, n / connections))


def _per_hour(view: WindowView, connections: int) -> int:
    return round(3600 * connections / view.seconds)


def _connections(n: int) -> Message:
    return count_of("{n} connection", "{n} connections", n=n)


def _openers(asked: Asked) -> list[int]:
    """Keys of the clients that opened enough short connections to be looked at."""
    connections = asked.connections
    short = _for_one_piece(asked)
    keys, counts = np.unique(connections.client[short], return_counts=True)
    enough = counts >= limits("no_pooling")["connections"]
    return [int(key) for key in keys[enough]]


def _for_one_piece(asked: Asked) -> NDArray[np.bool_]:
    """Short connections that a pool would save.

    Those that only check the password of one of many users are left out: each such bind needs a
    connection, or one that is bound anew.
    """
    connections, operations = asked.connections, asked.operations
    others = (
        np.bincount(connections.number[asked.kind != BIND], minlength=len(connections.first)) > 0
    )
    who = (
        connections.client * (len(operations.bind_dns) + 2)
        + operations.bind_dn[connections.first]
        + 1
    )
    _, group, counts = np.unique(who, return_inverse=True, return_counts=True)
    _, client, of_client = np.unique(connections.client, return_inverse=True, return_counts=True)
    one_account = counts[group] >= limits("no_pooling")["account"] * of_client[client]
    short = connections.operations <= SHORT
    avoidable: NDArray[np.bool_] = _opened(asked) & short & (others | one_account)
    return avoidable


def _opened(asked: Asked) -> NDArray[np.bool_]:
    """Connections that were opened within the log: it says so, or their numbers begin there."""
    connections = asked.connections
    begun: NDArray[np.bool_] = asked.operations.op[connections.first] <= 1
    opened: NDArray[np.bool_] = begun | (connections.opened_ns != ABSENT)
    return opened


def _opener(view: WindowView, key: int) -> Habit | None:
    asked, limit = view.asked, limits("no_pooling")
    connections, operations = asked.connections, asked.operations
    opened = _opened(asked) & (connections.client == key)
    short = _for_one_piece(asked) & (connections.client == key)
    count, every = int(short.sum()), int(opened.sum())
    starts = operations.start_ns[connections.first[short]]
    if count < limit["share"] * every or count < limit["rate_per_s"] * view.seconds:
        return None
    if _spread(starts, view) < limit["spread"]:
        return None
    mine = np.flatnonzero(short[connections.number])
    setting_up = mine[np.isin(asked.kind[mine], (BIND, EXT))]
    median = float(np.median(connections.operations[opened]))
    return Habit(
        setting_up if len(setting_up) else mine,
        worker_ns=int(asked.worker_ns[setting_up].sum()),
        user_ns=_until_bound(asked, short) or None,
        count=count,
        says={
            "count": _connections(count),
            "share": count / every,
            "rate": _per_hour(view, count),
            "median": median,
        },
        numbers={"operations_per_connection": median},
    )


def _spread(times: Int64, view: WindowView) -> float:
    """Share of the window's parts in which one of these times lies: a pool is filled at once."""
    first, last = int(view.asked.operations.start_ns.min()), int(view.operations.end_ns.max())
    parts = (times - first) * _SLICES // max(last - first, 1)
    return len(np.unique(np.clip(parts, 0, _SLICES - 1))) / _SLICES


def _until_bound(asked: Asked, chosen: NDArray[np.bool_]) -> int:
    """Time from opening a connection to the end of its first operation, summed, in ns."""
    connections, operations = asked.connections, asked.operations
    known = chosen & (connections.opened_ns != ABSENT)
    ends = operations.end_ns[connections.first[known]]
    waited = np.maximum(
        ends - connections.opened_ns[known], operations.etime_ns[connections.first[known]]
    )
    most = round(limits("connect_to_bind_gap")["most_s"] * NS_PER_S)
    return int(waited[waited <= most].sum())


def slow_to_bind(view: WindowView) -> list[Finding]:
    """Clients whose first request comes late after the connection: TLS, a resolver, a slow client.

    A connection that is opened in advance and used much later tells nothing.
    """
    limit, asked = limits("connect_to_bind_gap"), view.asked
    if view.resolution_ns >= limit["gap_ms"] * NS_PER_MS:
        return []
    connections = asked.connections
    gap = asked.operations.start_ns[connections.first] - connections.opened_ns
    known = (connections.opened_ns != ABSENT) & (gap >= 0) & (gap <= limit["most_s"] * NS_PER_S)
    waits_of = [
        (places, gap[np.unique(connections.number[places])])
        for places in asked.groups(np.flatnonzero(known[connections.number]))
    ]
    every_wait = gap[known]
    slow = [(places, waits) for places, waits in waits_of if _is_late(waits)]
    everyone = sum(len(waits) for _, waits in slow) == len(every_wait)
    together = not slow and _is_late(every_wait)
    if together:  # of many clients with a few connections each
        slow = waits_of
    rush = _waits_in_a_rush(connections.opened_ns[known], every_wait)
    habits = (
        _late(asked, places, waits, every_wait if together else waits, rush, everyone or together)
        for places, waits in slow
    )
    return finding_of_habits("connect_to_bind_gap", asked, habits, counted="connections")


def _is_late(waits: Int64) -> bool:
    """Whether half of some waits, enough of them, are long."""
    limit = limits("connect_to_bind_gap")
    enough = len(waits) >= limit["connections"]
    return enough and bool(np.median(waits) >= limit["gap_ms"] * NS_PER_MS)


def _waits_in_a_rush(opened_ns: Int64, waits: Int64) -> Message:
    """How much longer connections wait while many others do; nothing where they hardly do."""
    limit = limits("connect_to_bind_gap")
    if len(waits) < limit["connections"]:
        return NOTHING
    before = np.searchsorted(np.sort(opened_ns), opened_ns, "left")
    begun = np.searchsorted(np.sort(opened_ns + waits), opened_ns, "right")
    beside = before - begun
    few, many = np.quantile(beside, (0.25, 0.75))
    quiet = int(np.median(waits[beside <= few]))
    busy = int(np.median(waits[beside >= many]))
    if many < limit["beside"] or busy < limit["times"] * max(quiet, 1):
        return NOTHING
    return phrase("connect_to_bind_gap", "rush", busy=busy, quiet=quiet, n=round(many))


def _late(
    asked: Asked, places: Rows, waits: Int64, said_of: Int64, rush: Message, every_client: bool
) -> Habit:
    """One client's waits; the sentence is of those of all where it is no matter of one."""
    usual = int(np.median(said_of))
    return Habit(
        places,
        user_ns=int(waits.sum()),
        count=len(waits),
        says={
            "count": _connections(len(said_of)),
            "gap": usual,
            "most": asked.describe(places).name,
            "rush": rush,
        },
        numbers={"gap_p50_ns": usual, "every_client": every_client},
    )


def rebinding(view: WindowView) -> list[Finding]:
    """Clients that bind as the same DN again on a connection that is bound as it."""
    return finding_of_habits("rebinding", view.asked, _rebinds(view.asked), counted="binds")


def _rebinds(asked: Asked) -> Iterator[Habit]:
    limit = limits("rebinding")
    others = asked.count_by_client((asked.kind != BIND) & (asked.kind != EXT))
    for places in asked.groups(np.flatnonzero(_again(asked))):
        of_client = others.get(int(asked.client[places[0]]), 0)
        if len(places) >= max(limit["binds"], limit["share"] * of_client):
            yield Habit(
                places,
                worker_ns=int(asked.worker_ns[places].sum()),
                says={"count": times(len(places))},
            )


def _again(asked: Asked) -> NDArray[np.bool_]:
    """Successful binds as the DN that the last bind of their connection had."""
    operations = asked.operations
    binds = np.flatnonzero((asked.kind == BIND) & (operations.err[asked.rows] == 0))
    binds = binds[stable_order(asked.connections.number[binds])]
    number = asked.connections.number[binds]
    dn = operations.bind_dn[asked.rows[binds]]
    same = np.zeros(len(asked.rows), np.bool_)
    if len(binds):
        same[binds[1:]] = (number[1:] == number[:-1]) & (dn[1:] == dn[:-1]) & (dn[1:] >= 0)
    return same
