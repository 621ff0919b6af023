"""Who asks: operations by client and connection, their habits, and their steps.

A client is an address; where the log does not tell addresses, who was bound. Its name has the DN
that most of its time was spent as.

A client that waits for each answer never has two requests under way. Those who share a pooled
connection may not either; but their requests come at random, and their pauses are spread as widely
as such arrivals are. Work of a program between two steps takes about as long each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns
from ldap_workbench.advice.evidence.inside import attributes_in
from ldap_workbench.advice.evidence.rows import (
    evidence_of_rows,
    in_groups,
    numbered,
    slowest,
    stable_order,
)
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of
from ldap_workbench.model.operations import (
    ABSENT,
    NOTES,
    TYPES,
    Int64,
    Operations,
    client_operations,
    of_unknown_kind,
    text_at,
)

Rows = NDArray[np.intp]
SRCH, BIND, EXT, ABANDON = map(TYPES.index, ("SRCH", "BIND", "EXT", "ABANDON"))
PAGED = 1 << NOTES.index("P")
"""The note of a page of a paged search."""
SHORT = 3
"""A connection of so few operations was opened for one piece of work: BIND, search, one more."""
_SHOWN = 100
_PRINCIPAL = {"krbprincipalname", "ipakrbprincipalalias", "krbcanonicalname"}
_KERBEROS = re.compile("(?:ipa)?krb")
_KDC_DN = re.compile(r"krbprincipalname=krbtgt/|\bcn=(?:kdc|kdc-service|krb5kdc)\b", re.IGNORECASE)
"""DNs that a KDC is bound as: that of the ticket service, and those of MIT's manual."""


@dataclass(frozen=True)
class Client:
    """An address and who it is bound as, both as the log has them; "" where it does not tell."""

    address: str
    bind_dn: str
    others: int = field(default=0, compare=False)
    """As how many other DNs it is bound, where none of them is most of its operations."""

    @property
    def name(self) -> Message:
        """As sentences call it."""
        if self.others and self.address:
            return count_of(
                "{address} (bound as {n} DN)",
                "{address} (bound as {n} DNs)",
                n=self.others + 1,
                address=self.address,
            )
        dn = self.bind_dn or Message("anonymous")
        if not self.address:
            return Message("{dn} (address not known)", dn=dn)
        return Message("{address} as {dn}", address=self.address, dn=dn)

    def as_numbers(self) -> dict[str, str]:
        return {"client": self.address, "bind_dn": self.bind_dn}


@dataclass(frozen=True, eq=False)
class Connections:
    """One row a connection, of client operations alone.

    first       row of Operations of the operation that began first
    operations  how many it has, ABANDON left out
    opened_ns   when it was opened, ABSENT where the log does not hold that
    client      key of its client, as in `Asked.client`
    """

    first: Rows
    operations: Int64
    opened_ns: Int64
    client: Int64
    number: Int64
    """Of each client operation: the place of its connection in the other arrays."""


