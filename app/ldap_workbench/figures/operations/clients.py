"""Clients by what they cost: connections, operations, worker time of each address and bind DN."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import ABANDON, BIND, SRCH, Asked, Client
from ldap_workbench.advice.families.find import findings as findings_of
from ldap_workbench.figures.formats import amount, etime, percent
from ldap_workbench.figures.operations.view import resolved
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.operations import CHANGES, TYPES, Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.conditions import exactly
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, ordered, row_numbers

_WRITES = tuple(map(TYPES.index, CHANGES))
_HOUR = 3600
_DNS = 10
"""So many DNs of one address have a row each; of more, those with this part of its time."""


@dataclass(frozen=True)
class ClientRow:
    """What one client did in the windows looked at; `worker_ns` within `over_ns` of them."""

    address: str
    bind_dn: str
    connections: int
    operations: int
    searches: int
    binds: int
    writes: int
    abandoned: int
    entries: int
    worker_ns: int
    over_ns: int = 0
    share: float = 0.0
    """Of the worker time of all clients."""
    findings: tuple[str, ...] = ()
    """Ids of the findings that name it, most expensive first."""
    others: int = 0
    """This many DNs of the address that are told together; 0 for one DN, `bind_dn`."""

    @property
    def worker_s_per_h(self) -> float:
        """Seconds of worker threads an hour."""
        return _HOUR * self.worker_ns / max(self.over_ns, 1)

    @property
    def connections_per_h(self) -> float:
        return _HOUR * NS_PER_S * self.connections / max(self.over_ns, 1)

    @property
    def operations_per_connection(self) -> float | None:
        """None where the log does not tell connections."""
        return self.operations / self.connections if self.connections else None

    @property
    def worker_ns_per_operation(self) -> int:
        """Time of worker threads that one of its operations took on average, ns."""
        return self.worker_ns // max(self.operations, 1)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {
            "worker_ns_per_operation": self.worker_ns_per_operation,
            "worker_s_per_h": self.worker_s_per_h,
            "connections_per_h": self.connections_per_h,
            "operations_per_connection": self.operations_per_connection,
        }


@dataclass(frozen=True)
class ClientsView:
    """The clients of some windows, most expensive first, and the titles of findings by their id."""

    rows: tuple[ClientRow, ...]
    titles: dict[str, Message]


def bind_dn_of(row: ClientRow) -> Message:
    """Who a client is bound as, as tables show it."""
    if row.others:
        return count_of("({n} DN)", "({n} DNs)", n=row.others)
    return verbatim(row.bind_dn) if row.bind_dn else Message("(anonymous)")


def words_of(row: ClientRow) -> str:
    """What finds the operations of a client, as the Operations screen and --find take it."""
    words = [exactly("client", row.address)] if row.address else []
    if row.bind_dn:
        words.append(exactly("dn", row.bind_dn))
    return " ".join(words)


def client_terms(row: ClientRow, column: int) -> tuple[str, ...]:
    """What finds the operations with the value of a cell of `columns`, and what finds others."""
    parts = (("client", row.address), ("dn", row.bind_dn))
    if column >= len(parts) or (row.others and column):
        return ()
    return tuple(exactly(*parts[column], sign) for sign in ("=", "!="))


def clients_of(session: Session, search: Search) -> ClientsView:
    """Clients whose operations are found, with all findings of the session."""
    return read_clients(session, search, findings_of(session))


def read_clients(session: Session, search: Search, findings: Sequence[Finding] = ()) -> ClientsView:
    """Clients whose operations are found; `findings` are shown beside the clients they name.

    Of a time range, what its operations took of workers outside of it does not count.
    """
    named = _named(findings)
    spans = [_seen(search, window.start_ns, window.end_ns) for window in search.windows]
    over_ns = sum(max(0, end - start) for start, end in spans)
    numbers = _narrowed(session, search)
    sums: dict[Client, Int64] = {}
    for window in search.windows:
        chosen = None if numbers is None else np.isin(row_numbers(session, window), numbers)
        for client, counts in _counted(session.operations(window), search, chosen):
            sums[client] = sums.get(client, 0) + counts
    whole = max(sum(int(counts[-1]) for counts in sums.values()), 1)
    rows = [
        replace(
            _row(client, counts.tolist()),
            over_ns=over_ns,
            share=int(counts[-1]) / whole,
            findings=tuple(named.get(client, ())),
            others=others,
        )
        for client, counts, others in _folded(sums)
    ]
    rows.sort(key=lambda row: -row.worker_ns)
    titles = {finding.id: finding.title for finding in findings}
    return ClientsView(tuple(rows), titles)


def _row(client: Client, counts: list[int]) -> ClientRow:
    connections, operations, searches, binds, writes, abandoned, entries, worker_ns = counts
    return ClientRow(
        client.address,
        client.bind_dn,
        connections,
        operations,
        searches,
        binds,
        writes,
        abandoned,
        entries,
        worker_ns,
    )


def _folded(sums: Mapping[Client, Int64]) -> Iterator[tuple[Client, Int64, int]]:
    """Clients with their counts.

    Of an address with many DNs, those that cost little as one: an address that checks passwords is
    bound as every user once.
    """
    by_address: dict[str, list[tuple[Client, Int64]]] = {}
    for client, counts in sums.items():
        by_address.setdefault(client.address, []).append((client, counts))
    for address, same in by_address.items():
        same.sort(key=lambda row: -int(row[1][-1]))
        least = sum(int(counts[-1]) for _, counts in same) / _DNS
        named = sum(int(counts[-1]) >= least for _, counts in same) if len(same) > _DNS else _DNS
        for client, counts in same[:named]:
            yield client, counts, 0
        if rest := same[named:]:
            yield Client(address, ""), sum(c for _, c in rest), len(rest)  # type: ignore[misc]


def _seen(search: Search, start: Any, end: Any) -> tuple[Any, Any]:
    """What of a time from `start` to `end` (ns, or arrays of them) is looked at."""
    if search.selection is None:
        return start, end
    first, last = search.selection
    return np.maximum(start, first), np.minimum(end, last)


def _narrowed(session: Session, search: Search) -> Int64 | None:
    """The row numbers of what is found; None where that is all of its windows."""
    if not search.conditions and search.selection is None:
        return None
    return ordered(session, resolved(session, search))


def _counted(
    operations: Operations, search: Search, chosen: NDArray[np.bool_] | None
) -> Iterable[tuple[Client, Int64]]:
    """Each client of a window with its counts, in the order of the fields of ClientRow."""
    asked = Asked(operations)
    here = slice(None) if chosen is None else chosen[asked.rows]
    rows, kind, worker_ns = asked.rows[here], asked.kind[here], asked.worker_ns[here]
    start_ns, end_ns = _seen(search, operations.start_ns[rows], operations.end_ns[rows])
    worker_ns = np.minimum(worker_ns, end_ns - start_ns)
    key = (operations.client[rows].astype(np.int64) + 1) * (len(operations.bind_dns) + 1)
    key += operations.bind_dn[rows] + 1
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    pairs = np.unique(group * (len(asked.connections.first) + 1) + asked.connections.number[here])
    connections = pairs // (len(asked.connections.first) + 1)
    entries = np.maximum(operations.nentries[rows], 0)
    kinds = (
        kind != ABANDON, kind == SRCH, kind == BIND, np.isin(kind, _WRITES), kind == ABANDON,
    )  # fmt: skip
    counts = [
        np.bincount(connections, minlength=len(first)),
        *(np.bincount(group[chosen], minlength=len(first)) for chosen in kinds),
        np.bincount(group, entries.astype(np.float64), len(first)),
        np.bincount(group, worker_ns.astype(np.float64), len(first)),
    ]
    table = np.stack(counts, axis=1).astype(np.int64) if len(first) else ()
    for row, counts_of in zip(rows[first], table, strict=True):
        address = text_at(operations.clients, int(operations.client[row]))
        dn = text_at(operations.bind_dns, int(operations.bind_dn[row]))
        yield Client(address, dn), counts_of


def _named(findings: Sequence[Finding]) -> dict[Client, list[str]]:
    """Whom findings name, with their ids."""
    by_client: dict[Client, list[str]] = {}
    for finding in findings:
        for row in finding.numbers.get("clients", ()):
            client = Client(row["client"], row["bind_dn"])
            by_client.setdefault(client, []).append(finding.id)
    return by_client


def columns(titles: Mapping[str, Message]) -> tuple[Column[ClientRow], ...]:
    """The columns of the window, in its order; `titles` names a finding by its id."""

    def known(row: ClientRow) -> tuple[Message, ...]:
        return tuple(titles[which] for which in row.findings if which in titles)

    def text(row: ClientRow) -> Message:
        names = known(row)
        return Message("{titles:list}", titles=names) if names else NOTHING

    def printed(row: ClientRow) -> str:
        return "; ".join(map(str, known(row)))

    findings = Column[ClientRow](Message("Findings"), text, key="found", printed=printed)
    return (*_COST, findings, *_WORK)


def _worker_seconds(row: ClientRow) -> str:
    seconds = row.worker_s_per_h
    return f"{seconds:,.3g}" if seconds < 1000 else f"{seconds:,.0f}"


def _per_connection(row: ClientRow) -> Message:
    return amount(row.operations_per_connection, ".1f")


def _per_connection_printed(row: ClientRow) -> Message | str:
    return "" if row.operations_per_connection is None else _per_connection(row)


_COST: tuple[Column[ClientRow], ...] = (
    Column(Message("Client"), lambda r: r.address or Message("(not known)"), key="client"),
    Column(Message("Bind DN"), bind_dn_of, key="bind DN"),
    quantity(
        Message("Worker time/h"),
        lambda r: round(r.worker_s_per_h * NS_PER_S),
        etime,
        about=Message("Time of worker threads that the client took, in an hour"),
        key="worker s/h",
        printed=_worker_seconds,
    ),
    quantity(
        Message("Share"),
        lambda r: r.share,
        percent,
        strong=lambda r: r.share >= 0.25,
        about=Message("Of the worker time of all clients"),
        key="share",
    ),
    quantity(
        Message("Worker time/op."),
        lambda r: r.worker_ns_per_operation,
        etime,
        about=Message("Time of worker threads that one operation took, on average"),
        key="worker/op.",
    ),
)
"""Who it is, and what it costs."""
_WORK: tuple[Column[ClientRow], ...] = (
    quantity(Message("Connections"), lambda r: r.connections, key="connections"),
    Column(
        Message("Operations each"),
        _per_connection,
        lambda r: r.operations_per_connection,
        number=True,
        strong=lambda r: "no_pooling" in r.findings,
        about=Message("Operations on a connection, on average"),
        key="ops/conn.",
        printed=_per_connection_printed,
    ),
    quantity(Message("Operations"), lambda r: r.operations, key="operations"),
    quantity(Message("Searches"), lambda r: r.searches, key="searches"),
    quantity(Message("Binds"), lambda r: r.binds, key="binds"),
    quantity(Message("Writes"), lambda r: r.writes, key="writes"),
    quantity(Message("Entries"), lambda r: r.entries, key="entries"),
)
