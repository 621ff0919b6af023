"""Knobs: what each says now, what it does; plan an experiment from here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from ldap_workbench.figures.overview.knobs import (
    AdvisedValues,
    advised,
    advised_for,
    columns,
    differs,
    kept_readings,
    listed,
    same_server,
    version_remark,
)
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.gui.parts.models.table import ROW_ROLE, FoundRows, RowsModel
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.gui.screens.knobs.detail import KnobDetail
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import KnobReading
from ldap_workbench.model.message import count_of


class KnobsScreen(Screen):
    """The catalogue against the connected server, or as the open session kept it.

    *Signals:* settingWanted(Setting), adviceWanted(), when it is looked at
    """

    name = "knobs"

    settingWanted = Signal(object)
    adviceWanted = Signal()

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._stale = True
        self._advice: tuple[Advice, ...] = ()
        self._advised: AdvisedValues = {}
        self._readings: list[KnobReading] = []
        self.model = RowsModel(columns({}), parent=self)
        self._rows = KnobRows(self.model, self)
        self._make_tools()
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.connectionChanged.connect(self._on_source)
        workbench.sessionChanged.connect(self._on_session)
        workbench.journal.changed.connect(self._on_journal)

    def shown(self) -> None:
        if self._stale:
            self.reload()
        self.adviceWanted.emit()

    def reload(self) -> None:
        """Read every knob from the server, or from the session where there is no server."""
        title = self.tr("Reading settings")
        if self.workbench.connection:
            job = self.workbench.ask_server(title, _read, on_done=self._on_readings)
        else:
            job = self.workbench.ask_session(title, kept_readings, self._on_kept, view=True)
        self._stale = job is None

    def set_advice(self, advice: Sequence[Advice]) -> None:
        """Show what this advice, of the open session, would set."""
        self._advice = tuple(advice)
        self._show_advice()

    def _show_advice(self) -> None:
        """Not beside the knobs of another server than the session's."""
        bench = self.workbench
        fits = bench.connection is None or (
            bench.opened is not None
            and same_server(bench.opened.summary.facts, bench.connection.target.facts)
        )
        self._advised = advised(self._advice) if fits else {}
        chosen = _key(self.table.currentIndex())
        readings = listed(self._readings, self._advised)
        self.model.set_table(columns(self._advised), readings)
        self._select(chosen)

    def _make_tools(self) -> None:
        self._filter = QLineEdit()
        self._filter.setClearButtonEnabled(True)
        self._filter.setPlaceholderText(self.tr("name or keyword …"))
        self._filter.setFixedWidth(self.fontMetrics().averageCharWidth() * 26)
        self._filter.textChanged.connect(self._rows.find)
        self._filter.textChanged.connect(self._count)
        self._changed_only = QCheckBox(self.tr("Only non-&default values"))
        self._changed_only.toggled.connect(self._rows.set_changed_only)
        self._changed_only.toggled.connect(self._count)
        again = push_button(self.tr("&Refresh"), self.reload, tip=self.tr("F5"))
        self.add_field(label(self.tr("F&ind")), self._filter)
        for widget in (self._changed_only, again):
            self.add_tool(widget)

    def _make_body(self) -> QWidget:
        self.table = TableView(self.tr("Settings of the server and its host"), keep="knobs table")
        self.table.set_rows(self._rows, stretch=0)  # a name is cut before its value
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.detail = KnobDetail()
        self.detail.planned.connect(self.settingWanted)
        left = QWidget()
        self._sentence = label("", "dim", wrap=True)
        self._counted = label("", "dim", wrap=True)
        column(self._sentence, (self.table, 1), self._counted, on=left, margins=0)
        self.panes = Panes("knobs panes", left)
        right = Qt.DockWidgetArea.RightDockWidgetArea
        self.panes.add("knob", self.tr("Details of the setting"), self.detail, right, 37)
        return self.panes

    @Slot()
    def _on_session(self) -> None:
        self._advice = ()
        self._show_advice()
        if self.workbench.connection is None:
            self._on_source()
        if self.isVisible():
            self.adviceWanted.emit()

    @Slot()
    def _on_source(self) -> None:
        """A server was connected or let go, or without one the session changed."""
        connection = self.workbench.connection
        self._stale = True
        remark = shown(version_remark(connection.target.facts)) if connection else ""
        self._sentence.setText(remark)
        self._sentence.setVisible(connection is None or bool(remark))
        self.detail.set_editable(connection is not None)
        self.detail.forget_typed()
        self._show_advice()
        self.set_subtitle(describe_server(connection.target.facts) if connection else "")
        if connection is None:
            self._readings = []
            self.model.set_rows(())
        self.show_body(self._body if connection else self._empty)
        if self.isVisible():
            self.reload()

    @Slot()
    def _on_journal(self) -> None:
        self._stale = True
        if self.isVisible():
            self.reload()

    @Slot(object)
    def _on_kept(self, readings: list[KnobReading]) -> None:
        opened = self.workbench.opened
        if self.workbench.connection or not readings or opened is None:
            return
        words = self.tr(
            "Values recorded in {session}, without trial changes. Connect to read "
            "the current values of all settings and to change them."
        )
        self._sentence.setText(words.format(session=opened.summary.name))
        self.show_body(self._body)
        self._on_readings(readings)

    @Slot(object)
    def _on_readings(self, readings: list[KnobReading]) -> None:
        chosen = _key(self.table.currentIndex())
        self._readings = readings
        self.model.set_rows(listed(readings, self._advised))
        self._select(chosen)
        self._count()

    @Slot()
    def _count(self) -> None:
        """How many of the knobs are listed, where that is not all of them."""
        listed, known = self._rows.rowCount(), self.model.rowCount()
        words = self.tr("Bold: differs from the default.")
        if listed < known:
            counts = count_of(
                "{n} of {known} settings is listed.",
                "{n} of {known} settings are listed.",
                n=listed,
                known=known,
            )
            words = f"{shown(counts)} {words}" if listed else self.tr("No setting matches.")
        self._counted.setText(words)

    def _select(self, chosen: tuple[str, str] | None) -> None:
        """The setting that was chosen, else the first."""
        rows = range(self._rows.rowCount())
        row = next((row for row in rows if _key(self._rows.index(row, 0)) == chosen), 0)
        self.table.selectRow(row)

    @Slot(QModelIndex, QModelIndex)
    def _on_row(self, index: QModelIndex, _: QModelIndex) -> None:
        reading = index.data(ROW_ROLE)
        if isinstance(reading, KnobReading):
            self.detail.show_knob(reading, advised_for(reading, self._advised))


def _key(index: QModelIndex) -> tuple[str, str] | None:
    """What a row is known by wherever it stands; None for no row."""
    reading = index.data(ROW_ROLE)
    return (reading.knob.name, reading.place) if isinstance(reading, KnobReading) else None


def _read(connection: Connection, *_: object) -> list[KnobReading]:
    return connection.tuner.readings()


class KnobRows(FoundRows):
    """Sorted, found by words, and perhaps only what was changed."""

    _changed_only = False

    def set_changed_only(self, wanted: bool) -> None:
        """Hide what is as the server was shipped."""
        self._changed_only = wanted
        self.invalidateFilter()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        if not super().filterAcceptsRow(row, parent):
            return False
        reading = self.sourceModel().index(row, 0, parent).data(ROW_ROLE)
        return not self._changed_only or differs(reading)
