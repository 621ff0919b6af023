"""A table view: sortable, rows striped, columns to choose, copied as tab-separated text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QByteArray,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView

from ldap_workbench.figures.table import Column, Numbers, tab_separated
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.gui.parts.widgets.saving import Format, save_as
from ldap_workbench.model.message import Message

_MOST = 10_000
"""More rows than a note or a sheet takes; `export` writes whole sessions."""
_LEAST_LETTERS = 30
"""Of the column that takes what others leave: fewer say nothing."""


class TableView(QTableView):
    """Whole rows are selected; Ctrl+C copies them, with headings when nothing is selected.

    *Signals:* filterWanted(str), one of the terms that `terms_of` gives for a cell
    """

    filterWanted = Signal(str)
    terms_of: Callable[[QModelIndex], Sequence[str]] | None = None
    """What can be searched for by a cell; its menu offers it."""

    def __init__(self, name: str, *, keep: str = "") -> None:
        """With `keep`, the columns that are hidden stay so under this name."""
        super().__init__()
        self.setObjectName(keep)
        self._unmeasured = False
        self._stretched = -1
        self._share = 0
        """Pixels that every column has beyond its text, or beyond what the operator gave it."""
        self.columns = Columns(self)
        self.setAccessibleName(name)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.7))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # Measuring the text of thousands of rows stalls the window.
        header.setResizeContentsPrecision(40)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._copy = QAction(self.tr("&Copy rows"), self)
        self._copy.setShortcut(QKeySequence.StandardKey.Copy)
        self._copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._copy.triggered.connect(self.copy)
        self.addAction(self._copy)
        self._copy_markdown = QAction(self.tr("Copy rows as &Markdown"), self)
        self._copy_markdown.triggered.connect(lambda: copy_markdown(self.texts()))
        self._save = QAction(self.tr("&Save rows …"), self)
        self._save.triggered.connect(self.save)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_columns)

    def set_rows(
        self, model: QAbstractItemModel, *, stretch: int | None = None, fit: bool = True
    ) -> None:
        """Show a model, columns as wide as their text, one of them taking what is left.

        Widths are measured when rows come, not at every paint; the operator may change them.
        Without `fit`, whoever fills the model calls `fit_columns`.
        """
        self.setModel(model)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMaximumSectionSize(self.fontMetrics().averageCharWidth() * 60)
        self._stretched = -1 if stretch is None else stretch
        if fit:
            model.modelReset.connect(self.fit_columns)
        self.fit_columns()

    def setSelectionModel(self, selection: QItemSelectionModel) -> None:
        """The headings get a selection of their own, which stays empty.

        To paint a heading, Qt asks whether all of its column is selected, row by row: with all of
        10^7 operations selected, for minutes.
        """
        super().setSelectionModel(selection)
        header = self.horizontalHeader()
        header.setSelectionModel(QItemSelectionModel(selection.model(), header))

    @Slot()
    def fit_columns(self) -> None:
        """Make columns as wide as their text; hidden, once it is shown.

        Text that nobody sees would be measured without its theme, and takes as long.
        """
        self._unmeasured = not self.isVisible()
        if not self._unmeasured:
            self._share = 0
            self.resizeColumnsToContents()
            self._share_spare()
            self._stretch()

    def _share_spare(self) -> None:
        """Share among the columns what they leave of the width, where none of them takes it."""
        header = self.horizontalHeader()
        shown = [c for c in range(header.count()) if not header.isSectionHidden(c)]
        modes = {header.sectionResizeMode(c) for c in shown}
        if not shown or self._stretched >= 0 or QHeaderView.ResizeMode.Stretch in modes:
            return
        before = self._share
        spare = self.viewport().width() - header.length() + before * len(shown)
        self._share = max(0, spare // len(shown))
        for column in shown:
            header.resizeSection(column, header.sectionSize(column) - before + self._share)

    def _stretch(self) -> None:
        """Give one column what the others leave; with too little for words, the table scrolls."""
        header, column = self.horizontalHeader(), self._stretched
        if column < 0 or header.isSectionHidden(column):
            return
        others = header.length() - header.sectionSize(column)
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        modes = QHeaderView.ResizeMode
        if self.viewport().width() - others >= least:
            header.setSectionResizeMode(column, modes.Stretch)
        else:
            header.setSectionResizeMode(column, modes.Interactive)
            wanted = min(self.sizeHintForColumn(column), self.viewport().width() // 2)
            header.resizeSection(column, max(least, wanted))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._unmeasured:
            self._share_spare()
        self._stretch()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._unmeasured:
            self.fit_columns()

    def copy(self) -> None:
        """The selected rows, or all, as tab-separated text with headings."""
        QGuiApplication.clipboard().setText(self.tsv())

    def save(self) -> None:
        """Ask for a file, CSV or Markdown, and write the selected rows, or all, into it."""
        title = Message("Save the rows")
        save_as(self, title, self.accessibleName(), table_formats(self.texts))

    def tsv(self) -> str:
        """What `copy` copies."""
        return "\n".join(map(tab_separated, self.texts()))

    def texts(self) -> list[list[str]]:
        """Headings, then the selected rows, or all."""
        model = self.model()
        columns = range(model.columnCount())
        heads = [str(model.headerData(c, Qt.Orientation.Horizontal)) for c in columns]
        return [heads, *([_cell(model.index(row, c)) for c in columns] for row in self._chosen())]

    def _chosen(self) -> Sequence[int]:
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        return chosen or range(self.model().rowCount())

    def fit_height(self, most: int) -> None:
        """Be as tall as the rows, up to `most` of them."""
        rows = min(most, self.model().rowCount()) if self.model() else 0
        row = self.verticalHeader().defaultSectionSize()
        extra = 2 * self.frameWidth() + self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(rows * row + self.horizontalHeader().sizeHint().height() + extra)

    @Slot(QPoint)
    def _show_menu(self, where: QPoint) -> None:
        menu = self._menu()
        terms = self.terms_of(self.indexAt(where)) if self.terms_of else ()
        for term in terms:
            words = self.tr("Show only {term}").format(term=term)
            if term == terms[0].replace("=", "!=", 1):
                words = self.tr("Leave out {term}").format(term=terms[0])
            menu.addAction(words.replace("&", "&&"), partial(self.filterWanted.emit, term))
        menu.addSeparator()
        for action in (self._copy, self._copy_markdown, self._save):
            menu.addAction(action)
        few = len(self._chosen()) <= _MOST
        for action in (self._copy_markdown, self._save):
            action.setEnabled(few)
        self.columns.add_to(menu.addMenu(self.tr("Co&lumns")))
        menu.popup(self.viewport().mapToGlobal(where))

    @Slot(QPoint)
    def _show_columns(self, where: QPoint) -> None:
        menu = self._menu()
        self.columns.add_to(menu)
        menu.addSeparator()
        menu.addAction(self.tr("&Fit widths to the text"), self.fit_columns)
        menu.popup(self.horizontalHeader().mapToGlobal(where))

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu


def _cell(index: QModelIndex) -> str:
    return str(index.data() or "")


class RowsTable(TableView):
    """A table of rows of one kind, with its model: `rows`."""

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[Any]] = (),
        *,
        keep: str = "",
        stretch: int | None = None,
        sort: int | None = None,
    ) -> None:
        """`stretch` is the column that takes what is left. With `sort` the operator may sort.

        By that column at first, the largest on top; with -1 rows stay as they come.
        """
        super().__init__(name, keep=keep)
        self.rows = RowsModel[Any](columns, parent=self)
        self.set_rows(self.rows, stretch=stretch)
        if sort is not None:
            self.setSortingEnabled(True)
            self.sortByColumn(sort, Qt.SortOrder.DescendingOrder)

    def show_numbers(self, numbers: Numbers | None) -> None:
        """The numbers of a chart, or none."""
        numbers = numbers or Numbers(())
        self.rows.set_table(numbers.columns, numbers.rows)


class Columns(QObject):
    """What the operator hides, and what holds nothing and is hidden anyway.

    *Signals:* changed(), when the operator has shown or hidden one
    """

    changed = Signal()

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._hidden: frozenset[int] = frozenset()
        self._empty: frozenset[int] = frozenset()

    def set_empty(self, columns: Iterable[int]) -> None:
        """These hold nothing now: they are neither shown nor offered."""
        self._empty = frozenset(columns)
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Show the others."""
        away = self._hidden | self._empty
        if away >= frozenset(range(self._count())):
            away = self._empty  # one column at least: a table without any has no headings to ask
        for column in range(self._count()):
            self._table.setColumnHidden(column, column in away)

    def add_to(self, menu: QMenu) -> None:
        """One line a column, ticked where it is shown; the last one shown stays."""
        offered = [c for c in range(self._count()) if c not in self._empty]
        shown = [c for c in offered if c not in self._hidden]
        for column in offered:
            text = self._table.model().headerData(column, Qt.Orientation.Horizontal)
            action = QAction(str(text or self.tr("(no heading)")).replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(column in shown)
            action.setEnabled(shown != [column])
            action.toggled.connect(lambda wanted, c=column: self._show(c, wanted))
            menu.addAction(action)

    def state(self) -> QByteArray:
        """What is hidden, for `restore`."""
        hidden = ",".join(map(str, sorted(self._hidden)))
        return QByteArray(f"{self._count()}:{hidden}".encode())

    def restore(self, state: QByteArray) -> None:
        """Hide what was hidden; a state of other columns changes nothing."""
        count, _, hidden = state.toStdString().partition(":")
        if count == str(self._count()):
            self._hidden = frozenset(
                int(number) for number in hidden.split(",") if number.isdecimal()
            )
            self.apply()

    def _show(self, column: int, wanted: bool) -> None:
        self._hidden = self._hidden - {column} if wanted else self._hidden | {column}
        self.apply()
        self.changed.emit()

    def _count(self) -> int:
        model = self._table.model()
        return model.columnCount() if model else 0


Rows = list[list[str]]


def csv_bytes(rows: Rows) -> bytes:
    """With a mark of its encoding, which spreadsheets look for."""
    from ldap_workbench.report.text import table_csv  # loads a second of libraries

    return table_csv(rows).encode("utf-8-sig", "replace")


def markdown_bytes(rows: Rows) -> bytes:
    """A table of Markdown."""
    from ldap_workbench.report.text import table_markdown

    return table_markdown(rows).encode("utf-8", "replace")


def copy_markdown(rows: Rows) -> None:
    """Into the clipboard."""
    QGuiApplication.clipboard().setText(markdown_bytes(rows).decode())


def table_formats(rows: Callable[[], Rows]) -> tuple[Format, ...]:
    """The kinds of file that rows can be saved as."""
    return (
        Format(Message("Table (*.csv)"), ".csv", lambda: csv_bytes(rows())),
        Format(Message("Markdown (*.md)"), ".md", lambda: markdown_bytes(rows())),
    )
