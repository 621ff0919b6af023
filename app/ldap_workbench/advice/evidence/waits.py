"""What waiting is: for a worker thread, for the client itself, or for an answer that never came.

A worker in turbo mode stays with its connection and counts the next operation from its last
answer on, not from the arrival of the request (connection_threadmain makes the operation, then
reads). The pause of a client is then in wtime, and in etime: a client that rests 20 ms between
searches was logged with a median of 21.5 ms while it waited 2.0 ms (2.3.1, measured).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.companions import without_closed
from ldap_workbench.advice.evidence.rows import stable_order
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
_ABANDON_UNTIMED = ("openldap", "unboundid")
_IDLE = re.compile(r"idletimeout| - T1\b|\bT1$|idle time", re.IGNORECASE)
"""How servers say that they end a connection because nothing happened on it."""
_CONN_BITS = 42
_AT_ONCE_NS = 5_000_000
"""A worker in turbo mode counts from its answer on; a log in milliseconds cannot say it finer."""
_ASKERS = 20
"""Those who waited longest, of whom it is looked whether they waited for themselves."""


def busy_workers(operations: Operations, rows: Rows | NDArray[np.bool_] | None = None) -> Int64:
    """Operations at work in the middle of the wtime of each of some rows, or of all; else 0."""
    timed, start = operations.wtime_ns != ABSENT, operations.start_ns
    begun, ended = (start + operations.wtime_ns)[timed], operations.end_ns[timed]
    some = slice(None) if rows is None else rows
    middle = start[some] + operations.wtime_ns[some] // 2
    busy: Int64 = _count_until(begun, middle) - _count_until(ended, middle)
    return np.where(timed[some], busy, 0)


def _count_until(times: Int64, moments: Int64) -> Int64:
    """How many of some times are not behind each moment."""
    counts: Int64 = np.searchsorted(np.sort(times), moments, "right")
    return counts


def waited_for_worker(operations: Operations, threads: int | None) -> NDArray[np.bool_]:
    """Rows whose wtime was spent while workers were short.

    All with one where the number of workers is not known.
    """
    timed: NDArray[np.bool_] = operations.wtime_ns != ABSENT
    if threads is None:
        return timed
    return timed & (busy_workers(operations) >= max(1.0, _ENOUGH * threads))


def counted_from_answer(operations: Operations) -> NDArray[np.bool_]:
    """Rows that begin with the answer before on their connection, as in turbo mode, or with it.

    The wtime of any other began when its request arrived, or its first byte did.
    """
    rows = np.flatnonzero(client_operations(operations))  # internal ones lie within these
    keys = (operations.boot[rows].astype(np.int64) << _CONN_BITS) + operations.conn[rows]
    order = np.argsort(operations.end_ns[rows], kind="stable")
    order = order[stable_order(keys[order])]
    keys, rows = keys[order], rows[order]
    ends, starts = operations.end_ns[rows], operations.start_ns[rows]
    follows = np.ones(len(rows), np.bool_)
    follows[1:] = (keys[1:] != keys[:-1]) | (np.abs(starts[1:] - ends[:-1]) <= _AT_ONCE_NS)
    counted = np.ones(len(operations), np.bool_)
    counted[rows] = follows
    return counted


def waited_before_work(operations: Operations, threads: int | None) -> NDArray[np.bool_]:
    """Rows whose wtime somebody waited for: workers were short, or it is no pause of the client."""
    waited = waited_for_worker(operations, threads)
    others = (operations.wtime_ns != ABSENT) & ~waited
    # To order millions of rows is dear, and most logs have nothing to tell apart.
    if (operations.wtime_ns[others] > _AT_ONCE_NS).any():
        waited |= others & ~counted_from_answer(operations)
    return waited


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

    They wait where the window ends, or their connections were closed while several waited. Not
    where the log rather lacks results: a connection that went on, or has more open than a server
    works on at once, lost lines, and so did a log that shows most such connections closed soon. Of
    a server that was started again, nobody waits.
    """
    operations, end_ns = view.operations, view.window.end_ns
    if not len(operations):
        return []
    boot = int(operations.boot.max())
    waiting = [
        operation
        for operation in without_closed(
            view.waiting, operations.boot, operations.conn, operations.opened_ns
        )
        if operation.boot in (-1, boot)
    ]
    least_ns = _least_ns(operations)
    ended = _last_of_its_connection(operations, view.given_up)
    long_now, long_ended = (
        [op for op in some if op.waited_ns(end_ns) >= least_ns.get(op.type, end_ns)]
        for some in (_last_of_its_connection(operations, waiting), ended)
    )
    soon = len(ended) - len(long_ended)
    long_ended = [operation for operation in long_ended if _waited(view, operation)]
    if len(long_ended) < limits("unanswered")["long_share"] * (len(long_ended) + soon):
        long_ended = []
    long_ended = [operation for operation in long_ended if _was_at_work(view, operation)]
    long = _of_few_on_a_connection(
        [*(operation for operation in long_now if _waited(view, operation)), *long_ended]
    )
    long += [op for op in _of_stopped_types(view, waiting, least_ns) if op not in long]
    return _together(sorted(long, key=lambda operation: operation.time_ns), end_ns)


