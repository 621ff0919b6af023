"""A session file that is open in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ldap_workbench.figures.overview.session_summary import SessionSummary, read_summary
from ldap_workbench.model.errors import WorkbenchError

if TYPE_CHECKING:
    from ldap_workbench.session.reader import Session


class OpenSession:
    """A session file that is open; its Session is touched in the thread of its key only."""

    def __init__(self, session: Session, summary: SessionSummary) -> None:
        self.session = session
        self.summary = summary

    @property
    def path(self) -> Path:
        return self.summary.path

    @property
    def key(self) -> str:
        return session_key(self.path)


def open_file(path: Path, *_: object) -> OpenSession:
    """Open a session and read what it tells at a glance. Raises SessionError."""
    from ldap_workbench.session.reader import Session

    session = Session.open(path)
    try:
        return OpenSession(session, read_summary(session))
    except BaseException:
        session.close()
        raise


def rewrite_file(
    opened: OpenSession, work: Callable[[Path], None]
) -> tuple[OpenSession, WorkbenchError | None]:
    """The session opened again, and why it could not be written."""
    opened.session.close()
    failure = None
    try:
        work(opened.path)
    except WorkbenchError as error:
        failure = error
    return open_file(opened.path), failure


def session_key(path: Path) -> str:
    """Under which its jobs run, one after the other."""
    return f"session {path.absolute()}"
