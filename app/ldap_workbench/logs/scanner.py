"""Access log text in pieces -> operations, line counts and what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.grammar import DS389, Dialect
from ldap_workbench.logs.kernel import layout
from ldap_workbench.logs.kernel.scan import scan
from ldap_workbench.logs.kernel.tables import rehash_conns, rehash_open
from ldap_workbench.logs.strings import StringTable
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import TYPES, Operations
from ldap_workbench.model.window import LineCounts

DIALECTS = {dialect.name: dialect for dialect in (DS389,)}

_BLOCK = 1 << 20
_SHORTEST = 24
"""No line that adds to a table is shorter; an empty line adds nothing."""
_KEEP_CLOSED = 16 << 20
"""Connections closed longer ago than this many bytes of log may be forgotten."""

_WIDE = {
    "end_ns": layout.C_END,
    "etime_ns": layout.C_ETIME,
    "wtime_ns": layout.C_WTIME,
    "optime_ns": layout.C_OPTIME,
    "nentries": layout.C_NENTRIES,
    "conn": layout.C_CONN,
    "request_at": layout.C_REQUEST,
    "result_at": layout.C_RESULT,
}
_MIDDLE = {
    "err": layout.C_ERR,
    "boot": layout.C_BOOT,
    "op": layout.C_OP,
    "internal_op": layout.C_INTERNAL_OP,
    "nesting": layout.C_NESTING,
    "client": layout.C_CLIENT,
    "fingerprint": layout.C_FINGERPRINT,
    "base": layout.C_BASE,
    "bind_dn": layout.C_BIND,
}


@dataclass(frozen=True)
class OpenRequest:
    """A request whose result has not come: it runs, was abandoned, or the log was cut.

    `start_ns` is the time of its line; `at` the offset of that line in the stream.
    """

    kind: str
    start_ns: int
    boot: int
    conn: int
    op: int
    internal: bool
    at: int
    base: str


class Scanner:
    """Reads one access log, fed in pieces of any size; memory does not grow with its length.

    `dialect` is a key of DIALECTS. `own_nonces`: a connection whose request names one of them in
    its base is the workbench's own, and its later rows say so. `start_offset` is the place of the
    first byte in its source. Not thread safe; the scan itself does not hold the GIL.
    """

    def __init__(
        self, dialect: str = "389", own_nonces: Sequence[bytes] = (), start_offset: int = 0
    ) -> None:
        if dialect not in DIALECTS:
            raise LogError(
                f"'{dialect}' is no dialect of access logs.",
                remedy=f"Choose one of {', '.join(DIALECTS)}.",
            )
        self.dialect: Dialect = DIALECTS[dialect]
        self._grammar = self.dialect.arrays()
        self._line = np.zeros(layout.LINE_SIZE, np.int64)
        self._state = np.zeros(layout.STATE_SIZE, np.int64)
        for name in (layout.LAST_TIME, layout.MAX_TIME, layout.FIRST_TIME):
            self._state[name] = layout.ABSENT
        self._state[layout.LAST_DIGITS] = -1
        self._cache = np.zeros(4, np.uint64)
        self._reasons = np.zeros(len(layout.REASONS), np.int64)
        self._opens = np.zeros((256, layout.O_SIZE), np.int64)
        self._conns = np.zeros((256, layout.N_SIZE), np.int64)
        self._own = np.zeros((16, 2), np.int64)
        self._nonces = np.frombuffer(b"".join(own_nonces), np.uint8)
        self._nonce_ends = np.cumsum([len(nonce) for nonce in own_nonces], dtype=np.int64)
        self._tables = tuple(StringTable() for _ in range(4))
        self._carry = b""
        self._overlong = 0
        self._offset = start_offset

    # --- feeding -------------------------------------------------------------------------------

    def feed(self, data: bytes) -> Operations:
        """The operations that end in this piece. A last line without newline waits."""
        pieces: list[_Rows] = []
        first = data.find(b"\n") + 1
        if not first:
            self._hold(data)
            return self._operations(pieces)
        if self._carry or self._overlong:
            self._close_carry(data[:first], pieces)
        else:
            first = 0
        # Whole words are loaded, so the last lines go through a padded copy.
        last = data.rfind(b"\n", first, max(first, len(data) - layout.PAD)) + 1
        if last > first:
            self._scan(data, first, last, pieces)
            first = last
        end = data.rfind(b"\n", first) + 1
        if end > first:
            self._scan(data[first:end] + bytes(layout.PAD), 0, end - first, pieces)
            first = end
        self._hold(data[first:])
        return self._operations(pieces)

    def finish(self) -> Operations:
        """The operation of a last line without newline, if it is whole."""
        pieces: list[_Rows] = []
        if self._carry or self._overlong:
            self._close_carry(b"", pieces)
        return self._operations(pieces)

    def _hold(self, data: bytes) -> None:
        """Keep the start of a line, but never more than a line may be long."""
        self._carry += data
        if self._overlong or len(self._carry) > layout.MAX_LINE + 2:
            self._overlong += len(self._carry)
            self._carry = b""

    def _close_carry(self, rest: bytes, pieces: list[_Rows]) -> None:
        """Scan the line that began in an earlier piece and ends with `rest`."""
        line = self._carry + rest
        self._carry = b""
        if self._overlong or len(line) > layout.MAX_LINE + 2:
            self._state[layout.SET_ASIDE] += 1
            self._reasons[layout.R_OVERLONG] += 1
            self._offset += self._overlong + len(line)
            self._overlong = 0
            return
        self._scan(line + bytes(layout.PAD), 0, len(line), pieces, bool(rest))

    def _scan(
        self, data: bytes, start: int, end: int, pieces: list[_Rows], terminated: bool = True
    ) -> None:
        buf = np.frombuffer(data, np.uint8)
        p = start
        offset = self._offset - start
        while p < end:
            stop = end
            if end - p > _BLOCK:
                stop = data.rfind(b"\n", p, p + _BLOCK) + 1 or data.find(b"\n", p) + 1
            rows = _Rows((stop - p) // 2 // _SHORTEST + 2)
            while True:
                for table in self._tables:
                    table.reserve((stop - p) // _SHORTEST + 4, stop - p + layout.PAD)
                p = scan(
                    buf, p, stop, offset, terminated, self._grammar, self._line, self._state,
                    self._cache, self._reasons, self._opens, self._conns,
                    tuple(table.arrays for table in self._tables), rows.arrays,
                    self._nonces, self._nonce_ends, self._own,
                )  # fmt: skip
                status = int(self._state[layout.STATUS])
                if status in (layout.DONE, layout.NEED_ROWS):
                    break
                self._grow(status, offset + p)
            pieces.append(rows)
            rows.count = int(self._state[layout.ROWS])
            self._state[layout.ROWS] = 0
        self._offset += end - start

    def _grow(self, status: int, at: int) -> None:
        if status == layout.NEED_OPEN:
            opens = np.zeros((2 * len(self._opens), layout.O_SIZE), np.int64)
            rehash_open(self._opens, opens)
            self._opens = opens
        elif status == layout.NEED_CONN:
            size = len(self._conns)
            conns = np.zeros((size, layout.N_SIZE), np.int64)
            rehash_conns(self._conns, conns, self._state, at - _KEEP_CLOSED)
            if int(self._state[layout.CONN_USED]) * 4 > size:
                larger = np.zeros((2 * size, layout.N_SIZE), np.int64)
                rehash_conns(conns, larger, self._state, at - _KEEP_CLOSED)
                conns = larger
            self._conns = conns
        else:
            self._own = np.concatenate([self._own, np.zeros_like(self._own)])

    def _operations(self, pieces: list[_Rows]) -> Operations:
        columns: dict[str, Any] = {}
        used = [rows for rows in pieces if rows.count]
        for name, index in _WIDE.items():
            columns[name] = _joined([rows.wide[index, : rows.count] for rows in used], np.int64)
        for name, index in _MIDDLE.items():
            columns[name] = _joined([rows.middle[index, : rows.count] for rows in used], np.int32)
        for name, index, kind in (
            ("kind", layout.C_KIND, np.uint8),
            ("internal", layout.C_INTERNAL, np.bool_),
            ("own", layout.C_OWN, np.bool_),
            ("notes", layout.C_NOTES, np.uint8),
        ):
            parts = [rows.narrow[index, : rows.count] for rows in used]
            columns[name] = _joined(parts, np.uint8).view(kind)
        clients, fingerprints, bases, bind_dns = self._tables
        return Operations(
            **columns, clients=clients, fingerprints=fingerprints, bases=bases, bind_dns=bind_dns
        )

    # --- what was seen -------------------------------------------------------------------------

    @property
    def counts(self) -> LineCounts:
        """Every line so far, and why lines or values were set aside."""
        return LineCounts(
            understood=int(self._state[layout.UNDERSTOOD]),
            set_aside=int(self._state[layout.SET_ASIDE]),
            unknown=int(self._state[layout.UNKNOWN]),
            reasons={
                reason: int(count)
                for reason, count in zip(layout.REASONS, self._reasons, strict=True)
                if count
            },
        )

    @property
    def open_operations(self) -> int:
        """Requests without a result so far."""
        return int(self._state[layout.OPEN_USED])

    @property
    def orphan_results(self) -> int:
        """Results without a request: the log starts in the middle, or lines are missing."""
        return int(self._state[layout.ORPHANS])

    @property
    def restarts(self) -> int:
        """Server starts seen within the log."""
        return int(self._state[layout.BOOT])

    @property
    def clock_steps_back(self) -> int:
        """Times the clock went back by more than a second."""
        return int(self._state[layout.STEPS_BACK])

    @property
    def first_time_ns(self) -> int | None:
        """Time of the first line that has one."""
        return self._time(layout.FIRST_TIME)

    @property
    def last_time_ns(self) -> int | None:
        """Time of the last line that has one."""
        return self._time(layout.LAST_TIME)

    def _time(self, name: int) -> int | None:
        value = int(self._state[name])
        return None if value == layout.ABSENT else value

    @property
    def bytes_read(self) -> int:
        """Offset behind the last whole line."""
        return self._offset

    @property
    def resolution_ns(self) -> int:
        """The coarsest step that at least one etime in a hundred is printed with."""
        seen = {
            1_000_000_000: int(self._state[layout.WHOLE_SECONDS]),
            1_000_000: int(self._state[layout.QUANTISED]),
            1_000: int(self._state[layout.MICROSECONDS]),
            1: int(self._state[layout.NANOSECONDS]),
        }
        if seen[1_000]:
            # One etime in a thousand of whole milliseconds is what microseconds look like.
            seen[1_000] += seen[1_000_000]
            seen[1_000_000] = 0
        total = sum(seen.values())
        return next((step for step, n in seen.items() if n and n * 100 >= total), 1)

    @property
    def own_connections(self) -> set[tuple[int, int]]:
        """(boot, conn) of connections that asked for one of `own_nonces`."""
        count = int(self._state[layout.OWN_CONNECTIONS])
        return {(int(boot), int(conn)) for boot, conn in self._own[:count]}

    def open_requests(self) -> list[OpenRequest]:
        """Requests without a result, oldest first."""
        rows = self._opens[self._opens[:, layout.O_K1] != 0]
        return sorted((self._open_request(row) for row in rows), key=lambda r: (r.start_ns, r.at))

    def _open_request(self, row: NDArray[np.int64]) -> OpenRequest:
        key, ids = int(row[layout.O_K1]), int(row[layout.O_K2])
        conn = (key & ((1 << 42) - 1)) - (1 << 41)
        base = int(row[layout.O_BASE])
        return OpenRequest(
            kind=TYPES[int(row[layout.O_KIND])],
            start_ns=int(row[layout.O_START]),
            boot=key >> 42,
            conn=conn,
            op=ids >> 32,
            internal=conn < 0 or ids & 0xFFFFFFFF != 0 or int(row[layout.O_K3]) != 0,
            at=int(row[layout.O_AT]),
            base=self._tables[2][base] if base >= 0 else "",
        )


class _Rows:
    """Room for the rows of one block."""

    def __init__(self, rows: int) -> None:
        self.wide = np.empty((layout.WIDE, rows), np.int64)
        self.middle = np.empty((layout.MIDDLE, rows), np.int32)
        self.narrow = np.empty((layout.NARROW, rows), np.uint8)
        self.count = 0

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
        return (self.wide, self.middle, self.narrow)


def _joined(parts: list[Any], dtype: Any) -> Any:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)