def _of_stopped_types(
    view: WindowView, waiting: list[Waiting], least_ns: Mapping[str, int]
) -> list[Waiting]:
    """Those of a type of which many ended before, and none after the first of them had begun.

    A log that lost results has not lost all of one type, so it does not matter whether clients went
    on with their connections.
    """
    limit, stopped, operations = limits("unanswered"), list[Waiting](), view.operations
    for number, name in enumerate(TYPES):
        ends = operations.end_ns[client_operations(operations) & (operations.kind == number)]
        since = int(ends.max(initial=np.iinfo(np.int64).min))
        behind = [op for op in waiting if op.type == name and op.time_ns > since]
        waited = max((op.waited_ns(view.window.end_ns) for op in behind), default=0)
        if (
            len(ends) >= limit["ended"]
            and len(behind) >= limit["connections"]
            and waited >= least_ns[name]
        ):
            stopped += [op for op in behind if _waited(view, op)]
    return stopped


def _waited(view: WindowView, operation: Waiting) -> bool:
    """Whether an operation was to have an answer, and is not left open to be told of changes."""
    return view.line_at is None or not is_persistent(operation, view.line_at)


def _was_at_work(view: WindowView, ended: Waiting) -> bool:
    """Whether an operation may have waited until its connection was closed.

    A server ends an idle connection where nothing is at work on it: what was asked had been
    abandoned. slapd and UnboundID log an abandon without the time it ends, so of them a longer
    wait is not believed.
    """
    limit_ns = limits("unanswered")["abandons_s"] * NS_PER_S
    if view.product in _ABANDON_UNTIMED and ended.waited_ns(0) > limit_ns:
        return False
    return not (
        view.line_at and ended.closed_at >= 0 and _IDLE.search(view.line_at(ended.closed_at))
    )


def _of_few_on_a_connection(waiting: list[Waiting]) -> list[Waiting]:
    on_one = Counter((operation.boot, operation.conn) for operation in waiting)
    most = limits("unanswered")["on_one"]
    return [op for op in waiting if on_one[op.boot, op.conn] <= most]


def _together(waiting: list[Waiting], end_ns: int) -> list[Waiting]:
    """Without those whose connections were closed while few others waited; oldest first."""
    least = limits("unanswered")["connections"]
    chosen: list[Waiting] = []
    group: list[Waiting] = []
    until = 0

    def close() -> None:
        crowd = _most_at_once(group, end_ns) >= least
        chosen.extend(op for op in group if crowd or op.closed_ns is None)

    for operation in waiting:
        if operation.time_ns > until:
            close()
            group.clear()
        group.append(operation)
        until = max(until, operation.time_ns + operation.waited_ns(end_ns))
    close()
    return chosen


def _most_at_once(waiting: list[Waiting], end_ns: int) -> int:
    """The largest number of some operations that waited at one moment."""
    if not waiting:
        return 0
    starts = np.array([operation.time_ns for operation in waiting], np.int64)
    ends = np.sort(starts + [operation.waited_ns(end_ns) for operation in waiting])
    starts.sort()
    begun = np.arange(1, len(starts) + 1)
    return int((begun - np.searchsorted(ends, starts, "left")).max())


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
    Sessions of earlier versions do not say of which start of the server an operation is.
    """
    waiting = list(waiting)
    if not waiting:
        return []
    latest = int(operations.boot.max())
    keys = _keys(
        np.array([latest if op.boot < 0 else op.boot for op in waiting], np.int64),
        np.array([op.conn for op in waiting], np.int64),
    )
    asked = _keys(operations.boot.astype(np.int64), operations.conn)
    mine = np.flatnonzero(np.isin(asked, keys))
    known, place = np.unique(keys, return_inverse=True)
    newest = np.full(len(known), np.iinfo(np.int64).min)
    abandons = operations.kind[mine] == TYPES.index("ABANDON")
    starts = operations.start_ns[mine] + np.where(abandons, NS_PER_S, 0)
    np.maximum.at(newest, np.searchsorted(known, asked[mine]), starts)
    return [op for op, last in zip(waiting, newest[place], strict=True) if last <= op.time_ns]


def _keys(boot: Int64, conn: Int64) -> Int64:
    """One number for a connection of a start of the server."""
    return (boot << _CONN_BITS) + conn
