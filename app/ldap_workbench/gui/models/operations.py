"""Operations as rows: the slowest of a window, each with the text of its request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from ldap_workbench.figures.operations import PAGE, GroupRow, Listing, OperationRow
from ldap_workbench.gui.models.table import DASH, Column, Index, RowsModel, always
from ldap_workbench.gui.models.words import count, duration
from ldap_workbench.gui.words import said
from ldap_workbench.model.units import format_time
from ldap_workbench.session import Session

PAGES_KEPT = 64


class OperationsModel(RowsModel[OperationRow]):
    """Any number of operations in some order; only the pages that are looked at are there.

    *Signals:* pageWanted(number of a page), orderWanted(one of search.ORDERS, descending)
    """

    pageWanted = Signal(int)
    orderWanted = Signal(str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, (), parent)
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
        self.dataChanged.emit(self.index(number * PAGE, 0), self.index(last, len(COLUMNS) - 1))

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
        super().__init__(GROUP_COLUMNS, rows, parent)


def _entries(row: OperationRow) -> str:
    return DASH if row.nentries is None else count(row.nentries)


COLUMNS = (
    Column[OperationRow](
        "etime", lambda r: duration(r.etime_ns, r.resolution_ns), lambda r: r.etime_ns, True,
        strong=always, about="From the request's arrival to its result",
    ),
    Column[OperationRow](
        "wtime", lambda r: duration(r.wtime_ns, r.resolution_ns), lambda r: r.wtime_ns, True,
        about="Part of it: waiting in the work queue",
    ),
    Column[OperationRow](
        "optime", lambda r: duration(r.optime_ns, r.resolution_ns), lambda r: r.optime_ns, True,
        about="Part of it: being processed",
    ),
    Column[OperationRow]("Operation", lambda r: r.type),
    Column[OperationRow]("Started (server time)", lambda r: format_time(r.start_ns),
                         lambda r: r.start_ns),
    Column[OperationRow]("err", lambda r: str(r.err), lambda r: r.err, True,
                         strong=lambda r: r.err != 0, about="LDAP result code"),
    Column[OperationRow]("Entries", _entries, lambda r: r.nentries, True),
    Column[OperationRow]("Notes", lambda r: r.notes, about="U, A: unindexed; P: paged; F: filter"),
    Column[OperationRow]("conn", lambda r: str(r.conn), lambda r: r.conn, True),
    Column[OperationRow]("op", lambda r: str(r.op), lambda r: r.op, True),
    Column[OperationRow]("Client", lambda r: r.client),
    Column[OperationRow]("Bind DN", lambda r: r.bind_dn,
                         about="Bind DN of the client; empty if anonymous"),
    Column[OperationRow]("Base", lambda r: r.base),
    Column[OperationRow]("Filter", lambda r: r.fingerprint, about="Values are omitted"),
    Column[OperationRow]("Window", lambda r: r.window),
)  # fmt: skip

ORDERS = (
    "etime", "wtime", "optime", "type", "start", "err", "entries", "notes", "conn", "op",
    "client", "dn", "base", "filter", "window",
)  # fmt: skip
"""What the search sorts by for each of COLUMNS."""

GROUP_COLUMNS = (
    Column[GroupRow]("Group", lambda r: r.group.name or "(none)"),
    Column[GroupRow]("Operations", lambda r: count(r.group.n), lambda r: r.group.n, True),
    Column[GroupRow](
        "Share of time", lambda r: f"{100 * r.share:.1f} %", lambda r: r.group.sum_ns, True,
        strong=lambda r: r.share >= 0.25, about="Share of the total etime of all operations found",
    ),
    Column[GroupRow](
        "Total time", lambda r: duration(r.group.sum_ns), lambda r: r.group.sum_ns, True
    ),
    Column[GroupRow](
        "p50", lambda r: duration(r.group.p50_ns, r.resolution_ns), lambda r: r.group.p50_ns, True
    ),
    Column[GroupRow](
        "p99", lambda r: duration(r.group.p99_ns, r.resolution_ns), lambda r: r.group.p99_ns, True
    ),
    Column[GroupRow](
        "Longest", lambda r: duration(r.group.max_ns, r.resolution_ns), lambda r: r.group.max_ns,
        True,
    ),
    Column[GroupRow](
        "Errors", lambda r: count(r.group.failed), lambda r: r.group.failed, True,
        strong=lambda r: r.group.failed > 0, about="Result codes that mean failure",
    ),
    Column[GroupRow](
        "Unindexed", lambda r: count(r.group.unindexed), lambda r: r.group.unindexed, True,
        strong=lambda r: r.group.unindexed > 0, about="Notes U or A",
    ),
)  # fmt: skip


def copied_text(listing: Listing, session: Session, ranges: Sequence[tuple[int, int]]) -> str:
    """Rows of a listing below the headings, for a clipboard; called in the session's thread."""
    headings = "\t".join(said(column.heading) for column in COLUMNS)
    lines = listing.copied(session, ranges, lambda row: [each.text(row) for each in COLUMNS])
    return "\n".join([headings, *lines])
