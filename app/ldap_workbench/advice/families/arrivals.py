"""When clients come: many at the same moment, and connections on which they ask nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ldap_workbench.advice.evidence.clients import BIND, SHORT, Asked, Rows, more_clients
from ldap_workbench.advice.evidence.period import tolerance
from ldap_workbench.advice.evidence.rows import evidence_of_rows, stable_order
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import ABSENT, Int64, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import unused_connections

_MOMENTS = 20
_REGULAR = 0.8
"""Who comes at so many of the moments comes because of them; others happen to."""
_SINCE_START_S = 60
"""What begins so soon after a start of the server follows from it."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return arrivals_in_step(view) + unused(view) + not_begun(view)


@dataclass(frozen=True, eq=False)
class _Moment:
    """Arrivals of many clients together; `places` in `Asked.rows` are operations begun then."""

    time_ns: int
    clients: frozenset[int]
    places: Rows


def arrivals_in_step(view: WindowView) -> list[Finding]:
    """Many clients that begin to ask at the same moments, and wait for it."""
    limit, asked = limits("arrivals_in_step"), view.asked
    moments, peak = _moments(view)
    if not moments:
        return []
    etime = asked.operations.etime_ns[asked.rows]
    places = np.unique(np.concatenate([moment.places for moment in moments]))
    others = np.delete(etime, places)
    inside, outside = float(etime[places].mean()), float(others.mean()) if len(others) else 0.0
    share = float(etime[places].sum()) / max(float(etime.sum()), 1.0)
    if inside < limit["slower"] * outside or share < limit["share"]:
        return []
    seen = Counter(client for moment in moments for client in moment.clients)
    clients = sum(times >= _REGULAR * len(moments) for times in seen.values())
    period, returning = _period_s(moments), _returning(moments)
    numbers = {
        "addresses": clients,
        "moments": len(moments),
        "period_s": period,
        "share_of_waiting": share,
    }
    count = count_of("{n} client", "{n} clients", n=clients)
    return [
        finding(
            "arrivals_in_step",
            numbers=numbers,
            evidence=[_evidence(asked, moment) for moment in moments[:_MOMENTS]],
            user_ns=max(0, round(float(etime[places].sum()) - len(places) * outside)),
            count=count,
            when=_when(moments, period),
            width=round(limit["width_s"] * NS_PER_S),
            peak=peak,
            event=_event(asked, moments),
            inside=round(inside),
            outside=round(outside),
            share=share,
            same=returning if returning >= 0.5 else None,
        )
    ]


def _moments(view: WindowView) -> tuple[list[_Moment], float]:
    """The moments, and how many times as many clients begin then as on average."""
    limit, asked = limits("arrivals_in_step"), view.asked
    operations, width = asked.operations, round(limits("arrivals_in_step")["width_s"] * NS_PER_S)
    known = np.flatnonzero(operations.client[asked.rows] >= 0)
    start = operations.start_ns[asked.rows]
    order = known[stable_order(asked.client[known])]
    who, when = asked.client[order], start[order]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (who[1:] != who[:-1]) | (when[1:] - when[:-1] > width)
    arrivals = np.sort(order[begins])
    times = start[arrivals]
    together = np.searchsorted(times, times + width) - np.arange(len(times))
    usual = len(times) * limit["width_s"] / view.seconds
    crowded = times[together >= max(limit["clients"], limit["times"] * usual)]
    if not len(crowded):
        return [], 0.0
    firsts = crowded[np.concatenate(([True], np.diff(crowded) > width))]
    lasts = crowded[np.concatenate((np.diff(crowded) > width, [True]))] + width
    if (lasts - firsts).sum() > 0.5 * view.seconds * NS_PER_S:
        return [], 0.0
    moments = []
    for first, last in zip(firsts, lasts, strict=True):
        came = arrivals[(times >= first) & (times < last)]
        begin, until = np.searchsorted(start, (first, last))
        end = max(int(last), int(operations.end_ns[asked.rows[begin:until]].max()))
        moments.append(
            _Moment(
                int(np.median(start[came])),
                frozenset(asked.client[came].tolist()),
                np.arange(begin, np.searchsorted(start, end)),
            )
        )
    return moments, float(together.max() / usual)


def _evidence(asked: Asked, moment: _Moment) -> Evidence:
    count = count_of("{n} client", "{n} clients", n=len(moment.clients))
    text = phrase("arrivals_in_step", count=count, time=moment.time_ns)
    rows = asked.rows[moment.places]
    return evidence_of_rows(asked.operations, text, rows)


def _period_s(moments: list[_Moment]) -> float | None:
    """The time between moments where it is the same, and most clients come each time."""
    if len(moments) < 3 or _returning(moments) < 0.5:
        return None
    gaps = np.diff([moment.time_ns for moment in moments]) / NS_PER_S
    period = float(np.median(gaps))
    off = np.abs(gaps - np.rint(gaps / period) * period)
    return period if (off <= tolerance(period)).all() else None


def _returning(moments: list[_Moment]) -> float:
    """The share of clients of a moment that were there at the one before, in the median."""
    pairs = pairwise(moments)
    shares = [len(one.clients & next_.clients) / len(next_.clients) for one, next_ in pairs]
    return float(np.median(shares)) if shares else 0.0


def _when(moments: list[_Moment], period_s: float | None) -> Message:
    if period_s is not None:
        return phrase("arrivals_in_step", "every", period=round(period_s * NS_PER_S))
    which = "once" if len(moments) == 1 else "times"
    return phrase("arrivals_in_step", which, n=len(moments), time=moments[0].time_ns)


