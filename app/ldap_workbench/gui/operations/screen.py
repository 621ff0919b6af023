"""Operations: the slowest first, narrowed by words; the log's own lines below."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Slot
from PySide6.QtGui import QAction, QFontDatabase
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from ldap_workbench.gui.models.operations import OperationRow, OperationsModel
from ldap_workbench.gui.models.table import ROW_ROLE, FoundRows
from ldap_workbench.gui.models.words import count
from ldap_workbench.gui.operations.reader import RawLines, printable, raw_lines, slowest
from ldap_workbench.gui.screen import Screen
from ldap_workbench.gui.tails.picker import WindowPicker
from ldap_workbench.gui.widgets.empty import EmptyState
from ldap_workbench.gui.widgets.labels import label
from ldap_workbench.gui.widgets.table import TableView
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.session import Session


class OperationsScreen(Screen):
    """The slowest client operations of the open session."""

    name = "operations"
    icon = "operations"
    title = "Operations"

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        self._stale = True
        self._model = OperationsModel(parent=self)
        self._sorted = FoundRows(self._model, self)
        self._make_tools()
        self._body = self._make_body()
        self._empty = EmptyState(
            "operations",
            self.tr("There is no session to look at"),
            self.tr(
                "Open a session, or capture a window: then its slowest operations are here, each "
                "with its request and the lines of the log around it."
            ),
            actions,
        )
        self.show_body(self._empty)
        self.stretch_bar = self.name_stretch()
        workbench.sessionChanged.connect(self._on_session)
        workbench.stretch.changed.connect(self._on_stretch)

    def shown(self) -> None:
        if self._stale:
            self._ask()

    def reload(self) -> None:
        self._ask()

    def _make_tools(self) -> None:
        self._windows = WindowPicker(self.tr("Windows"))
        self._windows.chosen.connect(self._ask)
        self._filter = QLineEdit()
        self._filter.setClearButtonEnabled(True)
        self._filter.setPlaceholderText(self.tr("client, base, filter, type …"))
        self._filter.setFixedWidth(self.fontMetrics().averageCharWidth() * 30)
        self._filter.textChanged.connect(self._on_filter)
        words = QLabel(self.tr("F&ind"))
        words.setBuddy(self._filter)
        for widget in (self._windows, words, self._filter):
            self.add_tool(widget)

    def _make_body(self) -> QWidget:
        self.table = TableView(self.tr("The slowest operations"))
        self.table.set_rows(self._sorted)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._count = label("", "dim")
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addWidget(self._count)
        self._raw = QPlainTextEdit()
        self._raw.setReadOnly(True)
        self._raw.setProperty("role", "raw")
        self._raw.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._raw.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._raw.setAccessibleName(self.tr("Lines of the log around the operation"))
        self._raw.setPlaceholderText(self.tr("Choose an operation to see its lines in the log."))
        split = QSplitter(Qt.Orientation.Vertical)
        split.setObjectName("operations parts")
        self.split = split
        split.addWidget(upper)
        split.addWidget(self._raw)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        return split

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self._stale = True
        self._raw.clear()
        if opened is None:
            self.set_subtitle("")
            self._model.set_rows(())
            self.show_body(self._empty)
            return
        self._windows.set_windows(opened.story.windows, opened.story.windows)
        self.set_subtitle(opened.story.summary())
        self.show_body(self._body)
        if self.isVisible():
            self._ask()

    @Slot()
    def _ask(self) -> None:
        windows = self._windows.windows()
        title = self.tr("Reading the slowest operations")
        stretch = self.workbench.stretch.now

        def work(session: Session) -> list[OperationRow]:
            return slowest(session, windows, stretch=stretch)

        if self.workbench.ask_session(title, work, self._on_rows):
            self._stale = False

    @Slot(object)
    def _on_rows(self, rows: list[OperationRow]) -> None:
        self._model.set_rows(rows)
        self._tell_count()
        if rows:
            self.table.selectRow(0)

    @Slot(str)
    def _on_filter(self, text: str) -> None:
        self._sorted.find(text)
        self._tell_count()

    @Slot()
    def _on_stretch(self) -> None:
        self._stale = True
        if self.isVisible():
            self._ask()

    def _tell_count(self) -> None:
        shown, listed = self._sorted.rowCount(), self._model.rowCount()
        text = self.tr("{shown} of the {listed} slowest client operations of these windows.")
        if self.workbench.stretch.now:
            text = self.tr("{shown} of the {listed} slowest at work in this stretch of time.")
        self._count.setText(text.format(shown=count(shown), listed=count(listed)))

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, index: QModelIndex, _: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, OperationRow):
            title = self.tr("Reading the log")
            self.workbench.ask_session(title, lambda s: raw_lines(s, row), self._on_raw)

    @Slot(object)
    def _on_raw(self, lines: RawLines) -> None:
        missing = self.tr("(the line is before the window)")
        text = [
            self.tr("Request:  ") + (printable(lines.request) or missing),
            self.tr("Result:   ") + (printable(lines.result) or missing),
            "",
            self.tr("Around the result:"),
            *(("→ " if line == lines.result else "  ") + printable(line) for line in lines.around),
        ]
        self._raw.setPlainText("\n".join(text))
