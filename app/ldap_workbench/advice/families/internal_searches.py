"""Searches of the server itself without an index, by its error log or its internal operations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from ldap_workbench.advice.evidence.indexes import database_of, databases
from ldap_workbench.advice.evidence.inside import request_keys
from ldap_workbench.advice.evidence.missing import missing_for
from ldap_workbench.advice.evidence.rows import Rows, evidence_of_rows, slowest
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import NOTES, TYPES, Operations, client_operations, text_at
from ldap_workbench.model.units import NS_PER_S

_SEARCH = re.compile(
    r'Internal unindexed search: source \((?P<source>[^)]*)\) search base="(?P<base>[^"]*)"'
    r'(?: scope=\d)? filter="(?P<filter>.*)"'
    r" (?:etime=(?P<etime>\d+\.\d+)|conn=(?P<conn>\d{1,18}) op=(?P<op>\d{1,18}) \(internal)"
)
"""At its end with its etime; newer servers, at its begin with the operation it is part of."""
_VALUE = re.compile(r"(?<==)[^()]+")

_SRCH = TYPES.index("SRCH")
_NOTED = 1 << NOTES.index("A") | 1 << NOTES.index("U")
_MOST = 20
"""Kinds of search that are listed, and whose indexes are looked at."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("internal_unindexed")
    searches, logged = _by_shape(view.errors), _by_rows(view.operations)
    if not searches:
        searches = {key: _times(view.operations, rows) for key, rows in logged.items()}
        if _spent_ns(chain(*searches.values())) < limit["time_s"] * NS_PER_S:
            return []
    if sum(map(len, searches.values())) < limit["searches"]:
        return []
    worst = sorted(searches, key=lambda shape: (-_spent_ns(searches[shape]), -len(searches[shape])))
    every = [search for same in searches.values() for search in same]
    source, base, shape = worst[0]
    known = databases(view.configuration)
    missing = [
        index
        for _, below, text in worst[:_MOST]
        for index in missing_for(text, database_of(known, below), "389ds")
    ]
    causes = _causes(view.operations, every, logged)
    dated = all(search.etime_ns is not None for search in every)
    return [
        finding(
            "internal_unindexed",
            numbers={
                "searches": len(every),
                "filter": shape,
                "source": source,
                "missing_indexes": missing,
            },
            evidence=[
                *(_evidence(key, searches[key]) for key in worst[:_MOST]),
                *_inside(view.operations, causes),
            ],
            confidence="" if dated else "medium",
            worker_ns=_spent_ns(every) if dated else None,
            user_ns=None if dated else int(view.operations.etime_ns[causes].sum()) or None,
            searches=len(every),
            time=_spent_ns(every) if dated else None,
            source=source or Message("the server, inside operations of clients"),
            filter=shape,
            base=base or Message("the root"),
        )
    ]


class _Search(NamedTuple):
    """When a search ended, or began where its etime is not known; and the request it is part of."""

    time_ns: int
    etime_ns: int | None
    request: tuple[int, int] | None = None


def _by_shape(lines: Iterable[ErrorLine]) -> dict[tuple[str, str, str], list[_Search]]:
    """(Who searched, base, filter without values) -> its searches."""
    searches = defaultdict(list)
    for line in lines:
        if match := _SEARCH.search(line.text):
            # A star stays, as in the filters of operations.
            shape = _VALUE.sub(lambda v: re.sub(r"[^*]+", "?", v[0]), match["filter"])
            etime_ns = round(float(match["etime"]) * NS_PER_S) if match["etime"] else None
            request = (int(match["conn"]), int(match["op"])) if match["conn"] else None
            search = _Search(line.time_ns, etime_ns, request)
            searches[match["source"], match["base"], shape].append(search)
    return searches


def _by_rows(operations: Operations) -> dict[tuple[str, str, str], Rows]:
    """('', base, filter without values) -> rows of internal searches that the log notes."""
    noted = operations.internal & (operations.kind == _SRCH) & ((operations.notes & _NOTED) != 0)
    rows = np.flatnonzero(noted)
    pairs = np.stack((operations.base[rows], operations.fingerprint[rows]), axis=1)
    kinds, inverse = np.unique(pairs, axis=0, return_inverse=True)
    return {
        ("", text_at(operations.bases, int(base)), text_at(operations.fingerprints, int(text))): (
            rows[inverse.ravel() == number]
        )
        for number, (base, text) in enumerate(kinds)
    }


def _times(operations: Operations, rows: Rows) -> list[_Search]:
    ends, etimes = operations.end_ns[rows].tolist(), operations.etime_ns[rows].tolist()
    return list(map(_Search, ends, etimes))


def _causes(
    operations: Operations,
    searches: Iterable[_Search],
    logged: Mapping[tuple[str, str, str], Rows],
) -> Rows:
    """The operations of clients inside which the server searched, by both logs."""
    keys, inner = request_keys(operations), [np.empty(0, np.intp), *logged.values()]
    clients = client_operations(operations)
    noted = np.flatnonzero(clients & np.isin(keys, keys[np.concatenate(inner)]))
    times = defaultdict(list)
    for search in searches:
        if search.request:
            times[search.request].append(search.time_ns)
    conns, numbers = {conn for conn, _ in times}, {number for _, number in times}
    named = np.isin(operations.conn, list(conns)) & np.isin(operations.op, list(numbers))
    rows = [
        row
        for row in np.flatnonzero(clients & named).tolist()
        if any(
            operations.start_ns[row] <= time_ns <= operations.end_ns[row]
            for time_ns in times[int(operations.conn[row]), int(operations.op[row])]
        )
    ]
    return np.union1d(noted, np.array(rows, np.intp))


def _inside(operations: Operations, causes: Rows) -> list[Evidence]:
    if not len(causes):
        return []
    longest = int(operations.etime_ns[causes].max())
    text = phrase("internal_unindexed", "causes", n=len(causes), longest=longest)
    return [evidence_of_rows(operations, text, slowest(operations, causes))]


def _spent_ns(searches: Iterable[_Search]) -> int:
    return sum(search.etime_ns or 0 for search in searches)


def _evidence(shape: tuple[str, str, str], searches: list[_Search]) -> Evidence:
    longest = max(search.etime_ns or 0 for search in searches)
    text = phrase(
        "internal_unindexed",
        "" if longest else "undated",
        source=shape[0] or Message("The server"),
        base=shape[1] or Message("the root"),
        filter=shape[2],
        searches=count_of("{n} search", "{n} searches", n=len(searches)),
        longest=longest,
    )
    times = [search.time_ns for search in searches]
    return Evidence(text, min(times), max(times))
