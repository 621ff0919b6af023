"""What the logs cost, and what probes of functions show under light and heavy load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, search_words
from ldap_workbench.inference.significance.exceedance import Beyond, exceedance
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import CHANGES, TYPES, Int64, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind

_UNBUFFERED = (("nsslapd-accesslog-logbuffering", "off"), ("access-log-asynchronous", "false"))
"""Settings with which a thread that serves a request writes the line itself."""
LEVEL = "nsslapd-accesslog-level"
AUDIT = (("nsslapd-auditlog-logging-enabled", "on"), ("audit-log-enabled", "true"))
_INTERNAL = 4
_HIDES_INTERNAL = "access-log-suppress-internal-operations"
"""A knob of OpenDJ; older windows have it without 'suppress'."""
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
    """Operations of the server itself are logged: seen in the log, or asked for by a setting."""
    limit, operations = limits("log_internal"), view.operations
    internal = int((operations.internal & ~operations.own).sum())
    share, level = internal / max(len(operations), 1), view.number(LEVEL)
    many = internal >= limit["operations"] and share >= limit["share_of_operations"]
    former = view.setting(_HIDES_INTERNAL.replace("suppress-", ""))
    shown = (view.setting(_HIDES_INTERNAL) or former) == "false"
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


_WHOLE = 100
"""From here on a number needs no digits behind its point."""


def find_tail_shift(view: WindowView) -> list[Finding]:
    """Compare histograms of one probe that differ in their number of threads."""
    findings: list[Finding] = []
    for probe, runs in runs_of(view.histograms).items():
        few, many = runs[0], runs[-1]
        if few.unit == many.unit:
            findings += shift_finding(probe, few, many)
    return findings


def runs_of(histograms: Iterable[Histogram]) -> dict[str, list[Histogram]]:
    """Runs of one probe with different numbers of threads, the fewest first; two or more."""
    by_probe: dict[str, dict[int, Histogram]] = {}
    for histogram in histograms:
        if histogram.threads is not None:
            by_probe.setdefault(histogram.probe, {}).setdefault(histogram.threads, histogram)
    return {
        probe: [runs[threads] for threads in sorted(runs)]
        for probe, runs in sorted(by_probe.items())
        if len(runs) > 1
    }


def shifts(before: Histogram, after: Histogram) -> list[Beyond]:
    """Beyond each bound of either: the share of calls before and after."""
    return exceedance((before.low, before.counts), (after.low, after.counts))


def shift_finding(probe: str, few: Histogram, many: Histogram) -> list[Finding]:
    """A finding at the bound where the tail begins, if more moved beyond it than chance moves."""
    limit = limits("tail_shift")
    if min(few.calls, many.calls) < limit["calls"]:
        return []
    every = shifts(few, many)
    moved = _headline([shift for shift in every if _has_moved(shift, few.calls, many.calls)])
    if moved is None:
        return []
    lost = _most_left(few, many)
    numbers = {
        "probe": probe,
        "bound": moved.bound,
        "unit": few.unit,
        "threads": [few.threads, many.threads],
        "share_before": moved.before,
        "share_after": moved.after,
        "difference": [moved.low, moved.high],
        "left_bucket": lost[0] if lost else None,
        "left_calls": lost[1] if lost else None,
        "beyond": [[shift.bound, shift.before, shift.after] for shift in every],
    }
    others = [shift for shift in every if shift is not moved and max(shift.before, shift.after) > 0]
    texts = [_beyond(moved, few, many), *_bucket(lost, few, many), *_means(few, many)]
    texts += [_beyond(shift, few, many) for shift in others]
    return [
        finding(
            "tail_shift",
            numbers=numbers,
            evidence=[Evidence(text, series=many.name) for text in texts],
            few=few.threads,
            many=many.threads,
            before=moved.before,
            after=moved.after,
            where=amount(moved.bound, few.unit),
        )
    ]


def _has_moved(shift: Beyond, n_before: int, n_after: int) -> bool:
    limit = limits("tail_shift")
    if shift.difference < limit["share"] or shift.after < limit["times"] * shift.before:
        return False
    pooled = (shift.before * n_before + shift.after * n_after) / (n_before + n_after)
    error = sqrt(pooled * (1 - pooled) * (1 / n_before + 1 / n_after))
    return shift.difference >= limit["sigmas"] * error


def _headline(moved: Sequence[Beyond]) -> Beyond | None:
    """Where the tail begins: the first bound few calls were beyond; else where most moved."""
    tail = [shift for shift in moved if shift.before <= limits("tail_shift")["tail"]]
    if tail:
        return min(tail, key=lambda shift: shift.bound)
    return max(moved, key=lambda shift: shift.difference, default=None)


def _most_left(few: Histogram, many: Histogram) -> tuple[float, int] | None:
    """The bucket that lost most calls, and how many; None where none lost any."""
    now = dict(zip(many.low, many.counts, strict=True))
    lost = {low: n - now.get(low, 0) for low, n in zip(few.low, few.counts, strict=True)}
    low = max(lost, key=lambda bound: lost[bound])
    return (low, lost[low]) if lost[low] > 0 else None


def _bucket(lost: tuple[float, int] | None, few: Histogram, many: Histogram) -> list[Message]:
    if lost is None:
        return []
    before, after = (
        dict(zip(histogram.low, histogram.counts, strict=True)).get(lost[0], 0)
        for histogram in (few, many)
    )
    return [
        phrase(
            "tail_shift",
            "bucket",
            lost=lost[1],
            bound=amount(lost[0], few.unit),
            before=before,
            few=few.threads,
            after=after,
            many=many.threads,
        )
    ]


def _means(few: Histogram, many: Histogram) -> list[Message]:
    if few.mean is None or many.mean is None:
        return []
    return [
        phrase(
            "tail_shift",
            "mean",
            before=amount(few.mean, few.unit),
            few=few.threads,
            after=amount(many.mean, many.unit),
            many=many.threads,
        )
    ]


def _beyond(shift: Beyond, few: Histogram, many: Histogram) -> Message:
    return phrase(
        "tail_shift",
        bound=amount(shift.bound, few.unit),
        before=shift.before,
        few=few.threads,
        after=shift.after,
        many=many.threads,
        low=shift.low * 100,
        high=shift.high * 100,
    )


def amount(value: float, unit: str) -> Message:
    """262,144 ns; the unit that is missing is said."""
    is_whole = value >= _WHOLE or value == int(value)
    number = round(value) if is_whole else value
    if unit:
        return Message("{number} {unit}", number=number, unit=unit)
    return Message("{number} (no unit is printed)", number=number)
