"""Habits of clients: all attributes where a few would do, giving up, binds that fail again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.clients import ABANDON, BIND, SRCH, Client, Rows, more_clients
from ldap_workbench.advice.evidence.requests import asks_for_all, sample
from ldap_workbench.advice.evidence.rows import filter_at
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import LOW, MEDIUM, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import Int64, text_at

_CLIENTS = 20
_LINES = 12
"""Request lines read of a client for one kind of search."""
_KINDS, _COMPARED = 3, 8
"""Kinds of searches, and clients of each, whose lines are read."""
_INVALID = 49
"""invalidCredentials."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return greedy_attributes(view) + abandon(view) + failed_binds(view)


@dataclass(frozen=True, eq=False)
class _Greedy:
    client: Client
    filter: str
    places: Rows
    entries: float
    times: float | None
    """How much longer an entry takes than where the same search names its attributes."""
    worker_ns: int


def greedy_attributes(view: WindowView) -> list[Finding]:
    """Searches of many entries that ask for all attributes of each."""
    habits = sorted(_greedy(view), key=lambda habit: -habit.worker_ns)
    if not habits:
        return []
    worst, asked = habits[0], view.asked
    compared = worst.times is not None
    numbers = {
        "searches": sum(len(habit.places) for habit in habits),
        "filters": [habit.filter for habit in habits],
        "entries": worst.entries,
        "times": worst.times,
        "clients": [habit.client.as_numbers() for habit in habits],
    }
    return [
        finding(
            "greedy_attributes",
            numbers=numbers,
            evidence=[
                asked.evidence(
                    habit.places,
                    Message(
                        "{client}: {filter}, {entries:.0f} entries each.",
                        client=habit.client.name,
                        filter=habit.filter,
                        entries=habit.entries,
                    ),
                )
                for habit in habits
            ],
            confidence=MEDIUM if compared else LOW,
            worker_ns=sum(habit.worker_ns for habit in habits),
            client=worst.client.name,
            filter=worst.filter,
            entries=worst.entries,
            compared=_compared(worst.times),
        )
    ]


def _compared(times: float | None) -> Message:
    if times is None:
        return Message(
            " The cost is that of the whole searches; naming the attributes saves only part of it."
        )
    return Message(
        " An entry takes {times:.1f} times as long as in the same search with its attributes "
        "named.",
        times=times,
    )


def _greedy(view: WindowView) -> Iterator[_Greedy]:
    """The most expensive kinds of searches that ask for all attributes.

    Those that either return much or are seen to be quicker with a list.
    """
    limit, asked = limits("greedy_attributes"), view.asked
    if view.request_of is None:
        return
    operations = asked.operations
    searches = np.flatnonzero(asked.searches & (operations.nentries[asked.rows] > 0))
    shapes = operations.fingerprint[asked.rows[searches]].astype(np.int64) + 1
    entries = operations.nentries[asked.rows]
    time = np.bincount(shapes, weights=asked.worker_ns[searches].astype(np.float64))
    for shape in np.argsort(-time, kind="stable")[:_KINDS]:
        if time[shape] < limit["share"] * max(asked.total_worker_ns, 1):
            return
        places = searches[shapes == shape]
        several = len(places) and entries[places].mean() >= limit["least"]
        if shape > 0 and len(places) >= limit["searches"] and several:
            yield from _greedy_of(view, places)


def _greedy_of(view: WindowView, places: Rows) -> Iterator[_Greedy]:
    """Of one kind of search, what the clients that ask for all attributes of its entries cost."""
    limit, asked, request_of = limits("greedy_attributes"), view.asked, view.request_of
    assert request_of is not None
    every: list[Rows] = []
    listed: list[Rows] = []
    for client in np.unique(asked.client[places])[:_COMPARED]:
        mine = places[asked.client[places] == client]
        said = [asks_for_all(request_of(int(row))) for row in asked.rows[sample(mine, _LINES)]]
        if len(said) and all(answer is True for answer in said):
            every.append(mine)
        elif len(said) and all(answer is False for answer in said):
            listed.append(mine)
    if not every:
        return
    greedy = np.concatenate(every)
    entries = asked.operations.nentries[asked.rows[greedy]]
    times = _times(view, greedy, np.concatenate(listed)) if listed else None
    worker = int(asked.worker_ns[greedy].sum())
    costly = worker >= limit["share"] * asked.total_worker_ns
    if times is not None and times < limit["times"]:
        return
    if not costly or (times is None and float(entries.mean()) < limit["entries"]):
        return
    saved = worker if times is None else round(worker * (1 - 1 / times))
    shape = filter_at(asked.operations, int(asked.rows[greedy[0]]))
    yield _Greedy(asked.describe(greedy), shape, greedy, float(entries.mean()), times, saved)


