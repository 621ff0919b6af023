"""Clients: who asks, how often, what it costs, what is found about each, and who still waits."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ldap_workbench.figures.operations.clients import ClientRow, ClientsView, clients_of, columns
from ldap_workbench.figures.operations.waiting import COLUMNS, WaitingRow, waiting_rows
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import localised
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.fields import WindowPicker
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench


class ClientsScreen(SessionScreen):
    """The clients of the open session, most expensive first.

    *Signals:* operationsOfWanted(a ClientRow)
    """

    operationsOfWanted = Signal(object)

    name = "clients"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._windows = WindowPicker(self.tr("Windows"))
        self._windows.chosen.connect(self._ask)
        self.add_tool(self._windows)
        self.table = RowsTable(self.tr("Clients"), columns({}), keep="clients table", sort=2)
        self.model = self.table.rows
        self.table.activated.connect(self._on_row)
        self._count = label("", "dim", wrap=True)
        name = self.tr("Operations without an answer")
        self.waiting_table = RowsTable(name, COLUMNS, keep="waiting table", sort=0)
        self.waiting = self.waiting_table.rows
        self._waiting_title = label(name, "heading")
        self._body = QWidget()
        column(
            (self.table, 2),
            self._count,
            self._waiting_title,
            (self.waiting_table, 1),
            on=self._body,
            margins=0,
        )
        self._show_waiting(())
        self._empty = EmptyState(
            "clients",
            self.tr("No session is open"),
            self.tr(
                "Open a session or capture a window to list the clients of the server by what they "
                "cost: connections, searches, and time of worker threads."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)

    def _clear(self) -> None:
        self.model.set_rows(())
        self._count.setText("")
        self._show_waiting(())

    def _begin(self, opened: OpenSession) -> None:
        self._windows.set_windows(opened.summary.windows, opened.summary.windows)
        super()._begin(opened)

    @Slot()
    def _ask(self) -> None:
        """Count the clients of the windows that are ticked."""
        windows = self._windows.windows()
        asked = self.workbench.ask_session(
            self.tr("Counting clients"),
            lambda session: (clients_of(session, windows), waiting_rows(session, windows)),
            self._on_clients,
            view=True,
        )
        if asked:
            self._stale = False
            self._count.setText(self.tr("Counting clients …"))

    @Slot(object)
    def _on_clients(self, answer: tuple[ClientsView, tuple[WaitingRow, ...]]) -> None:
        view, waiting = answer
        self._show_waiting(waiting)
        self.model.set_table(columns(view.titles), view.rows)
        if not view.rows:
            self._count.setText(self.tr("No operation of a client is in these windows."))
            return
        words = self.tr(
            "Clients: {clients}. Press Enter or double-click to list the operations of one."
        )
        self._count.setText(words.format(clients=localised(len(view.rows))))
        self.table.selectRow(0)

    def _show_waiting(self, rows: tuple[WaitingRow, ...]) -> None:
        """The table of operations without an answer takes room only where there are any."""
        self.waiting.set_rows(rows)
        self._waiting_title.setVisible(bool(rows))
        self.waiting_table.setVisible(bool(rows))

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, ClientRow):
            self.operationsOfWanted.emit(row)
