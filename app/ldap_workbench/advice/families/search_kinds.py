"""Searches that cost by their kind: sorted, many terms, long ID lists, computed, aliases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import (
    client_searches,
    costly,
    finding_of_rows,
    served_ns,
    share_of_work,
)
from ldap_workbench.advice.evidence.inside import attributes_in, filter_of, sample, with_filter
from ldap_workbench.advice.evidence.rows import base_at, filter_at, grouped, slowest
from ldap_workbench.advice.evidence.sorted_lists import list_of
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.unindexed import without_index
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, search_words
from ldap_workbench.model.finding import HIGH, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import (
    ABSENT,
    NOTES,
    TYPES,
    Operations,
    text_at,
)

_SRCH = TYPES.index("SRCH")
_SORTED = np.uint8(1 << NOTES.index("S"))
_UNINDEXED = np.uint8((1 << NOTES.index("A")) | (1 << NOTES.index("U")))
_KINDS, _LINES = 10, 500
"""Kinds of searches that are looked at, and requests read of each."""
_SCOPE = re.compile(r'\bscope"?[=:]"?\s*"?(\w+)')
_ONE_LEVEL, _SUBTREE = ("1", "one", "singlelevel"), ("2", "sub", "subtree", "wholesubtree")
_SHOWN = 100
"""Signs of a filter that a sentence shows."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [
        *sorted_by_the_server(view),
        *wide_filters(view.operations),
        *long_id_lists(view.operations),
        *virtual_attributes(view),
        *alias_dereferencing(view),
        *one_level_empty(view),
    ]


def _slowest_kind(operations: Operations, rows: Rows) -> NDArray[np.bool_] | None:
    """A mask of those of one filter and one who asks, with most of the time.

    A list that has its index is quick, and says nothing of one that has none.
    """
    keys = operations.fingerprint[rows], operations.bind_dn[rows]
    kinds = grouped(rows, *keys, least=limits("server_sort")["searches"])
    if not kinds:
        return None
    mask = np.zeros(len(operations), np.bool_)
    mask[max(kinds, key=lambda same: int(operations.etime_ns[same].sum()))] = True
    return mask


def one_level_empty(view: WindowView) -> list[Finding]:
    """Searches of one level that never return anything, though those of the subtree do."""
    operations, limit, asked = view.operations, limits("one_level_empty"), view.request_of
    if asked is None:
        return []
    searches = client_searches(operations) & (operations.err == 0) & (operations.fingerprint >= 0)
    rows = np.flatnonzero(searches)
    returns = np.unique(operations.fingerprint[rows[operations.nentries[rows] > 0]])
    returned = operations.nentries[rows] > 0
    empty = rows[~returned & np.isin(operations.fingerprint[rows], returns)]
    keys = operations.fingerprint[empty], operations.base[empty]
    kinds = grouped(empty, *keys, least=limit["searches"])

    def of_scope(some: Rows, scopes: tuple[str, ...]) -> Rows:
        lines = sample(some, _LINES)
        return lines[[_scope(asked(int(row))) in scopes for row in lines]]

    for same in sorted(kinds, key=len, reverse=True)[:_KINDS]:
        one_level = of_scope(same, _ONE_LEVEL)
        if len(one_level) < limit["searches"]:
            continue
        alike = operations.fingerprint[rows] == operations.fingerprint[same[0]]
        alike &= operations.base[rows] == operations.base[same[0]]
        others = rows[returned & alike]
        below = of_scope(others, _SUBTREE)
        # The very same was asked, and the subtree has it.
        has = {filter_of(asked(int(row))) for row in below}
        both = sum(filter_of(asked(int(row))) in has for row in one_level)
        only_below = len(below) == len(sample(others, _LINES))
        if both >= limit["same"] and only_below:
            return [
                finding(
                    "one_level_empty",
                    numbers={"searches": len(one_level), "others": len(below), "same": both},
                    operations=operations,
                    rows=one_level,
                    filter=filter_at(operations, int(same[0])),
                    base=base_at(operations, int(same[0])) or Message("the root"),
                )
            ]
    return []


