"""What the overlay dynlist of OpenLDAP computes for each entry that is asked for it.

slapd logs the attributes of a search on a line of their own behind the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.cost import served_ns, user_ns, worker_ns
from ldap_workbench.advice.evidence.requests import sample
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import HIGH, Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES, client_operations, text_at

_SRCH = TYPES.index("SRCH")
_OVERLAY = r"olcoverlay=(?:\{\d+\})?dynlist,.*"
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
    names = computed(view.configuration)
    if not names or view.request_of is None or view.line_at is None:
        return []
    operations, limit = view.operations, limits("dynlist_cost")
    costly = list(_costly(view, names))
    if not costly:
        return []
    rows = np.sort(np.concatenate([each.rows for each in costly]))
    clients = client_operations(operations)
    share = worker_ns(operations, rows) / max(worker_ns(operations, clients), 1)
    if len(rows) < limit["searches"] or share < limit["share_of_time"]:
        return []
    return [_told(view, names, rows, share, costly)]


def computed(configuration: Configuration) -> frozenset[str]:
    """Attributes that an overlay dynlist fills, in lower case: member, memberOf ..."""
    found = set()
    for _, entry in configuration.matching(_OVERLAY):
        for value in (*entry.values("olcDynListAttrSet"), *entry.values("olcDlAttrSet")):
            if match := _SET.fullmatch(value.strip()):
                found |= set(re.findall(r"(?:^|[\s+:])([A-Za-z][\w-]*)", match[1]))
    return frozenset(name.lower() for name in found)


def _costly(view: WindowView, names: frozenset[str]) -> Iterator[_Beside]:
    """Kinds of searches that are slow with what is computed, and quick without where both are."""
    operations, limit = view.operations, limits("dynlist_cost")
    served = served_ns(operations)
    searches = client_operations(operations) & (operations.kind == _SRCH)
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
    told = _ASKED.search(behind)
    if told and told.groups()[:2] == begun.groups():
        wanted = {name.lower() for name in told[3].split()}
        return int(bool(wanted & (names | {"+"})))
    # All user attributes: memberOf is operational, what fills the groups themselves is not.
    return int(bool(names - {"memberof"}) and "groupofurls" in line.lower())


def _told(
    view: WindowView, names: frozenset[str], rows: Rows, share: float, costly: list[_Beside]
) -> Finding:
    operations = view.operations
    order = rows[np.argsort(-operations.etime_ns[rows], kind="stable")][:EVIDENCE_ROWS]
    longest = int(operations.etime_ns[order[0]])
    text = Message(
        "{filter}: {etime:duration}.",
        filter=text_at(operations.fingerprints, int(operations.fingerprint[order[0]]))
        or Message("(not known)"),
        etime=longest,
    )
    first, last = int(operations.start_ns[rows].min()), int(operations.end_ns[rows].max())
    both = [each for each in costly if each.without_ns is not None]
    return finding(
        "dynlist_cost",
        numbers={"searches": len(rows), "share_of_time": share, "computed": sorted(names)},
        evidence=[Evidence(text, first, last, tuple(map(int, order)))],
        confidence=HIGH if both else "",
        worker_ns=worker_ns(operations, rows),
        user_ns=user_ns(operations, rows),
        attributes=tuple(sorted(names)),
        share=share,
        longest=longest,
        without=_without(max(both, key=lambda each: each.usual_ns)) if both else NOTHING,
    )


def _without(worst: _Beside) -> Message:
    return Message(
        " The same kind of search takes {usual:duration} with it and {plain:duration} without.",
        usual=round(worst.usual_ns),
        plain=round(worst.without_ns or 0),
    )
