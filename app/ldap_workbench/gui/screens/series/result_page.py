"""The last step of campaign and canary: one of those this user has run, and what may follow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QModelIndex, Qt, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QPushButton, QVBoxLayout, QWidget

from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.model.message import NOTHING, Message


class Series(Protocol):
    """A campaign or a canary, finished or not."""

    @property
    def output(self) -> Any:
        """Its session file, by which it is known."""

    @property
    def began_ns(self) -> int: ...

    @property
    def ended(self) -> bool: ...


class SeriesResultPage(QWidget):
    """Shows one of those that are stored; a subclass fills the page in `_show_chosen`.

    *Signals:* sessionWanted(Path), reportWanted(series, Path), resumeWanted(series),
    revertWanted(series)
    """

    sessionWanted = Signal(object)
    reportWanted = Signal(object, object)
    resumeWanted = Signal(object)
    revertWanted = Signal(object)

    _kinds = "Markdown (*.md)"
    """Kinds of report, as a file dialog takes them."""
    _suffix = ".md"
    """Of the report that is suggested."""

    _kind = NOTHING
    """What a series is called, with the key of the list."""
    _rows = NOTHING
    """What the table lists: one row a session."""
    _columns: tuple[Column[Any], ...] = ()
    _stretch = 0
    """The column that takes what the others leave."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: Any = None
        self._stored: list[Any] = []
        self.table = RowsTable(shown(self._rows), self._columns, stretch=self._stretch)
        self.table.activated.connect(self._on_row)
        self.which = ComboBox()
        self.which.setAccessibleName(shown(self._kind).replace("&", ""))
        adjust = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.which.setSizeAdjustPolicy(adjust)
        self.which.setMinimumContentsLength(30)
        self.which.currentIndexChanged.connect(self._on_which)
        self._name = label(shown(self._kind))
        self._name.setBuddy(self.which)
        self.band = Band()
        self.in_force = label("", wrap=True)
        self.in_force.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.in_force.hide()
        self.band.add_row(self.in_force)
        self.session = push_button(self.tr("&Open its session"), self._on_session)
        self.report = push_button(self.tr("&Write the report …"), self._on_report)
        self.resume = push_button(
            self.tr("&Resume …"), partial(self._ask, self.resumeWanted), primary=True
        )
        self.revert = push_button(
            self.tr("Revert a&ll and end it …"), partial(self._ask, self.revertWanted)
        )

    def set_stored(self, stored: Sequence[Series]) -> None:
        """Offer these, the latest first; what is shown stays, where it is among them."""
        shown_now = self.chosen.output if self.chosen else None
        self._stored = list(stored)
        self.which.blockSignals(True)
        self.which.clear()
        self.which.addItems([shown(self._title(series)) for series in self._stored])
        outputs = [series.output for series in self._stored]
        self.which.setCurrentIndex(outputs.index(shown_now) if shown_now in outputs else 0)
        self.which.blockSignals(False)
        self._on_which(self.which.currentIndex())

    def choose(self, output: Path) -> bool:
        """Show the one of a file, if there is one."""
        outputs = [Path(series.output) for series in self._stored]
        if output in outputs:
            self.which.setCurrentIndex(outputs.index(output))
        return output in outputs

    @Slot(int)
    def _on_which(self, index: int) -> None:
        self.chosen = self._stored[index] if 0 <= index < len(self._stored) else None
        self._show_chosen()

    def _title(self, series: Any) -> Message:
        """Its line in the list."""
        raise NotImplementedError

    def _show_chosen(self) -> None:
        """Show what was chosen; None where nothing is stored."""
        raise NotImplementedError

    def _session_of(self, row: Any) -> str:
        """The session of a row of the table; '' where it has none."""
        raise NotImplementedError

    def _show_in_force(self, lines: Sequence[Message]) -> None:
        """What the settings say, and when they were read, below what came of the series."""
        self.in_force.setText("\n".join(map(shown, lines)))
        self.in_force.setVisible(bool(lines))

    def _ask(self, wanted: SignalInstance) -> None:
        if self.chosen:
            wanted.emit(self.chosen)

    @Slot()
    def _on_session(self) -> None:
        self._on_row(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if row is not None and (session := self._session_of(row)):
            self.sessionWanted.emit(Path(session))

    @Slot()
    def _on_report(self) -> None:
        if self.chosen is None:
            return
        suggestion = str(Path(self.chosen.output).with_suffix(self._suffix))
        title = self.tr("Write the report")
        path, _ = QFileDialog.getSaveFileName(self, title, suggestion, self._kinds)
        if path:
            self.reportWanted.emit(self.chosen, Path(path))

    def _lay_out(self, *parts: QWidget) -> QVBoxLayout:
        """The list, and these one below the other."""
        return column(row(self._name, (self.which, 1)), *parts, on=self, margins=0, spacing=10)

    def _button_row(self, *others: QPushButton) -> QWidget:
        """The buttons of every series, and those of one kind between them."""
        buttons = QWidget()
        flow(self.session, self.report, *others, self.resume, self.revert, on=buttons)
        return buttons
