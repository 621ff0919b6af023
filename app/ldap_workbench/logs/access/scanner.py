"""Access log text in pieces -> operations, line counts and what is still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import entries, layout
from ldap_workbench.logs.access.kernel.entries import address
from ldap_workbench.logs.access.scan_statistics import ScanStatistics
from ldap_workbench.logs.access.server_messages import ServerMessages, times_around
from ldap_workbench.logs.access.slapd_notices import SlapdNotices
from ldap_workbench.logs.access.strings import StringTable
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, RARE, Operations

_BLOCK = 1 << 20
_SHORTEST = 24
"""No line that adds to a table is shorter."""
_PER_ROW = 100
"""Room is made for a row per so many bytes; more is found when it is not enough."""
_JOIN = bytes([int(layout.JOIN)])
_KEEP_CLOSED = 16 << 20
"""Connections closed longer ago than this many bytes of log may be forgotten."""


class Scanner(ScanStatistics):
    """Reads one access log, fed in pieces of any size; memory does not grow with its length.

    `dialect` is a key of DIALECTS. `own_nonces`: a connection whose request names one of them in
    its base is the workbench's own, and its later rows say so. `start_offset` is the place of the
    first byte in its source. `year` and `zone_offset_ns` (east of UTC) complete the times of
    syslog, which have neither. `undated_ns` is given to lines without a readable time, which are
    set aside otherwise. Not thread safe; the scan itself does not hold the GIL.
    """

    def __init__(
        self,
        dialect: str = "389",
        own_nonces: Sequence[bytes] = (),
        start_offset: int = 0,
        *,
        year: int | None = None,
        zone_offset_ns: int = 0,
        undated_ns: int | None = None,
    ) -> None:
        if dialect not in DIALECTS:
            raise LogError(
                Message("'{dialect}' is not a dialect of access logs.", dialect=dialect),
                remedy=Message("Choose one of {dialects}.", dialects=tuple(DIALECTS)),
            )
        self.dialect: Dialect = DIALECTS[dialect]
        self._context = np.zeros(layout.SIZE, np.int64)
        self._arrays: dict[int, NDArray[Any]] = self.dialect.tables()
        self._arrays[layout.DEFAULTS] = nothing = layout.defaults()
        self._context[layout.TIME : layout.TIME + len(nothing)] = nothing
        self._arrays[layout.TAGS] = layout.tags()
        self._arrays[layout.COUNTS] = np.zeros(len(layout.REASONS), np.int64)
        self._arrays[layout.NONCES] = np.frombuffer(b"".join(own_nonces) + bytes(8), np.uint8)
        self._arrays[layout.NONCE_ENDS] = np.cumsum([0, *map(len, own_nonces)], dtype=np.int64)[1:]
        self._context[layout.STYLE] = self.dialect.style
        self._context[layout.DEPTH] = self.dialect.depth
        self._context[layout.ETIME_UNIT] = self.dialect.etime_unit
        self._context[layout.YEAR] = year or datetime.now(UTC).year
        self._context[layout.ZONE_NS] = zone_offset_ns
        self._context[layout.UNDATED] = layout.ABSENT if undated_ns is None else undated_ns
        self._context[layout.NONCE_COUNT] = len(own_nonces)
        for name in (layout.LAST_TIME, layout.MAX_TIME, layout.FIRST_TIME):
            self._context[name] = layout.ABSENT
        self._context[layout.LAST_DIGITS] = -1
        self._context[layout.SMALLEST] = np.iinfo(np.int64).max
        self._tables = tuple(
            StringTable(self._context[place : place + layout.S_SIZE])
            for place in (
                layout.CLIENTS,
                layout.FINGERPRINTS,
                layout.BASES,
                layout.BIND_DNS,
                layout.INDEX_KEYS,
            )
        )
        self._resize(layout.OPEN_TABLE, 256 * layout.O_SIZE)
        self._resize(layout.CONN_TABLE, 256 * layout.N_SIZE)
        self._resize(layout.OWN, 32)
        self._context[layout.OPEN_MASK] = self._context[layout.CONN_MASK] = 255
        self._context[layout.OWN_ROOM] = 16
        for place, array in self._arrays.items():
            self._context[place] = address(array)
        file = self.dialect.messages
        self.messages = ServerMessages(file) if file else None
        is_slapd = self.dialect.style == layout.SLAPD
        self.notices = SlapdNotices(self.messages) if self.messages and is_slapd else None
        self._join = self.dialect.joined
        if self.dialect.depth:
            self._begin_objects()
        self._unused: Counter[tuple[int, int, bool]] = Counter()
        self._closed_on: list[NDArray[np.int64]] = []
        self._carry = self._raw = b""
        self._overlong = 0
        self._offset = start_offset

    # --- feeding -------------------------------------------------------------------------------

    def begin_file(self, year: int, zone_offset_ns: int = 0) -> None:
        """The next line begins another file; syslog's times in it are of this year and zone."""
        self._context[layout.YEAR] = year
        self._context[layout.MONTH] = 0
        self._context[layout.ZONE_NS] = zone_offset_ns

    def feed(self, data: bytes) -> Operations:
        """The operations that end in this piece. A last line without newline waits."""
        return self._with_messages(self._fed, data)

    def _with_messages(self, read: Callable[[bytes], Operations], data: bytes) -> Operations:
        """What is read, with what the server says on lines of its own, where a piece has any."""
        before, offset, text = self._said(), self._offset + self._overlong, self._carry
        # The end of a line that was too long is no line.
        first = data.find(b"\n") + 1 if self._overlong else 0
        operations = read(data)
        if self.messages is None or self._join is not None:
            return operations
        notices = self.notices
        if self._said() != before:
            text += data[first:]
            (notices or self.messages).add(text[: len(text) - len(self._carry)], offset + first)
        if notices is not None and (notices.terms or notices.deferrals or self.messages.undated):
            return notices.mark(operations, self.last_time_ns, self)
        if self.messages.undated:
            self.messages.date(times_around(operations, self.last_time_ns), self)
        return operations

    def _said(self) -> tuple[int, int]:
        """How many lines so far may be messages: of the server, and of connections it ended."""
        of_server = 0 if self.notices is None else self.other_lines
        return of_server, int(self._context[layout.ENDED_BY_SERVER])

    def _fed(self, data: bytes) -> Operations:
        pieces: list[_Rows] = []
        rest = self._feed(data, pieces)
        if rest:
            # JSON begins: from here on lines are put together before they are scanned.
            self._begin_objects()
            self._feed(rest, pieces)
        return self._operations(pieces)

    def _feed(self, data: bytes, pieces: list[_Rows]) -> bytes:
        """Scan the whole lines of a piece; returns what must be joined first."""
        if self._join is not None:
            data = self._joined(data)
        first = data.find(b"\n") + 1
        if not first:
            self._hold(data)
            return b""
        self._more_rows(len(data), pieces)
        if self._carry or self._overlong:
            line = self._carry
            if not self._close_carry(data[:first], pieces):
                return line + data
        else:
            first = 0
        # Whole words are loaded, so the last lines go through a padded copy.
        last = data.rfind(b"\n", first, max(first, len(data) - layout.PAD)) + 1
        if last > first:
            first = self._scan(data, first, last, pieces)
            if first < last:
                return data[first:]
        end = data.rfind(b"\n", first) + 1
        if end > first:
            padded = data[first:end] + bytes(layout.PAD)
            first += self._scan(padded, 0, end - first, pieces)
            if first < end:
                return data[first:]
        self._hold(data[first:])
        return b""

    def finish(self) -> Operations:
        """The operation of a last line without newline, if it is whole."""
        return self._with_messages(lambda _: self._finished(), b"")

    def _finished(self) -> Operations:
        pieces: list[_Rows] = []
        end = b"\n" if self._raw.endswith(b"\n") else b""
        self._carry += self._raw.removesuffix(b"\n").replace(b"\n", _JOIN)
        self._raw = b""
        if self._carry or self._overlong or end:
            self._more_rows(len(self._carry), pieces)
            last = self._carry
            if not self._close_carry(end, pieces):
                self._begin_objects()
                self._carry = last.replace(_JOIN, b" ")
                self._close_carry(end, pieces)
        return self._operations(pieces)

    def _begin_objects(self) -> None:
        """Read JSON from here on, and classic lines among it."""
        self._join = _flat
        self._arrays[layout.SCRATCH] = np.empty(layout.MAX_LINE + layout.PAD, np.uint8)
        self._context[layout.SCRATCH] = address(self._arrays[layout.SCRATCH])
        if self.dialect.style < layout.EVENTS:
            self._context[layout.STYLE] = layout.EVENTS
            self._context[layout.DEPTH] = 1

    def _joined(self, data: bytes) -> bytes:
        """Whole records, one a line; what is not whole yet stays in `_raw`."""
        assert self._join is not None
        # A separator that the text itself has (RFC 7464) is no end of a line.
        data = self._raw + data.replace(_JOIN, b" ")
        flat = self._join(data)
        whole = flat.rfind(b"\n") + 1
        if len(data) - whole > layout.MAX_LINE:
            whole = len(data)
        self._raw = data[whole:]
        return flat[:whole]

    def _hold(self, data: bytes) -> None:
        """Keep the start of a line, but never more than a line may be long."""
        self._carry += data
        if self._overlong or len(self._carry) > layout.MAX_LINE + 2:
            self._overlong += len(self._carry)
            self._carry = b""

    def _close_carry(self, rest: bytes, pieces: list[_Rows]) -> bool:
        """Scan the line that began in an earlier piece and ends with `rest`.

        False where JSON begins with it.
        """
        line = self._carry + rest
        self._carry = b""
        if self._overlong or len(line) > layout.MAX_LINE + 2:
            self._context[layout.SET_ASIDE] += 1
            self._arrays[layout.COUNTS][layout.R_OVERLONG] += 1
            self._offset += self._overlong + len(line)
            self._overlong = 0
            return True
        return self._scan(line + bytes(layout.PAD), 0, len(line), pieces, bool(rest)) > 0

    def _scan(
        self, data: bytes, start: int, end: int, pieces: list[_Rows], terminated: bool = True
    ) -> int:
        """Scan whole lines data[start:end] in blocks; PAD more bytes must be in data.

        Returns where it stopped: `end`, or before it where JSON begins.
        """
        first = address(np.frombuffer(data, np.uint8))
        offset = self._offset - start - first
        p = start
        while p < end:
            stop = end
            if end - p > _BLOCK:
                stop = data.rfind(b"\n", p, p + _BLOCK) + 1 or data.find(b"\n", p) + 1
            for table in self._tables:
                table.reserve((stop - p) // _SHORTEST + 4, stop - p)
            while p < stop:
                at = entries.scan(
                    address(self._context), first + p, first + stop, offset, terminated
                )
                p = at - first
                status = int(self._context[layout.STATUS])
                if status == layout.NEED_OBJECTS:
                    self._offset += p - start
                    return p
                if status == layout.NEED_ROWS:
                    self._more_rows(end - p, pieces)
                else:
                    self._grow(status, at + offset)
        self._offset += end - start
        return end

    def _more_rows(self, size: int, pieces: list[_Rows]) -> None:
        """Make room for the rows of so many bytes of text."""
        if pieces:
            pieces[-1].close()
        pieces.append(_Rows(self._context, size // _PER_ROW + 2))

    def _resize(self, place: int, size: int) -> NDArray[np.int64]:
        """A zeroed array for a table; the old one, if any, is returned to be moved."""
        old = self._arrays.get(place, np.zeros(0, np.int64))
        self._arrays[place] = np.zeros(size, np.int64)
        self._context[place] = address(self._arrays[place])
        return old

    def _grow(self, status: int, at: int) -> None:
        """Make the table larger that was too small for one more line."""
        context = self._context
        if status == layout.NEED_OPEN:
            slots = int(context[layout.OPEN_MASK]) + 1
            old = self._resize(layout.OPEN_TABLE, 2 * slots * layout.O_SIZE)
            context[layout.OPEN_MASK] = 2 * slots - 1
            new = int(context[layout.OPEN_TABLE])
            entries.rehash_open(address(old), slots, new, 2 * slots - 1)
        elif status == layout.NEED_CONN:
            slots = int(context[layout.CONN_MASK]) + 1
            self._move_conns(slots, at - _KEEP_CLOSED)
            if context[layout.CONN_USED] * 4 > slots:
                self._move_conns(2 * slots, at - _KEEP_CLOSED)
        elif status == layout.NEED_OWN:
            old = self._resize(layout.OWN, 2 * len(self._arrays[layout.OWN]))
            self._arrays[layout.OWN][: len(old)] = old
            context[layout.OWN_ROOM] *= 2

    def _move_conns(self, slots: int, oldest: int) -> None:
        """Into a table of so many slots, without those closed before byte `oldest`."""
        context = self._context
        before = int(context[layout.CONN_MASK]) + 1
        old = self._resize(layout.CONN_TABLE, slots * layout.N_SIZE)
        context[layout.CONN_MASK] = slots - 1
        new = int(context[layout.CONN_TABLE])
        context[layout.CONN_USED] = entries.rehash_conns(
            address(old), before, new, slots - 1, oldest
        )
        table = old.reshape(-1, layout.N_SIZE)
        closed = (table[:, layout.N_FLAGS] & layout.N_CLOSED) != 0
        dropped = table[closed & (table[:, layout.N_CLOSED_AT] < oldest)]
        self._unused.update(self._without_operation(dropped))
        self._closed_on.append(self._with_requests(dropped))

    def _operations(self, pieces: list[_Rows]) -> Operations:
        if pieces:
            pieces[-1].close()
        columns: dict[str, Any] = {
            name: _column([rows.column(name) for rows in pieces], dtype)
            for name, dtype in COLUMNS.items()
        }
        names = ("clients", "fingerprints", "bases", "bind_dns", "index_keys")
        tables: dict[str, Any] = dict(zip(names, self._tables, strict=True))
        return Operations(**columns, **tables)


class _Rows:
    """Room for rows, column after column; the compiled side writes into the newest one."""

    def __init__(self, context: NDArray[np.int64], rows: int) -> None:
        self._context = context
        self._columns = {name: np.empty(rows, dtype) for name, dtype in COLUMNS.items()}
        self._rare_at = np.empty(rows, np.int64)
        self._count = 0
        context[layout.ROWS], context[layout.ROOM], context[layout.RARE_ROWS] = 0, rows, 0
        context[layout.RARE_AT] = address(self._rare_at)
        names = (*layout.WIDE, *layout.MIDDLE, *layout.NARROW)
        rare = (*layout.RARE_WIDE, *layout.RARE_MIDDLE, *layout.RARE_NARROW)
        for place, name in enumerate((*names, *rare), start=layout.COLUMNS):
            context[place] = address(self._columns[name])

    def close(self) -> None:
        """No more rows go in here."""
        self._count = int(self._context[layout.ROWS])
        self._rare_at = self._rare_at[: self._context[layout.RARE_ROWS]]

    def column(self, name: str) -> NDArray[Any]:
        """The part of a column that holds rows."""
        column = self._columns[name][: self._count]
        if name not in RARE:
            return column
        # Only rows that say something rare were written: memory nobody writes costs nothing.
        nothing = np.array(RARE[name], column.dtype)
        if not len(self._rare_at):
            return np.broadcast_to(nothing, self._count)
        said = np.full(self._count, nothing)
        said[self._rare_at] = column[self._rare_at]
        return said


def _flat(data: bytes) -> bytes:
    """JSON objects, one a line."""
    text = np.frombuffer(data + bytes(layout.PAD), np.uint8)
    out = np.empty(len(data), np.uint8)
    entries.flatten(address(text), address(text) + len(data), address(out))
    return out.tobytes()


def _column(parts: list[Any], dtype: Any) -> Any:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)
