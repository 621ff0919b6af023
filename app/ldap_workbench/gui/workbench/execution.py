"""What runs on a server for minutes or nights: its job in the server's thread, and its page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from ldap_workbench.campaign.state import check_url
from ldap_workbench.experiment.hours import Pause
from ldap_workbench.experiment.lag_watch import Connect
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.prompts import SAME_SERVER, PromptBroker, Question
from ldap_workbench.gui.workbench.running import Run
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.progress import Progress
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.tuner import Tuner


def agree_to_url(tuner: Tuner, prompts: PromptBroker) -> None:
    """Called in a worker: ask, as the command does. Raises UsageError where the answer is no."""
    remedy = Message("If it is still that server, answer yes.")
    check_url(tuner, lambda question: bool(prompts.ask(SAME_SERVER, question)), remedy)


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

    def begin(self, running: Any) -> None: ...

    def beat(self, running: Any) -> None: ...

    def show_progress(self, progress: Progress) -> None: ...

    def stopping(self) -> None: ...

    def show_outcome(self, text: str) -> None: ...


class Execution(QObject):
    """One run at a time; `latest` stays when it has ended.

    A subclass says in `_on_done` and `_on_cancelled` what has become of it.

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
        return self._workbench.ask_server(title, work, kind=type(self).__name__, **listeners)

    def _server(self) -> str:
        """What the run's server is called."""
        connection = self._workbench.connection
        return connection.profile.name if connection else ""

    def _show_begun(self) -> None:
        """Show a run that starts."""
        self._page.begin(self.latest)

    def _show_beat(self) -> None:
        """Show where the run is now."""
        self._page.beat(self.latest)

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


class DecidableExecution(Execution):
    """A run that may wait for an answer to its verdict.

    `_question_kind` is the name under which the window hears its question.
    """

    _question_kind = ""

    def __init__(self, workbench: Workbench, page: Page, parent: QObject) -> None:
        super().__init__(workbench, page, parent)
        self._question: Question | None = None

    def stop(self) -> None:
        """End the run; what it changed is reverted."""
        super().stop()
        self.answer(Then.REVERT)

    def waits(self) -> bool:
        """Whether the run waits for an answer to its verdict."""
        return self._question is not None

    def wait_for(self, question: Question) -> None:
        """The run waits for an answer to its verdict."""
        self._question = question
        if self._job:
            self._job.progressed.emit(Progress(Message("Waiting for your decision")))

    def answer(self, then: Then) -> bool:
        """Let a run that waits go on; False where none does."""
        question, self._question = self._question, None
        if question:
            question.answer(then)
        return question is not None

    def _ask(self, about: Any) -> Then | None:
        """Ask the operator, and wait for the answer; called in the worker."""
        answer: Then | None = self._workbench.prompts.ask(self._question_kind, about)
        return answer

    def _end(self) -> None:
        self._question = None
        super()._end()


def connecting(workbench: Workbench) -> Connect:
    """Connects to the server of a profile, with a link of its own; to be called in a worker."""

    def to(name: str) -> AbstractContextManager[Target]:
        profile = workbench.profiles.get(name)
        return closing(connect(profile, workbench.secrets))

    return to
