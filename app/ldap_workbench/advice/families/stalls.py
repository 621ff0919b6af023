"""Stalls: many operations that are usually quick wait, and are let go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ldap_workbench.advice.evidence.cost import user_ns
from ldap_workbench.advice.evidence.rows import EVIDENCE_ROWS, base_at, evidence_of_rows, filter_at
from ldap_workbench.advice.evidence.stalls import Stall, stalled_seconds
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, once_or_more, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import TYPES, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_SHOWN = 20
"""Episodes given as evidence, the longest first."""


def find(view: WindowView) -> list[Finding]:
    """One finding for all stalls of the window, if they matter."""
    return list(stall_finding(view.operations, view.stalls, view.seconds, view.blockers))


def stall_finding(
    operations: Operations, stalls: list[Stall], seconds: float, blockers: Sequence[int | None] = ()
) -> Iterator[Finding]:
    """A finding where one stall is long enough, or all together are.

    `blockers` are the rows of the operations that held them up, by stall.
    """
    limit = limits("stall")
    longest = max((e.length_ns for e in stalls), default=0) / NS_PER_S
    share = stalled_seconds(stalls) / seconds
    if longest < limit["longest_s"] and (
        longest < limit["shortest_s"] or share < limit["share_of_window"]
    ):
        return
    worst = max(stalls, key=lambda e: e.length_ns)
    victims = by_type(operations, stalls)
    writes = sum(victims.get(kind, 0) for kind in ("MOD", "ADD", "DEL", "MODRDN"))
    blocked = [
        (stall, row)
        for stall, row in zip(stalls, blockers, strict=bool(blockers))
        if row is not None
    ]
    blocked.sort(key=lambda pair: -pair[0].length_ns)
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
        "blocked": len(blocked),
    }
    yield finding(
        "stall",
        numbers=numbers,
        evidence=[
            *(_blocker(operations, stall, row) for stall, row in blocked[:_SHOWN]),
            *(stall_evidence(operations, stall) for stall in _longest(stalls)),
        ],
        user_ns=user_ns(operations, np.concatenate([e.rows for e in stalls])),
        times=once_or_more(len(stalls)),
        missing=_missing(worst, without_request),
        longest=worst.length_ns,
        at=worst.start_ns,
        count=count_of("{n} operation", "{n} operations", n=len(worst.rows)),
        within=ends_within(operations, worst),
        types=types_of(victims),
        share=share,
        writes=phrase("stall", "writes", n=writes) if writes else phrase("stall", "no_write"),
        blocker=_blocked_by(operations, blocked, len(stalls)),
        asked=asked_before(operations, worst.first_ns),
    )


def _missing(worst: Stall, without_request: int) -> Message:
    """What is missing to judge whether the longest stall is one."""
    if worst.usual_known:
        return NOTHING
    lacking = phrase("stall", "lacking", n=without_request) if without_request else NOTHING
    return sentences(phrase("stall", "too_few"), lacking)


def _blocked_by(operations: Operations, blocked: list[tuple[Stall, int]], stalls: int) -> Message:
    """Which operation held up the longest stall of those of which one is seen."""
    if not blocked:
        return NOTHING
    _, row = blocked[0]
    return phrase(
        "stall",
        "blocked_by",
        n=len(blocked),
        stalls=stalls,
        type=TYPES[operations.kind[row]],
        what=filter_at(operations, row) or base_at(operations, row),
        client=text_at(operations.clients, int(operations.client[row]))
        or Message("a client that the log does not name"),
        conn=int(operations.conn[row]),
        op=int(operations.op[row]),
        took=int(operations.etime_ns[row]),
    )


def _blocker(operations: Operations, stall: Stall, row: int) -> Evidence:
    before = max(0, stall.end_ns - stall.ends_within_ns - int(operations.end_ns[row]))
    text = phrase("stall", "blocker", n=len(stall.rows), before=before)
    return evidence_of_rows(operations, text, np.array([row], np.intp))


def types_of(victims: Mapping[str, int]) -> tuple[Message, ...]:
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


def stall_evidence(operations: Operations, stall: Stall) -> Evidence:
    """Victims of a stall by type, when they ended, and its operations."""
    text = phrase(
        "stall",
        types=types_of(by_type(operations, [stall])),
        within=ends_within(operations, stall),
        longest=stall.length_ns,
        n=stall.concurrency,
    )
    return evidence_of_rows(operations, text, stall.rows, stall.rows[-EVIDENCE_ROWS:])
