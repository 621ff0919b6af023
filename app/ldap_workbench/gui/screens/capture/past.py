"""A window of the past out of the log of the connected server: say when, and it is fetched."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QTimeZone, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDateTimeEdit,
    QFrame,
    QWidget,
)

from ldap_workbench.experiment.capture_job import Captured, fetch_into
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox, DateTimeEdit
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.screens.capture.sources import lacking
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_NS_PER_MS = 1_000_000
_AGO_MS = 120_000
"""The first suggestion is a minute that the server has written out: 389 DS holds back 30 s."""
_LENGTH_MS = 60_000
_FORMAT = "yyyy-MM-dd HH:mm:ss 'UTC'"


class PastWindow(QFrame):
    """From and to, and a button that fetches; opens the session it makes.

    *Signals:* runningChanged(bool)
    """

    runningChanged = Signal(bool)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._job: Job | None = None
        self._make_fields()
        self._lay_out()
        workbench.connectionChanged.connect(self._on_connection)

    def running(self) -> bool:
        return self._job is not None

    @Slot()
    def fetch(self) -> None:
        """Begin to fetch what the fields say."""
        connection = self._workbench.connection
        if connection is None or self.running():
            return
        start = self._from.dateTime().toString("yyyyMMdd-HHmmss")
        path = self._workbench.settings.new_session(f"{connection.profile.name}-{start}")
        times = _ns_of(self._from), _ns_of(self._to)
        self._job = self._workbench.ask_server(
            self.tr("Fetching a past time range"),
            partial(_fetched, path, times, self._dialect.currentData()),
            on_done=self._on_fetched,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_ended,
            kind="capture",
        )
        self._workbench.notice("")
        self._show_running(True)

    @Slot()
    def stop(self) -> None:
        """End now; what has come is kept."""
        if self._job:
            self._job.cancel()
            self._progress.say(self.tr("Stopping; partial data is kept …"))

    def _make_fields(self) -> None:
        self._from, self._to = _moment_field(), _moment_field()
        here = self.tr("The server's time in UTC; this computer is at {zone}.").format(
            zone=datetime.now().astimezone().strftime("UTC%z")
        )
        for field in (self._from, self._to):
            set_tip(field, here)
        self._dialect = ComboBox()
        self._dialect.addItem(self.tr("Detect from content"), "auto")
        for dialect in DIALECTS.values():
            self._dialect.addItem(shown(dialect.title), dialect.name)
        self._dialect.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._dialect.setMinimumContentsLength(16)
        self._fetch = push_button(
            self.tr("Fet&ch"),
            self.fetch,
            tip=self.tr("Find this time range in the server's logs and read only that part"),
        )
        self._stop = push_button(
            self.tr("Sto&p"), self.stop, tip=self.tr("Stop now and keep the partial data")
        )
        self._progress = ProgressLine(self.tr("Progress of the fetch"))
        self._progress.hide()

    def _lay_out(self) -> None:
        fields = flow(
            label(self.tr("Past time range")),
            *_named(self.tr("&Begin"), self._from),
            *_named(self.tr("&Until"), self._to),
        )
        _keep_room(self._progress)
        way = row(
            *_named(self.tr("Rea&d as"), self._dialect),
            (self._progress, 1),
            self._stop,
            self._fetch,
            spacing=10,
        )
        self.setProperty("role", "card")
        self._form = QWidget()
        column(fields, way, on=self._form, margins=0)
        self._why = label("", "dim", wrap=True)
        self._why.hide()
        column(self._form, self._why, on=self, margins=(14, 10, 14, 10))

    @Slot()
    def _on_connection(self) -> None:
        connection = self._workbench.connection
        if connection is None:
            return
        why_not = self._why_not(connection)
        self.setDisabled(bool(why_not))
        # A sentence in place of fields that cannot be filled: grey ones say nothing.
        self._form.setHidden(bool(why_not))
        cannot = self.tr("No past time range can be fetched.")
        self._why.setText(f"{cannot} {why_not}")
        self._why.setVisible(bool(why_not))
        until = connection.target.now_ns() // _NS_PER_MS - _AGO_MS
        for field, moment in ((self._from, until - _LENGTH_MS), (self._to, until)):
            field.setDateTime(QDateTime.fromMSecsSinceEpoch(moment, QTimeZone.utc()))
        self._show_running(False)

    def _why_not(self, connection: Connection) -> str:
        """Why nothing can be fetched from this server; empty where it can."""
        if connection.target.facts.simulated:
            return self.tr("The practice host has no shell to search its logs with.")
        profile = connection.profile
        if profile.ssh is None and not profile.local:
            return self.tr("The profile has no SSH host, so its logs cannot be read.")
        return ""

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._progress.show_progress(progress)

    @Slot(object)
    def _on_fetched(self, fetched: Captured) -> None:
        self._on_ended()
        words = self.tr("{seconds:.1f} s fetched into {path}")
        self._workbench.show_status(words.format(seconds=fetched.window.seconds, path=fetched.path))
        if reasons := lacking(fetched.sources):
            self._workbench.notice(self.tr("This window is incomplete"), reasons, fetched.path)
        self._workbench.open_session(fetched.path)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._on_ended()
        self._workbench.fail(error)

    @Slot()
    def _on_ended(self) -> None:
        self._job = None
        self._show_running(False)

    def _show_running(self, running: bool) -> None:
        self._progress.setVisible(running)
        self._stop.setVisible(running)
        for field in (self._fetch, self._from, self._to, self._dialect):
            field.setEnabled(not running)
        self.runningChanged.emit(running)


def _named(words: str, field: QWidget) -> tuple[QWidget, QWidget]:
    """A field behind its name."""
    name = label(words)
    name.setBuddy(field)
    return name, field


def _moment_field() -> QDateTimeEdit:
    """Server time to the second; the zone stands in it."""
    field = DateTimeEdit()
    field.setTimeZone(QTimeZone.utc())
    field.setDisplayFormat(_FORMAT)
    field.setCalendarPopup(True)
    return field


def _keep_room(widget: QWidget) -> None:
    """Let its place be empty, and not filled by others, while it is hidden."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def _ns_of(field: QDateTimeEdit) -> int:
    return int(field.dateTime().toMSecsSinceEpoch()) * _NS_PER_MS


def _fetched(
    path: Path,
    times: tuple[int, int],
    dialect: str,
    connection: Connection,
    progress: OnProgress,
    cancel: Cancel,
) -> Captured:
    """In the server's thread."""
    target = connection.target
    return fetch_into(path, target, *times, dialect=dialect, progress=progress, cancel=cancel)
