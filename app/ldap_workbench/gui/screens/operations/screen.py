"""Operations: any of them found by words, sorted, grouped; the log's own lines below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QWidget

from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.operations.clients import (
    ClientRow,
    ClientsView,
    client_terms,
    clients_of,
)
from ldap_workbench.figures.operations.clients import columns as client_columns
from ldap_workbench.figures.operations.clients import words_of as words_of_client
from ldap_workbench.figures.operations.index_plan import SlowSearch, explain
from ldap_workbench.figures.operations.table import GROUP_NAME, GROUP_NUMBERS, cell_terms
from ldap_workbench.figures.operations.view import (
    PAGE,
    Grouping,
    GroupRow,
    Listing,
    OperationRow,
    RawLines,
    grouped,
    raw_lines,
)
from ldap_workbench.figures.operations.waiting import COLUMNS as WAITING_COLUMNS
from ldap_workbench.figures.operations.waiting import WaitingRow, waiting_rows
from ldap_workbench.gui.parts.models.operations import OperationsModel, copied_text
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import link_button
from ldap_workbench.gui.parts.widgets.fields import WindowPicker
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.saved_views import SavedViewsButton
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.operations.finder import UNANSWERED, Finder
from ldap_workbench.gui.screens.operations.table import OperationsTable, PageReader
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import count_of
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.visible import one_line
from ldap_workbench.session.conditions import exactly, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Group, Search


class LinesPane(QPlainTextEdit):
    """Its request, its result, and the lines around them; plain text, whatever it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setProperty("role", "raw")
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(self.tr("Lines of the log around the operation"))
        self.setPlaceholderText(self.tr("Choose an operation to see its lines in the log."))

    def show_lines(self, lines: RawLines, search: SlowSearch | None = None) -> None:
        """Show the lines of one operation, and why it took its time where that is known."""
        missing = self.tr("(the line is before the window)")
        text = [
            self.tr("Request:  ") + (one_line(lines.request) or missing),
            self.tr("Result:   ") + (one_line(lines.result) or missing),
            "",
            *self._reasons(search),
            self.tr("Around the result:"),
            *(("→ " if line == lines.result else "  ") + one_line(line) for line in lines.around),
        ]
        self.setPlainText("\n".join(text))

    def _reasons(self, search: SlowSearch | None) -> list[str]:
        """Sentences, then the index plan, a key a line."""
        if search is None or not search.reasons:
            return []
        keys = [
            f"  {one_line(f'{key.attribute} ({key.kind}) {key.value}')}: {localised(key.entries)}"
            for key in search.plan
        ]
        heading = [self.tr("Index keys, and the entries each lists:")] if keys else []
        sentences = [one_line(shown(reason)) for reason in search.reasons]
        return [self.tr("Why it took its time:"), *sentences, *heading, *keys, ""]


_Look = Callable[[Session], Any]
_PAUSE_MS = 150
"""A selection that grows faster than this is not done yet."""


def _or_refusal(look: _Look, session: Session) -> Any:
    """What it finds; or why this session cannot be asked, as for a finding it does not have."""
    try:
        return look(session)
    except UsageError as error:
        return error


