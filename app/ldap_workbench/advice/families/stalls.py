"""Stalls: many operations that are usually quick wait, and are let go together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.stalls import Stall, stalled_seconds
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import (
    EVIDENCE_ROWS,
    finding,
    limits,
    percent,
    plural,
    times,
)
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.operations import TYPES, Operations
from ldap_workbench.model.units import NS_PER_S, format_duration, format_time

_WAITED = "operations that are usually quick waited"
_WAITED_FOR_MINUTES = "operations waited for minutes"
_SHOWN = 20
"""Episodes given as evidence, the longest first."""


def find(view: WindowView) -> list[Finding]:
    """One finding for all stalls of the window, if they matter."""
    return stall_finding(view.operations, view.stalls, view.seconds)


def stall_finding(operations: Operations, found: list[Stall], seconds: float) -> list[Finding]:
    """Stalls worth telling: one long enough, or together long enough."""
    limit = limits("stall")
    longest = max((e.length_ns for e in found), default=0) / NS_PER_S
    share = stalled_seconds(found) / seconds
    if longest < limit["longest_s"] and (
        longest < limit["shortest_s"] or share < limit["share_of_window"]
    ):
        return []
    worst = max(found, key=lambda e: e.length_ns)
    victims = by_type(operations, found)
    writes = sum(victims.get(kind, 0) for kind in ("MOD", "ADD", "DEL", "MODRDN"))
    without_request = int((operations.request_at[worst.rows] < 0).sum())
    numbers = {
        "episodes": len(found),
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
            evidence=[_evidence(operations, e) for e in _longest(found)],
            times=times(len(found)),
            waited=_WAITED if worst.usual_known else _WAITED_FOR_MINUTES,
            missing="".join(_missing(worst, without_request)),
            longest=format_duration(worst.length_ns),
            at=format_time(worst.start_ns),
            count=plural(len(worst.rows), "operation"),
            within=format_duration(ends_within(operations, worst)),
            types=", ".join(f"{n:,} {kind}" for kind, n in victims.items()),
            share=percent(share),
            writes="no write was among them" if not writes else f"{writes:,} of them were writes",
        )
    ]


def _missing(worst: Stall, without_request: int) -> Iterator[str]:
    """What would have to be known to be sure that the longest episode is a stall."""
    if worst.usual_known:
        return
    yield (
        " The log holds too few others of this kind to show how long they usually take: import "
        "more of it to be sure."
    )
    if without_request:
        lines = plural(without_request, "request line", "request lines")
        yield f" The log lacks {lines} of the longest episode."


def by_type(operations: Operations, found: list[Stall]) -> dict[str, int]:
    """Victims of all episodes by operation type, most first."""
    if not found:
        return {}
    kinds = operations.kind[np.concatenate([e.rows for e in found])]
    counts = np.bincount(kinds, minlength=len(TYPES))
    return {TYPES[k]: int(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k]}


def ends_within(operations: Operations, episode: Stall) -> int:
    """Time between the first and the last end of an episode's victims, ns."""
    ends = operations.end_ns[episode.rows]
    return int(ends.max() - ends.min())


def _longest(found: list[Stall]) -> list[Stall]:
    return sorted(found, key=lambda e: -e.length_ns)[:_SHOWN]


def _evidence(operations: Operations, episode: Stall) -> Evidence:
    kinds = ", ".join(f"{n} {kind}" for kind, n in by_type(operations, [episode]).items())
    return Evidence(
        f"{kinds} ended within {format_duration(ends_within(operations, episode))} after up to "
        f"{format_duration(episode.length_ns)}; at the worst moment "
        f"{episode.concurrency} of them waited.",
        episode.first_ns,
        episode.end_ns,
        tuple(int(row) for row in episode.rows[-EVIDENCE_ROWS:]),
    )
