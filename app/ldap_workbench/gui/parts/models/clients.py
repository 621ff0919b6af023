"""Clients as rows, most expensive first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.operations.clients import ClientRow
from ldap_workbench.figures.operations.clients_table import columns
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.message import Message


class ClientsModel(RowsModel[ClientRow]):
    """What clients did and cost, and the findings that name them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(columns({}), (), parent)

    def set_clients(self, rows: Sequence[ClientRow], titles: Mapping[str, Message]) -> None:
        """Show these instead; `titles` names a finding by its id."""
        self.columns = columns(titles)
        self.set_rows(rows)