def _scope(line: str) -> str:
    """1 or one of '... scope=1 ...', one of 'scope=singleLevel'; '' where it is not said."""
    match = _SCOPE.search(line)
    return match[1].lower() if match else ""


def sorted_by_the_server(view: WindowView) -> list[Finding]:
    """Searches with a sort control or a virtual list view."""
    operations = view.operations
    asked = operations.vlv | ((operations.notes & _SORTED) != 0)
    rows = costly(operations, "server_sort", asked)
    if not len(rows) and (slow := _slowest_kind(operations, np.flatnonzero(asked))) is not None:
        rows = costly(operations, "server_sort", slow)
    if not len(rows):
        return []
    pages = int(operations.vlv[rows].sum())
    sorters = [database for database, _ in view.configuration.overlays("sssvlv")]
    numbers = {
        "searches": len(rows),
        "vlv": pages,
        "sorters": sorters,
        "list": list_of(view, rows),
        "shape": filter_at(operations, _most_expensive(operations, rows)),
    }
    return [_finding(operations, "server_sort", rows, numbers, vlv=pages)]


def wide_filters(operations: Operations) -> list[Finding]:
    """Filters of many terms; each is compared with each entry that is left."""
    rows = costly(operations, "wide_filter", with_filter(operations, _is_wide))
    if not len(rows):
        return []
    widest = max((filter_at(operations, int(row)) for row in rows), key=terms_in)
    most = terms_in(widest)
    return [
        _finding(
            operations,
            "wide_filter",
            rows,
            {"searches": len(rows), "terms": most},
            comparisons=_comparisons(widest),
            attributes=attributes_in(filter_at(operations, _most_expensive(operations, rows)))[:5],
        )
    ]


def terms_in(fingerprint: str) -> int:
    """Comparisons of a filter."""
    return fingerprint.count("=")


def _comparisons(widest: str) -> Message:
    if _is_cut(widest):
        return Message("more than {n}", n=terms_in(widest))
    return Message("up to {n}", n=terms_in(widest))


def _is_wide(fingerprint: str) -> bool:
    limit = limits("wide_filter")
    return terms_in(fingerprint) >= limit["cut_terms" if _is_cut(fingerprint) else "terms"]


def _is_cut(fingerprint: str) -> bool:
    """Whether its end is missing: 389 DS logs some 500 signs of a filter, and "..." (2.3.1)."""
    return fingerprint.count("(") > fingerprint.count(")")


def long_id_lists(operations: Operations) -> list[Finding]:
    """Index keys that name far more entries than the search returns (STAT lines of 389 DS).

    Without an index the line names every entry of the database (2.3.1): that is another finding.
    """
    limit = limits("long_id_lists")
    counted = (operations.index_ids != ABSENT) & ((operations.notes & _UNINDEXED) == 0)
    returned = np.maximum(operations.nentries, 1)
    long = counted & (operations.index_ids >= limit["ids"])
    long &= operations.index_ids >= limit["times_returned"] * returned
    rows = costly(operations, "long_id_lists", long)
    if not len(rows):
        return []
    row = int(rows[np.argmax(operations.index_ids[rows])])
    key = text_at(operations.index_keys, int(operations.index_key[row]))
    numbers = {
        "searches": len(rows),
        "key": key,
        "limit": int(limit["ids"]),
        "ids": int(operations.index_ids[row]),
        "returned": int(operations.nentries[row]),
        "index_ns": int(operations.index_ns[rows][operations.index_ns[rows] != ABSENT].sum()),
    }
    index = key or Message("an index")
    return [_finding(operations, "long_id_lists", rows, numbers, index=index)]


def virtual_attributes(view: WindowView) -> list[Finding]:
    """Filters on attributes that the server computes for each entry."""
    names = computed_attributes(view)
    operations = view.operations

    def on_virtual(text: str) -> bool:
        return bool(names & set(attributes_in(text)))

    rows = costly(operations, "virtual_attributes", with_filter(operations, on_virtual))
    if not len(rows):
        return []
    used = names & set(attributes_in(filter_at(operations, _most_expensive(operations, rows))))
    return [
        _finding(
            operations,
            "virtual_attributes",
            rows,
            {"searches": len(rows), "virtual": sorted(used)},
            attributes=tuple(sorted(used)),
        )
    ]


