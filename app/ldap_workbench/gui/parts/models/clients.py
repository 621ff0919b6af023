"""Clients as rows, most expensive first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.figures.operations.clients import ClientRow, bind_dn_of
from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S

_FIRST = 4
"""Columns before what is found: who it is, and what it costs."""


class ClientsModel(RowsModel[ClientRow]):
    """What clients did and cost; what is found about them is called by `titles`, by its id."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._titles: Mapping[str, Message] = {}
        findings = Column[ClientRow](Message("Found"), self._findings)
        super().__init__((*COLUMNS[:_FIRST], findings, *COLUMNS[_FIRST:]), (), parent)

    def set_clients(self, rows: Sequence[ClientRow], titles: Mapping[str, Message]) -> None:
        """Show these instead."""
        self._titles = titles
        self.set_rows(rows)

    def _findings(self, row: ClientRow) -> Message:
        titles = tuple(self._titles[which] for which in row.findings if which in self._titles)
        return Message("{titles:list}", titles=titles) if titles else NOTHING


COLUMNS = (
    Column[ClientRow](Message("Client"), lambda r: r.address or Message("(not known)")),
    Column[ClientRow](Message("Bind DN"), bind_dn_of),
    Column[ClientRow](
        Message("Worker time/h"),
        lambda r: etime(round(r.worker_s_per_h * NS_PER_S)),
        lambda r: r.worker_s_per_h,
        True,
        about=Message("Time of worker threads that the client took, in an hour"),
    ),
    Column[ClientRow](
        Message("Share"),
        lambda r: amount(100 * r.share, ".1f", " %"),
        lambda r: r.share,
        True,
        strong=lambda r: r.share >= 0.25,
        about=Message("Of the worker time of all clients"),
    ),
    Column[ClientRow](
        Message("Connections"), lambda r: amount(r.connections), lambda r: r.connections, True
    ),
    Column[ClientRow](
        Message("Operations each"),
        lambda r: amount(r.operations_per_connection, ".1f"),
        lambda r: r.operations_per_connection,
        True,
        strong=lambda r: "no_pooling" in r.findings,
        about=Message("Operations on a connection, on average"),
    ),
    Column[ClientRow](
        Message("Operations"), lambda r: amount(r.operations), lambda r: r.operations, True
    ),
    Column[ClientRow](
        Message("Searches"), lambda r: amount(r.searches), lambda r: r.searches, True
    ),
    Column[ClientRow](Message("Binds"), lambda r: amount(r.binds), lambda r: r.binds, True),
    Column[ClientRow](Message("Writes"), lambda r: amount(r.writes), lambda r: r.writes, True),
    Column[ClientRow](Message("Entries"), lambda r: amount(r.entries), lambda r: r.entries, True),
)
