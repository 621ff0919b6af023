"""Work that clients ask for more often than they need: N+1, the same search again, polling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import SHORT, SRCH, Asked, Client, Rows, more_clients
from ldap_workbench.advice.evidence.requests import sample, share_of_equal
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import HIGH, MEDIUM, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import Int64, text_at
from ldap_workbench.model.units import NS_PER_S

_CLIENTS = 20
_COMPARED = 24
"""Pairs of request lines that are compared for one client."""
_LOOKED_AT = 2_000
"""Kinds of searches whose times are looked at for a period, those with the most time first."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return n_plus_one(view) + repeated_search(view) + polling(view)


# --- N+1: a search that lists, then one search for each of its entries ---------------------------


@dataclass(frozen=True, eq=False)
class _Loop:
    client: Client
    lists: int
    per_entry: int
    """Searches that follow for each entry of the list."""
    entries: float
    filter: str
    followers: Rows
    worker_ns: int
    user_ns: int


def n_plus_one(view: WindowView) -> list[Finding]:
    """Lists that are followed by as many searches as they returned entries, or a multiple."""
    asked = view.asked
    loops = sorted(_loops(asked), key=lambda loop: -loop.user_ns)
    if not loops:
        return []
    worst = loops[0]
    clients = {loop.client for loop in loops}
    numbers = {
        "lists": sum(loop.lists for loop in loops),
        "searches": sum(len(loop.followers) for loop in loops),
        "filters": list(dict.fromkeys(loop.filter for loop in loops)),
        "clients": [loop.client.as_numbers() for loop in loops[:_CLIENTS]],
    }
    return [
        finding(
            "n_plus_one",
            numbers=numbers,
            evidence=[
                asked.evidence(
                    loop.followers,
                    Message(
                        "{client}: {searches} after {lists}, {each} for each entry: {filter}.",
                        client=loop.client.name,
                        searches=_searches(len(loop.followers)),
                        lists=count_of("{n} list", "{n} lists", n=loop.lists),
                        each=loop.per_entry,
                        filter=loop.filter,
                    ),
                )
                for loop in loops[:_CLIENTS]
            ],
            worker_ns=sum(loop.worker_ns for loop in loops),
            user_ns=sum(loop.user_ns for loop in loops),
            client=worst.client.name,
            lists=count_of("{n} time", "{n} times", n=worst.lists),
            entries=worst.entries,
            each=worst.per_entry,
            searches=_searches(len(worst.followers)),
            more=more_clients(len(clients) - 1),
        )
    ]


def _searches(n: int) -> Message:
    return count_of("{n} search", "{n} searches", n=n)


def _loops(asked: Asked) -> Iterator[_Loop]:
    """By client and shape of the list: where most lists are followed by k searches an entry."""
    limit, operations = limits("n_plus_one"), asked.operations
    order = np.argsort(streams_of(asked), kind="stable")
    rows, stream = asked.rows[order], streams_of(asked)[order]
    entries = operations.nentries[rows]
    search = asked.searches[order] & ~asked.of_kdc[order]
    single = search & (entries >= 0) & (entries <= 1)
    lists = np.flatnonzero(search & (entries >= limit["entries"]))
    stops = np.flatnonzero(~single | np.concatenate(([True], stream[1:] != stream[:-1])))
    end = np.concatenate((stops, [len(rows)]))[np.searchsorted(stops, lists, side="right")]
    follow = end - lists - 1
    shape = operations.fingerprint[rows[lists]].astype(np.int64)
    key = asked.client[order][lists] * (len(operations.fingerprints) + 1) + shape
    for number in np.unique(key):
        mine = key == number
        places = lists[mine]
        times = _times(entries[places], follow[mine])
        if times:
            loop = _loop(asked, order, places, follow[mine], times)
            if len(loop.followers) >= limit["searches"]:
                yield loop


def streams_of(asked: Asked) -> Int64:
    """The stream an operation belongs to: its connection, or its client where those are short."""
    connections = asked.connections
    short = connections.operations[connections.number] <= SHORT
    streams: Int64 = np.where(short, -1 - asked.client, connections.number + len(connections.first))
    return streams


