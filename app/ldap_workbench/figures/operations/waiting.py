"""Operations without an answer where a window ends: how long each had waited, and who asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ldap_workbench.advice.evidence.companions import waiting_of, without_closed
from ldap_workbench.advice.evidence.view import LogLines
from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
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


def waiting_rows(session: Session, windows: Sequence[Window]) -> tuple[WaitingRow, ...]:
    """Operations open at the end of these windows, the longest first; those left open come last."""
    rows: list[WaitingRow] = []
    for window in windows:
        source = session.operation_source(window)
        lines = LogLines(session, source) if source is not None else None
        columns = session.client_columns(window, ("boot", "conn", "opened_ns"))
        waiting = waiting_of(window, session.sources(window.id))
        for operation in without_closed(waiting, **columns):
            left_open = lines is not None and is_persistent(operation, lines.at)
            waited_ns = window.end_ns - operation.time_ns
            rows.append(WaitingRow(window.name, waited_ns, operation, left_open))
    rows.sort(key=lambda row: (row.left_open, -row.waited_ns))
    return tuple(rows)


def _what(row: WaitingRow) -> str:
    return row.operation.filter or row.operation.base


COLUMNS: tuple[Column[WaitingRow], ...] = (
    quantity(
        Message("Waited"),
        lambda r: r.waited_ns,
        etime,
        strong=lambda r: not r.left_open and r.waited_ns >= 10 * NS_PER_S,
        about=Message("From the request to the end of the window"),
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
    Column(Message("Filter or entry"), _what, tip=lambda r: r.operation.base, key="filter"),
    Column(
        Message("Waits for"),
        lambda r: Message("changes (left open)") if r.left_open else Message("an answer"),
        key="waits for",
    ),
)
