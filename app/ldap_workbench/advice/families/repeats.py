"""The same operation with different times: by itself, beside others, by who asks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.contrast import Contrast, contrast
from ldap_workbench.advice.evidence.cost import served_ns, worker_ns
from ldap_workbench.advice.evidence.rows import (
    base_at,
    evidence_of_rows,
    filter_at,
    grouped,
    slowest,
    stable_order,
)
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.hygiene import is_excerpt
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.operations import (
    CHANGES,
    NOTES,
    TYPES,
    Operations,
    client_operations,
    text_at,
)
from ldap_workbench.model.units import NS_PER_S

_CSN = re.compile(r"\bcsn[\"']?[=:]\s*[\"']?([0-9a-fA-F]+)")
_WRITES = tuple(map(TYPES.index, CHANGES))
UNNAMED = Message("an entry the log does not name")
_LINES = 2_000
"""Raw lines read in search of a csn."""
_ETIME = "{etime:duration}"  # a number by itself is nothing to translate


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    findings = outlier_finding(view.operations)
    # Logs of two servers in one file hold each csn twice.
    if view.line_of and not is_excerpt(view):
        findings += twice_finding(view.operations, view.line_of)
    return findings


def outliers(operations: Operations) -> list[tuple[int, int, int]]:
    """Writes far slower than others of their type on the same entry: (row, usual ns, others).

    Needs the entry (`base`) and enough others to say what is usual. Where a log does not name the
    entries of the server's own writes (Sun's op=-1), nearly all others must be that much quicker.
    """
    limit = limits("same_operation")
    writes = np.isin(operations.kind, _WRITES) & ~operations.own
    rows = np.flatnonzero(writes & (operations.internal | (operations.base >= 0)))
    key = (operations.base[rows].astype(np.int64) + 1) * len(TYPES) + operations.kind[rows]
    order = stable_order(key)
    rows, key = rows[order], key[order]
    slow = np.unique(key[operations.etime_ns[rows] >= limit["longest_s"] * NS_PER_S])
    first, end = np.searchsorted(key, slow), np.searchsorted(key, slow, side="right")
    result = []
    for a, b in zip(first, end, strict=True):
        same = rows[a:b]
        named = bool(operations.base[same[0]] >= 0)
        if len(same) > limit["others" if named else "others_unnamed"]:
            result += _apart(operations, same, 0.5 if named else 0.95)
    return result


def _apart(operations: Operations, same: Rows, beside: float) -> list[tuple[int, int, int]]:
    """Those that took many times the given quantile of all these."""
    limit, etimes = limits("same_operation"), operations.etime_ns[same]
    usual = int(np.median(etimes))
    bar = limit["times"] * max(float(np.quantile(etimes, beside, method="lower")), 1.0)
    far = (etimes >= bar) & (etimes >= limit["longest_s"] * NS_PER_S)
    return [(int(row), usual, len(same) - 1) for row in same[far]]


def outlier_finding(operations: Operations) -> list[Finding]:
    """Operations far slower than others of the same kind."""
    slow = outliers(operations)
    if not slow:
        return []
    limit = limits("same_operation")
    row, usual, others = max(slow, key=lambda item: int(operations.etime_ns[item[0]]))
    etime = int(operations.etime_ns[row])
    extra = (etime - usual) / NS_PER_S
    timeout = abs(extra - limit["timeout_s"]) <= limit["timeout_off_s"]
    numbers = {
        "operations": len(slow),
        "etime_ns": etime,
        "usual_ns": usual,
        "others": others,
        "extra_s": round(extra, 3),
        "like_a_timeout": timeout,
    }
    return [
        finding(
            "same_operation",
            numbers=numbers,
            evidence=[_evidence(operations, r, u) for r, u, _ in slow[:20]],
            user_ns=sum(int(operations.etime_ns[r]) - u for r, u, _ in slow),
            type=TYPES[int(operations.kind[row])],
            entry=_entry(operations, row),
            same=phrase(
                "same_operation", "same" if operations.base[row] >= 0 else "unnamed", n=others
            ),
            timeout_s=limit["timeout_s"],
        )
    ]


def twice_finding(operations: Operations, line_of: Callable[[int], str]) -> list[Finding]:
    """The same csn on two results: a change that was sent again after a time-out."""
    rows = _slow_writes(operations)
    seen: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if match := _CSN.search(line_of(int(row))):
            seen[match.group(1).lower()].append(int(row))
    again = {
        csn: same for csn, same in seen.items() if len(same) > 1 and _one_entry(operations, same)
    }
    if not again:
        return []
    slow_ns = int(operations.etime_ns[np.concatenate(list(again.values()))].max())
    numbers = {"changes": len(again), "csns": sorted(again)[:20], "etime_ns": slow_ns}
    return [
        finding(
            "applied_twice",
            numbers=numbers,
            evidence=[
                _repeated_change(operations, csn, same) for csn, same in sorted(again.items())[:20]
            ],
            worker_ns=worker_ns(operations, np.concatenate(list(again.values()))),
            changes=count_of("{n} change was", "{n} changes were", n=len(again)),
        )
    ]


def _repeated_change(operations: Operations, csn: str, rows: list[int]) -> Evidence:
    etimes = [Message(_ETIME, etime=int(operations.etime_ns[row])) for row in rows]
    entry = _entry(operations, rows[0])
    text = phrase("applied_twice", csn=csn, entry=entry, etimes=tuple(etimes))
    return evidence_of_rows(operations, text, np.array(rows))


def _slow_writes(operations: Operations) -> Rows:
    """Writes that waited, and those on the same entries: the ones whose lines are worth reading."""
    writes: NDArray[np.bool_] = np.isin(operations.kind, _WRITES) & (operations.result_at >= 0)
    slow = writes & (operations.etime_ns >= limits("applied_twice")["slow_s"] * NS_PER_S)
    entries = operations.base[slow]
    near = slow | (writes & np.isin(operations.base, entries[entries >= 0]))
    rows = np.flatnonzero(near)
    return slowest(operations, rows, _LINES)


def _one_entry(operations: Operations, rows: list[int]) -> bool:
    # memberOf and referint give several MODs of one operation its csn, each on another entry.
    kinds, bases = operations.kind[rows], operations.base[rows]
    client = operations.conn[rows] * 1_000_003 + operations.op[rows]
    return bool((kinds == kinds[0]).all() and (bases == bases[0]).all() and len(set(client)) > 1)


def _entry(operations: Operations, row: int) -> Message:
    base = int(operations.base[row])
    return verbatim(operations.bases[base]) if 0 <= base < len(operations.bases) else UNNAMED


def _evidence(operations: Operations, row: int, usual: int) -> Evidence:
    text = phrase(
        "same_operation",
        type=TYPES[int(operations.kind[row])],
        entry=_entry(operations, row),
        etime=int(operations.etime_ns[row]),
        start=int(operations.start_ns[row]),
        usual=usual,
    )
    return evidence_of_rows(operations, text, np.array([row]))


_SRCH = TYPES.index("SRCH")
_PAGED = np.uint8(1 << NOTES.index("P"))
_MANAGERS = ("cn=directory manager", "cn=manager", "cn=admin")
"""How installations name who is above all access control."""


def find_beside(view: WindowView) -> list[Finding]:
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
