"""Which columns of a table are shown: a menu at its headings, kept from one start to the next."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QByteArray, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QTableView


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
            action = QAction(self._heading(column), menu)
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

    def _heading(self, column: int) -> str:
        text = self._table.model().headerData(column, Qt.Orientation.Horizontal)
        return str(text or self.tr("(no heading)")).replace("&", "&&")

    def _count(self) -> int:
        model = self._table.model()
        return model.columnCount() if model else 0
