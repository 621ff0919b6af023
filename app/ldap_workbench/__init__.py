"""LDAP Tuning Workbench: measure, change and judge a directory server, one change at a time.

`open` reads a session file in a program of your own (docs/schema.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ldap_workbench.session import Session

__version__ = "0.1.0"
__all__ = ["open"]


def open(path: str | Path) -> Session:  # noqa: A001 - as in gzip and zipfile
    """Open a session file for reading; a context manager.

    Raises SessionError where it is not there, not a session, newer or in use.
    """
    # Whoever starts the command waits for neither numpy nor the database.
    from ldap_workbench.session import Session

    return Session.open(path)
