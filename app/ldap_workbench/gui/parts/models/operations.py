"""Operations as rows: the slowest of a window, each with the text of its request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from ldap_workbench.figures.operations.table import ALL_COLUMNS, COLUMNS, ORDERS, RARE_COLUMNS
from ldap_workbench.figures.operations.view import PAGE, Listing, OperationRow
from ldap_workbench.gui.parts.models.table import Index, RowsModel, cell_text
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.session.reader import Session

PAGES_KEPT = 64


class OperationsModel(RowsModel[OperationRow]):
    """Any number of operations in some order; only the pages that are looked at are there.

    *Signals:* pageWanted(number of a page), orderWanted(one of search.ORDERS, descending)
    """

    pageWanted = Signal(int)
    orderWanted = Signal(str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(ALL_COLUMNS, (), parent)
        self._total = 0
        self._pages: OrderedDict[int, Sequence[OperationRow]] = OrderedDict()
        self._asked = -1

    def set_found(self, total: int, first: Sequence[OperationRow]) -> None:
        """Show so many operations instead; their first page is here already."""
        self.beginResetModel()
        self._total = total
        self._pages = OrderedDict({0: first})
        self._asked = -1
        self.endResetModel()

    def put_page(self, number: int, rows: Sequence[OperationRow]) -> None:
        """A page that was asked for has come."""
        self._asked = -1
        self._pages[number] = rows
        while len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        last = min(self._total, (number + 1) * PAGE) - 1
        self.dataChanged.emit(self.index(number * PAGE, 0), self.index(last, len(ALL_COLUMNS) - 1))

    def row(self, number: int) -> OperationRow | None:
        """One of them; None, and its page is asked for, while it is not here."""
        if not 0 <= number < self._total:
            return None
        page, place = divmod(number, PAGE)
        if page in self._pages:
            self._pages.move_to_end(page)
            return self._pages[page][place]
        if page != self._asked:
            self._asked = page
            self.pageWanted.emit(page)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; the rows stay until it comes."""
        if 0 <= column < len(ORDERS):
            self.orderWanted.emit(ORDERS[column], order == Qt.SortOrder.DescendingOrder)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else self._total


def copied_text(listing: Listing, session: Session, ranges: Sequence[tuple[int, int]]) -> str:
    """Rows of a listing below the headings, for a clipboard; called in the session's thread."""
    columns = [*COLUMNS, *(column for name, column in RARE_COLUMNS.items() if name in listing.rare)]
    headings = "\t".join(shown(column.heading) for column in columns)
    lines = listing.copied(
        session, ranges, lambda row: [cell_text(column, row) for column in columns]
    )
    return "\n".join([headings, *lines])
