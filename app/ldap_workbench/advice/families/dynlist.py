"""What the overlay dynlist of OpenLDAP computes for each entry that is asked for it.

slapd logs the attributes of a search on a line of their own behind the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.cost import (
    client_searches,
    finding_of_rows,
    served_ns,
    share_of_work,
)
from ldap_workbench.advice.evidence.indexes import databases
from ldap_workbench.advice.evidence.inside import sample
from ldap_workbench.advice.evidence.rows import filter_at, slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.unindexed import without_index
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits, phrase
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import HIGH, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES

_BIND = TYPES.index("BIND")
_SET = re.compile(r"(?:\{\d+\})?\S+(?: +ldap:\S+)? +\S+(.*)")
"""[{n}]group-oc [URI] URL-ad, then what is computed: slapo-dynlist(5)."""
_ASKED = re.compile(r"conn=(\d+) op=(\d+) SRCH attr=(.*)")
_SEARCH = re.compile(r"conn=(\d+) op=(\d+) SRCH base=")
_LINES = 3_000


@dataclass(frozen=True)
class _Beside:
    """Searches of one kind that had something computed, and what it takes with and without."""

    rows: Rows
    usual_ns: float
    without_ns: float | None


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if not any(view.configuration.overlays("dynlist")):
        return []
    return list(_asked_for(view)) or list(_in_the_way(view))


def _asked_for(view: WindowView) -> Iterator[Finding]:
    """Searches that ask for what is computed, where those that do not are quicker."""
    names, limit = computed(view.configuration), limits("dynlist_cost")
    if not names or view.request_of is None or view.line_at is None:
        return
    costly = list(_costly(view, names))
    if not costly:
        return
    rows = np.sort(np.concatenate([search.rows for search in costly]))
    if len(rows) < limit["searches"]:
        return
    if share_of_work(view.operations, rows) < limit["share_of_time"]:
        return
    both = [search for search in costly if search.without_ns is not None]
    worst = max(both, key=lambda search: search.usual_ns) if both else None
    beside = NOTHING
    if worst:
        usual, plain = round(worst.usual_ns), round(worst.without_ns or 0)
        beside = phrase("dynlist_cost", "without", usual=usual, plain=plain)
    yield _finding(view, names, rows, beside, HIGH if both else "")


def _in_the_way(view: WindowView) -> Iterator[Finding]:
    """Searches none of which is quick, below a database with the overlay.

    dynlist of 2.5.13 looks up all dynamic groups before each search, whatever it asks for: with 600
    of them an indexed search took 2.1 ms at the least, without the overlay 0.05 ms.
    """
    limit, operations = limits("dynlist_cost"), view.operations
    below = _below(view.configuration, operations.bases)
    searches = client_searches(operations) & (operations.err == 0)
    inside = searches & np.isin(operations.base, below)
    rows = np.flatnonzero(inside & (operations.nentries <= 1) & ~without_index(view))
    others = np.flatnonzero((searches & ~inside) | (operations.kind == _BIND))
    if len(rows) < limit["searches"] or len(others) < limit["others"]:
        return
    served = served_ns(operations)
    floor, quick = (float(np.quantile(served[chosen], 0.05)) for chosen in (rows, others))
    if floor < limit["floor_ms"] * 1e6 or floor < limit["times_others"] * quick:
        return
    if share_of_work(view.operations, rows) < limit["share_of_time"]:
        return
    beside = phrase("dynlist_cost", "floor", floor=round(floor), quick=round(quick))
    yield _finding(view, computed(view.configuration), rows, beside, "")


def _below(configuration: Configuration, bases: Sequence[str]) -> list[int]:
    """Which bases are in a database that has the overlay."""
    named = {database.lower() for database, _ in configuration.overlays("dynlist")}
    places = [database for database in databases(configuration) if database.name.lower() in named]
    return [
        i
        for i, base in enumerate(bases)
        if base and any(database.holds(base) for database in places)
    ]


def computed(configuration: Configuration) -> frozenset[str]:
    """Attributes that an overlay dynlist fills, in lower case: member, memberOf ..."""
    names = set()
    for _, entry in configuration.overlays("dynlist"):
        for value in (*entry.values("olcDynListAttrSet"), *entry.values("olcDlAttrSet")):
            if match := _SET.fullmatch(value.strip()):
                names |= set(re.findall(r"(?:^|[\s+:])([A-Za-z][\w-]*)", match[1]))
    return frozenset(name.lower() for name in names)


def _costly(view: WindowView, names: frozenset[str]) -> Iterator[_Beside]:
    """Kinds of searches that are slow with what is computed, and quick without where both are."""
    operations, limit = view.operations, limits("dynlist_cost")
    served = served_ns(operations)
    searches = client_searches(operations)
    for kind in np.unique(operations.fingerprint[searches]):
        rows = sample(np.flatnonzero(searches & (operations.fingerprint == kind)), _LINES)
        asks = np.array([_asks(view, int(row), names) for row in rows])
        with_, without = rows[asks == 1], rows[asks == 0]
        if not len(with_):
            continue
        usual = float(np.median(served[with_]))
        if len(without) >= limit["both"]:
            plain = float(np.median(served[without]))
            if usual >= limit["times"] * plain and usual >= limit["least_ms"] * 1e6:
                yield _Beside(with_, usual, plain)
        elif usual >= limit["usual_ms"] * 1e6:
            yield _Beside(with_, usual, None)


def _asks(view: WindowView, row: int, names: frozenset[str]) -> int:
    """1 where a search asks for what is computed, 0 where not, -1 where the log does not say."""
    assert view.request_of is not None
    assert view.line_at is not None
    line = view.request_of(row)
    begun = _SEARCH.search(line)
    if not begun:
        return -1
    behind = view.line_at(int(view.operations.request_at[row]) + len(line.encode()) + 1)
    asked = _ASKED.search(behind)
    if asked and asked.groups()[:2] == begun.groups():
        wanted = {name.lower() for name in asked[3].split()}
        return int(bool(wanted & (names | {"+"})))
    # All user attributes: memberOf is operational, what fills the groups themselves is not.
    return int(bool(names - {"memberof"}) and "groupofurls" in line.lower())


def _finding(
    view: WindowView, names: frozenset[str], rows: Rows, beside: Message, confidence: str
) -> Finding:
    operations = view.operations
    row = int(slowest(operations, rows)[0])
    return finding_of_rows(
        "dynlist_cost",
        operations,
        rows,
        filter=filter_at(operations, row) or Message("(not known)"),
        etime=int(operations.etime_ns[row]),
        numbers={"computed": sorted(names)},
        confidence=confidence,
        attributes=tuple(sorted(names)) or Message("the attributes in the groups' URLs"),
        beside=beside,
    )