def _times(entries: Int64, follow: Int64) -> int:
    """How many searches follow for each entry; 0 where that does not go with the entries."""
    limit = limits("n_plus_one")
    if len(entries) < limit["lists"]:
        return 0
    times = round(float(np.median(follow / entries)))
    off = np.abs(follow - times * entries) <= np.maximum(1, limit["off"] * times * entries)
    return times if times >= 1 and off.mean() >= limit["share"] else 0


def _loop(asked: Asked, order: NDArray[np.intp], places: Rows, follow: Int64, times: int) -> _Loop:
    operations = asked.operations
    followers = np.concatenate(
        [order[at + 1 : at + 1 + n] for at, n in zip(places, follow, strict=True)]
    )
    rows = asked.rows[followers]
    shapes = operations.fingerprint[rows] + 1
    usual = int(np.argmax(np.bincount(shapes))) - 1
    return _Loop(
        client=asked.describe(followers),
        lists=len(places),
        per_entry=times,
        entries=float(np.median(operations.nentries[asked.rows[order[places]]])),
        filter=text_at(operations.fingerprints, usual),
        followers=followers,
        worker_ns=int(asked.worker_ns[followers].sum()),
        user_ns=_sequential_ns(asked, order, places, follow),
    )


def _sequential_ns(asked: Asked, order: NDArray[np.intp], places: Rows, follow: Int64) -> int:
    """From the end of each list to the end of its last search: what its user waited for them."""
    some = follow > 0
    ends = asked.operations.end_ns
    lists = asked.rows[order[places[some]]]
    last = asked.rows[order[(places + follow)[some]]]
    return int(np.maximum(ends[last] - ends[lists], 0).sum())


# --- the same search again within a second --------------------------------------------------------


def repeated_search(view: WindowView) -> list[Finding]:
    """Clients that ask for what they asked for less than a second before."""
    limit, asked = limits("repeated_search"), view.asked
    again, before = _again(asked)
    clients: list[tuple[Client, Rows, float]] = []
    for _, places in asked.by_client(again):
        searches = int(((asked.client == asked.client[places[0]]) & (asked.kind == SRCH)).sum())
        if len(places) < max(limit["searches"], limit["share"] * searches):
            continue
        share = _same(view, places, before[places])
        if share * len(places) >= max(limit["searches"], limit["share"] * searches):
            clients.append((asked.describe(places), places, share))
    if not clients:
        return []
    clients.sort(key=lambda item: -float(asked.worker_ns[item[1]].sum()) * item[2])
    worst, places, share = clients[0]
    shape = _usual_shape(asked, places)
    repeats = sum(round(share * len(places)) for _, places, share in clients)
    numbers = {
        "searches": repeats,
        "filter": shape,
        "clients": [client.as_numbers() for client, _, _ in clients[:_CLIENTS]],
    }
    return [
        finding(
            "repeated_search",
            numbers=numbers,
            evidence=[
                asked.evidence(
                    places,
                    Message(
                        "{client}: {searches}, most often {filter}.",
                        client=client.name,
                        searches=_searches(round(share * len(places))),
                        filter=_usual_shape(asked, places),
                    ),
                )
                for client, places, share in clients[:_CLIENTS]
            ],
            confidence=HIGH if share == 1.0 else MEDIUM,
            worker_ns=sum(round(s * int(asked.worker_ns[p].sum())) for _, p, s in clients),
            client=worst.name,
            count=_searches(round(share * len(places))),
            filter=shape,
            more=more_clients(len(clients) - 1),
        )
    ]


def _again(asked: Asked) -> tuple[NDArray[np.bool_], Rows]:
    """Which of `rows` have client, base and shape of one within a second before, and its place."""
    operations, rows = asked.operations, asked.rows
    base = operations.base[rows].astype(np.int64)
    shape = operations.fingerprint[rows].astype(np.int64)
    order = np.lexsort((np.arange(len(rows)), shape, base, asked.client))
    same = np.zeros(len(rows), np.bool_)
    before = np.full(len(rows), -1, np.intp)
    if len(rows) < 2:
        return same, before
    one, other = order[:-1], order[1:]
    alike = (base[one] == base[other]) & (shape[one] == shape[other])
    alike &= (asked.client[one] == asked.client[other]) & (shape[one] >= 0) & (base[one] >= 0)
    alike &= (asked.kind[one] == SRCH) & (asked.kind[other] == SRCH)
    starts = operations.start_ns[rows]
    alike &= starts[other] - starts[one] <= limits("repeated_search")["within_s"] * NS_PER_S
    same[other[alike]] = True
    same &= ~asked.of_kdc
    before[other[alike]] = one[alike]
    return same, before


