"""Capture: choose what and how long, watch it come in, mark moments, end it when you like."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.experiment.capture_job import Captured, CaptureJob
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.gui.parts.widgets.buttons import push_button, small_button
from ldap_workbench.gui.parts.widgets.fields import SpinBox
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.screens.capture.past import PastWindow
from ldap_workbench.gui.screens.capture.sources import SourceLines, lacking
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.window import LiveBatch, SourceKind

_BEAT_MS = 500
_NAME_LETTERS = 14
_INDEX_KEYS_S = 120
_SOURCES = (
    (
        SourceKind.MONITOR,
        verbatim("cn=&monitor"),
        Message("Counters of the server, once a second"),
    ),
    (SourceKind.ACCESS_LOG, Message("Access &log"), Message("Every operation with its etime")),
    (SourceKind.ERROR_LOG, Message("Er&ror log"), Message("Errors and warnings of the server")),
    (
        SourceKind.IOSTAT,
        verbatim("&iostat"),
        Message("The disks, once a second; from iostat, else from /proc/diskstats"),
    ),
    (
        SourceKind.HOST,
        Message("Host s&ystem"),
        Message("Pressure, limits and threads of the server's process"),
    ),
)


class CaptureScreen(Screen):
    """One window of the connected server into a session file."""

    _noted = Signal()
    name = "capture"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._job: Job | None = None
        self._run: CaptureJob | None = None
        self._feed = LiveFeed()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        self._noted.connect(self._on_beat)
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.readOnlyChanged.connect(self._on_read_only)

    def _take_live(self, batch: LiveBatch) -> None:
        """From any thread. That a server is silent is shown at once, not at the next beat."""
        self._feed.put(batch)
        if batch.note is not None:
            self._noted.emit()

    def running(self) -> bool:
        return self._job is not None or self._past.running()

    def start(self) -> None:
        """Begin to capture what the fields say."""
        connection = self.workbench.connection
        if connection is None or self.running():
            return
        if self._index_keys.isChecked() and not self.workbench.may_change_a_server():
            return
        facts = connection.target.facts
        self._feed = LiveFeed(facts.device)
        path = Path(self._path.text()).expanduser()
        self.workbench.settings.new_folder = path.parent
        self._run = CaptureJob(
            path,
            self._plan(),
            append=True,
            statistics=self._index_keys.isChecked(),
            on_live=self._take_live,
        )
        run = self._run
        self._job = self.workbench.ask_server(
            self.tr("Capturing"),
            lambda c, progress, cancel: run.run(c.target, c.tuner, progress, cancel),
            on_done=self._on_captured,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_ended,
            kind=self.name,
        )
        self.workbench.notice("")
        self._sources_now.start()
        self._timer.start()
        self._show_running(True)

    def stop(self) -> None:
        """End the window now, whole; asked again, with what there is of its log."""
        if self._job is None or self._run is None:
            return
        if self._run.stopped:
            self._job.cancel()
            self._progress.say(self.tr("Stopping; partial data is kept …"))
        else:
            self._run.stop()
            self._stop.setText(self.tr("S&top waiting"))
            set_tip(self._stop, self.tr("Skip what the server has not written to its log yet"))

    @Slot()
    def prepare_index_keys(self) -> None:
        """Fill the fields for two minutes with the index keys of each search."""
        if not self.running():
            self._name.setText(self.tr("index keys"))
            self._seconds.setValue(_INDEX_KEYS_S)
            self._index_keys.setChecked(True)
            self._start.setFocus()

    def _plan(self) -> CapturePlan:
        chosen = frozenset(kind for kind, box in self._sources.items() if box.isChecked())
        name = self._name.text().strip() or "window"
        return CapturePlan(float(self._seconds.value()), sources=chosen, name=name)

    def _make_body(self) -> QWidget:
        self._make_fields()
        self._past = PastWindow(self.workbench)
        self._past.runningChanged.connect(self._start.setDisabled)
        self._stack = StripStack()
        self._hint = label(
            self.tr(
                "Start while users notice the problem. The server is shown here second by second; "
                "then the Summary says where the time went."
            ),
            "dim",
            wrap=True,
        )
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        body = QWidget()
        column(
            self._form(),
            self._past,
            self._progress_row(),
            (self._hint, 1),
            (self._stack, 1),
            on=body,
            margins=0,
            spacing=10,
        )
        self._stack.hide()
        return body

    def _make_fields(self) -> None:
        self._name = QLineEdit("window")
        self._name.setMinimumWidth(self.fontMetrics().averageCharWidth() * 8)
        self._seconds = SpinBox()
        self._seconds.setRange(1, 86_400)
        self._seconds.setValue(60)
        self._seconds.setSuffix(" s")
        self._path = QLineEdit()
        self._sources: dict[SourceKind, QCheckBox] = {}
        for kind, text, tip in _SOURCES:
            box = QCheckBox(shown(text))
            box.setChecked(True)
            set_tip(box, shown(tip))
            self._sources[kind] = box
        self._index_keys = QCheckBox(self.tr("Inde&x keys (changes a setting meanwhile)"))
        set_tip(
            self._index_keys,
            self.tr(
                "Log the index keys of each search meanwhile: nsslapd-statlog-level is set to 1, "
                "in the journal, and put back at the end"
            ),
        )
        self._start = push_button(self.tr("St&art"), self.start, primary=True)
        self._stop = push_button(self.tr("S&top"), self.stop)
        self._mark = push_button(self.tr("Add mar&ker"), self.mark)

    def _form(self) -> QFrame:
        browse = small_button("open", self.tr("Choose the session file"), self._browse)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        fields = ((self.tr("&Name"), self._name), (self.tr("Len&gth"), self._seconds))
        for place, (words, field) in enumerate(fields):
            grid.addWidget(_buddy(words, field), 0, 2 * place)
            grid.addWidget(field, 0, 2 * place + 1)
        grid.addWidget(_buddy(self.tr("Sessi&on file"), self._path), 0, 4)
        grid.addWidget(self._path, 0, 5)
        grid.addWidget(browse, 0, 6)
        self._name.setMinimumWidth(self.fontMetrics().averageCharWidth() * _NAME_LETTERS)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(5, 4)
        second = flow(
            label(self.tr("Sources")),
            *self._sources.values(),
            self._index_keys,
            self._mark,
            self._stop,
            self._start,
        )
        card = QFrame()
        card.setProperty("role", "card")
        column(grid, second, on=card, margins=(14, 10, 14, 10))
        return card

    def _progress_row(self) -> QWidget:
        self._progress = ProgressLine(self.tr("Progress of the capture"))
        self._counts = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._words = QLineEdit()
        self._words.setPlaceholderText(self.tr("optional"))
        self._words.setMinimumWidth(self.fontMetrics().averageCharWidth() * 20)
        self._words.setMaxLength(200)
        self._words.returnPressed.connect(self.mark)
        self._sources_now = SourceLines()
        named = _buddy(self.tr("&What happens now"), self._words)
        self._row = QWidget()
        column(
            row((self._progress, 1), self._counts, named, self._words),
            self._sources_now,
            on=self._row,
            margins=0,
        )
        self._row.hide()
        return self._row

    @Slot()
    def _on_connection(self) -> None:
        connection = self.workbench.connection
        if connection is None:
            self.set_subtitle("")
            self.show_body(self._empty)
            return
        facts = connection.target.facts
        self.set_subtitle(f"{facts.host} · {facts.product} {facts.version.split(' ')[0]}")
        self._path.setText(str(self._suggested_path(connection.profile.name)))
        with_host = connection.profile.ssh is not None or connection.profile.local
        for kind, box in self._sources.items():
            box.setEnabled(with_host or kind is SourceKind.MONITOR)
            box.setChecked(box.isEnabled())
        self._index_keys.setChecked(False)
        self._show_running(False)
        self.show_body(self._body)

    @Slot(bool)
    def _on_read_only(self, wanted: bool) -> None:
        if wanted:
            self._index_keys.setChecked(False)
        self._show_running(self.running())

    def _suggested_path(self, profile: str) -> Path:
        return self.workbench.settings.new_session(profile, stamped=True)

    @Slot()
    def _browse(self) -> None:
        title = self.tr("Session file to write")
        kinds = self.tr("Sessions (*.ldapwb)")
        path, _ = QFileDialog.getSaveFileName(self, title, self._path.text(), kinds)
        if path:
            self._path.setText(path)

    @Slot()
    def _on_beat(self) -> None:
        come = self._feed.drain()
        self._sources_now.show_sources(self._feed.sources)
        answering = self.workbench.server_answered and self._feed.answering
        self.workbench.answeringChanged.emit(answering)
        if not come:
            return
        self._hint.hide()
        self._stack.show()
        self._stack.set_strips(self._feed.strips())
        text = self.tr("{operations} operations · {samples} samples · {size} of logs")
        self._counts.set_whole(
            text.format(
                operations=localised(self._feed.operations),
                samples=localised(self._feed.samples),
                size=localised(self._feed.bytes_read, "size"),
            )
        )

    @Slot()
    def mark(self) -> None:
        words = self._words.text().strip() or self.tr("marked by the operator")
        if self._run and self._run.mark(words):
            self._words.clear()
            self.workbench.show_status(self.tr("This moment is marked in the session."))

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._progress.show_progress(progress)

    @Slot(object)
    def _on_captured(self, captured: Captured) -> None:
        self._on_ended()
        self.workbench.show_status(
            shown(
                Message(
                    "{seconds:.1f} s captured into {path}",
                    seconds=captured.window.seconds,
                    path=str(captured.path),
                )
            )
        )
        if reasons := lacking(captured.sources):
            self.workbench.notice(self.tr("This window is incomplete"), reasons, captured.path)
        self.workbench.open_session(captured.path)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._on_ended()
        self.workbench.fail(error)

    @Slot()
    def _on_ended(self) -> None:
        self._timer.stop()
        self._on_beat()
        # Nobody looks from here on.
        self.workbench.answeringChanged.emit(self.workbench.server_answered)
        self._job = None
        self._run = None
        self._show_running(False)
        if connection := self.workbench.connection:
            self._path.setText(str(self._suggested_path(connection.profile.name)))

    def _show_running(self, running: bool) -> None:
        self._stop.setText(self.tr("S&top"))
        set_tip(self._stop, self.tr("End the window now and wait for the rest of its log"))
        self._row.setVisible(running)
        self._start.setEnabled(not running)
        self._past.setVisible(not running)
        for button in (self._stop, self._mark):
            button.setEnabled(running)
        for field in (self._name, self._seconds, self._path):
            field.setEnabled(not running)
        self._index_keys.setEnabled(not running and self.workbench.may_log_index_keys)


def _buddy(words: str, field: QWidget) -> QLabel:
    name = label(words)
    name.setBuddy(field)
    return name