def _event(asked: Asked, moments: list[_Moment]) -> Message:
    """What comes before: a start of the server, or new connections of clients known before."""
    operations, rows = asked.operations, asked.rows
    moment = max(moments, key=lambda one: len(one.clients))
    first = rows[moment.places]
    boots = np.unique(operations.boot[first])
    since = operations.start_ns[rows[operations.boot[rows] == boots[-1]]].min()
    if boots[-1] > operations.boot.min() and moment.time_ns - since < _SINCE_START_S * NS_PER_S:
        return Message(", just after the server started again")
    opened = np.unique(operations.client[first[operations.opened_ns[first] != ABSENT]])
    new = len(moment.clients & set(opened.tolist()))
    if 2 * new < len(moment.clients):
        return NOTHING
    before = np.unique(operations.client[rows[: moment.places[0]]]).tolist()
    seen = len(moment.clients & set(before))
    return phrase("arrivals_in_step", "opened", new=new, seen=seen)


@dataclass(frozen=True)
class _Unused:
    """Connections of one address without a request; `minutes` is when they were opened, ns."""

    client: str
    count: int
    bound: int
    first_ns: int
    last_ns: int


def unused(view: WindowView) -> list[Finding]:
    """Clients that open connections and ask nothing on them."""
    limit, connections = limits("unused_connections"), view.asked.connections
    clients = _unused_by_client(view)
    opened = int((connections.opened_ns != ABSENT).sum())
    whole = max(opened + sum(one.count - one.bound for one in clients), 1)
    clients = [
        one for one in clients if one.count >= max(limit["connections"], limit["share"] * whole)
    ]
    if not clients:
        return []
    clients.sort(key=lambda one: -one.count)
    worst = clients[0]
    harmful = worst.count >= limit["rate_per_s"] * view.seconds
    return [
        finding(
            "unused_connections",
            numbers={
                "connections": sum(one.count for one in clients),
                "addresses": [one.client for one in clients],
            },
            evidence=[_evidence_of(one) for one in clients],
            severity=2 if harmful else 1,
            client=worst.client or Message("A client"),
            count=count_of("{n} connection", "{n} connections", n=worst.count),
            binds=Message(" but a bind on {n}", n=worst.bound) if worst.bound else NOTHING,
            rate=round(3600 * worst.count / view.seconds),
            share=worst.count / whole,
            more=more_clients(len(clients) - 1),
        )
    ]


def not_begun(view: WindowView) -> list[Finding]:
    """Connections, minute after minute, that nothing was asked on and nobody closed.

    What was opened just before the end may still ask, and spare ones of a pool are opened at once.
    """
    limit, window, minute = limits("connections_not_begun"), view.window, 60 * NS_PER_S
    until = window.end_ns - round(limit["after_s"] * NS_PER_S) - minute
    stuck = [
        entry
        for entry in unused_connections(view.sources)
        if entry.is_open and window.start_ns - minute < entry.minute_ns <= until
    ]
    count = sum(entry.connections for entry in stuck)
    if count < limit["connections"] or len({e.minute_ns for e in stuck}) < limit["minutes"]:
        return []
    opener, first_ns = min(((e.client, e.minute_ns) for e in stuck), key=lambda one: one[1])
    opened_ns = view.asked.connections.opened_ns
    share = count / (count + int(((opened_ns >= first_ns) & (opened_ns < until)).sum()))
    clients = {entry.client for entry in stuck}
    if share < limit["share"]:
        return []
    return [
        finding(
            "connections_not_begun",
            numbers={"connections": count, "share": share, "addresses": sorted(clients)[:_MOMENTS]},
            evidence=[Evidence(Message("From the first to the last."), first_ns, until)],
            count=count_of("{n} connection", "{n} connections", n=count),
            of=count_of("{n} client", "{n} clients", n=len(clients)),
            first=first_ns,
            opener=opener or Message("A client"),
            several=len(clients) >= limit["clients"],
        )
    ]


def _evidence_of(one: _Unused) -> Evidence:
    text = Message(
        "{client}: {count}.",
        client=one.client or Message("A client"),
        count=count_of("{n} connection", "{n} connections", n=one.count),
    )
    return Evidence(text, one.first_ns, one.last_ns)


def _unused_by_client(view: WindowView) -> list[_Unused]:
    """Addresses with connections without an operation, and those with a bind of one DN alone."""
    window, minute = view.window, 60 * NS_PER_S
    count: Counter[str] = Counter()
    moments: dict[str, list[int]] = {}
    for entry in unused_connections(view.sources):
        if window.start_ns - minute < entry.minute_ns < window.end_ns:
            count[entry.client] += entry.connections
            moments.setdefault(entry.client, []).append(entry.minute_ns)
    bound: Counter[str] = Counter()
    for client, opened_ns in _bound_alone(view.asked):
        bound[client] = len(opened_ns)
        moments.setdefault(client, []).extend(opened_ns.tolist())
    return [
        _Unused(
            client,
            count[client] + bound[client],
            bound[client],
            min(times),
            max(times),
        )
        for client, times in moments.items()
    ]


def _bound_alone(asked: Asked) -> list[tuple[str, Int64]]:
    """By address, when connections were opened that only bound, all as one DN.

    As many DNs, they check passwords of users.
    """
    connections, operations = asked.connections, asked.operations
    others = np.bincount(connections.number[asked.kind != BIND], minlength=len(connections.first))
    alone = (connections.opened_ns != ABSENT) & (others == 0) & (connections.operations <= SHORT)
    result = []
    for client in np.unique(connections.client[alone]):
        mine = alone & (connections.client == client)
        dns = operations.base[connections.first[mine]]
        if client >= 0 and (dns == dns[0]).all():
            result.append((text_at(operations.clients, int(client)), connections.opened_ns[mine]))
    return result
