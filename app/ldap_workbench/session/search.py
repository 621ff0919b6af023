"""Operations found among millions: which, in what order, some of them at a time, or in groups.

An order is row numbers alone, so that any number of operations can be sorted and paged through
without loading them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import (
    ABSENT,
    COLUMNS,
    NO_ERROR,
    NOTES,
    RARE,
    TYPES,
    Operations,
)
from ldap_workbench.model.window import Window
from ldap_workbench.session.conditions import DERIVED, TEXTS, Condition, Derived
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import STRING_KINDS
from ldap_workbench.session.unanswered import unanswered_changes

_START = "(end_ns - etime_ns)"
_KEYS = {
    "etime": "etime_ns",
    "wtime": f"nullif(wtime_ns, {ABSENT})",
    "optime": f"nullif(optime_ns, {ABSENT})",
    "type": f"[{', '.join(repr(name) for name in TYPES)}][kind + 1]",
    "start": _START,
    "err": "err",
    "entries": f"nullif(nentries, {ABSENT})",
    "notes": "notes",
    "conn": "conn",
    "op": "op",
}
_RARE_KEYS = {
    "wqtime": "wqtime_ns",
    "writetime": "writetime_ns",
    "index_time": "index_ns",
    "index_entries": "index_ids",
    "index_key": "index_key",
    "wbusy": "wbusy",
    "wqdepth": "wqdepth",
    "deref": "deref",
    "vlv": "vlv",
}
RARE_ORDERS = tuple(_RARE_KEYS)
ORDERS = (*_KEYS, *TEXTS, "window", *RARE_ORDERS)
"""What operations can be sorted by."""
GROUPINGS = (*TEXTS, "type", *DERIVED)
"""What operations can be grouped by."""

_UNINDEXED = sum(1 << NOTES.index(letter) for letter in "UA")
# DuckDB's quantile_disc goes by nearest rank, as all tails here.
_SUMS = (
    "count(*), sum(etime_ns), quantile_disc(etime_ns, [0.5, 0.99]), max(etime_ns), "
    f"count(*) FILTER (err NOT IN {NO_ERROR}), count(*) FILTER (notes & {_UNINDEXED} != 0)"
)
_KNOWN_KIND = f"NOT (kind = {TYPES.index('SRCH')} AND fingerprint < 0 AND request_at < 0)"
"""Not a search whose request is missing (`model.operations.of_unknown_kind`)."""


@dataclass(frozen=True)
class Search:
    """Which operations: those that start in one of `windows` and meet all conditions.

    With a `selection` only those at work between its two moments (ns); `internal` adds what the
    server asked itself. The workbench's own are among them where a condition asks for them.
    """

    windows: tuple[Window, ...]
    conditions: tuple[Condition, ...] = ()
    selection: tuple[int, int] | None = None
    internal: bool = False


@dataclass(frozen=True, eq=False)
class Found:
    """Some operations in their order, with string tables of their own.

    `sources` and `windows` (indices into those of the search, -1 for none) have one value a row.
    """

    operations: Operations
    sources: NDArray[np.int32]
    windows: NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """Operations that share a text: how many, their etimes (ns, nearest rank), what went wrong."""

    name: str
    n: int
    sum_ns: int
    p50_ns: int
    p99_ns: int
    max_ns: int
    failed: int
    unindexed: int


def counted(session: Session, search: Search) -> int:
    """How many operations are found."""
    where = _where(session, search)
    query = f"SELECT count(*) FROM operation WHERE {where.sql}"  # noqa: S608
    [(count,)] = session.rows(query, where.parameters)
    return int(count)


def columns(session: Session, search: Search, names: Sequence[str]) -> dict[str, Any]:
    """Some columns of the operations found, in no order."""
    where = _where(session, search)
    query = f"SELECT {session.selected(tuple(names))} FROM operation WHERE {where.sql}"  # noqa: S608
    return session.columns(query, where.parameters, tuple(names))


def ordered(
    session: Session,
    search: Search,
    by: str = "etime",
    *,
    descending: bool = True,
    limit: int | None = None,
) -> NDArray[np.int64]:
    """Row numbers [n] of all operations found, or of the first few, sorted by one of ORDERS.

    What is not known comes last either way; equals come in the order of the log.
    """
    where = _where(session, search)
    key, join = _key(session, search, by)
    query = (
        f"SELECT operation.rowid AS number FROM operation {join} WHERE {where.sql} "  # noqa: S608
        f"ORDER BY {key} {'DESC' if descending else 'ASC'} NULLS LAST, operation.rowid"
    )
    return np.asarray(session.arrays(query, where.parameters, limit)["number"], np.int64)


def rows(session: Session, search: Search, numbers: NDArray[np.int64]) -> Found:
    """The operations of some row numbers, in their order; meant for a page of a table."""
    columns = f"rowid AS number, source, {session.selected(tuple(COLUMNS))}"
    query = f"SELECT {columns} FROM operation WHERE rowid IN (SELECT unnest(?::BIGINT[]))"  # noqa: S608
    arrays = session.columns(query, [numbers.tolist()], tuple(COLUMNS))
    order = np.argsort(arrays["number"])
    order = order[np.searchsorted(arrays["number"][order], numbers)]
    sources = np.asarray(arrays["source"][order], np.int32)
    values: dict[str, Any] = {name: arrays[name][order] for name in COLUMNS}
    for kind, table in STRING_KINDS.items():
        values[kind], values[table] = _own_strings(session, kind, sources, values[kind])
    operations = Operations(**values)
    return Found(operations, sources, _windows_of(session, search, operations, sources))


def groups(session: Session, search: Search, by: str) -> list[Group]:
    """All groups of one of GROUPINGS, the largest sum of etimes first; '' is the name of none.

    An operation that refers to several attributes is in the group of each. A search whose request
    is not in the log has no filter that is known, so it is in no group of filters or attributes.
    """
    where = _where(session, search)
    name, key, join = _grouped(by)
    known = f" AND {_KNOWN_KIND}" if by in ("filter", "attribute") else ""
    query = (
        f"SELECT any_value({name}), {_SUMS} FROM operation {join} WHERE {where.sql}{known} "  # noqa: S608
        f"GROUP BY {key} ORDER BY 3 DESC, 1"
    )
    grouped = []
    for value, n, total, quantiles, *others in session.rows(query, where.parameters):
        if total is None or (by == "type" and (value is None or value >= len(TYPES))):
            raise session.broken(Message("it has an operation without an etime or a type"))
        text = TYPES[value] if by == "type" else value or ""
        grouped.append(Group(text, n, int(total), *quantiles, *others))
    return grouped


def unanswered(session: Session, windows: Sequence[Window], by: str) -> list[tuple[str, str, int]]:
    """(type, group, how many) of changes whose results a log does not hold, the most first.

    They have no latency and are no operations, but tell what was changed. Only for groupings of
    DERIVED by the base; [] for others.
    """
    what = DERIVED.get(by)
    if what is None or what.column != "base":
        return []
    inside = [
        request
        for window in windows
        for request in unanswered_changes(session.sources(window.id))
        if window.start_ns <= request.time_ns < window.end_ns
    ]
    query = (
        f"SELECT type, name, count(*) FROM (SELECT type, unnest({what.values}) AS name FROM "  # noqa: S608
        "(SELECT unnest(?::VARCHAR[]) AS type, unnest(?::VARCHAR[]) AS value)) "
        "GROUP BY ALL ORDER BY 3 DESC, 1, 2"
    )
    columns = [[request.type for request in inside], [request.dn for request in inside]]
    return [(kind, name, int(n)) for kind, name, n in session.rows(query, columns)]


def _grouped(by: str) -> tuple[str, str, str]:
    """Name and key of a group, and the joins they need."""
    if by == "type":
        return "kind", "kind", ""
    if by in DERIVED:
        name = "coalesce(derived.value, '')"
        return name, name, _derived(DERIVED[by])
    return "named.value", "coalesce(named.number, 0)", _named(TEXTS[by])


def _derived(what: Derived) -> str:
    """A join that gives each operation what a part of its text tells, once for each."""
    kinds = f"JOIN (SELECT unnest({list(what.kinds)}) AS kind) USING (kind) " if what.kinds else ""
    return (
        f"{kinds}LEFT JOIN (SELECT source, id, unnest({what.values}) AS value "  # noqa: S608
        f"FROM string WHERE kind = '{what.column}') AS derived "
        f"ON derived.source = operation.source AND derived.id = operation.{what.column}"
    )


def _named(column: str) -> str:
    """A join that gives each operation the text of a column and that text's place among all."""
    return (
        "LEFT JOIN (SELECT source, id, value, dense_rank() OVER (ORDER BY value) AS number "  # noqa: S608
        f"FROM string WHERE kind = '{column}') AS named "
        f"ON named.source = operation.source AND named.id = operation.{column}"
    )