class Asked:
    """The client operations of a window by who asked; `rows` are those of Operations, by start."""

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        rows = np.flatnonzero(client_operations(operations))
        self.rows: Rows = rows[np.argsort(operations.start_ns[rows], kind="stable")]

    @cached_property
    def worker_ns(self) -> Int64:
        """Time of a worker thread that each of `rows` took."""
        times: Int64 = served_ns(self.operations)[self.rows]
        return times

    @cached_property
    def total_worker_ns(self) -> int:
        return int(self.worker_ns.sum())

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        return self.operations.kind[self.rows]

    @cached_property
    def searches(self) -> NDArray[np.bool_]:
        """Which of `rows` are searches whose request is known."""
        unknown = of_unknown_kind(self.operations)[self.rows]
        searches: NDArray[np.bool_] = (self.kind == SRCH) & ~unknown
        return searches

    @cached_property
    def of_kdc(self) -> NDArray[np.bool_]:
        """Which of `rows` came over connections of a Kerberos KDC.

        It has to read a principal anew for each ticket, so that nothing it asks is asked too often.
        Half of its searches at least are for principals and nothing else, or it is bound as one.
        """
        operations, number = self.operations, self.connections.number
        asks = np.array([_is_of_kdc(text) for text in operations.fingerprints] or [False])
        bound = np.array([bool(_KDC_DN.search(dn)) for dn in operations.bind_dns] or [False])
        shapes, names = operations.fingerprint[self.rows], operations.bind_dn[self.rows]
        searches = np.bincount(number, self.searches)
        principals = np.bincount(number, self.searches & (shapes >= 0) & asks[shapes])
        mine: NDArray[np.bool_] = ((principals > 0) & (2 * principals >= searches))[number]
        mine |= (names >= 0) & bound[names]
        return mine

    @cached_property
    def client(self) -> Int64:
        """A key of the client of each of `rows`: of its address, below 0 of its bind DN."""
        address = self.operations.client[self.rows].astype(np.int64)
        bind_dn = self.operations.bind_dn[self.rows].astype(np.int64)
        keys: Int64 = np.where(address >= 0, address, -2 - bind_dn)
        return keys

    def groups(self, places: Rows, *columns: str, least: float = 1) -> Iterator[Rows]:
        """Places of `rows` by client and columns of Operations, the group with most work first."""
        if not len(places):
            return
        keys = [getattr(self.operations, name)[self.rows[places]] for name in columns]
        order, begins = in_groups(*keys, self.client[places])
        many = np.diff(begins) >= least
        if not many.any():
            return
        ordered = places[order]
        work_ns = np.add.reduceat(self.worker_ns[ordered], begins[:-1])
        for at in np.argsort(-work_ns, kind="stable"):
            if many[at]:
                yield ordered[begins[at] : begins[at + 1]]

    def count_by_client(self, chosen: NDArray[np.bool_]) -> dict[int, int]:
        """How many chosen operations each client has, by its key; a client without has no count."""
        clients = self.client[chosen]
        first, number = numbered(clients)
        return dict(zip(clients[first].tolist(), np.bincount(number).tolist(), strict=True))

    def describe(self, places: Rows) -> Client:
        """The client of some of `rows`, with the DN that took most of their time."""
        rows = self.rows[places]
        address = text_at(self.operations.clients, int(self.operations.client[rows[0]]))
        names = self.operations.bind_dn[rows] + 1
        time = np.bincount(names, weights=self.worker_ns[places].astype(np.float64) + 1)
        name = text_at(self.operations.bind_dns, int(np.argmax(time)) - 1)
        counts = np.bincount(names)
        others = int((counts > 0).sum()) - 1 if 2 * counts.max() < len(rows) else 0
        return Client(address, name, others)

    @cached_property
    def connections(self) -> Connections:
        operations, rows = self.operations, self.rows
        ids = (operations.boot[rows].astype(np.int64) << 42) + operations.conn[rows]
        first, number = numbered(ids)
        opened = np.full(len(first), ABSENT)
        known = operations.opened_ns[rows] != ABSENT
        np.maximum.at(opened, number[known], operations.opened_ns[rows[known]])
        counted = number[self.kind != ABANDON]
        return Connections(
            first=rows[first],
            operations=np.bincount(counted, minlength=len(first)),
            opened_ns=opened,
            client=self.client[first],
            number=number,
        )

    def evidence(self, places: Rows, text: Message) -> Evidence:
        """Some of `rows` as evidence: from the first to the last, the slowest of them listed."""
        rows = self.rows[places]
        listed = slowest(self.operations, rows, _SHOWN)
        return evidence_of_rows(self.operations, text, rows, listed)


def _is_of_kdc(fingerprint: str) -> bool:
    """Whether a filter looks for a Kerberos principal and nothing else."""
    names = set(attributes_in(fingerprint)) - {"objectclass"}
    return bool(names & _PRINCIPAL) and all(_KERBEROS.match(name) for name in names)


_CLIENTS = 20
"""Clients that a finding names with their operations."""


@dataclass(frozen=True, eq=False)
class Habit:
    """What one client does; `places` are those of its operations in `Asked.rows`.

    `says` fills the sentence of a finding that it is the worst of, `numbers` are that finding's:
    of lists those of all.
    `worker_ns` and `user_ns` are what it costs, `count` what it is counted by.
    """

    places: Rows
    worker_ns: int | None = None
    user_ns: int | None = None
    count: int = 0
    filter: str = ""
    says: Mapping[str, Value] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    confidence: str = ""

    @property
    def cost_ns(self) -> int:
        """By which the worst of several is found."""
        return max(self.worker_ns or 0, self.user_ns or 0)


def finding_of_habits(
    which: str, asked: Asked, habits: Iterable[Habit], *, counted: str
) -> list[Finding]:
    """The finding `which` of all clients that have the habit; none where nobody has.

    `counted` names the number that is the sum of their counts.
    """
    ranked = sorted(habits, key=lambda habit: -habit.cost_ns)
    if not ranked:
        return []
    worst, clients = ranked[0], [asked.describe(habit.places) for habit in ranked]
    work = worst.worker_ns or 0
    filters = list(dict.fromkeys(habit.filter for habit in ranked if habit.filter))
    numbers = {
        counted: sum(_count(habit) for habit in ranked),
        "clients": [client.as_numbers() for client in clients[:_CLIENTS]],
        "share_of_work": work / max(asked.total_worker_ns, 1),
        **({"filters": filters} if filters else {}),
        **worst.numbers,
    }
    for name in (name for name, value in worst.numbers.items() if isinstance(value, list)):
        numbers[name] = [item for habit in ranked[:_CLIENTS] for item in habit.numbers[name]]
    values: dict[str, Any] = {
        "client": clients[0].name,
        "filter": worst.filter,
        "share": numbers["share_of_work"],
        "more": more_clients(len(set(clients)) - 1),
        **worst.says,
    }
    return [
        finding(
            which,
            numbers=numbers,
            evidence=[
                _evidence(asked, habit, client.name)
                for habit, client in zip(ranked[:_CLIENTS], clients, strict=False)
            ],
            confidence=worst.confidence,
            worker_ns=sum_of_known(habit.worker_ns for habit in ranked),
            user_ns=sum_of_known(habit.user_ns for habit in ranked),
            **values,
        )
    ]


