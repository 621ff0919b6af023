"""Operations as rows: the slowest of a window, each with the text of its request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.figures.operations.groups_table import NAME, NUMBERS
from ldap_workbench.figures.operations.view import PAGE, GroupRow, Listing, OperationRow
from ldap_workbench.figures.table import Column, always, latency, quantity
from ldap_workbench.gui.parts.models.table import Index, RowsModel, cell_text
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.units import format_time
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


class GroupsModel(RowsModel[GroupRow]):
    """Groups of operations, the one that took most time first."""

    def __init__(self, rows: Sequence[GroupRow] = (), parent: QObject | None = None) -> None:
        super().__init__((NAME, *NUMBERS), rows, parent)


COLUMNS: tuple[Column[OperationRow], ...] = (
    latency(
        verbatim("etime"),
        lambda r: r.etime_ns,
        strong=always,
        about=Message("From the request's arrival to its result"),
    ),
    latency(
        verbatim("wtime"),
        lambda r: r.wtime_ns,
        about=Message("Part of it: waiting in the work queue"),
    ),
    latency(
        verbatim("optime"), lambda r: r.optime_ns, about=Message("Part of it: being processed")
    ),
    Column(Message("Operation"), lambda r: r.type),
    Column(
        Message("Started (server time)"), lambda r: format_time(r.start_ns), lambda r: r.start_ns
    ),
    quantity(
        verbatim("err"),
        lambda r: r.err,
        str,
        strong=lambda r: r.err != 0,
        about=Message("LDAP result code"),
    ),
    quantity(Message("Entries"), lambda r: r.nentries),
    Column(
        Message("Notes"), lambda r: r.notes, about=Message("U, A: unindexed; P: paged; F: filter")
    ),
    quantity(verbatim("conn"), lambda r: r.conn, str),
    quantity(verbatim("op"), lambda r: r.op, str),
    Column(Message("Client"), lambda r: r.client),
    Column(
        Message("Bind DN"),
        lambda r: r.bind_dn,
        about=Message("Bind DN of the client; empty if anonymous"),
    ),
    Column(Message("Base"), lambda r: r.base),
    Column(Message("Filter"), lambda r: r.fingerprint, about=Message("Values are omitted")),
    Column(Message("Window"), lambda r: r.window),
)

_DEREF = (
    Message("never"), Message("searching"), Message("finding the base"), Message("always")
)  # fmt: skip


def _deref(row: OperationRow) -> Message | str:
    return "" if row.deref is None else _DEREF[row.deref]


_BUSY_OF = "{busy} / {workers}"


def _busy(row: OperationRow) -> Message:
    if row.wbusy is None or row.wmax is None:
        return amount(row.wbusy)
    return Message(_BUSY_OF, busy=row.wbusy, workers=row.wmax)


RARE_COLUMNS: dict[str, Column[OperationRow]] = {
    "wqtime_ns": latency(
        verbatim("wqtime"),
        lambda r: r.wqtime_ns,
        about=Message("Waiting in the queue of the worker threads"),
    ),
    "writetime_ns": latency(
        verbatim("writetime"),
        lambda r: r.writetime_ns,
        about=Message("Writing the answer to the client"),
    ),
    "index_ns": quantity(
        Message("Index time"),
        lambda r: r.index_ns,
        etime,
        about=Message("Time spent reading indexes"),
    ),
    "index_ids": quantity(
        Message("Index entries"),
        lambda r: r.index_ids,
        about=Message("Entries listed by the largest index key that was read"),
    ),
    "index_key": Column(
        Message("Largest index key"),
        lambda r: r.index_key,
        about=Message("Attribute and key of the index with the most entries"),
    ),
    "wbusy": Column(
        Message("Busy workers"),
        _busy,
        lambda r: r.wbusy,
        True,
        about=Message("Busy worker threads, of how many, when the answer was logged"),
    ),
    "wqdepth": quantity(
        Message("Queue"),
        lambda r: r.wqdepth,
        about=Message("Operations that waited for a worker when the answer was logged"),
    ),
    "deref": Column(Message("Aliases"), _deref, about=Message("When the search follows aliases")),
    "vlv": Column(
        Message("List view"),
        lambda r: verbatim("VLV") if r.vlv else "",
        about=Message("A page of a sorted list was requested (virtual list view)"),
    ),
}
"""Columns of RARE that are shown where the session says something in them."""
ALL_COLUMNS = (*COLUMNS, *RARE_COLUMNS.values())

ORDERS = (
    "etime", "wtime", "optime", "type", "start", "err", "entries", "notes", "conn", "op",
    "client", "dn", "base", "filter", "window",
    "wqtime", "writetime", "index_time", "index_entries", "index_key",
    "wbusy", "wqdepth", "deref", "vlv",
)  # fmt: skip
"""What the search sorts by for each of ALL_COLUMNS."""


def copied_text(listing: Listing, session: Session, ranges: Sequence[tuple[int, int]]) -> str:
    """Rows of a listing below the headings, for a clipboard; called in the session's thread."""
    columns = [*COLUMNS, *(column for name, column in RARE_COLUMNS.items() if name in listing.rare)]
    headings = "\t".join(shown(column.heading) for column in columns)
    lines = listing.copied(
        session, ranges, lambda row: [cell_text(column, row) for column in columns]
    )
    return "\n".join([headings, *lines])