def _key(session: Session, search: Search, by: str) -> tuple[str, str]:
    """What to sort by, and the join it needs."""
    if by in TEXTS:
        return "named.number", _named(TEXTS[by])
    if by == "window":
        spans = [_span(session, window) for window in search.windows]
        places = " ".join(f"WHEN {span} THEN {i}" for i, span in enumerate(spans))
        return (f"CASE {places} END" if places else "0"), ""
    if by in _RARE_KEYS:
        column = _RARE_KEYS[by]
        return (
            f"nullif({column}, {RARE[column]})"
            if column in session.rare
            else "CAST(NULL AS BIGINT)"
        ), ""
    return _KEYS[by], ""


def of_rows(session: Session, window: Window, chosen: NDArray[np.bool_]) -> Condition:
    """A condition that the chosen rows of `session.operations(window)` meet and no others.

    A bit for each row of the table is handed over: it takes a byte for eight operations and is as
    quick for half of ten million as for two.
    """
    numbers = row_numbers(session, window)
    return _of_numbers(numbers[: len(chosen)][chosen[: len(numbers)]])


def summed(session: Session, numbers: NDArray[np.int64]) -> Group:
    """These row numbers as one group without a name. There is at least one."""
    where = _of_numbers(numbers)
    query = f"SELECT {_SUMS} FROM operation WHERE {where.sql}"  # noqa: S608
    [(n, total, quantiles, *others)] = session.rows(query, where.parameters)
    return Group("", n, int(total), *quantiles, *others)


