"""What programs and notebooks call: `import ldap_workbench as lw`, then `lw.open(...)`.

Import it from here for type checkers; the package itself imports no room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ldap_workbench.model.finding import Finding
    from ldap_workbench.model.tail import Tail
    from ldap_workbench.model.window import Window
    from ldap_workbench.session.reader import Session

__all__ = ["findings", "import_logs", "open", "tails"]

# What each needs is loaded when it is called: a start of the program needs none of it.


def open(path: str | Path) -> Session:  # noqa: A001 -- read as `lw.open`
    """A session file, read-only; close it, or use it with `with`. Raises SessionError."""
    from ldap_workbench.session.reader import Session

    return Session.open(path)


def import_logs(paths: Sequence[str | Path], output: str | Path) -> None:
    """Read logs and what lies beside them into a new session file, as `import` does.

    Raises LogError where nothing could be used, SessionError where the file cannot be written;
    no file is left then.
    """
    from pathlib import Path

    from ldap_workbench.capture.importing.logs import import_logs as read
    from ldap_workbench.model.errors import LogError
    from ldap_workbench.session.writer import SessionWriter

    try:
        with SessionWriter.create(output) as writer:
            read([Path(path) for path in paths], writer)
    except LogError:
        Path(output).unlink(missing_ok=True)
        raise


def tails(session: Session, window: Window | None = None) -> list[Tail]:
    """Etimes by operation type in ns, of one window or of all: nearest rank, as `tails --json`."""
    from ldap_workbench.inference.counts.tails import tails as tails_of

    results: list[Tail] = []
    for measured in session.windows() if window is None else [window]:
        source = session.operation_source(measured)
        steps = [s.resolution_ns for s in session.sources(measured.id) if s.id == source]
        step_ns = steps[0] if steps else 1
        results += tails_of(
            session.latencies(measured), window=measured.name, resolution_ns=step_ns
        )
    return results


def findings(session: Session, window: Window | None = None) -> list[Finding]:
    """What stands out in one window, or in all, the most expensive first: as `findings`."""
    from ldap_workbench.advice.families.find import findings as find

    return find(session, window)
