"""The status bar: what is at work, where numbers come from, what may be changed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QStatusBar, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import small_button
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, set_mood, set_tip
from ldap_workbench.gui.parts.widgets.layouts import row
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.progress import Progress

_PATIENCE_MS = 250
"""Work shorter than this is not worth a flicker."""
_REMEMBERED_MS = 12_000
"""How long a message stays."""
_LETTERS, _ROOM = 44, 0.35
"""Beside the badges there is no room for more in a window of 1024 pixels, or of a wider one."""


class JobIndicator(QWidget):
    """The job at work, its progress and a way to cancel it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._runner = workbench.runner
        self._running = workbench.running
        self._job: Job | None = None
        self._text = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._bar = QProgressBar()
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * 10)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._cancel = small_button("close", self.tr("Cancel this"), self._on_cancel)
        row(self._text, self._bar, self._cancel, on=self, margins=0)
        self._wait = single_shot(self, self._appear, _PATIENCE_MS)
        self._runner.jobStarted.connect(self._follow)
        self._runner.jobEnded.connect(self._on_ended)
        self.hide()

    @Slot(object)
    def _follow(self, job: Job) -> None:
        self._job = job
        self._say(job.title)
        self._bar.setRange(0, 0)
        job.progressed.connect(self._on_progress)
        if not self.isVisible():
            self._wait.start()

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        if self._job and self.sender() not in (self._job, None):
            return
        self._say(shown(progress.text))
        self._bar.setRange(0, 0 if progress.fraction is None else 1000)
        self._bar.setValue(round(1000 * (progress.fraction or 0)))
        if not self._wait.isActive():
            self._appear()

    def _appear(self) -> None:
        """Show it, unless the place in sight has a bar of its own for the same work."""
        lines = self.window().findChildren(ProgressLine)
        said = self._text.toolTip()
        self.setVisible(not any(line.isVisible() and line.words == said for line in lines))

    @Slot(object)
    def _on_ended(self, job: Job) -> None:
        if job is not self._job:
            return
        jobs = [other for other in self._runner.jobs if other is not job]
        if jobs:
            self._job = jobs[-1]
            self._say(self._job.title)
            self._bar.setRange(0, 0)
            if not self._wait.isActive():
                self._appear()  # the place in sight may have had a bar for the ended job alone
            return
        self._job = None
        self._wait.stop()
        self.hide()

    def _say(self, text: str) -> None:
        """As long as it is, but never so long that the window grows with it."""
        metrics = self.fontMetrics()
        most = max(metrics.averageCharWidth() * _LETTERS, round(self.window().width() * _ROOM))
        self._text.setMaximumWidth(min(metrics.horizontalAdvance(text) + metrics.height(), most))
        self._text.set_whole(text)

    def _on_cancel(self) -> None:
        if self._job and self._running.is_job(self._job):
            self._running.stopWanted.emit()  # the operator is asked first
        elif self._job:
            self._job.cancel()


class StatusBar(QStatusBar):
    """Messages at the left, in room that is always there; badges at the right.

    The words of what was done or refused stand after the lines of `messages`; where there are none,
    they have all of that room.
    """

    def __init__(self, workbench: Workbench, messages: QWidget) -> None:
        super().__init__()
        self.addWidget(messages, 1)
        self.setSizeGripEnabled(False)
        self.setContentsMargins(8, 2, 8, 2)
        self._workbench = workbench
        self._make_message(messages)
        self.jobs = JobIndicator(workbench)
        self._zone = badge(self.tr("Times in UTC (server clock)"))
        set_tip(
            self._zone,
            self.tr("All times are the server's own, shown in UTC; durations carry their unit."),
        )
        self._mode = badge("")
        for widget in (self.jobs, self._zone, self._mode):
            self.addPermanentWidget(widget)
        workbench.statusChanged.connect(self._on_status)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.readOnlyChanged.connect(self._show_mode)
        self._show_mode(workbench.read_only)

    def _make_message(self, messages: QWidget) -> None:
        # Qt's own messages are cut without a sign of it, and have no tip that tells the rest.
        self._message = ElidedLabel(role="")
        self._message.setMinimumWidth(1)  # 0 would mean: as wide as its text
        row_of_lines = messages.layout()
        assert isinstance(row_of_lines, QHBoxLayout)
        row_of_lines.addWidget(self._message, 1)
        self._forget = single_shot(self, lambda: self._message.set_whole(""), _REMEMBERED_MS)

    @Slot(str)
    def _on_status(self, sentence: str) -> None:
        self._message.set_whole(sentence)
        self._forget.start()

    @Slot()
    def _on_connection(self) -> None:
        self._show_mode(self._workbench.read_only)

    @Slot(bool)
    def _show_mode(self, read_only: bool) -> None:
        self._mode.setText(self.tr("read-only") if read_only else self.tr("Changes allowed"))
        set_mood(self._mode, "" if read_only else "warn")
        self._mode.setVisible(read_only or self._workbench.connection is not None)
