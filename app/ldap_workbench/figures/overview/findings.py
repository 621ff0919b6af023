"""Findings with the advice they back, and when and on which strip their evidence is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.evidence.wording import former_ids
from ldap_workbench.advice.families.find import Review, findings, group_findings
from ldap_workbench.advice.rules.advise import advise, conflicts
from ldap_workbench.experiment.tried_advice import beside_history
from ldap_workbench.figures.overview.account import (
    Bar,
    TimeSummary,
    judged_together,
    time_summary,
    together,
)
from ldap_workbench.figures.timeline.strips import strip_specs
from ldap_workbench.model.finding import (
    HIGH,
    LOW,
    MEDIUM,
    Advice,
    Evidence,
    Finding,
    FindingGroup,
    Link,
)
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.stored import as_stored
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Span, Window
from ldap_workbench.session.conditions import words_of
from ldap_workbench.session.reader import Session

TAILS = {
    "p50": Message("The typical operation (p50)"),
    "p99": Message("Slowest 1 % (p99)"),
    "p99.9": Message("Slowest 0.1 % (p99.9)"),
    "slo": Message("Share over the latency target (SLO)"),
}
"""What to optimise for: advice is ranked by it."""

_REVIEWED: WeakKeyDictionary[Session, tuple[tuple[Finding, ...], tuple[TimeSummary, ...]]] = (
    WeakKeyDictionary()
)

FINDINGS_SCHEMA = 2
"""Of what --json writes: raised where a key changes its meaning or goes, not where one is added.