def _times(view: WindowView, greedy: Rows, listed: Rows) -> float | None:
    """Time of an entry in the first by that in the second; None with too few to compare."""
    if min(len(greedy), len(listed)) < limits("greedy_attributes")["compared"]:
        return None
    asked = view.asked
    one, other = (
        float(np.median(asked.worker_ns[rows] / asked.operations.nentries[asked.rows[rows]]))
        for rows in (greedy, listed)
    )
    return one / other if other else None


def abandon(view: WindowView) -> list[Finding]:
    """Clients that give up on what they asked for."""
    limit, asked = limits("abandon"), view.asked
    given_up = asked.kind == ABANDON
    clients: list[tuple[Client, Rows]] = []
    for _, places in asked.by_client(given_up):
        searches = int(((asked.client == asked.client[places[0]]) & (asked.kind == SRCH)).sum())
        if len(places) >= max(limit["operations"], limit["share"] * searches):
            clients.append((asked.describe(places), places))
    if not clients:
        return []
    every = np.concatenate([places for _, places in clients])
    etimes = asked.operations.etime_ns[asked.rows[every]]
    worst, most = clients[0]
    return [
        finding(
            "abandon",
            numbers={
                "operations": len(every),
                "etime_p50_ns": int(np.median(etimes)),
                "clients": [client.as_numbers() for client, _ in clients[:_CLIENTS]],
            },
            evidence=[
                asked.evidence(
                    places,
                    Message(
                        "{client}: {n} operations given up.", client=client.name, n=len(places)
                    ),
                )
                for client, places in clients[:_CLIENTS]
            ],
            worker_ns=int(etimes.sum()),
            client=worst.name,
            count=count_of("{n} operation", "{n} operations", n=len(most)),
            after=_after(asked.operations.etime_ns[asked.rows[most]]),
            more=more_clients(len(clients) - 1),
        )
    ]


def _after(etimes: Int64) -> Message:
    """After which time, where it is about the same for most: a time limit of the client."""
    usual = int(np.median(etimes))
    if usual <= 0:
        return NOTHING
    near = np.abs(etimes - usual) <= limits("abandon")["off"] * usual
    if near.mean() >= limits("abandon")["alike"]:
        return Message(
            ", most of them after about {usual:duration}: a time limit of the client", usual=usual
        )
    return Message(", half of them within {usual:duration}", usual=usual)


def failed_binds(view: WindowView) -> list[Finding]:
    """Clients that go on binding with credentials that are refused."""
    limit, asked = limits("failed_binds"), view.asked
    failed = (asked.kind == BIND) & (asked.operations.err[asked.rows] == _INVALID)
    clients: list[tuple[Client, Rows, str, int]] = []
    for _, places in asked.by_client(failed):
        bases = asked.operations.base[asked.rows[places]] + 1
        counts = np.bincount(bases)
        dn = int(np.argmax(counts))
        if counts[dn] >= max(limit["binds"], limit["rate_per_s"] * view.seconds):
            name = text_at(asked.operations.bases, dn - 1)
            clients.append((asked.describe(places), places, name, int(counts[dn])))
    if not clients:
        return []
    every = np.concatenate([places for _, places, _, _ in clients])
    worst, _, dn_, n = clients[0]
    return [
        finding(
            "failed_binds",
            numbers={
                "binds": len(every),
                "dns": [name for _, _, name, _ in clients[:_CLIENTS]],
                "clients": [client.as_numbers() for client, _, _, _ in clients[:_CLIENTS]],
            },
            evidence=[
                asked.evidence(
                    places,
                    Message(
                        "{address}: {n} binds as {dn} refused.",
                        address=client.address,
                        n=count,
                        dn=name,
                    ),
                )
                for client, places, name, count in clients[:_CLIENTS]
            ],
            worker_ns=int(asked.worker_ns[every].sum()),
            client=worst.address or Message("A client"),
            dn=dn_,
            count=count_of("{n} bind", "{n} binds", n=n),
            more=more_clients(len(clients) - 1),
        )
    ]
