"""Fleet: which of many servers stands out, on which day and in which hour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QSplitter, QWidget

from ldap_workbench.figures.overview.fleet import HOUR_COLUMNS, Hour, day_of, server_columns
from ldap_workbench.gui.parts.models.table import ROW_ROLE
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.tail import QUANTILES
from ldap_workbench.model.units import NS_PER_S

if TYPE_CHECKING:
    from ldap_workbench.fleet.hour import HourSource
    from ldap_workbench.fleet.reviewing import Reviewed
    from ldap_workbench.fleet.store import Fleet
    from ldap_workbench.fleet.tables import Row, SpanTail
    from ldap_workbench.model.progress import Cancel, OnProgress

TYPES = (ALL, "SRCH", "BIND", "MOD", "ADD", "DEL", "CMP", "EXT")
COUNTED = {
    "max_ns": Message("Longest"),
    "stalls": Message("Stalls"),
    "slow_s": Message("Slow seconds"),
    "errors": Message("Errors"),
    "unindexed": Message("Unindexed"),
    "findings": Message("Findings"),
    "entry_cache": Message("Entry cache hits"),
    "db_cache": Message("Database cache hits"),
}
"""Measures beside the quantiles; `tables.MEASURES` and `tables.REVIEWED` have all."""
_NAMED = 3
"""Files that are named; below the tables, the tip has more."""
_IN_TIP = 30
_HOUR_NS = 3600 * NS_PER_S


@dataclass(frozen=True)
class HourWanted:
    """The session of one hour of a server: where its lines are, and what to call it."""

    source: HourSource
    name: str


class FleetScreen(Screen):
    """Servers as rows, days as columns; below them the hours of what is chosen.

    *Signals:* hourWanted(HourWanted)
    """

    name = "fleet"
    hourWanted = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.fleet: Fleet | None = None
        self._path = Path()
        self._hosts: Path | None = None
        self._rows: list[Row] = []
        self._days: list[date] = []
        self.table = RowsTable(self.tr("Servers"), server_columns((), ""))
        self.below = RowsTable(self.tr("Hours"), HOUR_COLUMNS)
        self.servers, self.hours = self.table.rows, self.below.rows
        self.table.selectionModel().currentChanged.connect(self._on_cell)
        self.types, self.measures = ComboBox(), ComboBox()
        self._make_tools()
        self._words = label("", "dim", wrap=True)
        self.missing = Band("warn")
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.table)
        self.split.addWidget(self.below)
        self.split.setSizes([300, 200])
        self._body = QWidget()
        column(self.missing, (self.split, 1), self._words, on=self._body, margins=0, spacing=10)
        choose = QAction(self.tr("&Open a fleet …"), self)
        choose.triggered.connect(self.choose)
        self._empty = self.empty_state([choose])
        self.add_bodies(self._empty, self._body)

    def _make_tools(self) -> None:
        for kind in TYPES:
            self.types.addItem(kind if kind != ALL else self.tr("All operations"), kind)
        for name in QUANTILES:
            self.measures.addItem(name.removesuffix("_ns").replace("p999", "p99.9"), name)
        for name, words in COUNTED.items():
            self.measures.addItem(shown(words), name)
        self.measures.setCurrentIndex(self.measures.findData("p99_ns"))
        self.open_hour = push_button(self.tr("Open session of the hou&r"))
        self.look = push_button(
            self.tr("&Look for findings"),
            tip=self.tr(
                "Read the worst hour of each server on the day on which it stands out; "
                "what is found is kept with the fleet"
            ),
        )
        another = push_button(self.tr("&Open a fleet …"))
        self.add_field(label(self.tr("&Type")), self.types)
        self.add_field(label(self.tr("&Measure")), self.measures)
        for tool in (self.open_hour, self.look, another):
            self.add_tool(tool)
        another.clicked.connect(self.choose)
        self.open_hour.clicked.connect(self._on_open_hour)
        self.look.clicked.connect(self._on_look)
        self.types.currentIndexChanged.connect(self._compute)
        self.measures.currentIndexChanged.connect(self._compute)
        self.below.activated.connect(self._on_hour)

    @Slot()
    def choose(self) -> None:
        """Ask for the folder of a fleet."""
        folder = str(self.workbench.settings.folder)
        if path := QFileDialog.getExistingDirectory(self, self.tr("Open a fleet"), folder):
            self.open(Path(path))

    def open(self, path: Path) -> None:
        """Show the fleet in a folder."""
        from ldap_workbench.fleet.store import read_fleet

        title = self.tr("Reading the fleet {name}").format(name=path.name)
        if path != self._path:
            self._hosts = None
        self._path = path
        self.workbench.start("fleet", title, lambda _, __: read_fleet(path), self._on_fleet)

    def reload(self) -> None:
        if self.fleet is not None:
            self.open(self._path)

    @Slot(object)
    def _on_fleet(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.set_subtitle(str(self._path))
        self.show_body(self._body)
        self._compute()

    @Slot()
    def _compute(self) -> None:
        """The rows for the type and measure that are chosen, in a worker."""
        fleet, type_ = self.fleet, self.types.currentData()
        measure = self.measures.currentData()
        if fleet is None:
            return

        def work(_: object, __: object) -> list[Row]:
            from ldap_workbench.fleet.tables import tails

            counts = {name: server.counts for name, server in fleet.servers.items()}
            return tails(counts, fleet.reviews, type_=type_, measure=measure)

        title = self.tr("Comparing the servers")
        self.workbench.start("fleet", title, work, self._on_rows)

    @Slot(object)
    def _on_rows(self, rows: list[Row]) -> None:
        self._rows = rows
        self._days = sorted({day for row in rows for day in row.known_days()})
        self.servers.set_table(server_columns(self._days, self.measures.currentData()), rows)
        self.hours.set_rows([])
        self._say(len(rows), len(self._days))
        if rows:
            self.table.setCurrentIndex(self.servers.index(0, 0))

    def _say(self, servers: int, days: int) -> None:
        counts = Message(
            "{servers}, {days}; days and hours are UTC, quantiles up to 2 % too long.",
            servers=count_of("{n} server", "{n} servers", n=servers),
            days=count_of("{n} day", "{n} days", n=days),
        )
        assert self.fleet is not None
        doubts = self.fleet.doubts()
        aside = [Message("{what}: {why}", what=m.what, why=m.why) for m in self.fleet.left_out]
        said = [counts, *doubts[:_NAMED]]
        if aside:
            left = count_of("{n} file was left out.", "{n} files were left out.", n=len(aside))
            said += [left, *aside[:_NAMED]]
        self._words.setText(shown(sentences(*said)))
        set_tip(self._words, "\n".join(shown(line) for line in (*doubts, *aside)[:_IN_TIP]))
        self._say_missing()

    def _say_missing(self) -> None:
        """What the counts lack, above them; the first of it by name."""
        assert self.fleet is not None
        failures = self.fleet.failures
        self.missing.setVisible(bool(failures))
        heading = count_of(
            "{n} log or server is missing from these figures",
            "{n} logs or servers are missing from these figures",
            n=len(failures),
        )
        lines = [shown(Message("{what}: {why}", what=m.what, why=m.why)) for m in failures]
        if len(lines) > _NAMED:
            more = len(lines) - _NAMED
            lines = [*lines[:_NAMED], shown(Message("and {n} more", n=more))]
        self.missing.say(shown(heading), "\n".join(lines))

    @Slot(QModelIndex, QModelIndex)
    def _on_cell(self, now: QModelIndex, _: QModelIndex) -> None:
        row: Row | None = now.data(ROW_ROLE)
        day = day_of(row, now.column(), self._days) if row is not None else None
        if row is None or day is None or self.fleet is None:
            self.hours.set_rows([])
            return
        server, type_ = row.server, self.types.currentData()
        counts = self.fleet.servers[server].counts

        def work(_: object, __: object) -> tuple[str, date, dict[int, SpanTail]]:
            from ldap_workbench.fleet.tables import hours

            return server, day, hours(counts, day, type_=type_)

        title = self.tr("Reading the hours of {server}").format(server=server)
        self.workbench.start("fleet hours", title, work, self._on_hours)

    @Slot(object)
    def _on_hours(self, hours: tuple[str, date, dict[int, SpanTail]]) -> None:
        from ldap_workbench.fleet.tables import worst_hour  # the window starts without

        server, day, tails = hours
        self.hours.set_rows([Hour(server, day, hour, tail) for hour, tail in sorted(tails.items())])
        worst = worst_hour(tails)
        if worst is not None:
            self.below.selectRow(sorted(tails).index(worst))
        self.open_hour.setEnabled(worst is not None)
        here = self.fleet is not None and self.fleet.here
        elsewhere = self.tr("The lines of this hour are fetched from where the log is.")
        set_tip(self.open_hour, "" if here else elsewhere)

    @Slot()
    def _on_open_hour(self) -> None:
        self._on_hour(self.below.currentIndex())

    @Slot(QModelIndex)
    def _on_hour(self, index: QModelIndex) -> None:
        hour = index.data(ROW_ROLE)
        if not isinstance(hour, Hour) or self.fleet is None:
            return
        from ldap_workbench.fleet import excerpts
        from ldap_workbench.fleet.hour import HourSource
        from ldap_workbench.fleet.parts import file_name

        start_ns = ((hour.day - date(1970, 1, 1)).days * 24 + hour.hour) * _HOUR_NS
        wanted = excerpts.Hour(hour.server, start_ns, start_ns + _HOUR_NS)
        name = f"{file_name(hour.server)}-{hour.day}-{hour.hour:02}h"
        if self.fleet.here:
            paths = self.fleet.files(hour.server, wanted.start_ns, wanted.end_ns)
            source = HourSource(wanted, tuple(paths)) if paths else None
        else:
            hosts = self._asked_hosts()
            source = HourSource(wanted, hosts=hosts) if hosts is not None else None
        if source is not None:
            self.hourWanted.emit(HourWanted(source, name))

    @Slot()
    def _on_look(self) -> None:
        """Review the worst hours, in a worker; what is found is kept with the fleet."""
        fleet, path, rows = self.fleet, self._path, self._rows
        hosts = None if fleet is None or fleet.here else self._asked_hosts()
        if fleet is None or not (fleet.here or hosts):
            return

        def work(progress: OnProgress, cancel: Cancel) -> tuple[Path, Reviewed]:
            from ldap_workbench.fleet.reviewing import days_to_review, review_hours
            from ldap_workbench.fleet.reviews import merged, write_reviews

            secrets = self.workbench.secrets
            done = review_hours(fleet, days_to_review(rows), hosts, secrets, progress, cancel)
            write_reviews(path, merged(fleet.reviews, done.reviews))
            return path, done

        self.look.setEnabled(False)
        title = self.tr("Looking for findings")
        self.workbench.runner.start(
            "fleet review",
            title,
            work,
            on_done=self._on_reviewed,
            on_failed=self._on_look_failed,
        )

    @Slot(object)
    def _on_reviewed(self, answer: tuple[Path, Reviewed]) -> None:
        path, done = answer
        self.look.setEnabled(True)
        read = count_of("{n} hour was read.", "{n} hours were read.", n=len(done.reviews))
        self.workbench.show_status(shown(read))
        if done.failures:
            lines = [Message("{what}: {why}", what=m.what, why=m.why) for m in done.failures]
            heading = self.tr("Not every hour could be read")
            self.workbench.notice(heading, "\n".join(shown(line) for line in lines[:_NAMED]))
        if path == self._path:
            self.open(path)

    @Slot(object)
    def _on_look_failed(self, error: Exception) -> None:
        self.look.setEnabled(True)
        self.workbench.fail(error)

    def _asked_hosts(self) -> Path | None:
        """The file of hosts, once for each fleet: a fleet's folder must not say who is asked."""
        if self._hosts is None:
            title, folder = self.tr("File of hosts of this fleet"), str(self._path.parent)
            kinds = self.tr("Hosts (*.toml)")
            path, _ = QFileDialog.getOpenFileName(self, title, folder, kinds)
            self._hosts = Path(path) if path and self._agreed(Path(path)) else None
        return self._hosts

    def _agreed(self, hosts: Path) -> bool:
        """Show a file of hosts that was not used before, and ask."""
        from ldap_workbench.fleet.hosts import describe_hosts, is_agreed, remember_agreement

        try:
            lines = describe_hosts(hosts)
            if is_agreed(hosts):
                return True
            box = ConsentBox(
                self.tr("Use this file of hosts"),
                self.tr("{path} says who is asked, and with which of your keys:").format(
                    path=hosts
                ),
                "\n\n".join(shown(line) for line in lines),
                self.tr("&Use these hosts"),
                self,
            )
            if not box.agreed():
                return False
            remember_agreement(hosts)
        except (WorkbenchError, OSError) as error:
            self.workbench.fail(error)
            return False
        return True
