"""What a scan counts beside the operations: lines, gaps, times, what is still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.strings import StringTable
from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, UnusedConnections

_QUICK_NS = 10_000_000
"""Every whole log has operations that take less."""
_MINUTE_NS = 60 * NS_PER_S
_MANY = 20
"""So few operations may all be slow by chance."""


@dataclass(frozen=True)
class OpenRequest:
    """A request whose result has not come: it runs, was abandoned, or the log was cut.

    `start_ns` is the time of its line; `at` the offset of that line in the stream. `closed_ns` is
    when its connection was closed, None where the log does not show that it was, and `closed_at`
    the offset of the line that says so; `own`: it is the workbench's.
    """

    kind: str
    start_ns: int
    boot: int
    conn: int
    op: int
    internal: bool
    at: int
    base: str
    client: str
    closed_ns: int | None
    own: bool = False
    fingerprint: str = ""
    bind_dn: str = ""
    closed_at: int = -1


class Connection(NamedTuple):
    """A connection of a log: `client` is '' where unknown, `opened` where the log shows it open."""

    boot: int
    conn: int
    client: str
    opened: bool


class ScanStatistics:
    """Reads the context that the compiled side writes; `Scanner` fills it."""

    _context: NDArray[np.int64]
    _arrays: dict[int, NDArray[Any]]
    _tables: tuple[StringTable, ...]
    _offset: int
    _unused: Counter[tuple[int, int, bool]]
    """Those connections without an operation that have left the table."""
    _closed_on: list[NDArray[np.int64]]
    """The rows of connections that have left the table and had requests without a result."""

    @property
    def counts(self) -> LineCounts:
        """Every line so far, and why lines or values were set aside."""
        reasons = {
            reason: int(count)
            for reason, count in zip(layout.REASONS, self._arrays[layout.COUNTS], strict=True)
            if count
        }
        return LineCounts(
            understood=int(self._context[layout.UNDERSTOOD]),
            set_aside=int(self._context[layout.SET_ASIDE]),
            unknown=int(self._context[layout.UNKNOWN]),
            reasons=reasons,
        )

    @property
    def open_operations(self) -> int:
        """Requests without a result so far."""
        return int(self._context[layout.OPEN_USED])

    @property
    def orphan_results(self) -> int:
        """Results without a request: the log starts in the middle, or lines are missing."""
        return int(self._context[layout.ORPHANS])

    @property
    def other_lines(self) -> int:
        """Lines so far that are about no connection, or unknown."""
        counts = self._arrays[layout.COUNTS]
        of_server = (layout.R_MESSAGE, layout.R_NO_TIME, layout.R_HEADER)
        messages = sum(int(counts[reason]) for reason in of_server)
        return messages + int(self._context[layout.UNKNOWN])

    @property
    def unread_results(self) -> int:
        """Results so far that give no operation: without an etime, cut off or damaged."""
        reasons = (layout.R_NO_ETIME, layout.R_GARBAGE_ETIME, layout.R_CUT)
        return sum(int(self._arrays[layout.COUNTS][reason]) for reason in reasons)

    @property
    def processes(self) -> set[int]:
        """Numbers of the latest server processes whose lines came through syslog; empty without."""
        slots = range(min(int(self._context[layout.PROCESSES]), int(layout.PROCESS_SLOTS)))
        places = (layout.PROCESS_TABLE + slot * layout.P_SIZE + layout.P_PID for slot in slots)
        pids = {int(self._context[place]) for place in (layout.PID, *places)}
        return pids - {0}

    @property
    def between_lines(self) -> int:
        """Latencies that are not printed: the time from the request's line to the result's."""
        return int(self._context[layout.BETWEEN_LINES])

    @property
    def restarts(self) -> int:
        """Server starts seen within the log; processes that run side by side are none."""
        return int(self._context[layout.NEWEST_BOOT]) - max(0, self.processes_at_once - 1)

    @property
    def processes_at_once(self) -> int:
        """Processes whose lines take turns in the log; 0 where one ends before the next begins."""
        if not self._context[layout.RETURNS]:
            return 0
        return int(self._context[layout.PROCESSES])

    @property
    def undated(self) -> bool:
        """Whether the newest line had no time of its own, and was given one."""
        return int(self._context[layout.LACKING]) == layout.NO_TIME

    @property
    def clock_steps_back(self) -> int:
        """Times the clock went back by more than a second."""
        return int(self._context[layout.STEPS_BACK])

    @property
    def clock_changes(self) -> int:
        """Times that local time without a zone went between summer and winter time.

        The lines from there on are read in the other zone.
        """
        return int(self._context[layout.CLOCK_CHANGES])

    @property
    def shows_no_year(self) -> bool:
        """Whether the newest time was one of syslog, which has no year and no zone."""
        return int(self._context[layout.LACKING]) == layout.NO_YEAR

    @property
    def shows_no_zone(self) -> bool:
        """Whether the newest time had no zone."""
        return int(self._context[layout.LACKING]) in (layout.NO_ZONE, layout.NO_YEAR)

    @property
    def zone_offset_ns(self) -> int:
        """The zone that times without one are read in, ns east of UTC."""
        return int(self._context[layout.ZONE_NS])

    @property
    def first_time_ns(self) -> int | None:
        """Time of the first line that has one."""
        return self._time(layout.FIRST_TIME)

    @property
    def last_time_ns(self) -> int | None:
        """Time of the last line that has one."""
        return self._time(layout.LAST_TIME)

    def _time(self, name: int) -> int | None:
        value = int(self._context[name])
        return None if value == layout.ABSENT else value

    @property
    def bytes_read(self) -> int:
        """Offset behind the last whole line."""
        return self._offset

    @property
    def resolution_ns(self) -> int:
        """The coarsest step that at least one etime in a hundred is printed with."""
        seen = {
            1_000_000_000: int(self._context[layout.WHOLE_SECONDS]),
            1_000_000: int(self._context[layout.QUANTISED]),
            1_000: int(self._context[layout.MICROSECONDS]),
            1: int(self._context[layout.NANOSECONDS]),
        }
        if seen[1_000]:
            # One etime in a thousand of whole milliseconds is what microseconds look like.
            seen[1_000] += seen[1_000_000]
            seen[1_000_000] = 0
        total = sum(seen.values())
        return next((step for step, n in seen.items() if n and n * 100 >= total), 1)

    @property
    def censored_below_ns(self) -> int | None:
        """The shortest etime of a log that seems to hold slow operations only, else None.

        Such a log has no requests on lines of their own, which are written before anybody knows
        how long they take, and not one quick operation among twenty or more; its percentiles say
        nothing about the server's operations.
        """
        finished = int(self._context[layout.FINISHED])
        smallest = int(self._context[layout.SMALLEST])
        alone = self.orphan_results + int(self._context[layout.COMBINED])
        few = finished < _MANY or alone * 10 < 9 * finished
        return smallest if not few and smallest >= _QUICK_NS else None

    @property
    def own_connections(self) -> set[tuple[int, int]]:
        """(boot, conn) of connections that asked for one of `own_nonces`."""
        count = int(self._context[layout.OWN_USED])
        return {
            (int(boot), int(conn)) for boot, conn in self._arrays[layout.OWN].reshape(-1, 2)[:count]
        }

    def open_requests(self) -> list[OpenRequest]:
        """Requests without a result, oldest first."""
        table = self._arrays[layout.OPEN_TABLE].reshape(-1, layout.O_SIZE)
        rows = table[table[:, layout.O_KEY] != 0]
        conns = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        conns = np.concatenate([self._with_requests(conns), *self._closed_on])
        known = {int(conn[layout.N_KEY]): conn for conn in conns}
        requests = (self._open_request(row, known.get(int(row[layout.O_KEY]))) for row in rows)
        return sorted(requests, key=lambda r: (r.start_ns, r.at))

    def _with_requests(self, conns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those rows of connections that have requests without a result."""
        asked = self._arrays[layout.OPEN_TABLE].reshape(-1, layout.O_SIZE)[:, layout.O_KEY]
        return conns[np.isin(conns[:, layout.N_KEY], asked[asked != 0])]

    def _open_request(
        self, row: NDArray[np.int64], connection: NDArray[np.int64] | None
    ) -> OpenRequest:
        key, ids = int(row[layout.O_KEY]), int(row[layout.O_IDS])
        conn = (key & ((1 << 42) - 1)) - (1 << 41)
        base, shape = int(row[layout.O_BASE]), int(row[layout.O_FINGERPRINT])
        client = int(connection[layout.N_CLIENT]) if connection is not None else -1
        bound = int(connection[layout.N_BIND]) if connection is not None else -1
        flags = int(connection[layout.N_FLAGS]) if connection is not None else 0
        return OpenRequest(
            kind=TYPES[int(row[layout.O_KIND])],
            start_ns=int(row[layout.O_START]),
            boot=key >> 42,
            conn=conn,
            op=ids >> 32,
            internal=conn < 0 or ids & 0xFFFFFFFF != 0 or int(row[layout.O_DEPTH]) & 0xFFFF != 0,
            at=int(row[layout.O_AT]),
            base=self._tables[2][base] if base >= 0 else "",
            client=self._tables[0][client] if client >= 0 else "",
            closed_ns=int(connection[layout.N_CLOSED_NS])
            if connection is not None and flags & layout.N_CLOSED
            else None,
            own=bool(flags & layout.N_OWN),
            fingerprint=self._tables[1][shape] if shape >= 0 else "",
            bind_dn=self._tables[3][bound] if bound >= 0 else "",
            closed_at=int(connection[layout.N_CLOSED_AT])
            if connection is not None and flags & layout.N_CLOSED
            else -1,
        )

    def connections_without_operation(self) -> list[UnusedConnections]:
        """Connections of clients that were opened and asked for nothing, most of them first."""
        table = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        counts = self._unused + self._without_operation(table)
        return [
            UnusedConnections(
                self._tables[0][client] if client >= 0 else "", minute, count, is_open
            )
            for (client, minute, is_open), count in counts.most_common()
        ]

    def _without_operation(self, rows: NDArray[np.int64]) -> Counter[tuple[int, int, bool]]:
        """Of connections of the table: how many, by client, minute and whether they are open.

        The first operation that ends on a connection takes the time of its opening from the table;
        a bind without a latency does not, and binds it all the same.
        """
        flags = rows[:, layout.N_FLAGS]
        unused = rows[
            ((flags & (layout.N_OPENED | layout.N_OWN)) == layout.N_OPENED)
            & (rows[:, layout.N_OPENED_NS] != layout.ABSENT)
            & (rows[:, layout.N_BIND] < 0)
            & ~np.isin(rows[:, layout.N_KEY], self._with_requests(rows)[:, layout.N_KEY])
        ]
        minutes = unused[:, layout.N_OPENED_NS] // _MINUTE_NS * _MINUTE_NS
        is_open = (unused[:, layout.N_FLAGS] & layout.N_CLOSED) == 0
        columns = (column.tolist() for column in (unused[:, layout.N_CLIENT], minutes, is_open))
        return Counter(zip(*columns, strict=True))

    def connection_numbers(self, boot: int) -> NDArray[np.int64]:
        """The numbers of `connections` of one start of the server, in order."""
        keys = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)[:, layout.N_KEY]
        keys = keys[(keys != 0) & (keys >> 42 == boot)]
        return np.sort((keys & ((1 << 42) - 1)) - (1 << 41))

    def connections(self) -> list[Connection]:
        """Connections that are open, or were closed within the last few MiB."""
        table = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        rows = table[table[:, layout.N_KEY] != 0]
        keys, clients = rows[:, layout.N_KEY], rows[:, layout.N_CLIENT]
        conns = (keys & ((1 << 42) - 1)) - (1 << 41)
        opened = (rows[:, layout.N_FLAGS] & layout.N_OPENED) != 0
        columns = (column.tolist() for column in (keys >> 42, conns, clients, opened))
        names = self._tables[0]
        return [
            Connection(boot, conn, names[client] if client >= 0 else "", was_opened)
            for boot, conn, client, was_opened in zip(*columns, strict=True)
        ]

    def open_connections(self) -> Counter[str]:
        """How many connections each client has open of those whose opening the log shows."""
        table = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        flags = table[:, layout.N_FLAGS]
        is_open = (flags & layout.N_OPENED != 0) & (flags & layout.N_CLOSED == 0)
        clients, counts = np.unique(table[is_open, layout.N_CLIENT], return_counts=True)
        names = self._tables[0]
        pairs = zip(clients.tolist(), counts.tolist(), strict=True)
        return Counter({names[client]: n for client, n in pairs if client >= 0})

    def left_open(self) -> list[int]:
        """Numbers of connections opened since the newest start of the server, and not closed."""
        table = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        keys, flags = table[:, layout.N_KEY], table[:, layout.N_FLAGS]
        is_open = flags & (layout.N_OPENED | layout.N_CLOSED | layout.N_OWN) == layout.N_OPENED
        keys = keys[is_open & (keys >> 42 == self._context[layout.NEWEST_BOOT])]
        numbers: list[int] = np.sort((keys & ((1 << 42) - 1)) - (1 << 41)).tolist()
        return numbers

    def clients_of(self, connections: Sequence[int]) -> dict[int, str]:
        """The clients of connections, of the latest start of the server where several had one."""
        table = self._arrays[layout.CONN_TABLE].reshape(-1, layout.N_SIZE)
        numbers = (table[:, layout.N_KEY] & ((1 << 42) - 1)) - (1 << 41)
        rows = table[np.isin(numbers, connections) & (table[:, layout.N_KEY] != 0)]
        rows = rows[np.argsort(rows[:, layout.N_KEY] >> 42, kind="stable")]
        conns = (rows[:, layout.N_KEY] & ((1 << 42) - 1)) - (1 << 41)
        pairs = zip(conns.tolist(), rows[:, layout.N_CLIENT].tolist(), strict=True)
        return {conn: self._tables[0][client] for conn, client in pairs if client >= 0}
