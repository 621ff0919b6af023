"""Stalls: many operations that are usually quick wait, and are let go together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ldap_workbench.advice.evidence.cost import user_ns
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Stall, stalled_seconds
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import (
    EVIDENCE_ROWS,
    finding,
    limits,
    once_or_more,
)
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import TYPES, Operations
from ldap_workbench.model.units import NS_PER_S

_WAITED = Message("operations that are usually quick waited")
_WAITED_FOR_MINUTES = Message("operations waited for minutes")
_SHOWN = 20
"""Episodes given as evidence, the longest first."""


def find(view: WindowView) -> list[Finding]:
    """One finding for all stalls of the window, if they matter."""
    return stall_finding(view.operations, view.stalls, view.seconds)


def stall_finding(operations: Operations, stalls: list[Stall], seconds: float) -> list[Finding]:
    """A finding where one stall is long enough, or all together are."""
    limit = limits("stall")
    longest = max((e.length_ns for e in stalls), default=0) / NS_PER_S
    share = stalled_seconds(stalls) / seconds
    if longest < limit["longest_s"] and (
        longest < limit["shortest_s"] or share < limit["share_of_window"]
    ):
        return []
    worst = max(stalls, key=lambda e: e.length_ns)
    victims = by_type(operations, stalls)
    writes = sum(victims.get(kind, 0) for kind in ("MOD", "ADD", "DEL", "MODRDN"))
    without_request = int((operations.request_at[worst.rows] < 0).sum())
    numbers = {
        "episodes": len(stalls),
        "longest_ns": worst.length_ns,
        "longest_victims": len(worst.rows),
        "longest_concurrency": worst.concurrency,
        "ends_within_ns": ends_within(operations, worst),
        "stalled_share": share,
        "victims": victims,
        "mod_victims": victims.get("MOD", 0),
        "usual_known": worst.usual_known,
        "without_request": without_request,
    }
    return [
        finding(
            "stall",
            numbers=numbers,
            evidence=[_evidence(operations, e) for e in _longest(stalls)],
            user_ns=user_ns(operations, np.concatenate([e.rows for e in stalls])),
            times=once_or_more(len(stalls)),
            waited=_WAITED if worst.usual_known else _WAITED_FOR_MINUTES,
            missing=_missing(worst, without_request),
            longest=worst.length_ns,
            at=worst.start_ns,
            count=count_of("{n} operation", "{n} operations", n=len(worst.rows)),
            within=ends_within(operations, worst),
            types=_types(victims),
            share=share,
            writes=_writes(writes),
        )
    ]


def _missing(worst: Stall, without_request: int) -> Message:
    """What is missing to judge whether the longest stall is one."""
    if worst.usual_known:
        return NOTHING
    too_few = Message(
        " The log holds too few others of this kind to show how long they usually take: import "
        "more of it to find out."
    )
    if not without_request:
        return too_few
    lacking = count_of(
        "The log lacks {n} request line of the longest stall.",
        "The log lacks {n} request lines of the longest stall.",
        n=without_request,
    )
    return sentences(too_few, lacking)


def _writes(count: int) -> Message:
    if not count:
        return Message("none of them was a write")
    return count_of("{n} of them was a write", "{n} of them were writes", n=count)


def _types(victims: Mapping[str, int]) -> tuple[Message, ...]:
    """'3 MOD, 1 SRCH'."""
    return tuple(Message("{n} {type}", n=n, type=kind) for kind, n in victims.items())


def by_type(operations: Operations, stalls: list[Stall]) -> dict[str, int]:
    """Victims of all stalls by operation type, most first."""
    if not stalls:
        return {}
    kinds = operations.kind[np.concatenate([e.rows for e in stalls])]
    counts = np.bincount(kinds, minlength=len(TYPES))
    return {TYPES[k]: int(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k]}


def ends_within(operations: Operations, stall: Stall) -> int:
    """Time between the first and the last end of an stall's victims, ns."""
    ends = operations.end_ns[stall.rows]
    return int(ends.max() - ends.min())


def _longest(stalls: list[Stall]) -> list[Stall]:
    return sorted(stalls, key=lambda e: -e.length_ns)[:_SHOWN]


def _evidence(operations: Operations, stall: Stall) -> Evidence:
    return evidence_of_rows(
        operations,
        Message(
            "{types} ended within {within:duration} after up to {longest:duration}; at the worst "
            "moment {n} of them waited.",
            types=_types(by_type(operations, [stall])),
            within=ends_within(operations, stall),
            longest=stall.length_ns,
            n=stall.concurrency,
        ),
        stall.rows,
        stall.rows[-EVIDENCE_ROWS:],
    )
