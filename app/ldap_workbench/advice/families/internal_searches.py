"""Searches of the server itself without an index, by the error log of 389 DS."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ldap_workbench.advice.evidence.indexes import database_of, databases
from ldap_workbench.advice.evidence.missing import missing_for
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S

_SEARCH = re.compile(
    r'Internal unindexed search: source \((?P<source>[^)]*)\) search base="(?P<base>[^"]*)"'
    r' filter="(?P<filter>.*)" etime=(?P<etime>\d+\.\d+)'
)
_VALUE = re.compile(r"(?<==)[^()]+")

_MOST = 20
"""Kinds of search that are listed, and whose indexes are looked at."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    searches = _by_shape(view.errors)
    if sum(map(len, searches.values())) < limits("internal_unindexed")["searches"]:
        return []
    worst = sorted(searches, key=lambda shape: -_spent_ns(searches[shape]))
    every = [search for same in searches.values() for search in same]
    source, base, shape = worst[0]
    known = databases(view.configuration)
    missing = [
        index
        for _, below, text in worst[:_MOST]
        for index in missing_for(text, database_of(known, below), "389ds")
    ]
    return [
        finding(
            "internal_unindexed",
            numbers={
                "searches": len(every),
                "filter": shape,
                "source": source,
                "missing_indexes": missing,
            },
            evidence=[_evidence(key, searches[key]) for key in worst[:_MOST]],
            worker_ns=_spent_ns(every),
            searches=len(every),
            time=_spent_ns(every),
            source=source,
            filter=shape,
            base=base or Message("the root"),
        )
    ]


_Search = tuple[int, int]
"""When it ended, and its etime, ns."""


def _by_shape(lines: Iterable[ErrorLine]) -> dict[tuple[str, str, str], list[_Search]]:
    """(Who searched, base, filter without values) -> its searches."""
    searches = defaultdict(list)
    for line in lines:
        if match := _SEARCH.search(line.text):
            # A star stays, as in the filters of operations.
            shape = _VALUE.sub(lambda v: re.sub(r"[^*]+", "?", v[0]), match["filter"])
            etime_ns = round(float(match["etime"]) * NS_PER_S)
            searches[match["source"], match["base"], shape].append((line.time_ns, etime_ns))
    return searches


def _spent_ns(searches: Iterable[_Search]) -> int:
    return sum(etime_ns for _, etime_ns in searches)


def _evidence(shape: tuple[str, str, str], searches: list[_Search]) -> Evidence:
    text = Message(
        "{source} searched {base} for {filter}: {searches}, up to {longest:duration} each.",
        source=shape[0],
        base=shape[1] or Message("the root"),
        filter=shape[2],
        searches=count_of("{n} search", "{n} searches", n=len(searches)),
        longest=max(etime_ns for _, etime_ns in searches),
    )
    times = [time_ns for time_ns, _ in searches]
    return Evidence(text, min(times), max(times))
