"""What waiting is: for a worker thread, for the client itself, or for an answer that never came.

A worker in turbo mode stays with its connection and counts the next operation from its last
answer on, not from the arrival of the request (connection_threadmain makes the operation, then
reads). The pause of a client is then in wtime, and in etime: a client that rests 20 ms between
searches was logged with a median of 21.5 ms while it waited 2.0 ms (2.3.1, measured).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.companions import without_closed
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.operations import ABSENT, TYPES, Int64, Operations, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import Waiting, is_persistent

if TYPE_CHECKING:
    from ldap_workbench.advice.evidence.view import WindowView

Rows = NDArray[np.intp]

_ENOUGH = 0.5
"""Workers are short where so many are at work; between two operations they are not seen."""
OWN_DOING = 0.5
"""From this share on a queue is the doing of clients that wait behind their own requests, or of
writes, which wait for each other whatever the number of threads."""
_ASKERS = 20
"""Those who waited longest, of whom it is looked whether they waited for themselves."""


def busy_workers(operations: Operations) -> NDArray[np.int64]:
    """Operations at work in the middle of the wtime of each row; 0 where a row has none."""
    timed = operations.wtime_ns != ABSENT
    begun = (operations.start_ns + operations.wtime_ns)[timed]
    middle = (operations.start_ns + operations.wtime_ns // 2)[timed]
    ended = operations.end_ns[timed]
    busy = np.zeros(len(operations), np.int64)
    busy[timed] = np.searchsorted(np.sort(begun), middle, "right") - np.searchsorted(
        np.sort(ended), middle, "right"
    )
    return busy


def waited_for_worker(operations: Operations, threads: int | None) -> NDArray[np.bool_]:
    """Rows whose wtime was spent while workers were short.

    All with one where the number of workers is not known.
    """
    timed: NDArray[np.bool_] = operations.wtime_ns != ABSENT
    if threads is None:
        return timed
    return timed & (busy_workers(operations) >= max(1.0, _ENOUGH * threads))


class Queue:
    """Waiting for a worker, which is behind all who hold one meanwhile, to equal parts.

    `rows` waited for `wait_ns` each.
    """

    def __init__(self, operations: Operations, rows: Rows, wait_ns: Int64) -> None:
        timed = client_operations(operations) & (operations.wtime_ns != ABSENT)
        self._operations, self._timed = operations, np.flatnonzero(timed)
        self._rows, self._wait_ns = rows, wait_ns
        self._begun = operations.start_ns[self._timed] + operations.wtime_ns[self._timed]
        self._times = np.unique(np.concatenate((self._begun, operations.end_ns[self._timed])))
        everyone = np.ones(len(self._timed), bool)
        self._everyone = self._holding(everyone)
        whole = (self._everyone > 0).astype(np.float64)
        self._whole_ns = max(self._overlap_ns(whole, np.ones(len(rows), bool)), 1.0)

    def behind(self, holders: NDArray[np.bool_]) -> float:
        """The share of the wait that is behind some operations, a mask of all."""
        return self._behind_ns(holders, np.ones(len(self._rows), bool)) / self._whole_ns

    def behind_own(self, asker: Int64) -> tuple[float, Rows]:
        """The share that is behind the asker's own work, and the rows of whom it is most of.

        `asker` is a number for each operation.
        """
        rows, own = self._rows, dict[int, float]()
        keys, number = np.unique(asker[rows], return_inverse=True)
        longest = np.argsort(-np.bincount(number, self._wait_ns), kind="stable")[:_ASKERS]
        for key in keys[longest].tolist():
            own[key] = self._behind_ns(asker == key, asker[rows] == key)
        most = max(own, key=lambda key: own[key])
        return sum(own.values()) / self._whole_ns, rows[asker[rows] == most]

    def _behind_ns(self, holders: NDArray[np.bool_], waiting: NDArray[np.bool_]) -> float:
        mine = self._holding(holders[self._timed]) / np.maximum(self._everyone, 1)
        return self._overlap_ns(mine, waiting)

    def _holding(self, some: NDArray[np.bool_]) -> Int64:
        """How many of some operations are at work from each moment on."""
        begins, ends = self._begun[some], self._operations.end_ns[self._timed[some]]
        at_work: Int64 = np.searchsorted(np.sort(begins), self._times, "right") - np.searchsorted(
            np.sort(ends), self._times, "right"
        )
        return at_work

    def _overlap_ns(self, share: NDArray[np.float64], some: NDArray[np.bool_]) -> float:
        """The waits of some rows, each moment weighed by its share."""
        since = self._operations.start_ns[self._rows]
        until, times = since + self._wait_ns, self._times
        before = np.concatenate(([0.0], np.cumsum(share[:-1] * np.diff(times))))
        late = np.interp(until[some] - times[0], times - times[0], before)
        early = np.interp(since[some] - times[0], times - times[0], before)
        return float((late - early).sum())


def never_answered(view: WindowView) -> list[Waiting]:
    """Operations that waited too long and have no result, oldest first.

    They wait where the window ends, or their connections were closed. Not where the log rather
    lacks results: a connection that went on, or has more open than a server works on at once, lost
    lines, and so did a log that shows most such connections closed soon. Of a server that was
    started again, nobody waits.
    """
    operations, end_ns, limit = view.operations, view.window.end_ns, limits("unanswered")
    if not len(operations):
        return []
    boot = int(operations.boot.max())
    least_ns = _least_ns(operations)
    waiting = [
        operation
        for operation in without_closed(
            view.waiting, operations.boot, operations.conn, operations.opened_ns
        )
        if operation.boot in (-1, boot)
    ]
    waiting = _last_of_its_connection(operations, waiting)
    given_up = _last_of_its_connection(operations, view.given_up)
    long = [
        operation
        for operation in (*waiting, *given_up)
        if operation.waited_ns(end_ns) >= least_ns.get(operation.type, end_ns)
        and not (view.line_at and is_persistent(operation, view.line_at))
    ]
    closed = [operation for operation in long if operation.closed_ns is not None]
    if len(closed) < limit["long_share"] * len(given_up):
        long = [operation for operation in long if operation.closed_ns is None]
    open_on = Counter((operation.boot, operation.conn) for operation in long)
    return sorted(
        (op for op in long if open_on[op.boot, op.conn] <= limit["on_one"]),
        key=lambda operation: operation.time_ns,
    )


def _least_ns(operations: Operations) -> dict[str, int]:
    """From when on an operation of a type waits too long."""
    limit, clients = limits("unanswered"), client_operations(operations)
    least_ns = {kind: round(limit["seconds"] * NS_PER_S) for kind in TYPES}
    for number in np.unique(operations.kind[clients]).tolist():
        etimes = operations.etime_ns[clients & (operations.kind == number)]
        usual = int(np.quantile(etimes, 0.99, method="higher"))
        least_ns[TYPES[number]] = max(least_ns[TYPES[number]], round(limit["times"] * usual))
    return least_ns


def _last_of_its_connection(operations: Operations, waiting: Iterable[Waiting]) -> list[Waiting]:
    """Those after which their connections asked for nothing that has a result.

    The abandon of an operation has a row of its own, with the time that its target had waited.
    """
    waiting = list(waiting)
    mine = np.isin(operations.conn, [operation.conn for operation in waiting])
    asked = zip(
        operations.boot[mine].tolist(),
        operations.conn[mine].tolist(),
        operations.start_ns[mine].tolist(),
        (operations.kind[mine] == TYPES.index("ABANDON")).tolist(),
        strict=True,
    )
    newest: dict[tuple[int, int], int] = {}
    for boot, conn, start_ns, abandons in asked:
        start_ns += NS_PER_S if abandons else 0
        newest[boot, conn] = max(start_ns, newest.get((boot, conn), start_ns))
    return [op for op in waiting if newest.get((op.boot, op.conn), op.time_ns) <= op.time_ns]
