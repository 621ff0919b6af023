"""A session at a glance, read once when it is opened."""

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
