"""Requests one after the other: loops over a list, chains, pauses, changes one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.account.blame import sessions_of
from ldap_workbench.advice.evidence.clients import (
    PAGED,
    Asked,
    Client,
    Habit,
    Rows,
    Steps,
    finding_of_habits,
    is_steady,
    more_clients,
    steps_of,
    streams_of,
)
from ldap_workbench.advice.evidence.inside import filter_of, sample
from ldap_workbench.advice.evidence.period import MAY_BE_CHANCE, chance_of
from ldap_workbench.advice.evidence.rows import grouped, in_groups, stable_order
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES, Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S

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
    # A supplier that sends all it has is no client that could ask otherwise.
    long &= ~sessions_of(asked.operations)[asked.rows[steps.places[firsts]]]
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
    if (operations.notes[rows] & PAGED).astype(bool).mean() >= 0.5:
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


_MOD = TYPES.index("MOD")


def find_one_by_one(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    habits = _runs(view.asked)
    one_by_one = finding_of_habits("changes_one_by_one", view.asked, habits, counted="changes")
    return one_by_one + hot_entry(view)


def hot_entry(view: WindowView) -> list[Finding]:
    """Entries of slapd whose changes take long, each, and much of all time together."""
    habits = _hot(view.asked) if view.product == "openldap" else ()
    return finding_of_habits("hot_entry", view.asked, habits, counted="changes")


def _hot(asked: Asked) -> Iterator[Habit]:
    """Each entry that is changed so; other changes are the measure of what is long."""
    limit, operations = limits("hot_entry"), asked.operations
    changes = np.flatnonzero((asked.kind == _MOD) & (operations.err[asked.rows] == 0))
    work = asked.worker_ns
    for places in grouped(changes, operations.base[asked.rows[changes]]):
        others = np.setdiff1d(changes, places, assume_unique=True)
        usual = float(np.median(work[places]))
        quick = float(np.median(work[others])) if len(others) else 0.0
        if (
            len(places) >= limit["changes"]
            and usual >= max(limit["usual_ms"] * NS_PER_MS, limit["times"] * quick)
            and work[places].sum() >= limit["share"] * asked.total_worker_ns
        ):
            yield Habit(
                places,
                worker_ns=int(work[places].sum()),
                user_ns=int(operations.etime_ns[asked.rows[places]].sum()),
                says={
                    "n": len(places),
                    "entry": text_at(operations.bases, int(operations.base[asked.rows[places[0]]])),
                    "usual": round(usual),
                    "quick": round(quick) or None,
                },
            )


def _runs(asked: Asked) -> Iterator[Habit]:
    """Runs of changes that wait for each other, by client and entry.

    What else the client asks between them counts as its pause. A client that changes an entry at a
    pace of its own, as one does that says that it lives, is at rest for most of a run.
    """
    limit, operations = limits("changes_one_by_one"), asked.operations
    base, bases = operations.base[asked.rows], len(operations.bases)
    changes = (asked.kind == _MOD) & (operations.err[asked.rows] == 0) & (base >= 0)
    if changes.sum() < limit["changes"]:
        return
    steps = steps_of(asked, asked.client * bases + base, changes)
    firsts, lengths = steps.runs(steps.follow_within(limit["gap_s"]))
    life = steps.end[firsts + lengths - 1] - steps.start[firsts]
    served = np.add.reduceat(steps.end - steps.start, firsts)
    chosen = np.flatnonzero((lengths >= limit["run"]) & (served >= limit["served"] * life))
    stream = steps.stream[firsts[chosen]]
    for key in np.unique(stream):
        runs = chosen[stream == key]
        if life[runs].sum() >= limit["long_s"] * NS_PER_S and (
            lengths[runs].sum() >= limit["changes"]
        ):
            inside = [
                steps.places[at : at + n] for at, n in zip(firsts[runs], lengths[runs], strict=True)
            ]
            yield _habit(asked, np.concatenate(inside), life[runs])


def _habit(asked: Asked, places: Rows, life_ns: Int64) -> Habit:
    """The runs of one client on one entry; `life_ns` is how long each of them took."""
    operations, rows = asked.operations, asked.rows[places]
    return Habit(
        places,
        worker_ns=int(asked.worker_ns[places].sum()),
        user_ns=int(operations.etime_ns[rows].sum()),
        says={
            "times": times(len(life_ns)),
            "entry": text_at(operations.bases, int(operations.base[rows[0]])),
            "length": round(len(rows) / len(life_ns)),
            "wait": int(np.median(life_ns)),
            "repeated": Message(" each time") if len(life_ns) > 1 else NOTHING,
            "usual": int(np.median(operations.etime_ns[rows])),
        },
    )


def find_loops(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if len(view.asked.rows) < limits("n_plus_one")["searches"]:
        return []
    streams = _Streams(view.asked)
    loops = [*streams.of_lists()]
    covered = np.concatenate([loop.places for loop in loops]) if loops else np.empty(0, np.intp)
    # What asks for each entry of a list is said as that, and not again as a long run.
    loops += [run for run in streams.of_runs() if not np.isin(run.places, covered).any()]
    return finding_of_habits("n_plus_one", view.asked, loops, counted="searches")


class _Streams:
    """The operations of a window in the order of their streams.

    A stream is a connection, or a client where those are short. `order` are places in `Asked.rows`.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked, self.limit = asked, limits("n_plus_one")
        operations, stream = asked.operations, streams_of(asked)
        self.order = stable_order(stream)
        self.rows = asked.rows[self.order]
        self.joined = np.append(False, np.diff(stream[self.order]) == 0)
        self.search = asked.searches[self.order]
        self.shape = operations.fingerprint[self.rows]
        self.entries = operations.nentries[self.rows]
        self.start, self.end = operations.start_ns[self.rows], operations.end_ns[self.rows]

    def of_lists(self) -> Iterator[Habit]:
        """Lists that are followed by as many searches as they returned entries, or a multiple."""
        lists = np.flatnonzero(self.search & (self.entries >= self.limit["entries"]))
        if not len(lists):
            return
        search = self.search & ~self.asked.of_kdc[self.order]
        lists = lists[search[lists]]
        single = self.joined & search & (self.entries >= 0) & (self.entries <= 1)
        follow = _behind(single, lists)
        for mine in self._alike(lists):
            entries = self.entries[lists[mine]]
            per_entry = _times(entries, follow[mine])
            if per_entry and follow[mine].sum() >= self.limit["searches"]:
                usual = float(np.median(entries))
                listed = phrase("n_plus_one", "listed", entries=usual, each=per_entry)
                yield self._loop(lists[mine], follow[mine], listed)

    def of_runs(self) -> Iterator[Habit]:
        """Searches followed by a long run of another kind, without a rest that a person makes."""
        pause = np.append(-1, self.start[1:] - self.end[:-1])
        follows = self.joined & (pause >= 0) & (pause < self.limit["gap_s"] * NS_PER_S)
        follows &= self.search & np.append(False, self.search[:-1])
        again = follows & (np.append(-1, self.shape[:-1]) == self.shape) & (self.shape >= 0)
        leads = np.flatnonzero((follows & ~again)[1:] & (self.entries[:-1] >= 1))
        follow = 1 + _behind(again, leads + 1)
        leads, follow = leads[follow >= self.limit["run"]], follow[follow >= self.limit["run"]]
        for mine in self._alike(leads, self.shape[leads + 1]):
            wait = np.median(self.end[leads[mine] + follow[mine]] - self.start[leads[mine] + 1])
            enough = len(mine) >= self.limit["times"]
            enough &= follow[mine].sum() >= self.limit["searches"]
            enough &= wait >= self.limit["wait_s"] * NS_PER_S
            if enough and self._is_chain(leads[mine], follow[mine], pause, follows):
                yield self._loop(leads[mine], follow[mine], NOTHING)

    def _is_chain(
        self, leads: Rows, follow: Int64, pause: Int64, follows: NDArray[np.bool_]
    ) -> bool:
        """Whether a program asks: soon after each answer, and in this order more than by chance.

        Users of one pooled connection ask one after the other as well, but with pauses of any
        length, at the pace of the rest of its traffic, and with their requests shuffled as many
        would follow each other.
        """
        mine = self.asked.client[self.order] == self.asked.client[self.order[leads[0]]]
        behind = _places_behind(leads, follow)
        usual = pause[np.setdiff1d(np.flatnonzero(mine & self.joined), behind)]
        soon = np.median(self.end[behind] - self.start[behind])
        if len(usual):
            soon = max(soon, self.limit["soon"] * np.median(usual))
        # Pauses of 0 are those of a clock that is too coarse to show any.
        steady, middle = is_steady(pause[behind]), np.median(pause[behind])
        if len(usual) and middle > soon and not steady:
            return False
        if steady and middle > 0:
            return True
        shapes, length = self.shape[mine & self.search], int(np.quantile(follow, 0.25))
        share_of_lead = float((shapes == self.shape[leads[0]]).mean())
        share_behind = float((shapes == self.shape[behind[0]]).mean())
        room = int((_behind(follows, np.flatnonzero(mine)) >= length).sum())
        expected = room * share_of_lead * share_behind**length
        return chance_of(int((follow >= length).sum()), expected) <= MAY_BE_CHANCE

    def _alike(self, leads: Rows, *columns: NDArray[np.int32]) -> Iterator[Rows]:
        """The leads of one client and kind, as places among them."""
        keys = np.stack([self.asked.client[self.order[leads]], self.shape[leads], *columns])
        _, group = np.unique(keys, axis=1, return_inverse=True)
        for number in range(group.max(initial=-1) + 1):
            yield np.flatnonzero(group == number)

    def _loop(self, leads: Rows, follow: Int64, listed: Message) -> Habit:
        asked = self.asked
        places = self.order[_places_behind(leads, follow)]
        some = leads[follow > 0]
        # From the end of a list to the end of its last search: what its user waited for them.
        waits = np.maximum(self.end[some + follow[follow > 0]] - self.end[some], 0)
        usual = usual_filter(asked, places)
        return Habit(
            places,
            worker_ns=int(asked.worker_ns[places].sum()),
            # Not the client's own pauses: no server can give that time back.
            user_ns=int(asked.operations.etime_ns[asked.rows[places]].sum()),
            filter=usual,
            says={
                "lists": times(len(leads)),
                "lead": text_at(asked.operations.fingerprints, int(self.shape[leads[0]])),
                "length": round(float(np.median(follow))),
                "wait": int(np.median(waits)),
                "listed": listed,
            },
            numbers={"lists": len(leads)},
        )


