"""Operations: any of them found by words, sorted, grouped; the log's own lines below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QWidget

from ldap_workbench.figures.operations.index_plan import SlowSearch, explain
from ldap_workbench.figures.operations.table import GROUP_NAME, GROUP_NUMBERS
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
from ldap_workbench.gui.parts.models.operations import OperationsModel, copied_text
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.gui.parts.widgets.buttons import link_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.fields import WindowPicker
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.saved_views import SavedViewsButton
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.operations.finder import Finder
from ldap_workbench.gui.screens.operations.table import OperationsTable, PageReader
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.visible import one_line
from ldap_workbench.session.conditions import words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search


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


@dataclass(frozen=True)
class _Refused:
    """Why the open session cannot answer a search, such as a finding that it does not have."""

    search: Search
    reason: UsageError


def _or_refusal(search: Search, look: Callable[[Session], Any]) -> Callable[[Session], Any]:
    def work(session: Session) -> Any:
        try:
            return look(session)
        except UsageError as error:
            return _Refused(search, error)

    return work


class OperationsScreen(SessionScreen):
    """The operations of the open session, the slowest first.

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
        self._windows = WindowPicker(self.tr("Windows"))
        self._windows.chosen.connect(self._ask)
        self.add_tool(self._windows)
        self.finder = Finder()
        self.finder.changed.connect(self._ask)
        self._make_filters()
        self._make_tables()
        self._body = self._make_body()
        self._empty = EmptyState(
            "operations",
            self.tr("No session is open"),
            self.tr(
                "Open a session or capture a window to list its operations, slowest "
                "first, each with its request and the log lines around it."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        self.selection_bar = self.add_selection_bar()
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
        self.table.copyWanted.connect(self._on_copy)
        self.model.orderWanted.connect(self._on_order)
        self._reader = PageReader(self.workbench, self.model, self)
        self._reader.came.connect(self._on_page)
        name = self.tr("Groups of operations")
        columns = (GROUP_NAME, *GROUP_NUMBERS)
        self.group_table = RowsTable(name, columns, keep="groups table", stretch=0, sort=2)
        self.groups = self.group_table.rows
        self.group_table.activated.connect(self._on_group)

    def _make_body(self) -> QWidget:
        self._count = label("", "dim")
        self._back = link_button(self.tr("&Back to the groups"), on_click=self._on_back)
        self._back.hide()
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
        for table in (self.table, self.group_table):
            self._tables.addWidget(table)
        upper = QWidget()
        column(
            self.finder,
            self.finder.error,
            (self._tables, 1),
            row((self._count, 1), self.index_keys, self._back),
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
        self._back.hide()
        self._clear_lines()
        self._reader.read_from(None)
        self.groups.set_rows(())

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
        title, ask = self.tr("Looking for operations"), self.workbench.ask_session
        if group:
            self._looking = ask(
                title, _or_refusal(search, lambda s: grouped(s, search, group)), self._on_groups
            )
        else:
            self._looking = ask(
                title,
                _or_refusal(search, lambda s: Listing(s, search, by, descending=descending)),
                self._on_listing,
            )

    # Answers

    @Slot(object)
    def _on_listing(self, listing: Listing | _Refused) -> None:
        if listing.search is not self._search:
            return
        if isinstance(listing, _Refused):
            self.finder.refuse(listing.reason)
            return
        self._listing = listing
        self._reader.read_from(listing)
        self.table.show_rare(listing.rare)
        if listing.first and not self._fitted:
            # Once a session: columns that move with every order are hard to read.
            self._fitted = True
            self.table.fit_columns()
        self._tables.setCurrentWidget(self.table)
        self._clear_lines()
        self._show_count()
        if listing.first:
            self.table.selectRow(0)

    @Slot(object)
    def _on_groups(self, grouping: Grouping | _Refused) -> None:
        if grouping.search is not self._search:
            return
        if isinstance(grouping, _Refused):
            self.finder.refuse(grouping.reason)
            return
        self.groups.set_rows(grouping.rows)
        self._before = None
        self._back.hide()
        self._tables.setCurrentWidget(self.group_table)
        self._clear_lines()
        words = self.tr(
            "Groups: {groups}, of {found} operations. Press Enter or double-click to open one."
        )
        all_of_them = sum(row.group.n for row in grouping.rows)
        self._count.setText(
            words.format(groups=localised(len(grouping.rows)), found=localised(all_of_them))
        )
        if grouping.rows:
            self.group_table.selectRow(0)

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
        if isinstance(row, GroupRow):
            self._before = self.finder.words.text(), self.finder.group_by()
            self._back.show()
            self.finder.narrow(self.finder.group_by(), row.group.name)
            self.table.setFocus()

    @Slot()
    def _on_back(self) -> None:
        if self._before is not None:
            self.finder.put(*self._before)
            self.group_table.setFocus()

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