def _count(habit: Habit) -> int:
    return habit.count or len(habit.places)


def _evidence(asked: Asked, habit: Habit, client: Message) -> Evidence:
    """Whose operations these are, how many, and what their clients waited for them."""
    operations = count_of("{n} operation", "{n} operations", n=_count(habit))
    what = Message("{filter}: {operations}", filter=habit.filter, operations=operations)
    text = Message(
        "{client}: {what}, {time:duration} together.",
        client=client,
        what=what if habit.filter else operations,
        time=int(asked.operations.etime_ns[asked.rows[habit.places]].sum()),
    )
    return asked.evidence(habit.places, text)


def sum_of_known(costs: Iterable[int | None]) -> int | None:
    """The sum of costs without those that are not known; None where none is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def more_clients(n: int) -> Message:
    """Behind a sentence about the most expensive client."""
    if not n:
        return NOTHING
    return count_of(" {n} more client does the same.", " {n} more clients do the same.", n=n)


_CLOCKS = (1_000_000_000, 1_000_000, 1_000)
_EARLY_NS = 100_000
"""A server may log its answer so long after sending it: the next request seems to come before."""
_STEADY = 0.8
"""Nine in ten of random pauses lie within three times their median; of 15, so few in 1 of 8,000."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Operations of clients, stream by stream in their order; arrays are [n].

    places      in `Asked.rows`
    stream      of each, as it was asked for
    start, end  ns
    clock_ns    the step of the log's clock: so much a pause may be off
    """

    places: Rows
    stream: Int64
    start: Int64
    end: Int64
    clock_ns: int

    @cached_property
    def pause_ns(self) -> Int64:
        """From the answer before to each request but the first, [n - 1]."""
        pauses: Int64 = self.start[1:] - self.end[:-1]
        return pauses

    def follow_within(self, longest_s: float) -> NDArray[np.bool_]:
        """Which follow the one before of their stream, not before its answer nor long after."""
        follow: NDArray[np.bool_] = self.stream[1:] == self.stream[:-1]
        longest_ns = longest_s * 1e9 + self.clock_ns
        early_ns = max(1.5 * self.clock_ns, _EARLY_NS)
        return follow & (self.pause_ns >= -early_ns) & (self.pause_ns < longest_ns)

    def runs(self, follow: NDArray[np.bool_]) -> tuple[Rows, Rows]:
        """Where runs of operations begin that follow one another, and how long they are."""
        firsts = np.flatnonzero(np.concatenate(([True], ~follow)))
        return firsts, np.diff(np.append(firsts, len(self.places)))

    def is_steady(self, pauses: Int64) -> bool:
        """Whether pauses are of one length, as far as the clock of the log shows."""
        return is_steady(pauses, self.clock_ns)


def is_steady(pauses: Int64, clock_ns: int = 0) -> bool:
    """Whether pauses are of one length, as random arrivals (three times as wide) have not."""
    low, middle, high = np.quantile(pauses, (0.1, 0.5, 0.9))
    return bool(high - low <= _STEADY * middle + clock_ns)


def streams_of(asked: Asked) -> Int64:
    """Of each of `Asked.rows` its stream: a connection, or the client where those are short."""
    connections = asked.connections
    short = connections.operations[connections.number] <= SHORT
    streams: Int64 = np.where(short, -1 - asked.client, connections.number + len(connections.first))
    return streams


def steps_of(asked: Asked, stream: Int64, among: NDArray[np.bool_] | None = None) -> Steps:
    """The steps of streams, of which `stream` has a number for each of `Asked.rows`.

    `among` are those that count, where others between them do not matter.
    """
    places = np.flatnonzero(asked.kind != ABANDON if among is None else among)
    rows, operations = asked.rows[places], asked.operations
    # The order of results, as a clock of whole seconds does not say which of them came first.
    place_of = np.full(len(operations), -1, np.int32)
    place_of[rows] = places
    places = place_of[place_of >= 0].astype(np.intp)
    end = operations.end_ns[asked.rows[places]]
    if (end[1:] < end[:-1]).any():
        places = places[np.argsort(end, kind="stable")]
    places = places[stable_order(stream[places])]
    rows = asked.rows[places]
    end = operations.end_ns[rows]
    clock = next((step for step in _CLOCKS if len(end) and not (end % step).any()), 1)
    return Steps(places, stream[places], operations.start_ns[rows], end, clock)