def _of_numbers(numbers: NDArray[np.int64]) -> Condition:
    if not len(numbers):
        return Condition("false")
    first, last = int(numbers.min()), int(numbers.max())
    bits = np.zeros(last - first + 1, bool)
    bits[numbers - first] = True
    sql = (
        "(operation.rowid BETWEEN ? AND ? AND "
        "get_bit(?::BLOB::BIT, (operation.rowid - ?)::INTEGER) = 1)"
    )
    return Condition(sql, (first, last, np.packbits(bits).tobytes(), first))


def row_numbers(session: Session, window: Window) -> NDArray[np.int64]:
    """The row numbers of `session.operations(window)`, in the same order."""
    query = (
        f"SELECT rowid AS number FROM operation WHERE {_span(session, window)} "  # noqa: S608
        "ORDER BY result_at, rowid"
    )
    return np.asarray(session.arrays(query)["number"], np.int64)


def _where(session: Session, search: Search) -> Condition:
    spans = " OR ".join(_span(session, window) for window in search.windows) or "false"
    internal = search.internal or any(condition.internal for condition in search.conditions)
    own = any(condition.own for condition in search.conditions)
    parts = [f"({spans})"]
    parts += [] if own else ["NOT own"]
    parts += [] if internal else ["NOT internal"]
    parameters: list[object] = []
    if search.selection is not None:
        parts.append(f"{_START} < ? AND end_ns > ?")
        parameters += [search.selection[1], search.selection[0]]
    for condition in search.conditions:
        parts.append(condition.sql)
        parameters += condition.parameters
    return Condition(" AND ".join(parts), tuple(parameters))


def _span(session: Session, window: Window) -> str:
    source = session.operation_source(window)
    number = -1 if source is None else source
    start = f"{_START} >= {window.start_ns} AND {_START} < {window.end_ns}"
    return f"(operation.source = {number} AND {start})"


def _own_strings(
    session: Session, kind: str, sources: NDArray[np.int32], ids: NDArray[np.int32]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Strings of a few rows alone: where each is in a small table, and that table."""
    wanted = sorted({int(i) for i in ids if i >= 0})
    query = "SELECT source, id, value FROM string WHERE kind = ? AND id IN (SELECT unnest(?))"
    known = {(s, i): v for s, i, v in session.rows(query, [kind, wanted])}
    texts = [known.get((int(s), int(i))) for s, i in zip(sources, ids, strict=True)]
    table = dict.fromkeys(text for text in texts if text)
    places = {text: place for place, text in enumerate(table)}
    own = [places.get(text or "", -1) for text in texts]
    return np.array(own, np.int32), tuple(table)


def _windows_of(
    session: Session, search: Search, operations: Operations, sources: NDArray[np.int32]
) -> NDArray[np.int64]:
    places = np.full(len(operations), -1, np.int64)
    for place, window in enumerate(search.windows):
        here = sources == (session.operation_source(window) or -1)
        here &= (operations.start_ns >= window.start_ns) & (operations.start_ns < window.end_ns)
        places[here & (places < 0)] = place
    return places