class OperationsScreen(SessionScreen):
    """The operations of the open session, the slowest first; or clients, filters ... by cost.

    *Signals:* indexKeysWanted()
    """

    indexKeysWanted = Signal()
    name = "operations"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._fitted = False
        self._search: Search | None = None
        self._listing: Listing | None = None
        self._order = ("etime", True)
        self._looking: Job | None = None
        self._before: tuple[str, str] | None = None
        self._goes_back = False
        self._shown_by = ""
        """Grouping of the rows in front, which may not be the one that is looked for."""
        self._windows = WindowPicker(self.tr("Windows"))
        self._windows.chosen.connect(self._ask)
        self.add_tool(self._windows)
        self.finder = Finder()
        self.finder.changed.connect(self._ask)
        self._make_filters()
        self._make_tables()
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.selection.changed.connect(self.outdate)

    def show_filter(self, which: OperationFilter) -> None:
        """List what a filter finds, in all windows and at all times."""
        if self.workbench.opened is not None:
            every = self.workbench.opened.summary.windows
            self._windows.set_windows(every, every)
        self.workbench.selection.clear()
        self.finder.put(words_of(which), "")

    # How it is made

    def _make_filters(self) -> None:
        self.filters = SavedViewsButton(
            "save",
            self.tr("Saved filters"),
            self.tr("&Save this filter"),
            "Alt+Shift+F",
            self.workbench.settings,
            self.finder.as_view,
        )
        self.filters.key = "filters"
        self.filters.wanted.connect(self.finder.put_view)
        self.add_tool(self.filters)

    def _make_tables(self) -> None:
        self.model = OperationsModel(parent=self)
        self.table = OperationsTable(self.tr("Operations"), keep="operations table")
        self.table.set_rows(self.model, fit=False)
        self.table.show_rare(())
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._to_sum = single_shot(self, self._sum, _PAUSE_MS)
        self.table.selectionModel().selectionChanged.connect(lambda: self._to_sum.start())
        self.table.terms_of = self._cell_terms
        self.table.filterWanted.connect(self._on_filter)
        self.table.copyWanted.connect(self._on_copy)
        self.model.orderWanted.connect(self._on_order)
        self._reader = PageReader(self.workbench, self.model, self)
        self._reader.came.connect(self._on_page)
        name = self.tr("Groups of operations")
        columns = (GROUP_NAME, *GROUP_NUMBERS)
        self.group_table = RowsTable(name, columns, keep="groups table", stretch=0, sort=2)
        self.groups = self.group_table.rows
        self.client_table = RowsTable(
            self.tr("Clients"), client_columns({}), keep="clients table", sort=2
        )
        self.clients = self.client_table.rows
        for table in (self.group_table, self.client_table):
            table.activated.connect(self._on_group)
            table.terms_of = self._group_terms
            table.filterWanted.connect(self._on_filter)
        name = self.tr("Operations without an answer")
        self.waiting_table = RowsTable(name, WAITING_COLUMNS, keep="waiting table", sort=0)
        self.waiting = self.waiting_table.rows

    def _make_body(self) -> QWidget:
        self._count = label("", "dim")
        self._to_groups = link_button(self.tr("&Back to the groups"), on_click=self._on_back)
        self._to_groups.hide()
        self.index_keys = link_button(
            self.tr("Capture index &keys …"), on_click=self.indexKeysWanted
        )
        set_tip(
            self.index_keys,
            self.tr(
                "Two minutes of the connected server with the index keys of each search: a search "
                "like this one then shows its index plan"
            ),
        )
        self.index_keys.hide()
        self._tables = QStackedWidget()
        for table in (self.table, self.group_table, self.client_table, self.waiting_table):
            self._tables.addWidget(table)
        upper = QWidget()
        column(
            self.finder,
            (self._tables, 1),
            row((self._count, 1), self.index_keys, self._to_groups),
            on=upper,
            margins=0,
        )
        self._lines = LinesPane()
        self.panes = Panes("operations panes", upper)
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        self.panes.add("lines", self.tr("Lines of the log"), self._lines, bottom, 26)
        return self.panes

    # Asking

    def _clear(self) -> None:
        self._search = self._listing = self._before = None
        self._fitted = False
        self._to_groups.hide()
        self._clear_lines()
        self._reader.read_from(None)
        for rows in (self.groups, self.clients, self.waiting):
            rows.set_rows(())

    def _begin(self, opened: OpenSession) -> None:
        self._windows.set_windows(opened.summary.windows, opened.summary.windows)
        super()._begin(opened)

    @Slot(str, bool)
    def _on_order(self, by: str, descending: bool) -> None:
        if self._order != (by, descending):
            self._order = (by, descending)
            self._ask()

    @Slot()
    def _ask(self) -> None:
        """Look for what is wanted now; what was being looked for is of no use any more."""
        conditions = self.finder.conditions()
        if self.workbench.opened is None or conditions is None:
            return
        if self._looking is not None:
            self._looking.cancel()
        selection, internal = self.workbench.selection.now, self.finder.internal.isChecked()
        search = Search(self._windows.windows(), conditions, selection, internal)
        self._search, self._stale = search, False
        group, (by, descending) = self.finder.group_by(), self._order
        if group != self._shown_by:
            self._count.setText(self.tr("Looking for operations"))
        looks: dict[str, _Look] = {
            "": lambda s: Listing(s, search, by, descending=descending),
            "client": lambda s: clients_of(s, search),
            UNANSWERED: lambda s: waiting_rows(s, search.windows, selection),
        }
        look = looks.get(group) or (lambda s: grouped(s, search, group))
        self._looking = self.workbench.ask_session(
            self.tr("Looking for operations"),
            lambda session: (search, group, _or_refusal(look, session)),
            self._on_answer,
            self._on_failed,
        )

    # Answers

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._count.clear()
        self.workbench.fail(error)

    @Slot(object)
    def _on_answer(self, answer: tuple[Search, str, Any]) -> None:
        """Show what was looked for, unless something else is wanted by now."""
        search, group, matches = answer
        if search is not self._search:
            return
        if isinstance(matches, UsageError):
            self._count.clear()
            self.finder.refuse(matches)
            return
        self._shown_by = group
        self._clear_lines()
        shows: dict[str, Callable[[Any], None]] = {
            "": self._show_listing,
            "client": self._show_clients,
            UNANSWERED: self._show_waiting,
        }
        shows.get(group, self._show_groups)(matches)

    def _show_listing(self, listing: Listing) -> None:
        self._listing = listing
        self._reader.read_from(listing)
        self.table.show_rare(listing.rare)
        if listing.first and not self._fitted:
            # Once a session: columns that move with every order are hard to read.
            self._fitted = True
            self.table.fit_columns()
        self._tables.setCurrentWidget(self.table)
        self._show_count()
        if listing.first:
            self.table.selectRow(0)

    def _show_groups(self, grouping: Grouping) -> None:
        self.groups.set_rows(grouping.rows)
        words = self.tr(
            "Groups: {groups}, of {found} operations. Press Enter or double-click to open one."
        )
        all_of_them = sum(row.group.n for row in grouping.rows)
        self._show_rows(
            self.group_table,
            words.format(groups=localised(len(grouping.rows)), found=localised(all_of_them)),
        )

    def _show_clients(self, view: ClientsView) -> None:
        self.clients.set_table(client_columns(view.titles), view.rows)
        words = self.tr(
            "Clients: {clients}. Press Enter or double-click to list the operations of one."
        )
        if not view.rows:
            words = self.tr("No operation of a client is in these windows.")
        self._show_rows(self.client_table, words.format(clients=localised(len(view.rows))))

    def _show_waiting(self, rows: Sequence[WaitingRow]) -> None:
        self.waiting.set_rows(rows)
        assert self._search is not None
        words = self.tr("Operations without an answer in these windows: {n}.")
        if self._search.selection:
            words = self.tr("Operations without an answer in this time range: {n}.")
        if self._search.conditions:
            words += " " + self.tr("The search above is not applied to them.")
        self._show_rows(self.waiting_table, words.format(n=localised(len(rows))))

    def _show_rows(self, table: RowsTable, words: str) -> None:
        """A table of something else than operations."""
        self._tables.setCurrentWidget(table)
        if self._goes_back:  # not before it is seen: the focus would go on with the button
            table.setFocus()
        self._before, self._goes_back = None, False
        self._to_groups.hide()
        self._count.setText(words)
        if table.rows.rows:
            table.selectRow(0)

    def _show_count(self) -> None:
        text = self.tr("{found} client operations in these windows.")
        if self.finder.internal.isChecked():
            text = self.tr("{found} client and internal operations in these windows.")
        if self.workbench.selection.now:
            text = self.tr("{found} operations in progress in this time range.")
        if not (count := self.model.rowCount()):
            text = self.tr("No operation matches. Widen the search above.")
        self._count.setText(text.format(found=localised(count)))

    @Slot(int)
    def _on_page(self, place: int) -> None:
        self.table.viewport().update()
        current = self.table.currentIndex()
        if current.isValid() and current.row() // PAGE == place:
            self._on_row(current)

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, OperationRow):
            title = self.tr("Reading the log")
            self.workbench.ask_session(
                title, lambda s: (raw_lines(s, row), explain(s, row)), self._on_raw, view=True
            )

    def _clear_lines(self) -> None:
        self._lines.clear()
        self.index_keys.hide()

    @Slot(object)
    def _on_raw(self, answer: tuple[RawLines, SlowSearch]) -> None:
        lines, slow = answer
        self._lines.show_lines(lines, slow if slow.row.type == "SRCH" else None)
        self.index_keys.setVisible(slow.lacks_plan and self.workbench.may_log_index_keys)

    # Groups, and copies

    @Slot(QModelIndex)
    def _on_group(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if row is None:
            return
        self._before = self.finder.words.text(), self._shown_by
        self._to_groups.show()
        self.finder.narrow(words_of_client(row) if isinstance(row, ClientRow) else self._term(row))
        self.table.setFocus()

    def _term(self, row: GroupRow, operator: str = "=") -> str:
        return exactly(self._shown_by, row.group.name, operator)

    def _group_terms(self, index: QModelIndex) -> Sequence[str]:
        row = index.data(ROW_ROLE)
        if isinstance(row, GroupRow):
            return self._term(row), self._term(row, "!=")
        return client_terms(row, index.column()) if isinstance(row, ClientRow) else ()

    @staticmethod
    def _cell_terms(index: QModelIndex) -> Sequence[str]:
        row = index.data(ROW_ROLE)
        return cell_terms(index.column(), row) if isinstance(row, OperationRow) else ()

    @Slot(str)
    def _on_filter(self, term: str) -> None:
        self.finder.narrow(term, self.finder.group_by())

    # What is selected, in sum

    @Slot()
    def _sum(self) -> None:
        """Say what several selected operations have in sum."""
        listing, ranges = self._listing, self.table.ranges()
        if listing is None or self._tables.currentWidget() is not self.table:
            return
        if sum(last - first + 1 for first, last in ranges) < 2:
            self._show_count()
            return
        self.workbench.ask_session(
            self.tr("Adding up operations"),
            lambda session: (listing, ranges, listing.summed(session, ranges)),
            self._on_sum,
            view=True,
        )

    @Slot(object)
    def _on_sum(self, answer: tuple[Listing, list[tuple[int, int]], Group]) -> None:
        listing, ranges, group = answer
        in_front = self._tables.currentWidget() is self.table
        if not in_front or listing is not self._listing or ranges != self.table.ranges():
            return
        words = self.tr(
            "{n} selected: {total} in all, p50 {p50}, p99 {p99}, longest {longest}, "
            "{errors}, {unindexed} unindexed"
        )
        times = {
            "total": group.sum_ns,
            "p50": group.p50_ns,
            "p99": group.p99_ns,
            "longest": group.max_ns,
        }
        counts = {"n": group.n, "unindexed": group.unindexed}
        texts = {name: shown(etime(ns)) for name, ns in times.items()}
        texts |= {name: localised(count) for name, count in counts.items()}
        texts["errors"] = shown(count_of("{n} error", "{n} errors", n=group.failed))
        self._count.setText(words.format(**texts))

    @Slot()
    def _on_back(self) -> None:
        if self._before is not None:
            self._goes_back = True
            self.finder.put(*self._before)

    @Slot(object)
    def _on_copy(self, ranges: list[tuple[int, int]]) -> None:
        if (listing := self._listing) is None:
            return
        self.workbench.ask_session(
            self.tr("Copying operations"),
            lambda session: copied_text(listing, session, ranges),
            self._on_copied,
        )

    @Slot(object)
    def _on_copied(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        words = self.tr("Copied {count} operations as tab-separated text.")
        self.workbench.show_status(words.format(count=localised(text.count("\n"))))
