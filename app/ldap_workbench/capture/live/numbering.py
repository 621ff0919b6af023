"""Whether a file is missing between two texts of a log, or was read twice, by its numbers.

Servers number the operations of a connection, and their connections. A file that was deleted before
it was read is a jump in both, where one file ends and the next begins. Single numbers are missing
in every log: 389 DS and slapd skip one for an abandoned operation, or for a read that ran out of
time, often in many connections at once when a rotation makes all of them wait. So a jump counts
from three numbers a connection on. Our own searches of cn=monitor are in the log every second, so
that a quiet server is no exception. Numbers that go back, in lines that are no newer than those
before the seam, are of a text that was read before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldap_workbench.model.operations import Int64, Operations

_KEPT = 100_000
"""Operations on each side of a seam that are looked at."""
_SKIPPED = 2
"""Numbers that a connection may skip without a loss."""
_BOOT_BITS = 40
_TWICE = 100
"""More operations than threads wait with lines of before the seam, behind it."""
_SOME = 20
"""Connections on each side without which their own numbers tell nothing."""


@dataclass(frozen=True)
class Missing:
    """At least so many operations are missing between two moments, ns since 1970."""

    start_ns: int
    end_ns: int
    operations: int


class Numbering:
    """Takes the operations of a log in their order, and a `seam` where one text follows another.

    `missing` is what the seams lack, `repeated` how many operations at least came twice, known once
    enough has come behind them or at `close`.
    """

    def __init__(self) -> None:
        self.missing: list[Missing] = []
        self.repeated = 0
        self._before = _Side()
        self._after = _Side()
        self._at_seam = False

    def add(self, operations: Operations) -> None:
        rows = operations.take(~operations.internal)
        if not len(rows):
            return
        if not self._at_seam:
            self._before.add_last(rows)
            return
        self._after.add_first(rows)
        if self._after.size >= _KEPT:
            self.close()

    def seam(self) -> None:
        """What is added from here on comes from another text."""
        self.close()
        self._at_seam = self._before.size > 0

    def close(self) -> None:
        """Judge the last seam by what has come by now."""
        if self._after.size:
            self.repeated += _repeated(self._before, self._after)
            lost = _lost(self._before, self._after)
            if lost:
                times = int(self._before.end_ns), int(self._after.start_ns)
                self.missing.append(Missing(*times, lost))
            self._before, self._after = self._after, _Side()
        self._at_seam = False


class _Side:
    """Operations on one side of a seam: the last before it, the first behind it."""

    def __init__(self) -> None:
        self._pieces: list[tuple[Int64, Int64, Int64]] = []
        self.size = 0
        self.start_ns, self.end_ns = np.iinfo(np.int64).max, np.iinfo(np.int64).min

    def add_last(self, rows: Operations) -> None:
        self._add(rows)
        while self.size - len(self._pieces[0][0]) >= _KEPT:
            self.size -= len(self._pieces.pop(0)[0])

    def add_first(self, rows: Operations) -> None:
        self._add(rows)

    def _add(self, rows: Operations) -> None:
        conn = rows.conn + (rows.boot.astype(np.int64) << _BOOT_BITS)
        self._pieces.append((conn, rows.op.astype(np.int64), rows.end_ns))
        self.size += len(conn)
        self.start_ns = min(self.start_ns, int(rows.end_ns.min()))
        self.end_ns = max(self.end_ns, int(rows.end_ns.max()))

    def rows(self) -> tuple[Int64, Int64, Int64]:
        """Connection, number and time of every operation, in the order of the log."""
        conn, op, end_ns = (np.concatenate(column) for column in zip(*self._pieces, strict=True))
        return conn, op, end_ns

    def connections(self, pick: np.ufunc) -> tuple[Int64, Int64]:
        """The connections, and the `pick` (least or greatest) of each one's numbers."""
        conn, op, _ = self.rows()
        order = np.argsort(conn, kind="stable")
        numbers, starts = np.unique(conn[order], return_index=True)
        return numbers, pick.reduceat(op[order], starts)


def _repeated(before: _Side, after: _Side) -> int:
    """How many operations behind the seam were there before it.

    Operations that a client sent side by side end in another order, but later than those before.
    """
    old, last = before.connections(np.maximum)
    conn, op, end_ns = after.rows()
    place = np.minimum(np.searchsorted(old, conn), len(old) - 1)
    back = (old[place] == conn) & (op <= last[place]) & (end_ns <= before.end_ns)
    repeated = int(back.sum())
    return repeated if repeated >= _TWICE else 0


def _lost(before: _Side, after: _Side) -> int:
    """How many operations at least are missing; 0 where the numbers go on."""
    old, last = before.connections(np.maximum)
    new, first = after.connections(np.minimum)
    both, in_old, in_new = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    skipped = int(np.maximum(first[in_new] - last[in_old] - 1, 0).sum())
    if skipped > _SKIPPED * (len(both) + 1):
        return skipped
    return _lost_connections(old, np.setdiff1d(new, both, assume_unique=True))


def _lost_connections(old: Int64, new: Int64) -> int:
    """Connections between the last of `old` and the first of `new`, where these are close-set."""
    if min(len(old), len(new)) < _SOME or new[0] >> _BOOT_BITS != old[-1] >> _BOOT_BITS:
        return 0
    # Connections come close together, in which nothing was asked: a few idle ones, health checks.
    usual = max(int(np.diff(old[-_SOME:]).max()), int(np.diff(new[:_SOME]).max()))
    between = int(new[0] - old[-1]) - 1
    return between if between > _SOME + 3 * usual else 0
