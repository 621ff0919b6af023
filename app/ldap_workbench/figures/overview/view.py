"""What a session is about in one screen: its verdict, its tails, its timeline, how complete it is.

Read part by part in the session's thread, so that each is there as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.figures.overview.session_summary import SessionSummary, default_comparison
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.heat_grid import HeatGrid, StallAt
from ldap_workbench.figures.timeline.view import TimelineReader, stalls_of
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import RULES, Verdict
from ldap_workbench.model.window import Source, SourceState, Window
from ldap_workbench.session.reader import Session


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