Since 2 the numbers of look_ups and tail_filter are those of findings they were merged into.
"""
_MEDIUM, _HIGH = 0.05, 0.25
"""Shares of the time from which a finding is of medium and of high severity."""
_OF_WAITING = Message("Share of the time that clients waited")
_OF_WORKERS = Message("Share of the time of worker threads")
WORTH_A_TEST = Message("Worth a test")
"""Heading of the advice, in window and report."""
FIRST_SHOWN = 5
"""Groups that are shown at once; the rest is behind a button."""
CONFIDENCES = {
    HIGH: Message("Confidence: high. Measured directly."),
    MEDIUM: Message("Confidence: medium. Consistent with the data."),
    LOW: Message("Confidence: low. It is one of several explanations."),
}


class Share(NamedTuple):
    """A part of the time, 0 to 1, and which time it is a part of."""

    part: float
    of: Message


@dataclass(frozen=True)
class FindingsView:
    """What was found, most expensive first; advice best first for one tail; what excludes what."""

    findings: tuple[Finding, ...]
    advice: tuple[Advice, ...]
    conflicts: tuple[Message, ...]
    judged: Message = NOTHING
    """By which measure the windows are fine or not, and what was not judged."""
    waited_ns: int = 0
    """How long the clients of all windows waited."""
    used_ns: int = 0
    """Time of worker threads that all operations of these windows took."""
    bars: tuple[Bar, ...] = ()
    """Where the time of these windows went."""

    def share(self, group: FindingGroup) -> Share | None:
        """The part of the time that clients waited, else of worker threads, because of it.

        None where that is not known. Several groups may explain the same time: these are no parts
        of a whole.
        """
        shares = (self._share(finding) for finding in group.findings)
        return max(filter(None, shares), key=lambda share: share.part, default=None)

    def level(self, group: FindingGroup) -> int:
        """3 (high) to 1 (low) by its share; where that is not known, as the finding says.

        What is no more than worth knowing is low, however much of the time it explains.
        """
        share = self.share(group)
        if share is None:
            return group.lead.severity
        if all(finding.severity == 1 for finding in group.findings):
            return 1
        return 1 + (share.part >= _MEDIUM) + (share.part >= _HIGH)

    def first_to_test(self, group: FindingGroup) -> Advice | None:
        """The best advice that rests on a finding of the group and that an experiment can try."""
        names = {finding.id for finding in group.findings}
        testable = (advice for advice in self.advice if advice.treatment.settings)
        return next((advice for advice in testable if names & set(advice.findings)), None)

    def _share(self, finding: Finding) -> Share | None:
        if finding.user_ns is not None and self.waited_ns:
            return Share(min(1.0, finding.user_ns / self.waited_ns), _OF_WAITING)
        if finding.worker_ns is not None and self.used_ns:
            return Share(min(1.0, finding.worker_ns / self.used_ns), _OF_WORKERS)
        return None

    @property
    def groups(self) -> list[FindingGroup]:
        """The same findings, those with one cause together; the most expensive first."""
        return group_findings(self.findings)

    def as_json(self) -> dict[str, Any]:
        """For --json: findings by group, each with the id of the one that leads its group."""
        documents = [
            as_stored(finding)
            | {
                "evidence": [_evidence_json(piece) for piece in finding.evidence],
                "cost_worker_s_per_h": finding.cost_worker_s_per_h,
                "cost_user_s_per_h": finding.cost_user_s_per_h,
                "group": group.lead.id,
            }
            for group in self.groups
            for finding in group.findings
        ]
        return {
            "schema": FINDINGS_SCHEMA,
            "formerly": former_ids(),
            "findings": documents,
            "advice": as_stored(self.advice),
            "conflicts": as_stored(self.conflicts),
        }


def findings_of(session: Session) -> tuple[Finding, ...]:
    """Those of all windows; made out once for a session, as its file is only read."""
    return _reviewed(session)[0]


def times_of(session: Session) -> tuple[TimeSummary, ...]:
    """Where the time of each window went; made out once for a session, with its findings."""
    return _reviewed(session)[1]


def findings_and_times(
    session: Session, windows: Sequence[Window]
) -> tuple[list[Finding], list[TimeSummary]]:
    """The findings of some windows, one window after the other, and where their time went."""
    times: list[TimeSummary] = []
    keep = partial(_summarise, session, times)
    seen = [finding for window in windows for finding in findings(session, window, reviewed=keep)]
    return seen, times


def _reviewed(session: Session) -> tuple[tuple[Finding, ...], tuple[TimeSummary, ...]]:
    if session not in _REVIEWED:
        times: list[TimeSummary] = []
        seen = findings(session, reviewed=partial(_summarise, session, times))
        _REVIEWED[session] = tuple(seen), tuple(times)
    return _REVIEWED[session]


def _summarise(session: Session, times: list[TimeSummary], window: Window, seen: Review) -> None:
    """Keep of a review what is small: the arrays of its account are as long as the log."""
    times.append(time_summary(session, window, seen.account))


def ranked(seen: tuple[Finding, ...], session: Session, tail: str) -> FindingsView:
    """These findings with advice, ranked for `tail`, a key of TAILS."""
    now = settings_now(session)
    advice = advise(seen, session.facts, tail=tail, settings=now)
    advice = beside_history(advice, session.facts)
    times = times_of(session)
    return FindingsView(
        seen,
        tuple(advice),
        tuple(conflicts(advice)),
        judged_together(times),
        sum(time.waited_ns for time in times),
        sum(time.used_ns for time in times),
        together(times),
    )


def ranked_references(
    references: tuple[Finding, ...], facts: TargetFacts, tail: str
) -> FindingsView:
    """What a server answered when it was asked for references, with advice for a tail."""
    advice = beside_history(advise(references, facts, tail=tail), facts)
    return FindingsView(references, tuple(advice), tuple(conflicts(advice)))


def cost_of(finding: Finding) -> Message:
    """What it costs in an hour, in words, or why that is not known."""
    worker, user = finding.cost_worker_s_per_h, finding.cost_user_s_per_h
    if worker is not None and user is not None:
        return Message(
            "Cost: {worker:duration} of worker threads an hour; clients wait {user:duration}.",
            worker=round(worker * NS_PER_S),
            user=round(user * NS_PER_S),
        )
    if worker is not None:
        return Message(
            "Cost: {worker:duration} of worker threads an hour.", worker=round(worker * NS_PER_S)
        )
    if user is not None:
        return Message("Cost: clients wait {user:duration} an hour.", user=round(user * NS_PER_S))
    if finding.uncosted:
        return Message("Cost unknown: {why}.", why=finding.uncosted)
    return NOTHING


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    """A piece of evidence with the words by which `--find` finds its operations, or null."""
    words = words_of(evidence.which) if evidence.which else None
    if evidence.which is not None:
        evidence = replace(evidence, which=replace(evidence.which, rows=None))
    stored: dict[str, Any] = as_stored(evidence)
    return stored | {"find": words}


def span_of_evidence(evidence: Evidence) -> Span | None:
    """From when to when (ns) to look; a moment has a second on either side."""
    if evidence.start_ns is None:
        return None
    end = evidence.end_ns if evidence.end_ns is not None else evidence.start_ns
    room = max(1_000_000_000, (end - evidence.start_ns) // 4)
    return evidence.start_ns - room, end + room


def span_of(finding: Finding, windows: Sequence[Window]) -> Span | None:
    """From the first to the last moment (ns) of the windows a finding is about.

    None where it is about none of these: it was asked of the server.
    """
    numbers = finding.numbers.get("windows", ())
    about = [window for window in windows if window.id in numbers]
    if not about:
        return None
    return min(w.start_ns for w in about), max(w.end_ns for w in about)


def spans_of(group: FindingGroup) -> list[Span]:
    """From when to when (ns) each piece of its evidence was, the first first."""
    spans = []
    for evidence in (piece for finding in group.findings for piece in finding.evidence):
        if evidence.which is not None:
            spans.append((evidence.which.start_ns, evidence.which.end_ns))
        elif evidence.start_ns is not None:
            spans.append((evidence.start_ns, evidence.end_ns or evidence.start_ns))
    return sorted(spans)


def span_of_links(links: Sequence[Link]) -> Span | None:
    """From the first to the last moment (ns) of a chain; None where no link has a time."""
    times = [t for link in links for t in (link.start_ns, link.end_ns) if t is not None]
    return (min(times), max(times)) if times else None


def span_to_show(evidence: Evidence, whole: Span | None) -> Span | None:
    """From when to when (ns) to look; `whole` for what has no time of its own."""
    return span_of_evidence(evidence) or whole


def strip_title(series: str) -> Message:
    """The strip that draws a series, NOTHING where none does."""
    for spec in strip_specs():
        for pattern in spec.patterns():
            if series and fnmatchcase(series.lower(), pattern.replace("{device}", "*").lower()):
                return spec.title
    return NOTHING
