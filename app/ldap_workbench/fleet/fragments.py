"""What one part of a log leaves open at its ends, and how it meets the part before it.

A connection outlives the file in which it was opened, and a request may end in the next one. A part
of a log cannot know that, so it hands on, beside its counts, what it could not tell: operations of
connections that were open already, and results whose requests are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.fleet.counts import (
    Cells,
    ServerCounts,
    Sums,
    named,
    named_sums,
)
from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]

RECENT = 64
"""Connections may be logged so far out of order; an older number that opens is a new run."""
NS_PER_HOUR = 3600 * NS_PER_S
_UNKNOWN = TYPES.index("UNKNOWN")
ORPHAN = ("conn", "op", "end_ns", "etime_ns", "kind", "err", "notes")
"""Columns of `Fragment.orphans`."""


@dataclass(frozen=True, eq=False)
class Fragment:
    """The open ends of bytes [begin, end) of a file, the `place`-th of its server's, oldest first.

    whole         whether it reaches the end of the file
    runs          server runs that begin in it; what is open at its end belongs to the last one
    first_opened  number of the first connection that opens in it, -1 without
    newest        highest number of a connection of the last run, -1 without
    recent        numbers of the last run among the RECENT highest
    first_ns, last_ns   its first and last time, 0 without
    open          (conn, op) of requests without a result at its end -> (type, shape)
    lost          requests without a result of the runs before the last one
    clients       connections of the last run -> client
    conns         counts by connection where its client is not known: all of the first run
    orphans       results of those without their request: int64 [row, ORPHAN]
    """

    host: str
    file: str
    place: int
    begin: int
    end: int
    whole: bool
    runs: int = 0
    first_opened: int = -1
    newest: int = -1
    recent: tuple[int, ...] = ()
    first_ns: int = 0
    last_ns: int = 0
    open: Mapping[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    lost: int = 0
    clients: Mapping[int, str] = field(default_factory=dict)
    conns: Cells = field(default_factory=Cells)
    orphans: Int64 = field(default_factory=lambda: np.empty((0, len(ORPHAN)), np.int64))

    @property
    def at(self) -> tuple[str, int, int]:
        return self.host, self.place, self.begin

    def follows(self, before: Fragment) -> bool:
        """Whether nothing lies between the other one and this."""
        if self.host != before.host:
            return False
        if self.place == before.place:
            return self.begin == before.end and not before.whole
        return self.place == before.place + 1 and self.begin == 0 and before.whole


@dataclass(frozen=True)
class Joined:
    """A server with its fragments joined.

    counts     of everything
    unjoined   results whose requests are in no part
    open       requests without a result at the end
    overlaps   files that begin before one before them ends: lines may be in both
    """

    counts: ServerCounts
    unjoined: int = 0
    open: int = 0
    overlaps: tuple[str, ...] = ()


@dataclass
class _Run:
    """What is known of a server run at the end of the fragments so far."""

    newest: int = -1
    recent: tuple[int, ...] = ()
    open: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    clients: dict[int, str] = field(default_factory=dict)

    def goes_on(self, after: Fragment) -> bool:
        """Whether the connections of the fragment behind it are of the same run."""
        opened = after.first_opened
        return not 0 <= opened <= self.newest - RECENT and opened not in self.recent

    def advance(self, after: Fragment) -> None:
        if after.runs:
            self.newest, self.recent, self.open, self.clients = -1, (), {}, {}
        self.newest = max(self.newest, after.newest)
        recent = {*self.recent, *after.recent}
        self.recent = tuple(sorted(conn for conn in recent if conn > self.newest - RECENT))
        self.open |= after.open
        self.clients |= after.clients


def join(counts: ServerCounts, fragments: Iterable[Fragment]) -> Joined:
    """All fragments of one server, in any order, with its counts."""
    parts, unjoined, overlaps = [counts], 0, []
    run, before, waiting, latest_ns = _Run(), None, 0, 0
    for fragment in sorted(fragments, key=lambda fragment: fragment.at):
        if before is None or not fragment.follows(before) or not run.goes_on(fragment):
            waiting += len(run.open)
            run = _Run()
        if before is not None and before.place != fragment.place:
            overlaps += [fragment.file] if 0 < fragment.first_ns < latest_ns else []
        parts.append(_by_client(fragment, run.clients))
        part, missing = _answered(fragment, run)
        parts.append(part)
        unjoined += missing
        waiting += len(run.open) + fragment.lost if fragment.runs else 0
        run.advance(fragment)
        before, latest_ns = fragment, max(latest_ns, fragment.last_ns)
    return Joined(ServerCounts.total(parts), unjoined, waiting + len(run.open), tuple(overlaps))


def _by_client(fragment: Fragment, clients: Mapping[int, str]) -> ServerCounts:
    """The operations of its connections, by client."""
    conns, places = np.unique(fragment.conns.ids, return_inverse=True)
    names = [clients.get(conn, "") for conn in conns.tolist()]
    # Connections by their places, for the numbers of connections are no places in a list.
    rest = fragment.conns.numbers & ((1 << 20) - 1)
    cells = Cells(places.astype(np.int64) << 20 | rest, fragment.conns.counts)
    client_names, by_client = named(names, cells)
    return ServerCounts(client_names=client_names, clients=by_client)


def _answered(fragment: Fragment, run: _Run) -> tuple[ServerCounts, int]:
    """The results without a request as operations, and how many find none before them."""
    rows = fragment.orphans
    if not len(rows):
        return ServerCounts(), 0
    columns = dict(zip(ORPHAN, rows.T, strict=True))
    kinds, shapes, missing = columns["kind"].copy(), [], 0
    for row, key in enumerate(zip(columns["conn"].tolist(), columns["op"].tolist(), strict=True)):
        asked = run.open.pop(key, None)
        missing += asked is None
        kind, shape = asked or (_UNKNOWN, "")
        kinds[row] = kinds[row] if kind == _UNKNOWN else kind
        shapes.append(shape)
    clients = [run.clients.get(conn, "") for conn in columns["conn"].tolist()]
    places = np.arange(len(rows), dtype=np.int64)
    client_names, by_client = named(clients, Cells.of(places, kinds, columns["etime_ns"]))
    facts = columns["etime_ns"], columns["err"], columns["notes"]
    shape_names, by_shape = named_sums(shapes, Sums.of(places, kinds, *facts))
    return (
        ServerCounts(
            Cells.of(columns["end_ns"] // NS_PER_S, kinds, columns["etime_ns"]),
            Sums.of(columns["end_ns"] // NS_PER_HOUR, kinds, *facts),
            client_names,
            by_client,
            shape_names,
            by_shape,
        ),
        missing,
    )
