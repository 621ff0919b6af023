"""What the logs themselves cost."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, search_words
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES

BUFFERING, LEVEL = "nsslapd-accesslog-logbuffering", "nsslapd-accesslog-level"
AUDIT = "nsslapd-auditlog-logging-enabled"
_INTERNAL = 4
_US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_WRITES = tuple(TYPES.index(kind) for kind in ("MOD", "ADD", "DEL", "MODRDN"))


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return (
        unbuffered(view) + internal_level(view) + audit_log(view) + log_functions(view.histograms)
    )


def unbuffered(view: WindowView) -> list[Finding]:
    """Every line of the access log is written by itself."""
    if view.setting(BUFFERING) != "off":
        return []
    rate = len(view.operations) / view.seconds
    return [
        finding(
            "log_unbuffered",
            numbers={"lines_per_s": round(rate, 1)},
            evidence=[view.evidence(Message("{setting} is off.", setting=BUFFERING))],
            # A configuration alone has no lines.
            rate=Message(", about {n} a second", n=round(rate)) if rate >= 1 else NOTHING,
        )
    ]


def internal_level(view: WindowView) -> list[Finding]:
    """Operations of the server itself are logged: seen in the log, or set in the level."""
    limit = limits("log_internal")
    internal = int((view.operations.internal & ~view.operations.own).sum())
    share = internal / max(len(view.operations), 1)
    level = view.number(LEVEL)
    many = internal >= limit["operations"] and share >= limit["share_of_operations"]
    if not many and not (level and int(level) & _INTERNAL):
        return []
    numbers = {"internal": internal, "share": share, "level": level}
    seen = Message(
        "{internal} of {n} operations in the log are internal.",
        internal=internal,
        n=len(view.operations),
    )
    return [
        finding(
            "log_internal",
            numbers=numbers,
            evidence=[view.evidence(seen if internal else _asked(level))],
            what=_logged(internal, share) if internal else _asked(level),
        )
    ]


def _logged(internal: int, share: float) -> Message:
    return Message(
        "Internal operations are in the access log ({internal}, {share:percent} of all)",
        internal=internal,
        share=share,
    )


def _asked(level: float | None) -> Message:
    return Message(
        "The level of the access log asks for internal operations ({setting}: {level:plain})",
        setting=LEVEL,
        level=int(level or 0),
    )


def audit_log(view: WindowView) -> list[Finding]:
    """Writes go to the audit log too, on the device of the database."""
    facts = view.facts
    if view.setting(AUDIT) != "on" or not facts or not facts.device:
        return []
    writes = np.isin(view.operations.kind, _WRITES) & (view.operations.err == 0)
    rate = int((writes & ~view.operations.own).sum()) / view.seconds
    if facts.audit_device != facts.device or rate < limits("log_audit")["writes_per_s"]:
        return []
    numbers = {
        "path": facts.audit_log,
        "db_directory": facts.db_directory,
        "device": facts.device,
        "writes_per_s": round(rate, 1),
    }
    text = Message(
        "{log} and {database} are both on {device}.",
        log=facts.audit_log,
        database=facts.db_directory,
        device=facts.device,
    )
    return [finding("log_audit", numbers=numbers, evidence=[view.evidence(text)], rate=round(rate))]


def log_functions(histograms: tuple[Histogram, ...]) -> list[Finding]:
    """Probes of the log functions have a tail: writing a line sometimes takes long."""
    probes = search_words("log_functions", "probes")
    ours = [
        histogram
        for histogram in histograms
        if any(word in histogram.name or word in histogram.probe for word in probes)
    ]
    unknown = [_without_unit(histogram) for histogram in ours if histogram.unit not in _US]
    slow = [
        calls for histogram in ours if histogram.unit in _US for calls in _slow_calls(histogram)
    ]
    return unknown[:1] + slow[:1]


def _without_unit(histogram: Histogram) -> Finding:
    """Without a unit it is not known whether a call was slow: say so and do not guess."""
    calls = sum(histogram.counts)
    text = Message("Its {n} calls are in buckets of numbers without a unit.", n=calls)
    numbers = {"probe": histogram.name, "calls": calls}
    return finding("no_unit", numbers=numbers, evidence=[Evidence(text, series=histogram.name)])


def _slow_calls(histogram: Histogram) -> list[Finding]:
    """Calls far beyond the mean, and those of a millisecond: a few of a million are told as few."""
    limit, to_us = limits("log_functions"), _US[histogram.unit]
    total, usual = histogram.calls, histogram.usual
    beyond = (low for low in sorted(histogram.low) if low >= limit["times_mean"] * usual)
    bound = next(beyond, None)
    slow = histogram.beyond(bound) if bound is not None else 0
    worst = histogram.beyond(limit["slow_us"] / to_us)
    if max(slow, worst) < limit["share"] * total or not max(slow, worst):
        return []
    if bound is None or slow < worst:
        bound, slow = limit["slow_us"] / to_us, worst
    top = max(low for low, n in zip(histogram.low, histogram.counts, strict=True) if n)
    numbers = {
        "probe": histogram.probe or histogram.name,
        "slow": worst,
        "calls": total,
        "share": worst / total,
        "mean_ns": round(usual * to_us * 1000),
        "tail_bound_ns": round(bound * to_us * 1000),
        "tail_calls": slow,
        "tail_share": slow / total,
    }
    slow_calls = Message(
        "{slow} of {n} calls took {bound:duration} or more.",
        slow=slow,
        n=total,
        bound=_ns(bound, to_us),
    )
    return [
        finding(
            "log_functions",
            numbers=numbers,
            evidence=[Evidence(slow_calls, series=histogram.name)],
            severity=None if worst >= limit["share"] * total else 1,
            usual=_ns(usual, to_us),
            bound=_ns(bound, to_us),
            top=_ns(histogram.most if histogram.most is not None else top, to_us),
        )
    ]


def _ns(value: float, to_us: float) -> int:
    return round(value * to_us * 1000)
