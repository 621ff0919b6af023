"""The table of operations, and the reader of its pages: few of its rows are here at a time."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.figures.operations.table import COLUMNS, RARE_COLUMNS
from ldap_workbench.figures.operations.view import Listing, OperationRow
from ldap_workbench.gui.parts.models.operations import OperationsModel
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.gui.workbench.state import Workbench


class OperationsTable(TableView):
    """Rows are not all here, so Ctrl+C asks for them.

    *Signals:* copyWanted(list of (first, last) rows; empty for all)
    """

    copyWanted = Signal(object)

    def show_rare(self, names: Collection[str]) -> None:
        """Of the columns that few logs fill, show those of these names alone."""
        rare = enumerate(RARE_COLUMNS, start=len(COLUMNS))
        self.columns.set_empty(place for place, name in rare if name not in names)

    def copy(self) -> None:
        """Ask for the selected rows, or for all."""
        self.copyWanted.emit(self.ranges())

    def ranges(self) -> list[tuple[int, int]]:
        """First and last rows of what is selected."""
        # Ranges, for a list of millions of selected rows would stall the window.
        chosen = self.selectionModel().selection()
        parts = map(chosen.at, range(chosen.count()))
        return sorted({(part.top(), part.bottom()) for part in parts})


class PageReader(QObject):
    """One page at a time, the last one wanted first: who scrolls on does not wait for what passed.

    *Signals:* came(number of a page)
    """

    came = Signal(int)

    def __init__(self, workbench: Workbench, model: OperationsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._model = model
        self._listing: Listing | None = None
        self._wanted: int | None = None
        self._reading = False
        model.pageWanted.connect(self._on_wanted)

    def read_from(self, listing: Listing | None) -> None:
        """Show another listing; None for none."""
        self._listing = listing
        self._wanted = None
        self._model.set_found(listing.total if listing else 0, listing.first if listing else [])

    @Slot(int)
    def _on_wanted(self, place: int) -> None:
        self._wanted = place
        self._read()

    def _read(self) -> None:
        listing, place = self._listing, self._wanted
        if self._reading or listing is None or place is None:
            return
        self._wanted = None
        self._reading = True
        job = self._workbench.ask_session(
            self.tr("Reading operations"),
            lambda session: (listing, place, listing.page(session, place)),
            self._on_page,
            self._on_failed,
        )
        if job is None:
            self._reading = False

    @Slot(object)
    def _on_page(self, answer: tuple[Listing, int, list[OperationRow]]) -> None:
        listing, place, rows = answer
        self._reading = False
        if listing is self._listing:
            self._model.put_page(place, rows)
            self.came.emit(place)
        self._read()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._reading = False
        self._workbench.fail(error)
