"""What a session is about in one screen: its verdict or what costs most, its tails, its timeline.

Read part by part in the session's thread, so that each is there as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.figures.overview.account import Bar, together
from ldap_workbench.figures.overview.findings import (
    FindingsView,
    Share,
    cost_of,
    read_findings,
    times_of,
)
from ldap_workbench.figures.overview.session_summary import SessionSummary, default_comparison
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.heat_grid import HeatGrid, StallAt
from ldap_workbench.figures.timeline.view import TimelineReader, stalls_of
from ldap_workbench.model.finding import FindingGroup
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import RULES, Verdict
from ldap_workbench.model.window import Source, SourceState, Window
from ldap_workbench.session.reader import Session

WORST = 5
"""Findings that are shown, the dearest first; all of them are on their own page."""
_TAIL = "p99.9"


@dataclass(frozen=True)
class WorstFinding:
    """One line of the findings; `cost` is NOTHING, `share` None where the sources do not tell."""

    title: Message
    cost: Message
    level: int
    """3 (high) to 1 (low), as FindingsView.level."""
    share: Share | None = None
    id: str = ""


@dataclass(frozen=True)
class WorstFindings:
    """The dearest of `of` findings; what tells of one thing is one."""

    lines: tuple[WorstFinding, ...] = ()
    of: int = 0
    bars: tuple[Bar, ...] = ()
    """Where the time went."""
    judged: Message = NOTHING


@dataclass(frozen=True)
class Completeness:
    """How complete the sources are, in a sentence."""

    complete: bool
    sentence: Message


def stored_verdict(summary: SessionSummary) -> Verdict | None:
    """The verdict of the session's experiment; None where nothing was changed in it."""
    experiment = summary.experiment
    changes = experiment is not None and not experiment.plan.changes_nothing
    return summary.verdict if changes else None


def is_of_earlier_rules(summary: SessionSummary) -> bool:
    """Whether that verdict is to be judged again, which reads all operations."""
    verdict = stored_verdict(summary)
    return verdict is not None and verdict.rules < RULES


def read_verdict(session: Session, summary: SessionSummary) -> Verdict | None:
    """That verdict by today's rules; None where its word is the same."""
    stored, experiment = stored_verdict(summary), summary.experiment
    today = verdict_of_today(session, experiment) if experiment else None
    if stored is None or today is None or today.primary.verdict == stored.primary.verdict:
        return None
    return today


def read_tails(session: Session, summary: SessionSummary, slo_ns: int) -> TailsPicture:
    """The tail before and after, of the operations the verdict is about, without single windows."""
    a, b = default_comparison(summary)
    kind, verdict, experiment = ALL, stored_verdict(summary), summary.experiment
    if verdict and experiment:
        kind, slo_ns = experiment.plan.primary_metric.operation_type, experiment.plan.slo_ns
    return replace(TailsReader(session).picture(a, b, kind, slo_ns), windows=())


def read_grid(session: Session, summary: SessionSummary) -> HeatGrid | None:
    """The heat map of all windows, without stalls; None where there is no window."""
    return TimelineReader(session).grid(summary.windows)


def read_stalls(session: Session, windows: Sequence[Window]) -> tuple[StallAt, ...]:
    """The stalls of these windows."""
    return tuple(stall for window in windows for stall in stalls_of(session, window))


def read_worst(session: Session) -> WorstFindings:
    """The dearest findings."""
    view = read_findings(session, _TAIL)
    lines = tuple(_line(view, group) for group in view.groups[:WORST])
    return WorstFindings(lines, len(view.groups), together(times_of(session)), view.judged)


def completeness_of(sources: Sequence[Source], windows: int) -> Completeness:
    """How many sources are complete, and which are not in how many windows."""
    lacking: dict[tuple[Message, Message], int] = {}
    for source in sources:
        if source.state is not SourceState.COMPLETE:
            key = source.kind.label, source.state.label
            lacking[key] = lacking.get(key, 0) + 1
    if not sources:
        return Completeness(False, Message("This session names no sources."))
    if not lacking:
        return Completeness(
            True,
            count_of("{n} source, complete.", "{n} sources, all complete.", n=len(sources)),
        )
    counted = Message(
        "{complete} of {all} sources are complete.",
        complete=len(sources) - sum(lacking.values()),
        all=len(sources),
    )
    named = tuple(_lack(*key, n, windows) for key, n in lacking.items())
    return Completeness(False, sentences(counted, Message("Not complete: {named}.", named=named)))


def _lack(kind: Message, state: Message, n: int, windows: int) -> Message:
    if windows == 1:
        return Message("{source} ({state})", source=kind, state=state)
    return count_of(
        "{source} ({state} in {n} window)",
        "{source} ({state} in {n} windows)",
        n=n,
        source=kind,
        state=state,
    )


def _line(view: FindingsView, group: FindingGroup) -> WorstFinding:
    dearest = max(group.findings, key=lambda finding: finding.cost_s_per_h or 0.0)
    known = dearest.cost_s_per_h is not None
    cost = cost_of(dearest) if known else NOTHING
    level, share = view.level(group), view.share(group)
    return WorstFinding(group.lead.title, cost, level, share, group.lead.id)
