"""What runs on a server for minutes or nights: its job in the server's thread, and its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from ldap_workbench.experiment.pausing import Pause
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.running import Run
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import sentences
from ldap_workbench.model.progress import Progress

_BEAT_MS = 500
Work = Callable[..., Any]
"""Called with the connection, on_progress and cancel, or as a subclass starts it."""


class PausableRun(Run, Protocol):
    """A run that can rest at the next pair."""

    @property
    def pause(self) -> Pause: ...


class Page(Protocol):
    """What shows a run."""

    @property
    def pauseWanted(self) -> SignalInstance: ...

    def show_progress(self, progress: Progress) -> None: ...

    def stopping(self) -> None: ...

    def show_outcome(self, text: str) -> None: ...


class Execution(QObject):
    """One run at a time; `latest` stays when it has ended.

    A subclass shows it in `_show_begun` and `_show_beat`, and says in `_on_done` and
    `_on_cancelled` what has become of it.

    *Signals:* begun(), ended() whatever came of it
    """

    begun = Signal()
    ended = Signal()
    latest: PausableRun | None

    def __init__(self, workbench: Workbench, page: Page, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._page = workbench, page
        self.latest = None
        self._job: Job | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        page.pauseWanted.connect(self._on_pause)

    def at_work(self) -> bool:
        """Whether a run has begun and not ended."""
        return self._job is not None

    def stop(self) -> None:
        """End the run."""
        if self._job:
            self._page.stopping()
            self._job.cancel()

    def _begin(self, title: str, run: PausableRun, work: Work) -> None:
        self.latest = run
        self._ask_server(title, run, work)
        self._show_begun()
        self._timer.start()
        self.begun.emit()

    def _ask_server(self, title: str, run: PausableRun, work: Work) -> None:
        self._job = self._start(
            title,
            work,
            on_done=self._on_done,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_cancelled,
        )
        self._workbench.running.begin(run, self._job, self._server(), self._workbench)

    def _start(self, title: str, work: Work, **listeners: Callable[..., None]) -> Job | None:
        """Start the job of a run: on the connected server, unless a subclass has its own."""
        return self._workbench.ask_server(title, work, **listeners)

    def _server(self) -> str:
        """What the run's server is called."""
        connection = self._workbench.connection
        return connection.profile.name if connection else ""

    def _show_begun(self) -> None:
        """Show a run that starts."""
        raise NotImplementedError

    def _show_beat(self) -> None:
        """Show where the run is now."""
        raise NotImplementedError

    @Slot(bool)
    def _on_pause(self, wanted: bool) -> None:
        """Rest at the next pair, or go on."""
        if self.latest:
            self.latest.pause.ask(wanted)
            self._on_beat()

    @Slot()
    def _on_beat(self) -> None:
        if self.latest:
            self._show_beat()
        self._workbench.running.look()

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._page.show_progress(progress)

    @Slot(object)
    def _on_done(self, _: Any) -> None:
        self._end()

    @Slot(object)
    def _on_failed(self, error: WorkbenchError) -> None:
        self._end()
        self._page.show_outcome(shown(sentences(error.what, error.safe)))
        self._workbench.fail(error)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._on_beat()
        self._job = None
        self._workbench.running.end()
        self.ended.emit()
