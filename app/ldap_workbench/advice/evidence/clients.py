"""Who asks: operations grouped by client address, and by connection.

A client is an address; where the log does not tell addresses, who was bound. Its name has the DN
that most of its time was spent as.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns
from ldap_workbench.advice.evidence.inside import attributes_in
from ldap_workbench.advice.evidence.numbering import in_groups, numbered
from ldap_workbench.advice.evidence.rows import evidence_of_rows, slowest
from ldap_workbench.model.finding import Evidence
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import (
    ABSENT,
    TYPES,
    Int64,
    Operations,
    client_operations,
    of_unknown_kind,
    text_at,
)

Rows = NDArray[np.intp]
SRCH, BIND, EXT, ABANDON = map(TYPES.index, ("SRCH", "BIND", "EXT", "ABANDON"))
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
