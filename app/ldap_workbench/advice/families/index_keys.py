"""Indexes that do not help: keys with too many entries, and the server's own searches.

slapd keeps a key that had more than 65,536 entries as a range from the first to the last of them,
also when few are left (back-mdb idl.h, ITS#9637). OpenDJ and PingDirectory keep none beyond
index-entry-limit (4,000), and mark the search as unindexed; OpenDJ 4.6 only where the base of the
search has more entries than the back end's limit, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import (
    client_searches,
    finding_of_rows,
    served_ns,
    share_of_work,
    worker_ns,
)
from ldap_workbench.advice.evidence.indexes import Database, database_of, databases, terms_of
from ldap_workbench.advice.evidence.inside import filter_of, request_keys, sample
from ldap_workbench.advice.evidence.missing import IndexAdvisor, missing_for, missing_in
from ldap_workbench.advice.evidence.rows import (
    Rows,
    base_at,
    evidence_of_rows,
    filter_at,
    grouped,
    slowest,
)
from ldap_workbench.advice.evidence.unindexed import FULLY, PARTLY, without_index
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import MEDIUM, Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import NOTES, TYPES, Operations, client_operations, text_at
from ldap_workbench.model.units import NS_PER_S

_KINDS, _LINES, _NAMED = 20, 2_000, 3
"""Kinds of filter that are looked at, lines read of each, and values that a sentence names."""
_WITH_LIMIT = ("opendj", "unboundid", "oud")
"""Dialects of servers that keep no key beyond index-entry-limit."""


@dataclass(frozen=True)
class _Split:
    """One kind of filter: rows whose values are served badly, and the rows of the others."""

    filter: str
    values: tuple[str, ...]
    bad: Rows
    well: Rows


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if view.request_of is None or not len(view.operations):
        return index_not_used(view)
    return [*index_not_used(view), *_ranges(view), *_beyond_limit(view)]


def _ranges(view: WindowView) -> Iterator[Finding]:
    """slapd: values that are slow although few entries have them."""
    known = _entries(view)
    if view.product != "openldap" or (known is not None and known <= limits("index_range")["ids"]):
        return
    operations, limit = view.operations, limits("index_range")
    served = served_ns(operations)
    for text, by_value in _kinds(view, ~without_index(view)):
        usual_ns = {value: float(np.median(served[rows])) for value, rows in by_value.items()}
        returned = {value: int(operations.nentries[rows].max()) for value, rows in by_value.items()}
        slow = set()
        for value, rows in by_value.items():
            long = usual_ns[value] - view.resolution_ns >= limit["usual_ms"] * 1e6
            if not long or len(rows) < limit["searches"]:
                continue
            # Entries that are returned take their time, unless as many of another value are quick.
            of_quick = [
                n
                for other, n in returned.items()
                if limit["times"] * usual_ns[other] <= usual_ns[value]
            ]
            if returned[value] <= max([limit["returned"], *of_quick]):
                slow.add(value)
        split = _split(text, by_value, slow)
        if split is None or len(split.well) < limit["others"]:
            continue
        quick, usual = (float(np.median(served[rows])) for rows in (split.well, split.bad))
        slower = usual >= limit["times"] * quick
        quick = max(quick, view.resolution_ns)
        if slower and share_of_work(view.operations, split.bad) >= limit["share_of_time"]:
            yield _finding(view, "index_range", split, quick=round(quick), usual=round(usual))


def _beyond_limit(view: WindowView) -> Iterator[Finding]:
    """OpenDJ and its relatives: values without an index beside others that have one."""
    if not any(source.dialect.startswith(_WITH_LIMIT) for source in view.sources):
        return
    operations, limit = view.operations, limits("index_entry_limit")
    marked = (operations.notes & (FULLY | PARTLY)) != 0
    for text, by_value in _kinds(view, np.ones(len(operations), np.bool_)):
        never = {value for value, rows in by_value.items() if marked[rows].all()}
        split = _split(text, by_value, never)
        if split is None or marked[split.well].any():
            continue
        enough = len(split.bad) >= limit["searches"] and len(split.well) >= limit["others"]
        if enough and share_of_work(view.operations, split.bad) >= limit["share_of_time"]:
            refused = int((operations.err[split.bad] != 0).sum())
            yield _finding(view, "index_entry_limit", split, refused=refused)


def _kinds(view: WindowView, wanted: NDArray[np.bool_]) -> Iterator[tuple[str, dict[str, Rows]]]:
    """The most expensive kinds of filter with values: rows of each filter as it was sent."""
    operations = view.operations
    searches = client_searches(operations) & wanted
    kinds, costs = np.unique(operations.fingerprint[searches], return_inverse=True)
    spent = np.bincount(costs, served_ns(operations)[searches], len(kinds))
    for at in np.argsort(-spent)[:_KINDS]:
        text = text_at(operations.fingerprints, int(kinds[at]))
        if "=?" in text:
            rows = np.flatnonzero(searches & (operations.fingerprint == kinds[at]))
            yield text, _by_value(view, sample(rows, _LINES))


def _by_value(view: WindowView, rows: Rows) -> dict[str, Rows]:
    assert view.request_of is not None
    by_value: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if asked := filter_of(view.request_of(int(row))):
            by_value[asked].append(int(row))
    return {value: np.array(same, np.intp) for value, same in by_value.items()}


def _split(text: str, by_value: dict[str, Rows], bad: set[str]) -> _Split | None:
    well = [rows for value, rows in by_value.items() if value not in bad]
    if not bad or not well:
        return None
    often = sorted(bad, key=lambda value: -len(by_value[value]))
    rows = np.concatenate([by_value[value] for value in often])
    return _Split(text, tuple(often[:_NAMED]), np.sort(rows), np.sort(np.concatenate(well)))


def _finding(view: WindowView, which: str, split: _Split, **values: int) -> Finding:
    operations, rows = view.operations, split.bad
    return finding_of_rows(
        which,
        operations,
        rows,
        numbers={
            "filter": split.filter,
            **values,
            **IndexAdvisor(view).rebuilt(split.filter, int(rows[0])),
        },
        confidence=MEDIUM if which == "index_range" and view.configuration else "",
        filters=split.values,
        most=max(int(operations.nentries[rows].max()), 0),
    )


def _entries(view: WindowView) -> float | None:
    """Entries of the largest database, where cn=monitor of slapd counts them."""
    counted = [
        float(view.samples[name][1].max())
        for name in view.samples
        if name.lower().endswith(":olmmdbentries") and len(view.samples[name][1])
    ]
    return max(counted, default=None)


# --- indexes that are configured and not used ----------------------------------------------------


def index_not_used(view: WindowView) -> list[Finding]:
    """Searches without an index that the configuration has: never built, or over the limit."""
    known = databases(view.configuration)
    operations, limit = view.operations, limits("index_not_used")
    if not known or not len(operations):
        return []
    mask = client_searches(operations) & ((operations.notes & (FULLY | PARTLY)) != 0)
    mask &= (operations.err == 0) & (operations.nentries <= limit["returned"])
    mask &= operations.etime_ns >= limit["longest_ms"] * 1_000_000
    rows = np.flatnonzero(mask)
    groups = [
        same
        for same in grouped(rows, operations.fingerprint[rows])
        if len(same) >= limit["searches"] and _place(view, same, known)
    ]
    if not groups:
        return []
    same = max(groups, key=lambda group: worker_ns(operations, group))
    if share_of_work(operations, same) < limit["share_of_time"]:
        return []
    return [_unused_finding(view, filter_at(operations, int(same[0])), same, known)]


def _place(view: WindowView, rows: Rows, known: list[Database]) -> Database | None:
    """The database of a base, where it has an index for every term of a filter."""
    operations = view.operations
    terms = terms_of(filter_at(operations, rows[0]))
    place = database_of(known, base_at(operations, rows[0]))
    if not terms or place is None or any(term.negated for term in terms):
        return None
    served = all(term.kind != "ordering" and place.serves(term) for term in terms)
    return place if served else None


def _unused_finding(view: WindowView, text: str, rows: Rows, known: list[Database]) -> Finding:
    place = _place(view, rows, known)
    assert place is not None, "only such kinds of search are chosen"
    attributes = dict.fromkeys(term.attribute for term in terms_of(text))
    return finding_of_rows(
        "index_not_used",
        view.operations,
        rows,
        numbers={"filter": text, "missing_indexes": missing_in(place, attributes, types=())},
    )


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


def find_internal_searches(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("internal_unindexed")
    searches, logged = _by_shape(view.errors), _by_rows(view.operations)
    if not searches:
        ends, etimes = view.operations.end_ns, view.operations.etime_ns
        searches = {
            key: list(map(_Search, ends[rows].tolist(), etimes[rows].tolist()))
            for key, rows in logged.items()
        }
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
