"""The pace of clients: requests one after the other, and pauses of the client between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.evidence.clients import Asked, Client, Rows
from ldap_workbench.advice.evidence.habits import Habit, finding_of_habits, more_clients
from ldap_workbench.advice.evidence.numbering import in_groups
from ldap_workbench.advice.evidence.requests import filter_of, sample
from ldap_workbench.advice.evidence.steps import Steps
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import NOTES, Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_PAGED = 1 << NOTES.index("P")
_LINES = 20
"""Requests that are compared."""
_GROUPS, _CLIENTS = 50, 20
_OFTEN = 0.1
"""Kinds of requests that are fewer of a chain are not named."""
_PAGE = 10
"""A page has so many entries or a multiple of it."""
_EXACT = 0.03
"""A timer's pauses differ by less: of one list it reads no pages, but the whole again."""


@dataclass(frozen=True, eq=False)
class _Pauses:
    """Pauses of a client between two kinds of requests."""

    client: Client
    clients: int
    kinds: Message
    waited_for: bool
    """By somebody: for the last page of a list, or for a connection that is made to ask this."""
    pause_ns: Int64
    served_ns: int
    evidence: Evidence

    @property
    def total_ns(self) -> int:
        return int(self.pause_ns.sum())


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return request_chain(view) + client_takes_time(view)


def request_chain(view: WindowView) -> list[Finding]:
    """Clients that send quick requests one after the other, for the last of which they wait."""
    chains = _chains(view.asked, view.steps)
    return finding_of_habits("request_chain", view.asked, chains, counted="requests")


def _chains(asked: Asked, steps: Steps) -> Iterator[Habit]:
    limit = limits("request_chain")
    if len(steps.places) < limit["requests"]:
        return
    firsts, lengths = steps.runs(steps.follow_within(limit["gap_s"]))
    served = np.add.reduceat(steps.end - steps.start, firsts)
    enough = lengths >= limit["requests"]
    firsts, lengths, served = firsts[enough], lengths[enough], served[enough]
    life = steps.end[firsts + lengths - 1] - steps.start[firsts]
    long = life >= limit["long_s"] * NS_PER_S
    long &= (served >= limit["served"] * life) & (served <= life + steps.clock_ns)
    long &= served <= limit["quick_s"] * NS_PER_S * lengths
    chosen = np.flatnonzero(long)
    client = asked.client[steps.places[firsts[chosen]]]
    for key in np.unique(client):
        runs = chosen[client == key]
        first, length = firsts[runs], lengths[runs]
        span = steps.end[first + length - 1].max() - steps.start[first].min()
        # Several at a time are the load of many users.
        if life[runs].sum() <= limit["at_a_time"] * span:
            inside = [steps.places[at : at + n] for at, n in zip(first, length, strict=True)]
            yield _chain(asked, np.concatenate(inside), life[runs], int(served[runs].sum()))


def _chain(asked: Asked, places: Rows, life_ns: Int64, served_ns: int) -> Habit:
    """The runs of one client; `life_ns` is how long each of them took, pauses included."""
    operations, rows, runs = asked.operations, asked.rows[places], len(life_ns)
    kinds = group_keys(operations, "kind", rows)
    _, first, count = np.unique(kinds, return_index=True, return_counts=True)
    often = [at for at in np.argsort(-count, kind="stable") if count[at] >= _OFTEN * len(rows)]
    entries = len(np.unique(operations.base[rows]))
    one_by_one = 4 * entries >= len(rows) / runs
    return Habit(
        places,
        worker_ns=int(asked.worker_ns[places].sum()),
        user_ns=int(life_ns.sum()),
        filter=text_at(operations.fingerprints, int(operations.fingerprint[rows[first[often[0]]]])),
        says={
            "times": times(runs),
            "length": round(len(rows) / runs),
            "kinds": tuple(group_name(operations, "kind", int(rows[first[at]])) for at in often),
            "entries": Message(", on {n} entries", n=entries) if one_by_one else NOTHING,
            "wait": int(np.median(life_ns)),
            "each": Message(" each time") if runs > 1 else NOTHING,
            "usual": int(np.median(operations.etime_ns[rows])),
            "served": min(served_ns / max(int(life_ns.sum()), 1), 1.0),
        },
    )


def client_takes_time(view: WindowView) -> list[Finding]:
    """Clients that let about the same time pass after each answer, and ask for something else."""
    steps = view.connection_steps
    pauses = sorted(_pauses(view, steps), key=lambda pause: -pause.total_ns)
    if not pauses:
        return []
    worst = pauses[0]
    whole = worst.total_ns + worst.served_ns
    clients = list(dict.fromkeys(pause.client for pause in pauses))
    return [
        finding(
            "client_takes_time",
            numbers={
                "pauses": sum(len(pause.pause_ns) for pause in pauses),
                "paused_ns": sum(pause.total_ns for pause in pauses),
                "served_ns": sum(pause.served_ns for pause in pauses),
                "clients": [client.as_numbers() for client in clients[:_CLIENTS]],
            },
            evidence=[pause.evidence for pause in pauses[:_CLIENTS]],
            # A job may well rest on purpose.
            severity=2 if any(pause.waited_for for pause in pauses) else None,
            client=worst.client.name,
            pause=int(np.median(worst.pause_ns)),
            kinds=worst.kinds,
            count=times(len(worst.pause_ns)),
            whole=whole,
            served=worst.served_ns,
            share=worst.served_ns / max(whole, 1),
            more=more_clients(max(len(clients), *(pause.clients for pause in pauses)) - 1),
        )
    ]


