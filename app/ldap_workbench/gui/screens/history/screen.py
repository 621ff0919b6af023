"""History: what was tried on which server, when, with what verdict, and whether it was kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QWidget

from ldap_workbench.experiment.history import History, Tried
from ldap_workbench.figures.overview.history import COLUMNS, newest_first, read_history, tried_on
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message, count_of


class HistoryScreen(Screen):
    """Newest first; a row leads to its session."""

    name = "history"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.set_subtitle(self.tr("Every test that ended, on every server, over all sessions"))
        self._known = History()
        self.table = RowsTable(self.tr("What was tried"), COLUMNS)
        self.model = self.table.rows
        self.table.activated.connect(self._on_row)
        self.here = QCheckBox(self.tr("Only the &connected server"))
        self.here.toggled.connect(self._fill)
        self.open = push_button(self.tr("&Open its session"), self._open_chosen)
        for tool in (self.here, self.open):
            self.add_tool(tool)
        self._words = label("", "dim", wrap=True)
        self._body = QWidget()
        column((self.table, 1), self._words, on=self._body, margins=0)
        self._empty = EmptyState(
            "history",
            self.tr("No tests yet"),
            self.tr(
                "Every finished experiment is listed here with its verdict and whether its "
                "change was kept, so that a change that did not help is not tried twice."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        workbench.connectionChanged.connect(self._on_connection)
        self._on_connection()

    def shown(self) -> None:
        self.reload()

    def reload(self) -> None:
        title = self.tr("Reading the history")
        self.workbench.start("history", title, lambda _, __: read_history(), self._on_history)

    @Slot(object)
    def _on_history(self, history: History) -> None:
        self._known = history
        self._fill()

    @Slot()
    def _on_connection(self) -> None:
        connected = self.workbench.connection is not None
        self.here.setEnabled(connected)
        if not connected:
            self.here.setChecked(False)
        self._fill()

    @Slot()
    def _fill(self) -> None:
        connection = self.workbench.connection
        tried = self._known.tried
        if self.here.isChecked() and connection:
            tried = tried_on(tried, connection.profile.ldap_url, connection.target.facts.identity)
        self.model.set_rows(newest_first(tried))
        counts = count_of("{n} experiment", "{n} experiments", n=len(tried))
        if self._known.unread:
            counts = Message(
                "{experiments}; lines that cannot be read: {unread}",
                experiments=counts,
                unread=self._known.unread,
            )
        self._words.setText(shown(counts))
        self.open.setEnabled(bool(tried))
        if tried:
            self.table.selectRow(0)
        anything = self._known.tried or self._known.unread
        self.show_body(self._body if anything else self._empty)

    @Slot()
    def _open_chosen(self) -> None:
        self._on_row(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, Tried) and row.session:  # a change by hand has none
            self.workbench.open_session(Path(row.session))
