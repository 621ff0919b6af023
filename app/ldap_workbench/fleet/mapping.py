"""One unit of text -> what it adds up to, and its operations as Parquet. A pure function.

Which machine it runs on, and beside which others, makes no difference to what it gives.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.connect.directory import OWN_BASE
from ldap_workbench.fleet.counts import NAMES, Cells, ServerCounts, Sums, named, named_sums
from ldap_workbench.fleet.fragments import NS_PER_HOUR, RECENT, Fragment
from ldap_workbench.fleet.parts import PartWriter
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import ABSENT, INTERNAL, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]

_INTERNAL = NAMES.index(INTERNAL)
_ABANDON = TYPES.index("ABANDON")


def summarise(unit: Unit, parts: Path | None = None) -> Summary:
    """Read a unit; with `parts`, its operations go into Parquet files in that folder.

    Raises LogError where the file cannot be read to its end.
    """
    readers: dict[bytes, _Reader] = {}
    for stream, text in unit.streams():
        if stream not in readers:
            readers[stream] = _Reader(unit, stream, parts)
        readers[stream].feed(text)
    if not readers:
        readers[b""] = _Reader(unit, b"", parts)
    return Summary.total([reader.finish() for reader in readers.values()])


class _Reader:
    """The lines of one host in a unit."""

    def __init__(self, unit: Unit, stream: bytes, parts: Path | None) -> None:
        named_by = stream.decode("utf-8", "replace")
        self._host = f"{unit.host} ({named_by})" if named_by else unit.host
        self._unit = unit
        self._scanner = Scanner(
            unit.dialect, year=unit.year, undated_ns=unit.undated_ns, own_nonces=[OWN_BASE.encode()]
        )
        self._read: Operations | None = None
        """Of the last text, not counted yet."""
        self._parts = PartWriter(parts, self._host, unit) if parts is not None else None
        self._seconds: list[Cells] = []
        self._hours: list[Sums] = []
        self._clients: list[Cells] = []
        self._shapes: list[Sums] = []
        self._conns: list[Cells] = []
        self._orphans: list[Int64] = []
        self._opened: set[int] = set()
        self._run, self._newest = 0, -1
        self._recent: set[int] = set()
        self._tables: Operations | None = None

    def feed(self, text: bytes) -> None:
        """Count what was read before: by now it is known which connections were ours.

        A connection of ours says so behind its bind, and again every second that it is used.
        """
        rows = self._scanner.feed(text)
        if self._read is not None:
            self._take(self._read)
        self._read = rows

    def finish(self) -> Summary:
        """Of all that was fed."""
        rows = self._scanner.finish()
        if self._read is not None:
            self._take(self._read)
        self._take(rows)
        if self._parts is not None:
            self._parts.finish()
        assert self._tables is not None
        clients = ("", *self._tables.clients)
        shapes = ("", *self._tables.fingerprints)
        client_names, by_client = named(clients, Cells.total(self._clients))
        shape_names, by_shape = named_sums(shapes, Sums.total(self._shapes))
        lines = self._scanner.counts
        counts = ServerCounts(
            Cells.total(self._seconds),
            Sums.total(self._hours),
            client_names,
            by_client,
            shape_names,
            by_shape,
            (lines.understood, lines.set_aside, lines.unknown),
        )
        return Summary({self._host: counts}, (self._fragment(),))

    def _take(self, rows: Operations) -> None:
        """Count some operations of others: the workbench does not measure itself."""
        self._tables = rows
        if len(rows):
            self._note_connections(rows)
        rows = _of_others(rows, self._scanner.own_connections)
        if not len(rows):
            return
        if self._parts is not None:
            self._parts.add(rows)
        kinds = np.where(rows.internal, _INTERNAL, rows.kind).astype(np.int64)
        unfound = ~rows.internal & (rows.client < 0) & (rows.boot == 0)
        orphan = unfound & (rows.request_at < 0) & (rows.kind != _ABANDON)
        if orphan.any():
            self._keep_orphans(rows, kinds, orphan)
        self._count(rows, kinds, unfound, ~orphan)

    def _count(
        self, rows: Operations, kinds: Int64, unfound: NDArray[np.bool_], whole: NDArray[np.bool_]
    ) -> None:
        etimes, errs = rows.etime_ns, rows.err.astype(np.int64)
        notes, ended = rows.notes.astype(np.int64), rows.end_ns
        w = whole
        facts = etimes[w], errs[w], notes[w]
        self._seconds.append(Cells.of(ended[w] // NS_PER_S, kinds[w], etimes[w]))
        self._hours.append(Sums.of(ended[w] // NS_PER_HOUR, kinds[w], *facts))
        known = whole & ~rows.internal & ~unfound
        clients = rows.client[known].astype(np.int64) + 1
        self._clients.append(Cells.of(clients, kinds[known], etimes[known]))
        asked = whole & ~rows.internal
        shapes = rows.fingerprint[asked].astype(np.int64) + 1
        facts = etimes[asked], errs[asked], notes[asked]
        self._shapes.append(Sums.of(shapes, kinds[asked], *facts))
        waiting = whole & unfound
        self._conns.append(Cells.of(rows.conn[waiting], kinds[waiting], etimes[waiting]))
        if len(self._seconds) >= 64:
            self._fold()

    def _fold(self) -> None:
        """Memory must not grow with the length of the text."""
        self._seconds = [Cells.total(self._seconds)]
        self._hours = [Sums.total(self._hours)]
        self._clients = [Cells.total(self._clients)]
        self._shapes = [Sums.total(self._shapes)]
        self._conns = [Cells.total(self._conns)]

    def _keep_orphans(self, rows: Operations, kinds: Int64, which: NDArray[np.bool_]) -> None:
        columns = (rows.conn, rows.op, rows.end_ns, rows.etime_ns, kinds, rows.err, rows.notes)
        self._orphans.append(np.stack([column[which] for column in columns], 1).astype(np.int64))

    def _note_connections(self, rows: Operations) -> None:
        """The first that opens, and the newest of the last run; the scanner forgets old ones."""
        opened = rows.conn[(rows.boot == 0) & (rows.opened_ns != ABSENT)]
        if len(opened):
            self._opened = {min({int(opened.min()), *self._opened})}
        run = int(rows.boot.max())
        if run > self._run:
            self._run, self._newest, self._recent = run, -1, set()
        conns = rows.conn[~rows.internal & (rows.boot == run)]
        if len(conns):
            self._newest = max(self._newest, int(conns.max()))
            self._recent |= set(np.unique(conns[conns > self._newest - RECENT]).tolist())
            self._recent = {conn for conn in self._recent if conn > self._newest - RECENT}

    def _fragment(self) -> Fragment:
        scanner, unit = self._scanner, self._unit
        runs = scanner.restarts
        ours = scanner.own_connections
        requests = [
            request
            for request in scanner.open_requests()
            if not (request.internal or request.own or (request.boot, request.conn) in ours)
        ]
        last = [request for request in requests if request.boot == runs]
        shown = scanner.connections()
        of_run = {
            request.conn: request.client
            for request in shown
            if request.boot == runs and request.conn >= 0
        }
        opened = self._opened | {e.conn for e in shown if e.boot == 0 and e.opened}
        known = of_run.keys() | (self._recent if self._run == runs else set())
        newest = max(known, default=-1)
        return Fragment(
            self._host,
            unit.file,
            unit.place,
            unit.begin,
            unit.end if unit.end >= 0 else scanner.bytes_read,
            unit.whole,
            runs,
            min(opened, default=-1),
            newest,
            tuple(sorted(conn for conn in known if conn > newest - RECENT)),
            scanner.first_time_ns or 0,
            scanner.last_time_ns or 0,
            {
                (request.conn, request.op): (TYPES.index(request.kind), request.fingerprint)
                for request in last
            },
            len(requests) - len(last),
            {conn: client for conn, client in of_run.items() if client},
            Cells.total(self._conns),
            np.concatenate(self._orphans) if self._orphans else np.empty((0, 7), np.int64),
        )


def _of_others(rows: Operations, ours: set[tuple[int, int]]) -> Operations:
    """Without those of our own connections, (server run, number)."""
    own = rows.own.astype(np.bool_)
    for boot, conn in ours:
        own |= (rows.boot == boot) & (rows.conn == conn)
    return rows.take(~own) if own.any() else rows
