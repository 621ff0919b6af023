"""What makes a window unfit for a comparison: to be mended before any experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.cost import served_ns
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.advice.families.server_messages import Messages, messages_of
from ldap_workbench.logs.server.audit389 import AuditRecord
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.operations import (
    CHANGES,
    TYPES,
    Int64,
    Operations,
    client_operations,
    text_at,
)
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState

UNKNOWN = "unknown"
"""Who wrote, where the log does not say."""
_WRITES = tuple(map(TYPES.index, CHANGES))
_NO_SETTINGS = ("cn=schema,cn=config", "cn=tasks,cn=config")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    parts = (uptime, restart, warm_up, censored, coarse, incomplete, config_writers)
    return [seen for part in parts for seen in part(view)]


def uptime(view: WindowView) -> Iterator[Finding]:
    """The server had only just started when the window began."""
    started = view.facts.started_ns if view.facts else None
    if started is None:
        return
    up_ns = view.window.start_ns - started
    if 0 <= up_ns < limits("uptime")["seconds"] * NS_PER_S:
        yield finding(
            "uptime",
            numbers={"uptime_s": round(up_ns / NS_PER_S, 1)},
            evidence=[Evidence(Message("The server started."), started, view.window.start_ns)],
            up=up_ns,
        )


def restart(view: WindowView) -> list[Finding]:
    """The server started anew within the window."""
    boots = np.unique(view.operations.boot[~view.operations.own])
    if len(boots) < 2 or is_excerpt(view):
        return []
    firsts = [int(view.operations.start_ns[view.operations.boot == b].min()) for b in boots[1:]]
    first = Message("The first operation after a start.")
    managed, stops = messages_of(view, "service"), messages_of(view, "stop")
    evidence = [Evidence(first, time_ns, time_ns) for time_ns in firsts[:20]]
    return [
        finding(
            "restart",
            numbers={"restarts": len(firsts)},
            evidence=evidence + (managed.shown if managed else []),
            times=times(len(firsts)),
            every=_usual_gap(firsts),
            orderly=all(_stopped_between(stops, *gap) for gap in _gaps(view.operations, boots)),
            service=managed.lines[0][1] if managed and managed.lines else None,
        )
    ]


def _gaps(operations: Operations, boots: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """From the last operation of each start but the last to the first of the next, ns."""
    for before, behind in pairwise(boots):
        last = int(operations.end_ns[operations.boot == before].max())
        yield last, int(operations.start_ns[operations.boot == behind].min())


def _stopped_between(stops: Messages | None, last: int, first: int) -> bool:
    """Whether the server says so; a line may have the time of the operation before it."""
    lines = stops.lines if stops else ()
    return any(time_ns is not None and last <= time_ns <= first for time_ns, _ in lines)


def _usual_gap(moments: list[int]) -> int | None:
    """The time between moments that come at regular intervals, ns; None for others."""
    gaps = np.diff(moments)
    if len(gaps) < limits("restart")["gaps"]:
        return None
    middle = int(np.median(gaps))
    return middle if np.abs(gaps - middle).max() <= limits("restart")["even"] * middle else None


def warm_up(view: WindowView) -> Iterator[Finding]:
    """An entry cache that fills, or etimes that fall, from the first quarter to the last."""
    limit, start_ns = limits("warm_up"), view.window.start_ns
    quarter = (view.window.end_ns - start_ns) // 4
    cache = _filling(view, quarter, limit["cache_growth"])
    etimes = _falling(view, quarter, limit)
    signs = []
    if cache:
        backend, early, late = cache
        signs.append(
            phrase("warm_up", "cache", backend=backend, early=round(early), late=round(late))
        )
    if etimes:
        signs.append(phrase("warm_up", "etimes", early=etimes[0], late=etimes[1]))
    if signs:
        _, cache_from, cache_to = cache or ("", None, None)
        etime_from, etime_to = etimes or (None, None)
        yield finding(
            "warm_up",
            numbers={
                "cache_from": cache_from,
                "cache_to": cache_to,
                "etime_from_ns": etime_from,
                "etime_to_ns": etime_to,
            },
            evidence=[Evidence(Message("First quarter."), start_ns, start_ns + quarter)],
            text=tuple(signs),
        )


def _filling(view: WindowView, quarter: int, growth: float) -> tuple[str, float, float] | None:
    for name, entry in series.backends(view.samples).items():
        count = series.get(view.samples, entry, "currententrycachecount")
        if count is None or len(count[1]) < 4:
            continue
        early = float(count[1][count[0] <= view.window.start_ns + quarter].max(initial=0))
        late = float(count[1][-1])
        if early > 0 and late - early >= growth * late:
            return name, early, late
    return None


def _falling(view: WindowView, quarter: int, limit: Mapping[str, float]) -> tuple[int, int] | None:
    clients = client_operations(view.operations)
    # Without what came before a worker: pauses of clients and busy processors are no cold cache.
    start, etime = view.operations.start_ns[clients], served_ns(view.operations)[clients]
    first = etime[start < view.window.start_ns + quarter]
    last = etime[start >= view.window.end_ns - quarter]
    if min(len(first), len(last)) < limit["operations"]:
        return None
    early, late = int(np.median(first)), int(np.median(last))
    slower = early >= limit["times"] * max(late, 1) and early - late >= limit["by_ms"] * 1e6
    # A load that eases looks the same: then there are also fewer operations.
    steady = len(last) >= limit["steady"] * len(first)
    return (early, late) if slower and steady else None


def censored(view: WindowView) -> Iterator[Finding]:
    """Its reader noted that the log has slow operations alone: quantiles mean nothing."""
    for source in view.sources:
        if (least := source.details.get("censored_below_ns")) is not None:
            numbers = {"least_ns": int(least), "operations": source.samples}
            yield finding("censored", numbers=numbers)


def coarse(view: WindowView) -> Iterator[Finding]:
    """Etimes in whole seconds or milliseconds: what lies below cannot be seen."""
    limit, step = limits("coarse"), view.resolution_ns
    # A log put together of several servers' has some coarse etimes among many fine ones.
    finer = view.operations.etime_ns % step != 0
    mixed = finer.any() and finer.mean() > limit["finer"]
    if step >= limit["resolution_ms"] * 1_000_000 and not mixed:
        yield finding("coarse", numbers={"resolution_ns": step})


def incomplete(view: WindowView) -> Iterator[Finding]:
    """Sources that did not give all they should, or a window that was cancelled."""
    broken = [s for s in view.sources if s.state is not SourceState.COMPLETE]
    flaws = [_broken(source) for source in broken]
    if view.window.cancelled:
        flaws.append(Message("the capture was cancelled"))
    essential = any(s.kind == SourceKind.ACCESS_LOG for s in broken) or view.window.cancelled
    if flaws:
        yield finding(
            "incomplete",
            numbers={"sources": [f"{s.kind.value}: {s.state.value}" for s in broken]},
            evidence=[Evidence(_broken_source(source)) for source in broken]
            or [view.evidence(Message("Cancelled."))],
            severity=2 if essential else 1,
            flaws=tuple(flaws),
        )


def _broken(source: Source) -> Message:
    """'iostat is missing (not installed)'."""
    kind, state = Message(source.kind.value), Message(source.state.value)
    if not source.why:
        return Message("{source} is {state}", source=kind, state=state)
    return Message("{source} is {state} ({why})", source=kind, state=state, why=source.why)


def _broken_source(source: Source) -> Message:
    kind, state = Message(source.kind.value), Message(source.state.value)
    return phrase("incomplete", source=kind, name=source.name, state=state)


def config_writers(view: WindowView) -> list[Finding]:
    """Somebody else wrote to cn=config in the window, by the access log or else the audit log."""
    operations = view.operations
    config = [i for i, base in enumerate(operations.bases) if _is_setting(base)]
    writes = ~operations.own & ~operations.internal & (operations.err == 0)
    writes &= np.isin(operations.kind, _WRITES) & np.isin(operations.base, config)
    logged = [
        (
            operations.bases[operations.base[row]],
            _who(operations, int(row)),
            partial(_logged_change, operations, row),
        )
        for row in np.flatnonzero(writes)
    ]
    changes = logged or [
        (record.dn, record.who or UNKNOWN, partial(_audited_change, record))
        for record in view.audit
        # What the server's own plug-ins write is left out.
        if _is_setting(record.dn)
        and record.result == 0
        and not record.who.lower().endswith("cn=plugins,cn=config")
    ]
    if not changes:
        return []
    targets = sorted({target for target, _, _ in changes})
    writers = sorted({writer for _, writer, _ in changes})
    return [
        finding(
            "config_writers",
            numbers={"writes": len(changes), "entries": targets[:20], "by": writers[:20]},
            evidence=[evidence() for _, _, evidence in changes[:50]],
            severity=None if view.window.arm else 1,
            changes=count_of("{n} change", "{n} changes", n=len(changes)),
            targets=tuple(targets[:3]),
            writers=tuple(writers[:3]),
        )
    ]


def _logged_change(operations: Operations, row: np.intp) -> Evidence:
    kind, entry = TYPES[operations.kind[row]], operations.bases[operations.base[row]]
    text = Message("{type} on {entry}", type=kind, entry=entry)
    return evidence_of_rows(operations, text, np.array([row]))


def _audited_change(record: AuditRecord) -> Evidence:
    what = Message("{attributes} of {dn} (audit log)", attributes=record.attributes, dn=record.dn)
    return Evidence(what, record.time_ns, record.time_ns)


def _is_setting(dn: str) -> bool:
    """Below cn=config, but for schema, which changes no etime, and tasks, which are work."""
    return dn.lower().endswith("cn=config") and not dn.lower().endswith(_NO_SETTINGS)


def _who(operations: Operations, row: int) -> str:
    bound = text_at(operations.bind_dns, int(operations.bind_dn[row]))
    return bound or text_at(operations.clients, int(operations.client[row])) or UNKNOWN


_MARGIN_NS = NS_PER_S
"""A reading so near to a line of the log may be the one that wrote it."""


def find_clock(view: WindowView) -> list[Finding]:
    """The clock was set back, or the log is silent about time that did pass."""
    back = 0 if is_excerpt(view) else _steps_back(view)
    silent = silences(view)
    if not back and not silent:
        return []
    longest = max((end - start for start, end in silent), default=0)
    return [
        finding(
            "clock",
            numbers={"steps_back": back, "silences": len(silent), "longest_silence_ns": longest},
            evidence=_evidence(view, back, silent),
            text=_jumps(back, len(silent), longest),
        )
    ]


def is_excerpt(view: WindowView) -> bool:
    """Whether the log was put together of pieces: its times go back every few lines."""
    lines = sum(source.lines.understood for source in view.sources)
    return 0 < lines < limits("clock")["lines"] * _steps_back(view)


def _steps_back(view: WindowView) -> int:
    return sum(int(source.details.get("clock_steps_back", 0)) for source in view.sources)


def _jumps(back: int, silent: int, longest_ns: int) -> Message:
    """What the clock did, in a sentence or two."""
    went_back = phrase("clock", "went_back", times=times(back))
    nothing = phrase("clock", "silent", times=times(silent), longest=longest_ns)
    return sentences(*([went_back] if back else []), *([nothing] if silent else []))


def silences(view: WindowView) -> list[tuple[int, int]]:
    """Stretches (ns) without a line of the log in which the monitor was read all the same.

    Readings carry the time of this computer's clock plus the offset measured once, so that a jump
    of the server's clock does not move them. Where readings are not in the log nothing is said.
    """
    limit, operations = limits("clock"), view.operations
    if not operations.own.any():
        return []
    ends, read = np.sort(operations.end_ns, kind="stable"), _readings(view.samples)
    stretches = []
    for at in np.flatnonzero(np.diff(ends) >= limit["silent_s"] * NS_PER_S):
        start, end = int(ends[at]), int(ends[at + 1])
        first, after = np.searchsorted(read, (start + _MARGIN_NS, end - _MARGIN_NS))
        if after - first >= limit["readings"]:
            stretches.append((start, end))
    return stretches


def _readings(samples: Samples) -> Int64:
    """Times at which entries of the monitor were read, by one attribute of each entry."""
    names = {name.rpartition(":")[0]: name for name in samples if name.lower().startswith("cn=")}
    read = [samples[name][0] for name in names.values()]
    return np.unique(np.concatenate(read)) if read else np.empty(0, np.int64)


def _evidence(view: WindowView, back: int, silent: list[tuple[int, int]]) -> list[Evidence]:
    evidence = []
    if back:
        evidence.append(view.evidence(phrase("clock", n=back)))
    return evidence + [
        Evidence(Message("No line of the log."), start, end) for start, end in silent[:50]
    ]
