"""A session at a glance, read once when it is opened.

Two sessions, one for A and one for B.

What a session is about in one screen: its verdict, its tails, its timeline, how complete it is.
Read part by part in the session's thread, so that each is there as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_time
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Mark, Source, Window

if TYPE_CHECKING:
    from ldap_workbench.session.reader import Session

from dataclasses import replace

from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.heat_grid import HeatGrid, StallAt
from ldap_workbench.figures.timeline.view import TimelineReader, stalls_of
from ldap_workbench.model.message import sentences
from ldap_workbench.model.verdict import RULES
from ldap_workbench.model.window import SourceState
from ldap_workbench.session.reader import Session


@dataclass(frozen=True)
class SessionSummary:
    """Everything of a session but its operations, samples and raw text."""

    path: Path
    facts: TargetFacts | None
    windows: tuple[Window, ...]
    sources: tuple[Source, ...]
    marks: tuple[Mark, ...]
    experiments: tuple[Experiment, ...]
    changes: tuple[Change, ...]
    note: str = ""
    """What the operator noted on the session."""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def experiment(self) -> Experiment | None:
        """The latest experiment."""
        return self.experiments[-1] if self.experiments else None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the latest experiment; an older one is told what its B was."""
        from ldap_workbench.experiment.judge import b_of  # the window starts without

        experiment = self.experiment
        if experiment is None or experiment.verdict is None:
            return None
        return experiment.verdict.naming(b_of(experiment.plan))

    def arm(self, arm: str) -> tuple[Window, ...]:
        """The windows of one arm."""
        return tuple(window for window in self.windows if window.arm == arm)

    def headline(self) -> Message:
        """One line: server, windows, when, and what the operator noted."""
        server = describe_server(self.facts) if self.facts else Message("imported files")
        count = count_of("{n} window", "{n} windows", n=len(self.windows))
        if not self.windows:
            return Message("{server} · {windows}", server=server, windows=count)
        start, note = format_time(self.windows[0].start_ns)[:16], " ".join(self.note.split())
        if not note:
            return Message(
                "{server} · {windows} · {start} UTC", server=server, windows=count, start=start
            )
        return Message(
            "{server} · {windows} · {start} UTC · {note}",
            server=server,
            windows=count,
            start=start,
            note=note,
        )


def describe_server(facts: TargetFacts) -> str:
    """A server in a few words: where it runs, and what it is."""
    return f"{facts.host} · {facts.product} {facts.version.split(' ')[0]}"


@dataclass(frozen=True)
class SessionBadges:
    """What tells one session from another in a list; '' where it is not known."""

    server: str = ""
    product: str = ""
    verdict: str = ""
    """The judgement, as the verdict stores it; shown by `Judgement.named`."""
    outcome: str = ""
    """The state its experiment ended in: kept, reverted, aborted."""


def badges_of(summary: SessionSummary) -> SessionBadges:
    """The badges of a session."""
    facts, experiment, verdict = summary.facts, summary.experiment, summary.verdict
    return SessionBadges(
        server=facts.host if facts else "",
        product=f"{facts.product} {facts.version.split(' ')[0]}" if facts else "",
        verdict=str(verdict.primary.verdict) if verdict else "",
        outcome=experiment.state.value if experiment and verdict else "",
    )


def read_summary(session: Session) -> SessionSummary:
    """Read it; cheap also for a session of millions of operations."""
    from ldap_workbench.session.notes import session_note

    return SessionSummary(
        path=session.path,
        facts=session.facts,
        windows=tuple(session.windows()),
        sources=tuple(session.sources()),
        marks=tuple(session.marks()),
        experiments=tuple(session.experiments()),
        changes=tuple(session.changes()),
        note=session_note(session),
    )


def default_comparison(summary: SessionSummary) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
    """Which windows to show as A and as B at first.

    The arms where there are any; else all windows as A and nothing to compare with.
    """
    if summary.arm("A") or summary.arm("B"):
        return summary.arm("A"), summary.arm("B")
    return summary.windows, ()


def comparison_name(a: Sequence[Window], b: Sequence[Window], kind: str) -> Message:
    """What is compared: 'A1, A2 against B1, B2 · SRCH'."""
    what = Message("all operations") if kind == ALL else verbatim(kind)
    if not b:
        return Message("{windows} · {operations}", windows=_names(a), operations=what)
    return Message("{a} against {b} · {operations}", a=_names(a), b=_names(b), operations=what)


def _names(windows: Sequence[Window]) -> str:
    return ", ".join(window.name for window in windows)


@dataclass(frozen=True)
class Side:
    """Windows of one session file."""

    path: Path
    windows: tuple[Window, ...]


@dataclass(frozen=True, eq=False)
class Sides:
    """Two open sessions; to be opened, read and closed in one thread."""

    summaries: dict[str, SessionSummary]
    reader: TailsReader
    sessions: tuple[Session, ...]

    @classmethod
    def open(cls, a: Path, b: Path) -> Sides:
        """Open both read-only. Raises SessionError."""
        opened = [Session.open(a)]
        try:
            opened.append(Session.open(b))
            summaries = {arm: read_summary(s) for arm, s in zip("AB", opened, strict=True)}
        except BaseException:
            for session in opened:
                session.close()
            raise
        return cls(summaries, TailsReader(*opened), tuple(opened))

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(session.path for session in self.sessions)

    def close(self) -> None:
        """Let go of both files."""
        for session in self.sessions:
            session.close()


def summary_of(path: Path) -> SessionSummary:
    """A session at a glance; it is closed again. Raises SessionError."""
    with Session.open(path) as session:
        return read_summary(session)


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