def _pauses(view: WindowView, steps: Steps) -> Iterator[_Pauses]:
    """By the kinds of requests before and behind: of all clients, else of those that are alike."""
    asked = view.asked
    behind = 1 + np.flatnonzero(steps.follow_within(limits("client_takes_time")["longest_s"]))
    kinds = group_keys(asked.operations, "kind", asked.rows[steps.places])
    for mine in _groups(behind, steps, kinds[behind], kinds[behind - 1]):
        if _is_pause(view, steps, mine):
            yield _described(view, steps, mine)
            continue
        for of_client in _groups(mine, steps, asked.client[steps.places[mine]]):
            if _is_pause(view, steps, of_client):
                yield _described(view, steps, of_client)


def _groups(behind: Rows, steps: Steps, *keys: Int64) -> Iterator[Rows]:
    """Places in steps with the same keys, those that waited for long together, most first."""
    limit = limits("client_takes_time")
    if not len(behind):
        return
    order, begins = in_groups(*keys)
    ordered, counts = behind[order], np.diff(begins)
    total = np.add.reduceat(steps.pause_ns[ordered - 1].astype(np.float64), begins[:-1])
    enough = (counts >= limit["pauses"]) & (total >= limit["total_s"] * NS_PER_S)
    for at in np.argsort(-total * enough, kind="stable")[: min(_GROUPS, int(enough.sum()))]:
        yield ordered[begins[at] : begins[at + 1]]


def _is_pause(view: WindowView, steps: Steps, mine: Rows) -> bool:
    """Whether the pauses before some requests are work of a client, of one length."""
    pause_ns = steps.pause_ns[mine - 1]
    least_ns = max(limits("client_takes_time")["pause_s"] * NS_PER_S, 1.5 * steps.clock_ns)
    if np.median(pause_ns) < least_ns or not steps.is_steady(pause_ns):
        return False
    return _is_work(view, view.asked.rows[steps.places[mine]], pause_ns)


def _is_work(view: WindowView, rows: Rows, pause_ns: Int64) -> bool:
    """Whether requests ask for something else each time, or for one page after the other."""
    if _are_pages(view.operations, rows, pause_ns):
        return True
    operations, some = view.operations, sample(rows, _LINES)
    lines = [view.request_of(int(row)) if view.request_of else "" for row in some]
    asked = {
        (base, filter_of(line)) for base, line in zip(operations.base[some], lines, strict=True)
    }
    return 2 * len(asked) >= len(some)


def _are_pages(operations: Operations, rows: Rows, pause_ns: Int64) -> bool:
    """Whether requests are for the pages of a list, which somebody waits for as a whole."""
    if (operations.notes[rows] & _PAGED).astype(bool).mean() >= 0.5:
        return True
    entries, count = np.unique(operations.nentries[rows], return_counts=True)
    size = int(entries[np.argmax(count)])
    low, middle, high = np.quantile(pause_ns, (0.1, 0.5, 0.9))
    full = size >= _PAGE and size % _PAGE == 0 and count.max() >= 0.9 * len(rows)
    return bool(full and high - low >= _EXACT * middle)


def _described(view: WindowView, steps: Steps, mine: Rows) -> _Pauses:
    asked, places = view.asked, steps.places
    before, behind = int(asked.rows[places[mine[0] - 1]]), int(asked.rows[places[mine[0]]])
    pause_ns, client = steps.pause_ns[mine - 1], asked.describe(places[mine])
    kinds = phrase(
        "client_takes_time",
        "kinds",
        before=group_name(view.operations, "kind", before),
        behind=group_name(view.operations, "kind", behind),
    )
    text = phrase(
        "client_takes_time",
        client=client.name,
        count=times(len(mine)),
        pause=int(np.median(pause_ns)),
        kinds=kinds,
    )
    served = int((steps.end[mine] - steps.start[mine]).sum())
    # Not as operations: what the client paused is no time of theirs.
    span = int(steps.end[mine - 1].min()), int(steps.start[mine].max())
    clients = len(np.unique(asked.client[places[mine]]))
    rows = asked.rows[places[mine]]
    connections = len(np.unique(group_keys(view.operations, "connection", rows)))
    waited_for = 2 * connections >= len(mine) or _are_pages(view.operations, rows, pause_ns)
    evidence = Evidence(text, *span)
    return _Pauses(client, clients, kinds, waited_for, pause_ns, served, evidence)
