"""The session file.

One DuckDB database with windows, sources, operations, samples, raw text, marks, experiments and the
changes they made.

A SessionWriter is the only one that writes a file, from one thread of its own, and may be called
from many. A Session reads it back, also offline, also after a crash in mid-capture; the file may
come from a stranger and is opened read-only with external access off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldap_workbench.model.loading import on_demand
from ldap_workbench.session.opening import is_session
from ldap_workbench.session.reader import Session

if TYPE_CHECKING:
    from ldap_workbench.session.writer import SessionWriter

__all__ = ["Session", "SessionWriter", "is_session"]

# Who reads needs no writer.
__getattr__ = on_demand({"SessionWriter": "ldap_workbench.session.writer"})
