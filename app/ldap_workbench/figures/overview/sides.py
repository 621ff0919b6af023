"""Two sessions, one for A and one for B."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.figures.overview.session_summary import SessionSummary, read_summary
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session


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
