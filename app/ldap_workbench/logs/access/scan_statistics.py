"""What a scan counts beside the operations: lines, gaps, times, what is still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.strings import StringTable
from ldap_workbench.model.operations import ABSENT, TYPES, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, UnusedConnections

if TYPE_CHECKING:
    from ldap_workbench_kernel import Kernel

_QUICK_NS = 10_000_000
"""Every whole log has operations that take less."""
_MINUTE_NS = 60 * NS_PER_S
_MANY = 20
"""So few operations may all be slow by chance."""


_CONNECTION = (
    "boot", "conn", "client", "bind", "opened", "closed", "own", "closed_at", "opened_ns",
    "closed_ns",
)  # fmt: skip
_REQUEST = ("boot", "conn", "op", "internal", "kind", "start_ns", "at", "base", "fingerprint")
"""Rows of the kernel, in its order."""


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
    """Reads what the kernel counts; `Scanner` feeds it."""

    _kernel: Kernel
    _tables: tuple[StringTable, ...]
    _open_requests: list[OpenRequest] | None
    """What `open_requests` gave last, until more is fed: the end of a log asks several times."""

    @property
    def counts(self) -> LineCounts:
        """Every line so far, and why lines or values were set aside."""
        seen = self._kernel.statistics()
        return LineCounts(
            understood=seen.understood,
            set_aside=seen.set_aside,
            unknown=seen.unknown,
            reasons={reason: count for reason, count in seen.reasons if count},
        )

    def _lines(self, *reasons: str) -> int:
        """Lines set aside so far for these reasons."""
        counts = dict(self._kernel.statistics().reasons)
        return sum(counts[reason] for reason in reasons)

    @property
    def open_operations(self) -> int:
        """Requests without a result so far."""
        return self._kernel.statistics().open_operations

    @property
    def orphan_results(self) -> int:
        """Results without a request: the log starts in the middle, or lines are missing."""
        return self._kernel.statistics().orphans

    @property
    def other_lines(self) -> int:
        """Lines so far that are about no connection, or unknown."""
        messages = self._lines("message of the server", "line without a time", "header")
        return messages + self._kernel.statistics().unknown

    @property
    def unread_results(self) -> int:
        """Results so far that give no operation: without an etime, cut off or damaged."""
        return self._lines("result without etime", "garbage etime", "cut line")

    @property
    def processes(self) -> set[int]:
        """Numbers of the latest server processes whose lines came through syslog; empty without."""
        return set(self._kernel.statistics().pids)

    @property
    def between_lines(self) -> int:
        """Latencies that are not printed: the time from the request's line to the result's."""
        return self._kernel.statistics().between_lines

    @property
    def restarts(self) -> int:
        """Server starts seen within the log; processes that run side by side are none."""
        return self._kernel.statistics().newest_boot - max(0, self.processes_at_once - 1)

    @property
    def processes_at_once(self) -> int:
        """Processes whose lines take turns in the log; 0 where one ends before the next begins."""
        seen = self._kernel.statistics()
        return seen.processes if seen.returns else 0

    @property
    def undated(self) -> bool:
        """Whether the newest line had no time of its own, and was given one."""
        return self._kernel.statistics().lacks_time

    @property
    def clock_steps_back(self) -> int:
        """Times the clock went back by more than a second."""
        return self._kernel.statistics().steps_back

    @property
    def clock_changes(self) -> int:
        """Times that local time without a zone went between summer and winter time.

        The lines from there on are read in the other zone.
        """
        return self._kernel.statistics().clock_changes

    @property
    def shows_no_year(self) -> bool:
        """Whether the newest time was one of syslog, which has no year and no zone."""
        return self._kernel.statistics().lacks_year

    @property
    def shows_no_zone(self) -> bool:
        """Whether the newest time had no zone."""
        return self._kernel.statistics().lacks_zone

    @property
    def zone_offset_ns(self) -> int:
        """The zone that times without one are read in, ns east of UTC."""
        return self._kernel.statistics().zone_ns

    @property
    def first_time_ns(self) -> int | None:
        """Time of the first line that has one."""
        return self._kernel.statistics().first_time

    @property
    def last_time_ns(self) -> int | None:
        """Time of the last line that has one."""
        return self._kernel.statistics().last_time

    @property
    def bytes_read(self) -> int:
        """Offset behind the last whole line."""
        return self._kernel.offset

    @property
    def resolution_ns(self) -> int:
        """The coarsest step that at least one etime in a hundred is printed with."""
        counted = self._kernel.statistics()
        seen = {
            1_000_000_000: counted.whole_seconds,
            1_000_000: counted.quantised,
            1_000: counted.microseconds,
            1: counted.nanoseconds,
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
        seen = self._kernel.statistics()
        alone = seen.orphans + seen.combined
        few = seen.finished < _MANY or alone * 10 < 9 * seen.finished
        return seen.smallest if not few and seen.smallest >= _QUICK_NS else None

    @property
    def own_connections(self) -> set[tuple[int, int]]:
        """(boot, conn) of connections that asked for one of `own_nonces`."""
        return set(self._kernel.statistics().own)

    # --- requests and connections ----------------------------------------------------------------

    def _connections(self) -> NDArray[Any]:
        """The connections of the table: those that are open, or closed within the last 16 MiB."""
        return _structured(self._kernel.connections(), _CONNECTION)

    def open_requests(self) -> list[OpenRequest]:
        """Requests without a result, oldest first."""
        if self._open_requests is None:
            self._open_requests = self._read_open_requests()
        return self._open_requests

    def _read_open_requests(self) -> list[OpenRequest]:
        connections = np.concatenate(
            (self._connections(), _structured(self._kernel.closed_on(), _CONNECTION))
        )
        requests = _structured(self._kernel.requests(), _REQUEST)
        asked = np.isin(connections["conn"], requests["conn"])
        known = {(int(c["boot"]), int(c["conn"])): c for c in connections[asked]}
        rows = (
            self._open_request(row, known.get((int(row["boot"]), int(row["conn"]))))
            for row in requests
        )
        return sorted(rows, key=lambda r: (r.start_ns, r.at))

    def open_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Start of the server, connection and number of each of `open_requests`; in any order."""
        rows = _structured(self._kernel.requests(), _REQUEST)
        boot, conn, op = (rows[name].astype(np.int64) for name in ("boot", "conn", "op"))
        return boot, conn, op

    def _open_request(self, row: Any, connection: Any) -> OpenRequest:
        is_closed = connection is not None and bool(connection["closed"])
        clients, shapes, bases, bind_dns, _ = self._tables
        return OpenRequest(
            kind=TYPES[int(row["kind"])],
            start_ns=int(row["start_ns"]),
            boot=int(row["boot"]),
            conn=int(row["conn"]),
            op=int(row["op"]),
            internal=bool(row["internal"]),
            at=int(row["at"]),
            base=text_at(bases, int(row["base"])),
            client=text_at(clients, int(connection["client"])) if connection is not None else "",
            closed_ns=int(connection["closed_ns"]) if is_closed else None,
            own=connection is not None and bool(connection["own"]),
            fingerprint=text_at(shapes, int(row["fingerprint"])),
            bind_dn=text_at(bind_dns, int(connection["bind"])) if connection is not None else "",
            closed_at=int(connection["closed_at"]) if is_closed else -1,
        )

    def connections_without_operation(self) -> list[UnusedConnections]:
        """Connections of clients that were opened and asked for nothing, most of them first."""
        counts = Counter(dict(self._kernel.unused())) + self._without_operation()
        return [
            UnusedConnections(text_at(self._tables[0], client), minute, count, is_open)
            for (client, minute, is_open), count in counts.most_common()
        ]

    def _without_operation(self) -> Counter[tuple[int, int, bool]]:
        """Of connections of the table: how many, by client, minute and whether they are open.

        The first operation that ends on a connection takes the time of its opening from the table;
        a bind without a latency does not, and binds it all the same.
        """
        rows = self._connections()
        unused = rows[
            (rows["opened"] != 0)
            & (rows["own"] == 0)
            & (rows["opened_ns"] != ABSENT)
            & (rows["bind"] < 0)
        ]
        requests = _structured(self._kernel.requests(), _REQUEST)
        asked = set(zip(requests["boot"].tolist(), requests["conn"].tolist(), strict=True))
        names = ("boot", "conn", "client", "opened_ns", "closed")
        columns = (unused[name].tolist() for name in names)
        return Counter(
            (client, opened_ns // _MINUTE_NS * _MINUTE_NS, not closed)
            for boot, conn, client, opened_ns, closed in zip(*columns, strict=True)
            if (boot, conn) not in asked
        )

    def connection_numbers(self, boot: int) -> NDArray[np.int64]:
        """The numbers of `connections` of one start of the server, in order."""
        rows = self._connections()
        return np.sort(rows["conn"][rows["boot"] == boot])

    def connections(self) -> list[Connection]:
        """Connections that are open, or were closed within the last few MiB."""
        rows, names = self._connections(), self._tables[0]
        columns = (rows[name].tolist() for name in ("boot", "conn", "client", "opened"))
        return [
            Connection(boot, conn, text_at(names, client), bool(opened))
            for boot, conn, client, opened in zip(*columns, strict=True)
        ]

    def open_connections(self) -> Counter[str]:
        """How many connections each client has open of those whose opening the log shows."""
        rows, names = self._connections(), self._tables[0]
        is_open = (rows["opened"] != 0) & (rows["closed"] == 0)
        clients, counts = np.unique(rows["client"][is_open], return_counts=True)
        pairs = zip(clients.tolist(), counts.tolist(), strict=True)
        return Counter({names[client]: n for client, n in pairs if client >= 0})

    def left_open(self) -> list[int]:
        """Numbers of connections opened since the newest start of the server, and not closed."""
        rows = self._connections()
        is_open = (rows["opened"] != 0) & (rows["closed"] == 0) & (rows["own"] == 0)
        newest = rows["boot"] == self._kernel.statistics().newest_boot
        numbers: list[int] = np.sort(rows["conn"][is_open & newest]).tolist()
        return numbers

    def clients_of(self, connections: Sequence[int]) -> dict[int, str]:
        """The clients of connections, of the latest start of the server where several had one."""
        rows = self._connections()
        rows = rows[np.isin(rows["conn"], connections)]
        rows = rows[np.argsort(rows["boot"], kind="stable")]
        pairs = zip(rows["conn"].tolist(), rows["client"].tolist(), strict=True)
        return {conn: self._tables[0][client] for conn, client in pairs if client >= 0}


def _structured(numbers: Any, names: Sequence[str]) -> NDArray[Any]:
    """Rows of the kernel, their numbers by name."""
    return np.frombuffer(numbers, [(name, np.int64) for name in names])
