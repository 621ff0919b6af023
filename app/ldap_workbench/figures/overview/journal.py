"""The journal as a table: every change on every server, the open ones bold."""

from __future__ import annotations

from ldap_workbench.figures.formats import attribute_values
from ldap_workbench.figures.names import CHANGE_STATES
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.change import Change
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_time


def _open(change: Change) -> bool:
    return change.state.open


COLUMNS: tuple[Column[Change], ...] = (
    quantity(Message("No."), lambda c: c.id, str),
    Column(Message("State"), lambda c: CHANGE_STATES[c.state], strong=_open),
    Column(Message("Server"), lambda c: c.server_name, tip=lambda c: c.server),
    Column(Message("Knob"), lambda c: c.knob, tip=lambda c: c.dn, strong=_open),
    Column(Message("Before"), lambda c: attribute_values(c.before), number=True),
    Column(Message("Requested"), lambda c: attribute_values(c.asked), number=True),
    Column(Message("Read back"), lambda c: attribute_values(c.got), number=True),
    Column(Message("Changed at"), lambda c: format_time(c.created_ns), lambda c: c.created_ns),
    Column(Message("Proof"), lambda c: c.proof or c.message, tip=lambda c: c.message or c.proof),
)
