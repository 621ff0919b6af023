"""The one table model: columns are functions of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QFont

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

SORT_ROLE = Role.UserRole + 1
ROW_ROLE = Role.UserRole + 2
DASH = "–"


def always(_: object) -> bool:
    """For columns that are bold in every row."""
    return True


@dataclass(frozen=True)
class Column(Generic[R]):
    """A heading and what a row shows under it.

    `sort` gives what to sort by (None: unknown, always last), by default the text; `number` puts
    it to the right; `tip` explains; `strong` makes a row's cell bold.
    """

    heading: str
    text: Callable[[R], str]
    sort: Callable[[R], Any] | None = None
    number: bool = False
    tip: Callable[[R], str] | None = None
    strong: Callable[[R], bool] | None = None
    about: str = ""


class RowsModel(QAbstractTableModel, Generic[R]):
    """Rows of one kind; replaced as a whole."""

    def __init__(
        self, columns: Sequence[Column[R]], rows: Sequence[R] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: tuple[R, ...] = tuple(rows)

    @property
    def rows(self) -> tuple[R, ...]:
        return self._rows

    def set_rows(self, rows: Sequence[R]) -> None:
        """Show these rows instead."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Role.DisplayRole:
            return column.heading
        if role == Role.ToolTipRole:
            return column.about or None
        return _alignment(column) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        column, row = self.columns[index.column()], self._rows[index.row()]
        if role == Role.DisplayRole:
            return column.text(row)
        if role == SORT_ROLE:
            return column.sort(row) if column.sort else column.text(row)
        if role == ROW_ROLE:
            return row
        return self._look(column, row, role)

    @staticmethod
    def _look(column: Column[R], row: R, role: int) -> Any:
        if role == Role.TextAlignmentRole:
            return _alignment(column)
        if role == Role.ToolTipRole:
            return (column.tip(row) if column.tip else column.text(row)) or None
        if role == Role.FontRole and column.strong and column.strong(row):
            font = QFont()
            font.setBold(True)
            return font
        return None


class SortedRows(QSortFilterProxyModel):
    """Sorts by what a column says to sort by; unknown values stay at the end."""

    def __init__(self, source: RowsModel[Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSortRole(SORT_ROLE)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterKeyColumn(-1)
        self.setSourceModel(source)

    def lessThan(self, left: Index, right: Index) -> bool:
        a, b = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if a is None or b is None:
            unknown_last = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return (b is None and a is not None) if unknown_last else (a is None and b is not None)
        return bool(a < b)


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
