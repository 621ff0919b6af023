"""What a session tells at a glance, read once when it is opened. Knows no widget."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_time
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Mark, Source, Window
from ldap_workbench.session import Session
from ldap_workbench.session.codec import from_json
from ldap_workbench.session.notes import session_note


@dataclass(frozen=True)
class Story:
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
        """The verdict of the latest experiment."""
        stored = self.experiment.verdict if self.experiment else None
        return from_json(Verdict, json.dumps(stored)) if stored else None

    def sources_of(self, window: Window) -> tuple[Source, ...]:
        return tuple(source for source in self.sources if source.window == window.id)

    def arm(self, arm: str) -> tuple[Window, ...]:
        """The windows of one arm."""
        return tuple(window for window in self.windows if window.arm == arm)

    def server(self) -> str:
        """Which server this is about, in a few words."""
        if self.facts is None:
            return QCoreApplication.translate("Story", "imported files")
        return server_words(self.facts)

    def summary(self) -> str:
        """One line: server, windows, when."""
        words = f"{self.server()} · {_windows(len(self.windows))}"
        if not self.windows:
            return words
        when = f"{words} · {format_time(self.windows[0].start_ns)[:16]} UTC"
        return f"{when} · {' '.join(self.note.split())}" if self.note else when


def _windows(count: int) -> str:
    say = QCoreApplication.translate
    return say("Story", "1 window") if count == 1 else say("Story", "{n} windows").format(n=count)


def server_words(facts: TargetFacts) -> str:
    """A server in a few words: where it runs, and what it is."""
    return f"{facts.host} · {facts.product} {facts.version.split(' ')[0]}"


def read_story(session: Session) -> Story:
    """Read it; cheap also for a session of millions of operations."""
    return Story(
        path=session.path,
        facts=session.facts,
        windows=tuple(session.windows()),
        sources=tuple(session.sources()),
        marks=tuple(session.marks()),
        experiments=tuple(session.experiments()),
        changes=tuple(session.changes()),
        note=session_note(session),
    )


def comparison(story: Story) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
    """Which windows to show as A and as B at first.

    The arms where there are any; else all windows as A and nothing to compare with.
    """
    if story.arm("A") or story.arm("B"):
        return story.arm("A"), story.arm("B")
    return story.windows, ()
