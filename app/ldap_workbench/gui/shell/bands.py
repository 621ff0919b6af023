"""What the window says on every screen: lesson, crash, open changes, errors, notices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import ErrorBar, MessageLine, NoticeBar, anywhere
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.screens.start.lesson import LessonBand, PracticeHost
from ldap_workbench.gui.shell.crash import RecoveryBand
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import ConnectError, WorkbenchError
from ldap_workbench.model.profile import Profile

_BUTTON = 18
"""Pixels above and below the text of a button in a line of messages, with all its frames."""
_SHARE = 4
"""Of a line of messages in the bar at the foot, beside 1 for the words of the status bar."""
_AGAIN_MS = 3000
"""Interval at which it is noticed that a run of another process has ended."""


class OpenChanges(MessageLine):
    """Warns of changes that may still be in force on a server, until they are reverted or kept.

    Those of the running experiment are left out: it reverts them itself. So does a run of another
    process while it is alive: it is named, and nothing is offered.

    *Signals:* pressed(), opened(int), how many changes are open and nobody's
    """

    pressed = Signal()
    opened = Signal(int)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__("warn")
        self.button = anywhere(
            self.tr("Review and revert"), "Alt+Shift+L", self.pressed, primary=True
        )
        self.add_button(self.button)
        self._workbench = workbench
        self._again = QTimer(self)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(workbench.journal.look_again)
        workbench.journal.changed.connect(self.refresh)
        workbench.running.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say which changes are open now."""
        known = self._workbench.journal.open_changes()
        others = [change for change in known if not self._workbench.running.makes(change)]
        changes = [change for change in others if self._workbench.journal.run_of(change) is None]
        self._set_watching(len(others) > len(changes))
        self.button.setVisible(bool(changes))
        if changes:
            self._say_open(changes)
        elif others:
            self._say_alive(others)
        self.setVisible(bool(others))
        self.opened.emit(len(changes))

    def _set_watching(self, watching: bool) -> None:
        """Look again while another process is at work: nothing says here when it ends."""
        if watching and not self._again.isActive():
            self._again.start()
        elif not watching:
            self._again.stop()

    def _say_alive(self, changes: Sequence[Change]) -> None:
        runs = dict.fromkeys(map(self._workbench.journal.run_of, changes))
        sentence = self.tr("It reverts its own changes when it ends: {knobs}.")
        knobs = ", ".join(sorted({change.knob for change in changes}))
        heading = " ".join(shown(run.what) for run in runs if run is not None)
        self.say(heading, sentence.format(knobs=knobs))

    def _say_open(self, changes: Sequence[Change]) -> None:
        servers = ", ".join(sorted({change.server_name for change in changes}))
        knobs = ", ".join(sorted({change.knob for change in changes}))
        heading = (
            self.tr("You have an open change on {servers}: revert?")
            if len(changes) == 1
            else self.tr("You have open changes on {servers}: revert?")
        )
        sentence = self.tr("Not restored yet: {knobs}.")
        self.say(heading.format(servers=servers), sentence.format(knobs=knobs))


class Bands(QWidget):
    """Lesson and crash above the screens, as they come with an act of the operator or at the start.

    What comes by itself is a line of `messages`, which has its room at the foot of the window.

    *Signals:* journalWanted(), sessionWanted(Path)
    """

    journalWanted = Signal()
    sessionWanted = Signal(object)

    def __init__(self, workbench: Workbench, practice: PracticeHost) -> None:
        super().__init__()
        self._workbench = workbench
        self.lesson = LessonBand(workbench, practice)
        self.alert = OpenChanges(workbench)
        self.error_bar = ErrorBar()
        self.notice = NoticeBar()
        self._rows = column(self.lesson, on=self, margins=(20, 12, 20, 0))
        self.messages = QWidget()
        # Room for their buttons while there are none: nothing grows when they come.
        self.messages.setMinimumHeight(self.fontMetrics().height() + _BUTTON)
        # A line that is not there leaves its share to the words of the status bar beside them.
        lines = (self.error_bar, self.alert, self.notice)
        row(*((line, _SHARE) for line in lines), on=self.messages, margins=0)
        self.error_bar.seenChanged.connect(self.notice.make_way)
        self.alert.pressed.connect(self.journalWanted)
        workbench.failed.connect(self.error_bar.show_error)
        workbench.connectFailed.connect(self._on_connect_failed)
        workbench.connectionChanged.connect(self._on_connection)
        self.error_bar.again.clicked.connect(self._on_again)
        workbench.noticed.connect(self.notice.show_notice)
        workbench.sessionChanged.connect(self._on_session)
        workbench.runner.jobEnded.connect(self._on_job_ended)

    @Slot(object)
    def _on_job_ended(self, job: Job) -> None:
        """An error goes when the same kind of work succeeds: what it says is no longer so."""
        bar = self.error_bar
        if job.failure is not None and job.failure is bar.error:
            bar.kind = job.kind
        elif job.succeeded and job.kind and job.kind == bar.kind:
            bar.hide()

    @Slot(object)
    def _on_connect_failed(self, profile: Profile) -> None:
        self._unreached = profile
        self.error_bar.again.show()

    @Slot()
    def _on_connection(self) -> None:
        """Whatever connected: that an earlier attempt failed is no longer of interest."""
        if self._workbench.connection and isinstance(self.error_bar.error, ConnectError):
            self.error_bar.hide()

    @Slot()
    def _on_again(self) -> None:
        """By its name, as it may have been edited since; the practice directory is not stored."""
        self.error_bar.hide()
        bench, failed = self._workbench, self._unreached
        try:
            stored = {profile.name: profile for profile in bench.profiles.all()}
        except WorkbenchError as error:
            bench.fail(error)
        else:
            bench.connect_to(stored.get(failed.name, failed))

    @Slot()
    def _on_session(self) -> None:
        """A notice about one session never stands above another."""
        opened, session = self._workbench.opened, self.notice.session
        if opened and session and opened.path != session:
            self.notice.dismiss()

    def show_recovery(self, report: Path, session: Path | None) -> RecoveryBand:
        """Say that the last run ended unexpectedly, and offer the session it had open."""
        band = RecoveryBand(report, session)
        band.sessionWanted.connect(self.sessionWanted)
        self._rows.addWidget(band)
        band.show()
        return band