def _behind(continues: NDArray[np.bool_], places: Rows) -> Int64:
    """How many follow each place without one that does not continue."""
    stops = np.append(np.flatnonzero(~continues), len(continues))
    behind: Int64 = stops[np.searchsorted(stops, places, side="right")] - places - 1
    return behind


def _places_behind(leads: Rows, follow: Int64) -> Rows:
    """The places that follow some, so many each."""
    return np.concatenate(
        [np.arange(at + 1, at + 1 + n) for at, n in zip(leads, follow, strict=True)]
    )


def _times(entries: Int64, follow: Int64) -> int:
    """How many searches follow for each entry; 0 where that does not go with the entries."""
    limit = limits("n_plus_one")
    if len(entries) < limit["lists"]:
        return 0
    per_entry = round(float(np.median(follow / entries)))
    wanted = per_entry * entries
    off = np.abs(follow - wanted) <= np.maximum(1, limit["off"] * wanted)
    return per_entry if per_entry >= 1 and off.mean() >= limit["share"] else 0


def usual_filter(asked: Asked, places: Rows) -> str:
    """The kind of most of some searches."""
    shapes = asked.operations.fingerprint[asked.rows[places]] + 1
    return text_at(asked.operations.fingerprints, int(np.argmax(np.bincount(shapes))) - 1)
