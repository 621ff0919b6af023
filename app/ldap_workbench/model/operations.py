"""LDAP operations as columns: one numpy array per property, one row per operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = ("SRCH", "BIND", "MOD", "ADD", "DEL", "MODRDN", "CMP", "EXT", "ABANDON", "UNKNOWN")
"""Operation types; a row's `kind` is an index into this tuple."""

CHANGES = ("MOD", "ADD", "DEL", "MODRDN")
"""Types that change an entry."""

INTERNAL = "INTERNAL"
"""Name under which all internal operations are summed, whatever their type."""
ALL = "ALL"
"""Name under which all client operations are summed."""

NOTES = "UAPFMNBS"
"""Letters of notes=..., and S: sorted by the server. A row's `notes` has bit
1 << NOTES.index(letter) set."""

ABSENT = np.iinfo(np.int64).min
"""The value of a time or count the log does not give."""

SASL_GOES_ON = 14
"""The result of a step of a SASL bind, behind which the next one comes."""

NO_ERROR = (0, 5, 6, 10, SASL_GOES_ON)
"""Result codes that tell of no error: success, a comparison's false and true, a referral, and 'SASL
bind in progress'."""

Int64 = NDArray[np.int64]

COLUMNS: dict[str, type[np.generic]] = {
    "end_ns": np.int64,
    "etime_ns": np.int64,
    "wtime_ns": np.int64,
    "optime_ns": np.int64,
    "kind": np.uint8,
    "internal": np.bool_,
    "own": np.bool_,
    "err": np.int32,
    "nentries": np.int64,
    "notes": np.uint8,
    "boot": np.int32,
    "conn": np.int64,
    "op": np.int32,
    "internal_op": np.int32,
    "nesting": np.int32,
    "client": np.int32,
    "fingerprint": np.int32,
    "base": np.int32,
    "bind_dn": np.int32,
    "request_at": np.int64,
    "result_at": np.int64,
    "wqtime_ns": np.int64,
    "writetime_ns": np.int64,
    "index_ns": np.int64,
    "index_ids": np.int64,
    "opened_ns": np.int64,
    "closed_ns": np.int64,
    "index_key": np.int32,
    "wbusy": np.int32,
    "wmax": np.int32,
    "wqdepth": np.int32,
    "deref": np.int8,
    "vlv": np.bool_,
}

RARE: dict[str, int] = {
    "wqtime_ns": ABSENT,
    "writetime_ns": ABSENT,
    "index_ns": ABSENT,
    "index_ids": ABSENT,
    "opened_ns": ABSENT,
    "closed_ns": ABSENT,
    "index_key": -1,
    "wbusy": -1,
    "wmax": -1,
    "wqdepth": -1,
    "deref": -1,
    "vlv": 0,
}
"""Columns that few logs fill, and what stands in them where nothing is said."""


