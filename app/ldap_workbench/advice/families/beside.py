"""What some operations do to all others: paged searches, and access control against its absence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.contrast import Contrast, contrast
from ldap_workbench.advice.evidence.cost import served_ns, worker_ns
from ldap_workbench.advice.evidence.rows import base_at, filter_at, grouped
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import NOTES, TYPES, Operations, client_operations, text_at

_SRCH = TYPES.index("SRCH")
_PAGED = np.uint8(1 << NOTES.index("P"))
_MANAGERS = ("cn=directory manager", "cn=manager", "cn=admin")
"""How installations name who is above all access control."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*paged_searches(view.operations), *access_control(view)]


def paged_searches(operations: Operations) -> Iterator[Finding]:
    """Others' etimes while a page is served, against all other times."""
    limit = limits("paged_searches")
    pages = client_operations(operations) & ((operations.notes & _PAGED) != 0)
    if pages.sum() < limit["episodes"]:
        return
    difference = contrast(operations, pages)
    if difference is None or difference.times < limit["times"] or difference.low < limit["low"]:
        return
    if difference.chance > limit["chance"]:
        return
    rows = np.flatnonzero(pages)
    yield _paged_finding(operations, rows, difference)


def _paged_finding(operations: Operations, rows: Rows, difference: Contrast) -> Finding:
    return finding(
        "paged_searches",
        numbers={"pages": len(rows), "times": difference.times, "chance": difference.chance},
        operations=operations,
        rows=rows,
        worker_ns=worker_ns(operations, rows),
        user_ns=max(difference.excess_ns, 0),
        share=difference.slow_beside,
        beside=difference.beside,
        usual=difference.slow_without,
        without=difference.without,
        low=difference.low,
    )


def access_control(view: WindowView) -> Iterator[Finding]:
    """The same filter and base, asked by the directory manager and by others, each by itself.

    Rules are for some and not for others, who may be as quick as the manager.
    """
    operations, limit = view.operations, limits("access_control")
    managers = [i for i, dn in enumerate(operations.bind_dns) if dn.lower() in _MANAGERS]
    clients = client_operations(operations)
    searches = clients & (operations.kind == _SRCH) & (operations.err == 0)
    by_manager = searches & np.isin(operations.bind_dn, managers)
    by_others = searches & ~by_manager & (operations.bind_dn >= 0)
    if min(by_manager.sum(), by_others.sum()) < limit["few"]:
        return
    total = worker_ns(operations, clients)
    best: tuple[float, Rows, float, float] | None = None
    for manager, others in _same_searches(operations, by_manager, by_others, limit["few"]):
        fewest = min(len(manager), len(others))
        if fewest < limit["few"]:
            continue
        quick, slow = _per_entry(operations, manager), _per_entry(operations, others)
        entries = float(np.maximum(operations.nentries[others], 1).sum())
        excess = (slow - quick) * entries
        # A few searches of a person may be of other entries; not many times as quick.
        times = limit["times" if fewest >= limit["searches"] else "times_of_few"]
        enough = slow >= times * quick and excess >= limit["share_of_time"] * total
        if enough and (best is None or excess > best[0]):
            best = excess, others, quick, slow
    if best:
        yield _access_finding(operations, best, total)


def _same_searches(
    operations: Operations, one: NDArray[np.bool_], other: NDArray[np.bool_], least: float
) -> Iterator[tuple[Rows, Rows]]:
    """Rows of both with the same filter and base: of all others, and of each DN with enough."""
    keys = operations.fingerprint.astype(np.int64) * (1 << 31) + operations.base
    rows = np.flatnonzero((one | other) & np.isin(keys, np.intersect1d(keys[one], keys[other])))
    for same in grouped(rows, keys[rows], least=2 * least):
        mine, others = same[one[same]], same[other[same]]
        yield mine, others
        for of_one in grouped(others, operations.bind_dn[others], least=least):
            if len(of_one) < len(others):
                yield mine, of_one


def _per_entry(operations: Operations, rows: Rows) -> float:
    """Median worker time for each entry returned."""
    return float(np.median(served_ns(operations)[rows] / np.maximum(operations.nentries[rows], 1)))


def _access_finding(
    operations: Operations, best: tuple[float, Rows, float, float], total: int
) -> Finding:
    excess, rows, quick, slow = best
    row = int(rows[0])
    text = filter_at(operations, row)
    who = text_at(operations.bind_dns, int(operations.bind_dn[row]))
    return finding(
        "access_control",
        numbers={"filter": text, "times": slow / quick if quick else None, "searches": len(rows)},
        operations=operations,
        rows=rows,
        worker_ns=int(excess),
        user_ns=int(excess),
        who=who or Message("an anonymous client"),
        others=round(slow),
        manager=round(quick),
        base=base_at(operations, row) or Message("the root"),
        share=excess / max(total, 1),
    )
