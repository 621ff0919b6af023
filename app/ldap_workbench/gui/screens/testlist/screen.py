"""Tests in one list: planned, running, interrupted, done; and the way to a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QMenu, QWidget

from ldap_workbench.campaign.canary import CANARIES
from ldap_workbench.campaign.state import CAMPAIGNS
from ldap_workbench.experiment.history import History, Tried
from ldap_workbench.figures.overview.history import (
    COLUMNS,
    OpenTest,
    interrupted,
    newest_first,
    planned_test,
    read_history,
    running_test,
    tried_on,
)
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.tuning.journal import server_name


class _Read(NamedTuple):
    """What the disk says: tests that ended, and series of tests that were interrupted."""

    history: History
    series: tuple[OpenTest, ...] = ()
    unread: int = 0
    """Series that cannot be read."""


class TestsScreen(Screen):
    """What is open comes first, then what is done, newest first. A row leads to its test.

    *Signals:* newWanted(str), a kind of test: experiment, campaign, canary, levels;
    testWanted(a Tried)
    """

    newWanted = Signal(str)
    testWanted = Signal(object)
    name = "tests"

    def __init__(self, workbench: Workbench, planned: Callable[[], Treatment | None]) -> None:
        super().__init__(workbench)
        self._planned = planned
        self._known = _Read(History())
        self.table = RowsTable(self.tr("Tests"), COLUMNS, stretch=1)
        self.model = self.table.rows
        self.table.activated.connect(self._on_row)
        self.here = QCheckBox(self.tr("Only the &connected server"))
        self.here.toggled.connect(self._fill)
        self.open = push_button(self.tr("&Open"), self._open_chosen)
        self._kinds = self._make_kinds()
        self.new = push_button(self.tr("&New test"))
        self.new.setProperty("role", "menu")
        menu = QMenu(self)
        menu.addActions(self._kinds)
        self.new.setMenu(menu)
        for tool in (self.here, self.open, self.new):
            self.add_tool(tool)
        self._words = label("", "dim", wrap=True)
        self._body = QWidget()
        column((self.table, 1), self._words, on=self._body, margins=0)
        self._empty = self.empty_state(self._kinds)
        self.add_bodies(self._empty, self._body)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.running.changed.connect(self._fill)
        self._on_connection()

    def shown(self) -> None:
        self._fill()  # what is planned is known at once
        self.reload()

    def reload(self) -> None:
        title = self.tr("Reading the tests")
        self.workbench.start("tests", title, lambda _, __: _read(), self._on_read)

    def _make_kinds(self) -> list[QAction]:
        kinds = (
            ("experiment", self.tr("One settin&g")),
            ("campaign", self.tr("Several in &turn")),
            ("canary", self.tr("One &replica at a time")),
            ("levels", self.tr("&Levels of one setting")),
        )
        actions = []
        for kind, words in kinds:
            action = QAction(words, self)
            action.triggered.connect(partial(self.newWanted.emit, kind))
            actions.append(action)
        return actions

    @Slot(object)
    def _on_read(self, read: _Read) -> None:
        self._known = read
        self._fill()

    @Slot()
    def _on_connection(self) -> None:
        connected = self.workbench.connection is not None
        self.here.setEnabled(connected)
        if not connected:
            self.here.setChecked(False)
        self._fill()

    def _open_tests(self) -> list[OpenTest]:
        """What is planned, runs, or was interrupted."""
        connection, running = self.workbench.connection, self.workbench.running
        tests = []
        treatment = self._planned()
        if treatment and connection and not running.run:
            profile, identity = connection.profile, connection.target.facts.identity
            tests.append(planned_test(treatment, profile.name, profile.server_url, identity))
        if running.run:
            test = running_test(running.run.plan, running.server, running.run.path)
            if connection and connection.profile.name == running.server:
                url = server_name(connection.profile.server_url)
                test = replace(test, server=url, identity=connection.target.facts.identity)
            tests.append(test)
        return [*tests, *(series for series in self._known.series if not self._runs(series))]

    def _runs(self, series: OpenTest) -> bool:
        """Whether it is the one at work: the sessions of a campaign are named after its own."""
        run, own = self.workbench.running.run, Path(series.session)
        if run is None or run.path.parent != own.parent:
            return False
        return run.path == own or run.path.name.startswith(f"{own.stem}-")

    @Slot()
    def _fill(self) -> None:
        connection = self.workbench.connection
        tests = (*self._open_tests(), *newest_first(self._known.history.tried))
        if self.here.isChecked() and connection:
            tests = tried_on(tests, connection.profile.server_url, connection.target.facts.identity)
        chosen = _key(self.table.currentIndex().data(ROW_ROLE))
        self.model.set_rows(tests)
        unread = self._known.history.unread + self._known.unread
        counts = [count_of("{n} test.", "{n} tests.", n=len(tests))]
        if unread:
            counts.append(Message("Cannot be read: {unread}.", unread=unread))
        self._words.setText(shown(sentences(*counts)))
        self.open.setEnabled(bool(tests))
        if tests:
            keys = [_key(test) for test in self.model.rows]
            self.table.selectRow(keys.index(chosen) if chosen in keys else 0)
        anything = tests or unread or self._known.history.tried
        self.show_body(self._body if anything else self._empty)

    @Slot()
    def _open_chosen(self) -> None:
        self._on_row(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, Tried) and (
            row.session or isinstance(row, OpenTest)
        ):  # a change by hand has none
            self.testWanted.emit(row)


def _key(test: object) -> tuple[str, int] | None:
    """What a row is known by when the list is read again; None for no row."""
    return (test.session, test.began_ns) if isinstance(test, Tried) else None


def _read() -> _Read:
    """In a worker: all tests of this user."""
    series: list[OpenTest] = []
    unread = 0
    for states in (CAMPAIGNS, CANARIES):
        stored, lost = states.all()
        series += interrupted(stored)
        unread += lost
    return _Read(read_history(), tuple(series), unread)
