"""What the logs themselves cost, all along and while their files are rotated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, search_words
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.operations import CHANGES, TYPES, Int64, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind

_UNBUFFERED = (("nsslapd-accesslog-logbuffering", "off"), ("access-log-asynchronous", "false"))
"""Settings with which a thread that serves a request writes the line itself."""
LEVEL = "nsslapd-accesslog-level"
AUDIT = (("nsslapd-auditlog-logging-enabled", "on"), ("audit-log-enabled", "true"))
_INTERNAL = 4
_HIDES_INTERNAL = "access-log-internal-operations"
"""A knob of OpenDJ: true leaves them out."""
_BOTH_LOGS = ("access-log-enabled", "json-access-log-enabled")
_US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_WRITES = tuple(map(TYPES.index, CHANGES))
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
    return [
        *_unbuffered(view),
        *_logged_twice(view),
        *_internal_level(view),
        *_audit_log(view),
        *log_functions(view.histograms),
        *_rotation(view),
    ]


def _unbuffered(view: WindowView) -> Iterator[Finding]:
    """Every line of the access log is written by itself."""
    for setting, value in _UNBUFFERED:
        if view.setting(setting) == value:
            rate = len(view.operations) / view.seconds
            yield finding(
                "log_unbuffered",
                numbers={"lines_per_s": round(rate, 1)},
                window=view.window,
                # A configuration alone has no lines.
                rate=round(rate) if rate >= 1 else None,
                setting=setting,
                value=value,
            )


def _logged_twice(view: WindowView) -> Iterator[Finding]:
    """OpenDJ writes each operation into a text log and a JSON log."""
    rate = len(view.operations) / view.seconds
    both = all(view.setting(name) == "true" for name in _BOTH_LOGS)
    if both and rate >= limits("log_twice")["a_second"]:
        yield finding(
            "log_twice",
            numbers={"operations_per_s": round(rate, 1)},
            window=view.window,
            rate=round(rate),
        )


def _internal_level(view: WindowView) -> Iterator[Finding]:
    """Operations of the server itself are logged: seen in the log, or set in the level."""
    limit, operations = limits("log_internal"), view.operations
    internal = int((operations.internal & ~operations.own).sum())
    share, level = internal / max(len(operations), 1), view.number(LEVEL)
    many = internal >= limit["operations"] and share >= limit["share_of_operations"]
    shown = view.setting(_HIDES_INTERNAL) == "false"
    if not many and not shown and not (level and int(level) & _INTERNAL):
        return
    yield finding(
        "log_internal",
        numbers={"internal": internal, "share": share, "level": level},
        window=view.window,
        logged=internal or None,
        n=len(operations),
        setting=_HIDES_INTERNAL if shown else LEVEL,
        asked="false" if shown else str(int(level or 0)),
    )


def _audit_log(view: WindowView) -> Iterator[Finding]:
    """Writes go to the audit log too, on the device of the database."""
    facts = view.facts
    if not facts or not facts.device or not any(view.setting(name) == on for name, on in AUDIT):
        return
    writes = np.isin(view.operations.kind, _WRITES) & (view.operations.err == 0)
    rate = int((writes & ~view.operations.own).sum()) / view.seconds
    if facts.audit_device == facts.device and rate >= limits("log_audit")["writes_per_s"]:
        yield finding(
            "log_audit",
            numbers={
                "path": facts.audit_log,
                "db_directory": facts.db_directory,
                "device": facts.device,
                "writes_per_s": round(rate, 1),
            },
            window=view.window,
            rate=round(rate),
        )


def log_functions(histograms: tuple[Histogram, ...]) -> list[Finding]:
    """Probes of the log functions have a tail: writing a line sometimes takes long.

    Without a unit it is not known whether a call was slow: that is said, and nothing guessed.
    """
    probes = search_words("log_functions", "probes")
    unknown: list[Finding] = []
    slow: list[Finding] = []
    for histogram in histograms:
        if not any(word in histogram.name or word in histogram.probe for word in probes):
            continue
        if histogram.unit in _US:
            slow += _slow_calls(histogram)
            continue
        numbers = {"probe": histogram.name, "calls": histogram.calls}
        unknown.append(finding("no_unit", numbers=numbers, series=histogram.name))
    return unknown[:1] + slow[:1]


def _slow_calls(histogram: Histogram) -> Iterator[Finding]:
    """Calls far beyond the mean, and those of a millisecond: a few of a million are told as few."""
    limit, to_us = limits("log_functions"), _US[histogram.unit]
    total, usual = histogram.calls, histogram.usual
    beyond = (low for low in sorted(histogram.low) if low >= limit["times_mean"] * usual)
    bound = next(beyond, None)
    slow = histogram.beyond(bound) if bound is not None else 0
    worst = histogram.beyond(limit["slow_us"] / to_us)
    if max(slow, worst) < limit["share"] * total or not max(slow, worst):
        return
    if bound is None or slow < worst:
        bound, slow = limit["slow_us"] / to_us, worst
    top = max(low for low, n in zip(histogram.low, histogram.counts, strict=True) if n)
    yield finding(
        "log_functions",
        numbers={
            "probe": histogram.probe or histogram.name,
            "slow": worst,
            "calls": total,
            "share": worst / total,
            "mean_ns": round(usual * to_us * 1000),
            "tail_bound_ns": round(bound * to_us * 1000),
            "tail_calls": slow,
            "tail_share": slow / total,
        },
        series=histogram.name,
        severity=None if worst >= limit["share"] * total else 1,
        top=round((histogram.most if histogram.most is not None else top) * to_us * 1000),
    )


def _rotation(view: WindowView) -> Iterator[Finding]:
    """Operations that stand still while the server begins a new file of its access log."""
    limit, rotated = limits("log_rotation"), rotations(view)
    pauses = list(_pauses(view, rotated)) if rotated else []
    if not pauses:
        return
    longest = max(pauses, key=lambda pause: pause.end_ns - pause.start_ns)
    length = longest.end_ns - longest.start_ns
    if len(pauses) < max(2, limit["share"] * len(rotated)) and length < limit["once_s"] * NS_PER_S:
        return
    waited = np.unique(np.concatenate([pause.rows for pause in pauses]))
    yield finding(
        "log_rotation",
        numbers={"pauses": len(pauses), "rotations": len(rotated), "longest_ns": length},
        evidence=[_evidence(view, pause) for pause in pauses[:20]],
        user_ns=int(view.operations.etime_ns[waited].sum()),
        at=longest.start_ns,
        packed=view.setting("nsslapd-accesslog-compress") == "on",
    )


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
    length, n = pause.end_ns - pause.start_ns, len(pause.rows)
    text = phrase("log_rotation", length=length, start=pause.start_ns, n=n)
    span = (pause.start_ns, pause.end_ns)
    return evidence_of_rows(view.operations, text, pause.rows, span=span)
