"""The one table model: columns are functions of a row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QFont

from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.style.language import plain_tip, shown
from ldap_workbench.model.message import Message

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

ROW_ROLE = Role.UserRole + 2
DASH = "–"


def cell_text(column: Column[R], row: R) -> str:
    """What a cell says, in the language of the window."""
    return _in_language(column.text(row))


def tip_text(column: Column[R], row: R) -> str:
    """What its tip says: by default the cell, which may be cut."""
    if column.tip is None:
        return cell_text(column, row)
    tip = column.tip(row)
    lines = tip if isinstance(tip, list) else [tip]
    return "\n".join(map(_in_language, lines))


def _in_language(text: Message | str) -> str:
    return shown(text) if isinstance(text, Message) else text


class RowsModel(QAbstractTableModel, Generic[R]):
    """Rows of one kind; replaced as a whole."""

    def __init__(
        self, columns: Sequence[Column[R]], rows: Sequence[R] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: tuple[R, ...] = tuple(rows)
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._texts: dict[int, str] = {}

    @property
    def rows(self) -> tuple[R, ...]:
        return self._rows

    def row(self, number: int) -> R | None:
        """One of them, None beyond the last."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def set_rows(self, rows: Sequence[R]) -> None:
        """Show these rows instead."""
        self.set_table(self.columns, rows)

    def set_table(self, columns: Sequence[Column[R]], rows: Sequence[R]) -> None:
        """Show these rows instead, under these columns."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self._texts = {}
        self._rows = tuple(rows)
        if self._sorted_by and self._sorted_by[0] < len(self.columns):
            self._rows = tuple(self._rows[i] for i in self._order(*self._sorted_by))
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By what a column says to sort by; unknown values stay at the end. -1: as they came."""
        if not 0 <= column < len(self.columns):
            self._sorted_by = None
            return
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        chosen = self._order(column, order)
        self._rows = tuple(self._rows[i] for i in chosen)
        self._texts = {}
        now = {before: after for after, before in enumerate(chosen)}
        old = self.persistentIndexList()
        self.changePersistentIndexList(
            old, [self.index(now[index.row()], index.column()) for index in old]
        )
        self.layoutChanged.emit()

    def searched_text(self, number: int) -> str:
        """All text of a row in lower case, to find it by."""
        if number not in self._texts:
            row = self._rows[number]
            cells = [cell_text(column, row) for column in self.columns]
            self._texts[number] = "\n".join(cells).lower()
        return self._texts[number]

    def _order(self, column: int, order: Qt.SortOrder) -> list[int]:
        chosen = self.columns[column]
        key_of = chosen.sort or partial(cell_text, chosen)
        keys = [key_of(row) for row in self._rows]
        known = [i for i, key in enumerate(keys) if key is not None]
        known.sort(key=keys.__getitem__, reverse=order == Qt.SortOrder.DescendingOrder)
        return known + [i for i, key in enumerate(keys) if key is None]

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
            return shown(column.heading)
        if role == Role.ToolTipRole:
            return plain_tip(shown(column.about)) or None
        return _alignment(column) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row(index.row()) if index.isValid() else None
        if row is None:
            return None
        column = self.columns[index.column()]
        if role == Role.DisplayRole:
            return cell_text(column, row)
        if role == ROW_ROLE:
            return row
        return self._look(column, row, role)

    @staticmethod
    def _look(column: Column[R], row: R, role: int) -> Any:
        if role == Role.TextAlignmentRole:
            return _alignment(column)
        if role == Role.ToolTipRole:
            return plain_tip(tip_text(column, row)) or None
        if role == Role.FontRole and column.strong and column.strong(row):
            font = QFont()
            font.setBold(True)
            return font
        return None


class FoundRows(QSortFilterProxyModel):
    """The rows that hold some words; the model itself sorts, which takes no time."""

    def __init__(self, source: RowsModel[Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = source
        self._wanted = ""
        self.setDynamicSortFilter(False)
        self.setSourceModel(source)

    @Slot(str)
    def find(self, words: str) -> None:
        """Show the rows that hold these words, in any case."""
        self.beginFilterChange()
        self._wanted = words.strip().lower()
        self.endFilterChange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._model.sort(column, order)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        return not self._wanted or self._wanted in self._model.searched_text(row)


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
