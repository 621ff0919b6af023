"""Operations without an answer: how long each waited, who asked, and whether it still waits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ldap_workbench.advice.evidence.companions import given_up_in, waiting_of, without_closed
from ldap_workbench.advice.evidence.view import LogLines
from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Span, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.unanswered import Waiting, is_persistent


@dataclass(frozen=True)
class WaitingRow:
    """One of them. `left_open`: its client asked to be told of changes, and waits for no answer."""

    window: str
    waited_ns: int
    operation: Waiting
    left_open: bool

    def as_json(self) -> dict[str, Any]:
        """As `waiting --json` prints it; `at`, the place in the stored log, is of no use there."""
        fields = asdict(self.operation)
        del fields["at"], fields["boot"]
        return {
            "window": self.window,
            "waited_ns": self.waited_ns,
            "left_open": self.left_open,
            **fields,
        }


def waiting_rows(
    session: Session, windows: Sequence[Window], selection: Span | None = None
) -> tuple[WaitingRow, ...]:
    """Operations of these windows without a result, the longest first.

    They were open at the end, or their connections were closed; those left open come last. With a
    `selection` only those that waited between its two moments (ns).
    """
    first_ns, last_ns = selection or (-math.inf, math.inf)
    rows: list[WaitingRow] = []
    for window in windows:
        source = session.operation_source(window)
        lines = LogLines(session, source) if source is not None else None
        columns = session.client_columns(window, ("boot", "conn", "opened_ns"))
        sources = session.sources(window.id)
        waiting = without_closed(waiting_of(window, sources), **columns)
        for operation in (*waiting, *given_up_in(window, sources)):
            left_open = lines is not None and is_persistent(operation, lines.at)
            waited_ns = operation.waited_ns(window.end_ns)
            if operation.time_ns > last_ns or operation.time_ns + waited_ns < first_ns:
                continue
            rows.append(WaitingRow(window.name, waited_ns, operation, left_open))
    rows.sort(key=lambda row: (row.left_open, -row.waited_ns))
    return tuple(rows)


def _waits_for(row: WaitingRow) -> Message:
    if row.left_open:
        return Message("changes (left open)")
    if row.operation.closed_ns is not None:
        return Message("nothing now (closed)")
    return Message("an answer")


COLUMNS: tuple[Column[WaitingRow], ...] = (
    quantity(
        Message("Waited"),
        lambda r: r.waited_ns,
        etime,
        strong=lambda r: not r.left_open and r.waited_ns >= 10 * NS_PER_S,
        about=Message("From the request to the end of the window, or of the connection"),
        key="waited",
    ),
    Column(Message("Type"), lambda r: r.operation.type, key="type"),
    Column(
        Message("Since"),
        lambda r: Message("{at:time}", at=r.operation.time_ns),
        lambda r: r.operation.time_ns,
        key="since",
    ),
    quantity(Message("Connection"), lambda r: r.operation.conn, str, key="conn"),
    Column(
        Message("Operation"),
        lambda r: f"{r.operation.op}" if r.operation.op >= 0 else "",
        lambda r: r.operation.op,
        number=True,
        key="op",
    ),
    Column(Message("Client"), lambda r: r.operation.client or Message("(not known)"), key="client"),
    Column(Message("Bind DN"), lambda r: r.operation.bind_dn, key="bind DN"),
    Column(
        Message("Filter or entry"),
        lambda r: r.operation.filter or r.operation.base,
        tip=lambda r: r.operation.base,
        key="filter",
    ),
    Column(
        Message("Waits for"),
        _waits_for,
        key="waits for",
    ),
)