@dataclass(frozen=True, eq=False)
class Operations:
    """Finished operations of one log, in the order of their result lines; every array has length n.

    end_ns       time printed on the result line, ns since 1970 UTC (server clock)
    etime_ns     ns, never ABSENT (operations without a latency are not rows)
    wtime_ns, optime_ns   ns or ABSENT (not printed, or garbage that was set aside and counted)
    kind         index into TYPES;  internal: the server itself asked;  own: we asked
    err, nentries, notes (bits of NOTES)
    boot         counts server starts seen in the log;  conn, op; internal_op, nesting (0 if none)
    client, fingerprint, base, bind_dn, index_key   index into the string table of that name, -1
                 unknown
    request_at, result_at   byte offset of the line in the raw text of its source, -1 unknown
    wqtime_ns, writetime_ns   ns or ABSENT: in the queue of the workers, and writing the answer
                 (389 DS 3.2)
    index_ns, index_ids, index_key   of STAT lines: ns spent in indexes, and the key with the most
                 entries: how many, and which ('cn key(sub)'); ABSENT and -1 without such lines.
                 A key without a number of entries: slapd says that these terms have no index
                 ('mail key(eq), cn key(sub)')
    wbusy, wmax, wqdepth   when the answer was logged: workers busy, workers there are, operations
                 that waited for one (389 DS 3.2); -1 not said
    opened_ns    when the connection was opened, in the row of the first operation that ended on it;
                 ABSENT in other rows, and where the log does not hold the opening
    closed_ns    when the connection was closed, where the operation ended after that; else ABSENT
    deref        how aliases are followed, 0..3; -1 not said
    vlv          a page of a sorted list was asked for (virtual list view)
    """

    end_ns: Int64
    etime_ns: Int64
    wtime_ns: Int64
    optime_ns: Int64
    kind: NDArray[np.uint8]
    internal: NDArray[np.bool_]
    own: NDArray[np.bool_]
    err: NDArray[np.int32]
    nentries: Int64
    notes: NDArray[np.uint8]
    boot: NDArray[np.int32]
    conn: Int64
    op: NDArray[np.int32]
    internal_op: NDArray[np.int32]
    nesting: NDArray[np.int32]
    client: NDArray[np.int32]
    fingerprint: NDArray[np.int32]
    base: NDArray[np.int32]
    bind_dn: NDArray[np.int32]
    request_at: Int64
    result_at: Int64
    wqtime_ns: Int64
    writetime_ns: Int64
    index_ns: Int64
    index_ids: Int64
    opened_ns: Int64
    closed_ns: Int64
    index_key: NDArray[np.int32]
    wbusy: NDArray[np.int32]
    wmax: NDArray[np.int32]
    wqdepth: NDArray[np.int32]
    deref: NDArray[np.int8]
    vlv: NDArray[np.bool_]
    clients: Sequence[str] = field(default_factory=tuple)
    fingerprints: Sequence[str] = field(default_factory=tuple)
    bases: Sequence[str] = field(default_factory=tuple)
    bind_dns: Sequence[str] = field(default_factory=tuple)
    index_keys: Sequence[str] = field(default_factory=tuple)

    def __len__(self) -> int:
        return len(self.end_ns)

    @cached_property
    def start_ns(self) -> Int64:
        """When the request arrived: end - etime. A window owns the operations that start in it."""
        return self.end_ns - self.etime_ns

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Operations:
        """The rows chosen by a mask or by indices, with the same string tables."""
        return replace(self, **{name: getattr(self, name)[rows] for name in COLUMNS})

    @classmethod
    def empty(cls) -> Operations:
        columns: dict[str, Any] = {name: np.empty(0, dtype) for name, dtype in COLUMNS.items()}
        return cls(**columns)


@dataclass(frozen=True, eq=False)
class Latencies:
    """What tails and heat maps need of operations: a quarter of the columns, quickly read."""

    end_ns: Int64
    etime_ns: Int64
    kind: NDArray[np.uint8]
    internal: NDArray[np.bool_]
    own: NDArray[np.bool_]


def of_unknown_kind(operations: Operations) -> NDArray[np.bool_]:
    """Mask: searches whose request is not in the log, so that nobody knows what they asked.

    They have a latency, and are no kind of search: a filter that is not known is no filter.
    """
    searches: NDArray[np.bool_] = operations.kind == TYPES.index("SRCH")
    searches &= (operations.fingerprint < 0) & (operations.request_at < 0)
    return searches


def client_operations(operations: Operations | Latencies) -> NDArray[np.bool_]:
    """Mask of what clients asked for: neither the server's own operations nor the workbench's."""
    return ~(operations.internal | operations.own)


def is_type(operations: Operations | Latencies, name: str) -> NDArray[np.bool_]:
    """Mask of one row of a tails table: a type of TYPES, ALL or INTERNAL."""
    if name == INTERNAL:
        return operations.internal & ~operations.own
    clients = client_operations(operations)
    return clients if name == ALL else clients & (operations.kind == TYPES.index(name))


def text_at(table: Sequence[str], place: int) -> str:
    """A string that a row points to; '' where it points nowhere."""
    return table[place] if 0 <= place < len(table) else ""