def computed_attributes(view: WindowView) -> set[str]:
    """What the server computes for each entry, so that no index can hold it."""
    return set(search_words("virtual_attributes", "words")) | computed_by_overlays(view)


def computed_by_overlays(view: WindowView) -> set[str]:
    """memberOf, where OpenLDAP computes it: an overlay dynlist that lists it."""
    for _, entry in view.configuration.overlays("dynlist"):
        attributes = " ".join((*entry.values("olcDynListAttrSet"), *entry.values("olcDlAttrSet")))
        if "memberof" in attributes.lower():
            return {"memberof"}
    return set()


def _most_expensive(operations: Operations, rows: Rows) -> int:
    """The row that took a worker longest."""
    return int(rows[np.argmax(served_ns(operations)[rows])])


def _finding(
    operations: Operations, which: str, rows: Rows, numbers: dict[str, Any], **values: Any
) -> Finding:
    row = _most_expensive(operations, rows)
    shown = filter_at(operations, row)
    return finding_of_rows(
        which,
        operations,
        rows,
        numbers=numbers,
        filter=(shown[:_SHOWN] + "…" if len(shown) > _SHOWN else shown) or Message("(not known)"),
        etime=int(operations.etime_ns[row]),
        entries=count_of("{n} entry", "{n} entries", n=int(operations.nentries[row])),
        **values,
    )


# --- searches that follow aliases ----------------------------------------------------------------

_WHILE_SEARCHING = 1
"""The bit of 1 (in searching) and 3 (always): 2 follows an alias at the base alone (RFC 4511)."""


@dataclass(frozen=True)
class _Compared:
    """Searches of one shape that follow aliases, and those of the same shape that do not."""

    rows: Rows
    following_ns: float
    without_ns: float


def alias_dereferencing(view: WindowView) -> list[Finding]:
    """Searches that follow aliases (OpenLDAP logs how: deref=0..3)."""
    operations, limit = view.operations, limits("alias_dereferencing")
    searches = client_searches(operations) & (operations.deref >= 0)
    following = searches & ((operations.deref & _WHILE_SEARCHING) != 0)
    # What no index serves is slow without aliases, too.
    rows = np.flatnonzero(following & ~without_index(view))
    compared = _slower(operations, following, searches & ~following)
    rows = np.concatenate([comparison.rows for comparison in compared]) if compared else rows
    share = share_of_work(operations, rows)
    if len(rows) < limit["searches"] or share < limit["share_of_time"]:
        return []
    if not compared and np.median(operations.etime_ns[rows]) < limit["usual_ms"] * 1e6:
        return []
    return [_aliases_finding(operations, rows, compared)]


def _slower(
    operations: Operations, following: NDArray[np.bool_], others: NDArray[np.bool_]
) -> list[_Compared]:
    """Shapes that take much longer with aliases than without, the most expensive first."""
    limit = limits("alias_dereferencing")
    shape = operations.fingerprint.astype(np.int64) * (len(operations.bases) + 1) + operations.base
    comparisons = []
    for one in np.intersect1d(shape[following], shape[others]):
        with_, without = (np.flatnonzero(mask & (shape == one)) for mask in (following, others))
        if min(len(with_), len(without)) < limit["both"]:
            continue
        slow, quick = (float(np.median(operations.etime_ns[rows])) for rows in (with_, without))
        if slow >= limit["times"] * quick:
            comparisons.append(_Compared(with_, slow, quick))
    return sorted(
        comparisons, key=lambda comparison: -comparison.following_ns * len(comparison.rows)
    )


def _aliases_finding(operations: Operations, rows: Rows, compared: list[_Compared]) -> Finding:
    row = int(slowest(operations, rows)[0])
    return finding_of_rows(
        "alias_dereferencing",
        operations,
        rows,
        confidence=HIGH if compared else "",
        following=round(compared[0].following_ns) if compared else None,
        without=round(compared[0].without_ns) if compared else None,
        filter=filter_at(operations, row) or Message("(not known)"),
        base=base_at(operations, row) or Message("the root"),
        deref=int(operations.deref[row]),
        etime=int(operations.etime_ns[row]),
    )
