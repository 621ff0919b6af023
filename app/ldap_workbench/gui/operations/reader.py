"""The slowest operations of some windows, and the lines of the log behind one. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldap_workbench.gui.models.operations import OperationRow, operation_rows
from ldap_workbench.model.operations import Operations, client_operations
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session

COUNT = 2000
"""Operations listed; more are found by narrowing the windows."""
_AROUND = 8


@dataclass(frozen=True)
class RawLines:
    """The request and result line of an operation, and what stands around the result."""

    request: str
    result: str
    around: tuple[str, ...]


def slowest(
    session: Session,
    windows: Sequence[Window],
    count: int = COUNT,
    stretch: tuple[int, int] | None = None,
) -> list[OperationRow]:
    """The slowest client operations of these windows, longest first.

    With a `stretch` only those at work between its two moments (ns).
    """
    rows: list[OperationRow] = []
    for window in windows:
        source = session.operation_source(window)
        if source is not None:
            operations = (
                session.slowest(window, count)
                if stretch is None
                else _within(session.operations(window), *stretch, count)
            )
            rows += operation_rows(operations, window.name, source)
    return sorted(rows, key=lambda row: -row.etime_ns)[:count]


def _within(operations: Operations, from_ns: int, to_ns: int, count: int) -> Operations:
    started = operations.end_ns - operations.etime_ns
    at_work = (started < to_ns) & (operations.end_ns > from_ns) & client_operations(operations)
    rows = np.flatnonzero(at_work)
    return operations.take(rows[np.argsort(-operations.etime_ns[rows], kind="stable")[:count]])


def raw_lines(session: Session, row: OperationRow) -> RawLines:
    """What the log says of an operation; '' where the line was not kept."""
    request = session.raw_line(row.source, row.request_at) if row.request_at >= 0 else ""
    if row.result_at < 0:
        return RawLines(request, "", ())
    around = tuple(session.raw_around(row.source, row.result_at, _AROUND))
    return RawLines(request, session.raw_line(row.source, row.result_at), around)


def printable(text: str) -> str:
    """Text of a log without what could pass for something else on a screen."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
