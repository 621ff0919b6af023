"""Operations that stand still while the server begins a new file of its access log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import Int64, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind

_NEAR_NS = NS_PER_S
"""A pause that begins so near the last line of a file belongs to its end."""


@dataclass(frozen=True, eq=False)
class Pause:
    """Time without a result around the end of a file; `rows` are the operations that waited."""

    start_ns: int
    end_ns: int
    rows: Rows


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit, rotated = limits("log_rotation"), rotations(view)
    pauses = list(_pauses(view, rotated)) if rotated else []
    if not pauses:
        return []
    longest = max(pauses, key=lambda pause: pause.end_ns - pause.start_ns)
    length = longest.end_ns - longest.start_ns
    if len(pauses) < max(2, limit["share"] * len(rotated)) and length < limit["once_s"] * NS_PER_S:
        return []
    waited = np.unique(np.concatenate([pause.rows for pause in pauses]))
    packed = view.setting("nsslapd-accesslog-compress") == "on"
    return [
        finding(
            "log_rotation",
            numbers={"pauses": len(pauses), "rotations": len(rotated), "longest_ns": length},
            evidence=[_evidence(view, pause) for pause in pauses[:20]],
            user_ns=int(view.operations.etime_ns[waited].sum()),
            pauses=len(pauses),
            rotations=len(rotated),
            longest=length,
            at=longest.start_ns,
            packed=Message(" nsslapd-accesslog-compress is on.") if packed else NOTHING,
        )
    ]


def rotations(view: WindowView) -> list[int]:
    """When files of the access log ended within the window."""
    stored = [s.details.get("rotated_ns") for s in view.sources if s.kind == SourceKind.ACCESS_LOG]
    times = [time_ns for some in stored if isinstance(some, list) for time_ns in some]
    window = view.window
    return [t for t in times if isinstance(t, int) and window.start_ns <= t < window.end_ns]


def _pauses(view: WindowView, rotated: list[int]) -> Iterator[Pause]:
    """Silences of the log far longer than its other ones, with operations waiting to end."""
    limit, operations = limits("log_rotation"), view.operations
    clients = np.flatnonzero(client_operations(operations))
    # Only results: requests arrive, and are counted from then on, while nothing is logged.
    lines = np.sort(operations.end_ns[clients])
    gaps = np.diff(lines)
    if len(gaps) < limit["lines"]:
        return
    least = max(limit["gap_s"] * NS_PER_S, limit["times"] * float(np.quantile(gaps, 0.99)))
    for time_ns in rotated:
        at = _longest_gap(lines, gaps, time_ns)
        if at is None or gaps[at] < least:
            continue
        start, end = int(lines[at]), int(lines[at + 1])
        waiting = (operations.start_ns[clients] < end) & (operations.end_ns[clients] >= end)
        waiting &= operations.etime_ns[clients] >= limit["waited"] * (end - start)
        if waiting.sum() >= limit["operations"]:
            yield Pause(start, end, clients[waiting])


def _longest_gap(lines: Int64, gaps: Int64, time_ns: int) -> int | None:
    """The longest gap that begins near a time, or holds it; None behind the last line."""
    first = max(int(np.searchsorted(lines, time_ns - _NEAR_NS)) - 1, 0)
    last = int(np.searchsorted(lines, time_ns + _NEAR_NS, "right"))
    near = gaps[first:last]
    return first + int(np.argmax(near)) if len(near) else None


def _evidence(view: WindowView, pause: Pause) -> Evidence:
    """The silence, and the operations that waited for its end."""
    return evidence_of_rows(
        view.operations,
        Message(
            "No result for {length:duration} from {start:time}, while {n} operations waited.",
            length=pause.end_ns - pause.start_ns,
            start=pause.start_ns,
            n=len(pause.rows),
        ),
        pause.rows,
        pause.rows[:EVIDENCE_ROWS],
        span=(pause.start_ns, pause.end_ns),
    )
