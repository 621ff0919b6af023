"""How clients connect: without a pool, slowly, or binding again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import (
    BIND,
    EXT,
    SHORT,
    Asked,
    Client,
    Rows,
    more_clients,
)
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import HIGH, Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ABSENT, Int64
from ldap_workbench.model.units import NS_PER_S

_SLICES = 20
"""Parts the window is cut into, to see whether connections are opened throughout."""
_CLIENTS = 20


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return no_pooling(view) + slow_to_bind(view) + rebinding(view)


@dataclass(frozen=True, eq=False)
class _Opener:
    """A client that opens connections for one piece of work each."""

    client: Client
    connections: int
    opened: int
    median: float
    worker_ns: int
    user_ns: int
    evidence: Evidence


def no_pooling(view: WindowView) -> list[Finding]:
    """Clients that open a connection for a few operations throughout the window."""
    openers = [opener for key in _openers(view.asked) if (opener := _opener(view, key))]
    if not openers:
        return []
    openers.sort(key=lambda opener: -max(opener.worker_ns, opener.user_ns))
    worst = openers[0]
    numbers = {
        "connections": sum(opener.connections for opener in openers),
        "connections_per_h": round(3600 * sum(e.connections for e in openers) / view.seconds),
        "operations_per_connection": worst.median,
        "clients": [opener.client.as_numbers() for opener in openers[:_CLIENTS]],
    }
    return [
        finding(
            "no_pooling",
            numbers=numbers,
            evidence=[opener.evidence for opener in openers[:_CLIENTS]],
            worker_ns=sum(opener.worker_ns for opener in openers),
            user_ns=sum(opener.user_ns for opener in openers) or None,
            client=worst.client.name,
            count=_connections(worst.connections),
            share=worst.connections / worst.opened,
            rate=round(3600 * worst.connections / view.seconds),
            median=worst.median,
            more=more_clients(len(openers) - 1),
        )
    ]


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


def _opener(view: WindowView, key: int) -> _Opener | None:
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
    client = asked.describe(mine)
    return _Opener(
        client,
        connections=count,
        opened=every,
        median=float(np.median(connections.operations[opened])),
        worker_ns=int(asked.worker_ns[setting_up].sum()),
        user_ns=_until_bound(asked, short),
        evidence=asked.evidence(
            setting_up if len(setting_up) else mine,
            Message(
                "{client}: {connections}, {n} of them for {few} operations or fewer.",
                client=client.name,
                connections=_connections(every),
                n=count,
                few=SHORT,
            ),
        ),
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
    if view.resolution_ns >= limit["gap_ms"] * 1_000_000:
        return []
    connections = asked.connections
    gap = asked.operations.start_ns[connections.first] - connections.opened_ns
    known = (connections.opened_ns != ABSENT) & (gap >= 0) & (gap <= limit["most_s"] * NS_PER_S)
    slow = [
        (asked.describe(places), places, gap[mine])
        for key, places in asked.by_client(known[connections.number])
        if (mine := known & (connections.client == key)).sum() >= limit["connections"]
        and np.median(gap[mine]) >= limit["gap_ms"] * 1_000_000
    ]
    if not slow:
        return []
    slow.sort(key=lambda item: -int(item[2].sum()))
    gaps = np.concatenate([waits for _, _, waits in slow])
    everyone = len(gaps) == int(known.sum())
    numbers = {
        "connections": len(gaps),
        "gap_p50_ns": int(np.median(gaps)),
        "every_client": everyone,
        "clients": [client.as_numbers() for client, _, _ in slow[:_CLIENTS]],
    }
    return [
        finding(
            "connect_to_bind_gap",
            numbers=numbers,
            evidence=[
                asked.evidence(places, _gap_of(client, waits))
                for client, places, waits in slow[:_CLIENTS]
            ],
            user_ns=int(gaps.sum()),
            count=_connections(len(gaps)),
            gap=int(np.median(gaps)),
            whose=_whose(slow[0][0], everyone=everyone),
        )
    ]


def _gap_of(client: Client, gaps: Int64) -> Message:
    return Message(
        "{client}: {connections}, {gap:duration} until the first request in the median.",
        client=client.name,
        connections=_connections(len(gaps)),
        gap=int(np.median(gaps)),
    )


def _whose(worst: Client, *, everyone: bool) -> Message:
    if everyone:
        return Message(
            "No client is quicker: look at TLS on the server, and at name look-ups of addresses."
        )
    return Message(
        "Most of all {client}: look at its TLS, its resolver and the network between.",
        client=worst.name,
    )


def rebinding(view: WindowView) -> list[Finding]:
    """Clients that bind as the same DN again on a connection that is bound as it."""
    limit, asked = limits("rebinding"), view.asked
    again = _again(asked)
    clients: list[tuple[Client, Rows]] = []
    for _, places in asked.by_client(again):
        mine = asked.client == asked.client[places[0]]
        others = int((mine & ~np.isin(asked.kind, (BIND, EXT))).sum())
        if len(places) >= limit["binds"] and len(places) >= limit["share"] * max(others, 1):
            clients.append((asked.describe(places), places))
    if not clients:
        return []
    worst, most = clients[0]
    every = np.concatenate([places for _, places in clients])
    return [
        finding(
            "rebinding",
            numbers={
                "binds": len(every),
                "clients": [client.as_numbers() for client, _ in clients[:_CLIENTS]],
            },
            evidence=[
                asked.evidence(
                    places, Message("{client}: {n} binds.", client=client.name, n=len(places))
                )
                for client, places in clients[:_CLIENTS]
            ],
            confidence=HIGH,
            worker_ns=int(asked.worker_ns[every].sum()),
            client=worst.name,
            count=count_of("{n} time", "{n} times", n=len(most)),
            more=more_clients(len(clients) - 1),
        )
    ]


def _again(asked: Asked) -> NDArray[np.bool_]:
    """Successful binds as the DN that the last bind of their connection had."""
    operations = asked.operations
    binds = np.flatnonzero((asked.kind == BIND) & (operations.err[asked.rows] == 0))
    binds = binds[np.argsort(asked.connections.number[binds], kind="stable")]
    number = asked.connections.number[binds]
    dn = operations.bind_dn[asked.rows[binds]]
    same = np.zeros(len(asked.rows), np.bool_)
    if len(binds):
        same[binds[1:]] = (number[1:] == number[:-1]) & (dn[1:] == dn[:-1]) & (dn[1:] >= 0)
    return same
