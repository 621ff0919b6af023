"""Loops of a client: look-ups that follow one search, and searches that return nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.clients import Asked, Client, Rows, more_clients
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.advice.families.repeated_work import streams_of
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import Int64, text_at
from ldap_workbench.model.units import NS_PER_S

_CLIENTS = 20


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return look_ups(view.asked) + empty_answers(view.asked)


@dataclass(frozen=True, eq=False)
class _Loop:
    """Runs of one kind of search of one client; `places` are in `Asked.rows`."""

    client: Client
    lead: str
    filter: str
    times: int
    length: float
    wait_ns: int
    places: Rows


def look_ups(asked: Asked) -> list[Finding]:
    """A search that is followed by many of another kind, again and again."""
    loops = sorted(_loops(asked), key=lambda loop: -int(asked.worker_ns[loop.places].sum()))
    if not loops:
        return []
    worst = loops[0]
    work = int(asked.worker_ns[worst.places].sum())
    return [
        finding(
            "look_ups",
            numbers={
                "searches": sum(len(loop.places) for loop in loops),
                "filters": list(dict.fromkeys(loop.filter for loop in loops)),
                "clients": [loop.client.as_numbers() for loop in loops[:_CLIENTS]],
                "share_of_work": work / max(asked.total_worker_ns, 1),
            },
            evidence=[asked.evidence(loop.places, _evidence(loop)) for loop in loops[:_CLIENTS]],
            worker_ns=sum(int(asked.worker_ns[loop.places].sum()) for loop in loops),
            user_ns=sum(loop.times * loop.wait_ns for loop in loops),
            client=worst.client.name,
            times=count_of("{n} time", "{n} times", n=worst.times),
            lead=worst.lead,
            filter=worst.filter,
            length=round(worst.length),
            wait=worst.wait_ns,
            share=work / max(asked.total_worker_ns, 1),
            more=more_clients(len({loop.client for loop in loops}) - 1),
        )
    ]


def _evidence(loop: _Loop) -> Message:
    return Message(
        "{client}: {searches} after {lead}: {filter}.",
        client=loop.client.name,
        searches=count_of("{n} search", "{n} searches", n=len(loop.places)),
        lead=loop.lead,
        filter=loop.filter,
    )


def _loops(asked: Asked) -> Iterator[_Loop]:
    """By client, kind of the first search and kind of those behind it."""
    limit, operations = limits("look_ups"), asked.operations
    stream = streams_of(asked)
    order = np.argsort(stream, kind="stable")
    rows, stream = asked.rows[order], stream[order]
    if len(rows) < limit["searches"]:
        return
    search, shape = asked.searches[order], operations.fingerprint[rows]
    start, end = operations.start_ns[rows], operations.end_ns[rows]
    pause = start[1:] - end[:-1]
    follows = (stream[1:] == stream[:-1]) & (pause >= 0) & (pause < limit["gap_s"] * NS_PER_S)
    same = follows & search[1:] & search[:-1] & (shape[1:] == shape[:-1]) & (shape[1:] >= 0)
    firsts = np.flatnonzero(np.concatenate(([True], ~same)))
    lengths = np.diff(np.append(firsts, len(rows)))
    # Behind another search that returned something, on the same connection and without a rest.
    before = np.maximum(firsts - 1, 0)
    led = (firsts > 0) & np.concatenate(([False], follows))[firsts] & search[before]
    led &= (operations.nentries[rows[before]] >= 1) & search[firsts]
    chosen = np.flatnonzero(led & (lengths >= limit["run"]))
    keys = np.stack(
        [asked.client[order][firsts], shape[before].astype(np.int64), shape[firsts]], axis=1
    )[chosen]
    for key in np.unique(keys, axis=0):
        runs = chosen[(keys == key).all(axis=1)]
        first, length = firsts[runs], lengths[runs]
        wait = int(np.median(end[first + length - 1] - start[first]))
        enough = len(runs) >= limit["times"] and length.sum() >= limit["searches"]
        if enough and wait >= limit["wait_s"] * NS_PER_S:
            inside = [order[at : at + n] for at, n in zip(first, length, strict=True)]
            places = np.concatenate(inside)
            names = operations.fingerprints
            yield _Loop(
                asked.describe(places),
                text_at(names, int(key[1])),
                text_at(names, int(key[2])),
                len(runs),
                float(np.median(length)),
                wait,
                places,
            )


def empty_answers(asked: Asked) -> list[Finding]:
    """Kinds of searches of a client that return no entry, and take a good part of the work."""
    limit, operations = limits("empty_answers"), asked.operations
    kinds: list[tuple[int, Client, str, Rows, float]] = []
    known = asked.searches & (operations.fingerprint[asked.rows] >= 0)
    for _, places in asked.by_client(known):
        if len(places) < limit["searches"]:
            break
        shapes = operations.fingerprint[asked.rows[places]]
        for shape in np.flatnonzero(np.bincount(shapes) >= limit["searches"]):
            mine = places[shapes == shape]
            rows = asked.rows[mine]
            empty = float(((operations.nentries[rows] == 0) & (operations.err[rows] == 0)).mean())
            work = int(asked.worker_ns[mine].sum())
            if empty >= limit["empty"] and work >= limit["share"] * asked.total_worker_ns:
                name = text_at(operations.fingerprints, int(shape))
                kinds.append((work, asked.describe(mine), name, mine, empty))
    if not kinds:
        return []
    kinds.sort(key=lambda kind: -kind[0])
    work, client, name, places, empty = kinds[0]
    return [
        finding(
            "empty_answers",
            numbers={
                "searches": sum(len(kind[3]) for kind in kinds),
                "filters": list(dict.fromkeys(kind[2] for kind in kinds)),
                "clients": [kind[1].as_numbers() for kind in kinds[:_CLIENTS]],
                "empty_share": empty,
                "share_of_work": work / max(asked.total_worker_ns, 1),
            },
            evidence=[
                asked.evidence(
                    mine,
                    Message(
                        "{client}: {searches} for {filter}.",
                        client=who.name,
                        searches=count_of("{n} search", "{n} searches", n=len(mine)),
                        filter=text,
                    ),
                )
                for _, who, text, mine, _ in kinds[:_CLIENTS]
            ],
            worker_ns=sum(kind[0] for kind in kinds),
            client=client.name,
            filter=name,
            times=count_of("once", "{n} times", n=len(places)),
            empty=empty,
            one=Message(", one search at a time") if _in_turn(asked, places) else NOTHING,
            share=work / max(asked.total_worker_ns, 1),
            more=more_clients(len({kind[1] for kind in kinds}) - 1),
        )
    ]


def _in_turn(asked: Asked, places: Rows) -> bool:
    """Whether hardly any of some operations began before the one before it had ended."""
    rows = asked.rows[places]
    start: Int64 = asked.operations.start_ns[rows]
    overlap = start[1:] < np.maximum.accumulate(asked.operations.end_ns[rows])[:-1]
    return bool(overlap.mean() < 0.01)