def _same(view: WindowView, places: Rows, before: Rows) -> float:
    """Share of these that ask for the same values as the one before; shapes without values do."""
    asked = view.asked
    shapes = asked.operations.fingerprint[asked.rows[places]]
    valued = np.array(["?" in text for text in asked.operations.fingerprints] or [False])[shapes]
    if not valued.any():
        return 1.0
    if view.request_of is None:
        return float((~valued).mean())
    chosen = sample(np.flatnonzero(valued), _COMPARED)
    pairs = [(int(asked.rows[places[i]]), int(asked.rows[before[i]])) for i in chosen]
    equal = share_of_equal(pairs, view.request_of) or 0.0
    return float((~valued).mean() + equal * valued.mean())


def _usual_shape(asked: Asked, places: Rows) -> str:
    shapes = asked.operations.fingerprint[asked.rows[places]] + 1
    return text_at(asked.operations.fingerprints, int(np.argmax(np.bincount(shapes))) - 1)


# --- polling ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Poll:
    client: Client
    filter: str
    places: Rows
    period_ns: int
    worker_ns: int


def polling(view: WindowView) -> list[Finding]:
    """Searches that come back at a fixed period and take time that matters."""
    limit, asked = limits("polling"), view.asked
    polls = sorted(_polls(view), key=lambda poll: -poll.worker_ns)
    cost = sum(poll.worker_ns for poll in polls)
    if cost < limit["share"] * asked.total_worker_ns or not polls:
        return []
    if cost / view.seconds < limit["busy"] * NS_PER_S:
        return []
    worst = polls[0]
    clients = {poll.client for poll in polls}
    numbers = {
        "polls": sum(len(poll.places) for poll in polls),
        "period_s": round(worst.period_ns / NS_PER_S, 3),
        "filters": list(dict.fromkeys(poll.filter for poll in polls)),
        "clients": [poll.client.as_numbers() for poll in polls[:_CLIENTS]],
    }
    return [
        finding(
            "polling",
            numbers=numbers,
            evidence=[
                asked.evidence(
                    poll.places,
                    Message(
                        "{client}: {filter} every {period:duration}, {searches}.",
                        client=poll.client.name,
                        filter=poll.filter,
                        period=poll.period_ns,
                        searches=_searches(len(poll.places)),
                    ),
                )
                for poll in polls[:_CLIENTS]
            ],
            worker_ns=cost,
            client=worst.client.name,
            filter=worst.filter,
            period=worst.period_ns,
            etime=int(np.median(asked.worker_ns[worst.places])),
            more=more_clients(len(clients) - 1),
        )
    ]


def _polls(view: WindowView) -> Iterator[_Poll]:
    asked, operations = view.asked, view.asked.operations
    searches = np.flatnonzero(asked.searches)
    rows = asked.rows[searches]
    columns = (asked.client[searches], operations.base[rows], operations.fingerprint[rows])
    order = np.lexsort((np.arange(len(rows)), *columns[::-1]))
    changes = np.zeros(len(order), np.bool_)
    for column in columns:
        changes[1:] |= column[order][1:] != column[order][:-1]
    groups = np.split(searches[order], np.flatnonzero(changes))
    enough = [group for group in groups if len(group) >= limits("polling")["searches"]]
    enough.sort(key=lambda group: -int(asked.worker_ns[group].sum()))
    for places in enough[:_LOOKED_AT]:
        if period := _period(view, places):
            yield _Poll(
                asked.describe(places),
                _usual_shape(asked, places),
                places,
                period,
                int(asked.worker_ns[places].sum()),
            )


def _period(view: WindowView, places: Rows) -> int:
    """The time between these, ns, where most are as far apart as the usual ones; 0 where not."""
    limit = limits("polling")
    starts = view.asked.operations.start_ns[view.asked.rows[places]]
    between = np.diff(starts)
    usual = float(np.median(between))
    if usual < max(limit["least_s"] * NS_PER_S, 4 * view.resolution_ns):
        return 0
    if starts[-1] - starts[0] < limit["covers"] * view.seconds * NS_PER_S:
        return 0
    regular = np.abs(between - usual) <= limit["off"] * usual
    return round(usual) if regular.mean() >= limit["regular"] else 0
