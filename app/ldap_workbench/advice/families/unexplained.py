"""The largest group of slow operations that no finding explains, described as the log shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import Account, group_name
from ldap_workbench.advice.account.shared import described, largest, narrowed
from ldap_workbench.advice.evidence.clients import SRCH
from ldap_workbench.advice.evidence.inside import asked_alone, request_keys, worked_inside_ns
from ldap_workbench.advice.evidence.rows import slowest
from ldap_workbench.advice.evidence.tasks import tasks_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.waits import busy_workers
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families import caches
from ldap_workbench.advice.families.configuration import acting_on, dn_substrings
from ldap_workbench.advice.families.errors import complains, said_alike
from ldap_workbench.advice.families.no_answer import standing
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import CHANGES, NO_ERROR, TYPES, Operations, client_operations
from ldap_workbench.model.units import NS_PER_S

Rows = NDArray[np.intp]

_CHANGES = tuple(map(TYPES.index, CHANGES))
_LONGEST = 200
_READ = 200
"""Requests of each side whose lines are read."""
_OF_GROUPS = frozenset({"ismemberof", "memberof"})
_PARTS = 20
"""Of the window, of which two hold a burst."""


def unexplained_findings(
    account: Account, view: WindowView, others: Sequence[Finding]
) -> list[Finding]:
    """One finding for the largest unexplained group, where it matters; else none.

    `others`, those that do not explain it, may still say what goes with it.
    """
    limit = limits("unexplained")
    slow = np.flatnonzero(account.slow)
    if not len(slow):
        return []
    rows, shared = _narrowed(account, slow)
    waited = int(account.unexplained[rows].sum())
    share = waited / max(account.waited_ns, 1)
    if share < limit["share"] or (
        len(rows) < limit["operations"] and waited < limit["long_s"] * 1e9
    ):
        return []
    etimes = account.phases.waited_ns[rows]
    queue = float(account.phases.queue_ns[rows].sum()) / max(waited, 1)
    numbers = {
        "operations": len(rows),
        "waited_ns": waited,
        "share": share,
        "queue_share": min(queue, 1.0),
        "p50_ns": int(np.median(etimes)),
        "longest_ns": int(etimes.max()),
    } | {key: value for key, value in shared.items() if key in ("client", "bind_dn", "kind")}
    text = Message(
        "{operations}, {p50:duration} in the median and {longest:duration} at most.",
        operations=count_of("{n} operation", "{n} operations", n=len(rows)),
        p50=numbers["p50_ns"],
        longest=numbers["longest_ns"],
    )
    return [
        finding(
            "unexplained",
            numbers=numbers,
            severity=None if len(rows) >= limit["again"] else 1,
            operations=account.operations,
            rows=slowest(account.operations, rows),
            user_ns=waited,
            who=described(shared) or (Message("of several kinds and clients"),),
            count=text,
            share=share,
            how=sentences(
                *_how(account, rows),
                *_inside(account.operations, rows),
                *_meanwhile(view, rows),
                *_logged(view, rows),
                *_usually(view, rows),
                *_cache(view, rows, others),
            ),
            next=sentences(
                *([seen] if (seen := standing(view.stacks)) else _next(account, rows, queue)),
                *_acting(account.operations, rows, view.configuration),
            ),
        )
    ]


def _narrowed(account: Account, rows: Rows) -> tuple[Rows, dict[str, str]]:
    """The rows narrowed to what most of their time has in common, and that by key.

    Where they have neither kind nor client in common, the largest of these is taken.
    """
    operations, time = account.operations, account.unexplained
    same, shared = narrowed(operations, rows, time)
    if "kind" in shared or "client" in shared:
        return same, shared
    tops = {key: largest(operations, same, time, key) for key in ("kind", "client")}
    key = max(tops, key=lambda name: tops[name][1])
    rows = tops[key][0]
    top = {key: group_name(operations, key, int(rows[0]))}
    rows, rest = narrowed(operations, rows, time)
    return rows, top | shared | rest


def _how(account: Account, rows: Rows) -> Iterator[Message]:
    """When and how they were slow: in bursts, for a constant time, with entries, with others."""
    limit, operations = limits("unexplained"), account.operations
    waited = account.phases.waited_ns[rows]
    low, middle, high = (int(ns) for ns in np.quantile(waited, (0.1, 0.5, 0.9)))
    if len(rows) >= limit["operations"] and high - low <= limit["constant"] * middle:
        yield Message("They take a constant time, about {middle:duration}.", middle=middle)
    first, last = int(operations.start_ns.min()), int(operations.start_ns.max())
    starts = operations.start_ns[rows]
    parts = (starts - first) * _PARTS // (last - first + 1)
    crowded = np.sort(np.bincount(parts, waited.astype(np.float64), _PARTS))[-2:].sum()
    if crowded >= limit["burst"] * waited.sum():
        yield Message(
            "Most of it lies in a short time, from {start:time} on.", start=int(np.median(starts))
        )
    failed = rows[~np.isin(operations.err[rows], NO_ERROR)]
    share = float(account.unexplained[failed].sum() / max(account.unexplained[rows].sum(), 1))
    if 0 < share < 1:  # what nearly all have in common narrowed them, and is said of whom they are
        codes, counts = np.unique(operations.err[failed], return_counts=True)
        yield Message(
            "{share:percent} of this time is in operations that failed, most of them with "
            "err={code:plain}. See whether the others waited for these.",
            share=share,
            code=int(codes[np.argmax(counts)]),
        )
    if len(rows) < limit["many"]:
        return
    for name, values in (
        (Message("the number of entries returned"), operations.nentries[rows]),
        (Message("the number of operations at work"), busy_workers(operations, rows)),
    ):
        if _correlation(waited, values) >= limit["correlation"]:
            yield Message("They take longer with {what}.", what=name)


def _meanwhile(view: WindowView, rows: Rows) -> Iterator[Message]:
    """Work of the server itself, by its error log, beside which nearly all of them were slow."""
    operations, limit = view.operations, limits("unexplained")
    lines = [(line.time_ns, line.text) for line in view.errors]
    for task in tasks_in(lines, view.window.end_ns):
        beside = operations.start_ns < task.end_ns
        beside &= operations.end_ns > task.start_ns
        waited = operations.etime_ns[rows]
        if waited[beside[rows]].sum() < limit["beside"] * waited.sum():
            continue
        same = client_operations(operations) & (operations.err == 0)
        same &= np.isin(operations.kind, operations.kind[rows])
        otherwise = operations.etime_ns[same & ~beside]
        if len(otherwise) >= limit["many"] and (same & beside).any():
            during = int(np.quantile(operations.etime_ns[same & beside], 0.95))
            yield phrase(
                "unexplained",
                "task",
                task=task.title,
                start=task.start_ns,
                end=task.end_ns,
                during=during,
                otherwise=int(np.quantile(otherwise, 0.95)),
            )
        else:
            yield phrase("unexplained", "task_throughout", task=task.title)


def _inside(operations: Operations, rows: Rows) -> Iterator[Message]:
    """What the server did inside them, where the log shows it and most of their time goes there."""
    limit, inner_ns = limits("unexplained"), worked_inside_ns(operations)[0][rows]
    share = float(inner_ns.sum() / max(operations.etime_ns[rows].sum(), 1))
    if share < limit["inside"]:
        return
    keys = request_keys(operations)
    inner = np.flatnonzero(operations.internal & np.isin(keys, keys[rows]))
    most, _ = largest(operations, inner, operations.etime_ns, "kind")
    yield phrase(
        "unexplained",
        "inside",
        share=min(share, 1.0),
        kind=group_name(operations, "kind", int(most[0])),
        n=len(most),
        usual=int(np.median(operations.etime_ns[most])),
    )


def _logged(view: WindowView, rows: Rows) -> Iterator[Message]:
    """What the error log complains of while they are at work, and hardly otherwise."""
    operations, limit = view.operations, limits("unexplained")
    lines = [line for line in view.errors if complains(line.text)]
    at = np.array([line.time_ns for line in lines], np.int64)
    begun = np.searchsorted(np.sort(operations.start_ns[rows]), at + NS_PER_S, "right")
    open_then = begun > np.searchsorted(np.sort(operations.end_ns[rows]), at - NS_PER_S, "left")
    beside = [line.text for line, is_open in zip(lines, open_then, strict=True) if is_open]
    if len(beside) >= limit["many"] and len(beside) >= limit["beside"] * len(lines):
        for line, n in said_alike(beside):
            yield phrase("unexplained", "logged", n=n, line=verbatim(line[:_LONGEST]))


def _usually(view: WindowView, rows: Rows) -> Iterator[Message]:
    """What searches of the same shape below the same bases take at other times."""
    operations, limit = view.operations, limits("unexplained")
    single = operations.kind[rows] == SRCH
    single &= operations.nentries[rows] <= 1
    if not single.all() or operations.base[rows].min() < 0:
        return
    same = client_operations(operations) & np.isin(operations.base, operations.base[rows])
    same &= np.isin(operations.fingerprint, operations.fingerprint[rows])
    same[rows] = False
    usual = operations.etime_ns[same]
    if len(usual) < limit["many"]:
        return
    middle = int(np.median(usual))
    if limit["times"] * middle > np.median(operations.etime_ns[rows]):
        return
    alone: tuple[str, ...] = ()
    if view.request_of is not None:
        alone = asked_alone(rows, np.flatnonzero(same), view.request_of, _READ)
    if not alone:
        yield phrase("unexplained", "usually", n=len(usual), usual=middle)
        return
    yield phrase("unexplained", "asked_alone", n=len(usual), usual=middle, attributes=alone)
    if _OF_GROUPS.intersection(alone):
        yield phrase("unexplained", "of_groups")


def _cache(view: WindowView, rows: Rows, others: Sequence[Finding]) -> Iterator[Message]:
    """That entries may have to be loaded again for what is about single entries."""
    operations = view.operations
    changes = np.isin(operations.kind[rows], _CHANGES)
    if not (changes | (operations.nentries[rows] <= 1)).all():
        return
    apart = caches.find(replace(view, samples=view.monitor_apart))
    small = next((seen for seen in (*others, *apart) if seen.id == "entry_cache"), None)
    if small is not None:
        yield phrase("unexplained", "cache", ratio=small.numbers["hit_ratio"])


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Spearman's rank correlation, 0 where one of them is constant."""
    first, second = (np.unique(values, return_inverse=True)[1] for values in (one, other))
    if not first.max() or not second.max():
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _acting(operations: Operations, rows: Rows, configuration: Configuration) -> Iterator[Message]:
    """The parts of the server that may act on these operations: one may be what they wait for."""
    kinds = np.unique(operations.kind[rows])
    if len(kinds) != 1:
        return
    kind = TYPES[int(kinds[0])]
    key = "bind_dn" if kind == "BIND" else "base"
    _, firsts = np.unique(getattr(operations, key)[rows], return_index=True)
    dns = [group_name(operations, key, int(row)) for row in rows[firsts]]
    if names := acting_on(configuration, kind, dns):
        yield Message(
            "Plug-ins or overlays that are on and may act on {type}: {names:list}. To rule them "
            "out, turn them off one at a time on a test server.",
            type=kind,
            names=names,
        )
    if kind in ("ADD", "MOD") and (indexed := dn_substrings(configuration)):
        yield phrase("unexplained", "substrings", attributes=indexed)


def _next(account: Account, rows: Rows, queue: float) -> Iterator[Message]:
    """What to look at next, and what evidence would decide."""
    limit, entries = limits("unexplained"), account.operations.nentries[rows]
    split = account.phases.split[rows]
    if queue > limit["queue"]:
        others = int(np.quantile(busy_workers(account.operations, rows), 0.9))
        if others > limit["free"]:
            yield phrase("unexplained", "waited")
        else:
            text = count_of(
                "at most {n} other operation was", "at most {n} other operations were", n=others
            )
            meanwhile = text if others else Message("no other operation was")
            yield phrase("unexplained", "not_short", meanwhile=meanwhile)
    elif np.median(entries) < limit["entries"]:
        yield phrase("unexplained", "worked_on" if split.any() else "not_split")
    else:
        if split.all():
            work = account.phases.work_ns[rows] // np.maximum(entries, 1)
            yield Message(
                "A worker takes {work:duration} for each entry returned.", work=int(np.median(work))
            )
        yield Message(
            "Ask for fewer entries, with a narrower filter or in pages, or set a size limit for "
            "this client."
        )
