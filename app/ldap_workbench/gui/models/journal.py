"""The journal: every change on every server, the open ones bold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.gui.models.table import Column, RowsModel
from ldap_workbench.gui.models.words import values
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.units import format_time

_STATE_WORDS = {
    ChangeState.INTENDED: "OPEN: possibly written",
    ChangeState.APPLIED: "OPEN: in place",
    ChangeState.REVERTING: "OPEN: being reverted",
    ChangeState.REVERTED: "reverted",
    ChangeState.KEPT: "kept",
    ChangeState.REFUSED: "refused by the server",
    ChangeState.DONE: "done, nothing to revert",
}


class JournalModel(RowsModel[Change]):
    """Newest first, as the screen hands them in."""

    def __init__(self, rows: Sequence[Change] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)


def describe_state(change: Change) -> str:
    """What a state means for the server."""
    return _STATE_WORDS[change.state]


def _open(change: Change) -> bool:
    return change.state.open


COLUMNS = (
    Column[Change]("No.", lambda c: str(c.id), lambda c: c.id, number=True),
    Column[Change]("State", describe_state, strong=_open, spoken=True),
    Column[Change]("Server", lambda c: c.server),
    Column[Change]("Knob", lambda c: c.knob, tip=lambda c: c.dn, strong=_open),
    Column[Change]("Before", lambda c: values(c.before), number=True),
    Column[Change]("Requested", lambda c: values(c.asked), number=True),
    Column[Change]("Read back", lambda c: values(c.got), number=True),
    Column[Change]("Changed at", lambda c: format_time(c.created_ns), lambda c: c.created_ns),
    Column[Change]("Proof", lambda c: c.proof or c.message, tip=lambda c: c.message or c.proof),
)
