"""What the window works on: the open session, the connected server, the journal, the jobs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.figures.overview.session_summary import badges_of
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.workbench.connection import (
    Connection,
    ServerWork,
    open_connection,
    server_key,
)
from ldap_workbench.gui.workbench.jobs import Job, JobRunner, Work
from ldap_workbench.gui.workbench.journal import WindowJournal
from ldap_workbench.gui.workbench.open_session import (
    OpenSession,
    open_file,
    rewrite_file,
    session_key,
)
from ldap_workbench.gui.workbench.prompts import Keyring, PromptBroker
from ldap_workbench.gui.workbench.running import Shared
from ldap_workbench.gui.workbench.selection import TimeSelection
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import (
    ExperimentError,
    UnknownHostKeyError,
    UntrustedCertificateError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import HOST_ALONE

if TYPE_CHECKING:
    from ldap_workbench.figures.overview.knobs import Match
    from ldap_workbench.session.reader import Session

OnSession = Callable[["Session"], Any]


class Workbench(QObject):
    """The state all screens of a window share. Everything slow goes through `runner`.

    A second window's workbench has a session and a server of its own; `beside` names the first,
    whose settings and running experiment it shares.

    *Signals:* screensNeeded(), before anything that screens hear of; sessionChanged(),
    connectionChanged(), answeringChanged(bool), readOnlyChanged(bool),
    failed(str title, Exception), connectFailed(Profile),
    hostKeyUnknown(Profile, UnknownHostKeyError),
    certificateUntrusted(Profile, UntrustedCertificateError), statusChanged(str),
    noticed(str heading, str sentence, Path | None session)
    """

    screensNeeded = Signal()
    sessionChanged = Signal()
    connectionChanged = Signal()
    answeringChanged = Signal(bool)
    readOnlyChanged = Signal(bool)
    failed = Signal(str, object)
    connectFailed = Signal(object)
    hostKeyUnknown = Signal(object, object)
    certificateUntrusted = Signal(object, object)
    statusChanged = Signal(str)
    noticed = Signal(str, str, object)

    def __init__(self, runner: JobRunner | None = None, *, beside: Workbench | None = None) -> None:
        super().__init__()
        self.runner = runner or JobRunner(self)
        self.prompts = PromptBroker(self)
        self.shared: Shared = beside.shared if beside else Shared()
        self.shared.take()
        self.settings, self.running = self.shared.settings, self.shared.running
        self.profiles = ProfileStore()
        self.secrets = Secrets(ask=self.prompts.password)
        self.selection = TimeSelection(self)
        self.opened: OpenSession | None = None
        self.connection: Connection | None = None
        self.journal = WindowJournal(self.start, self)
        self.keyring = Keyring(self.start, self.secrets, self)
        self.running.changed.connect(self.journal.reload)
        self._views: list[Job] = []
        self._wanted: dict[str, Profile] = {}  # by the key of its job

    @property
    def clock_rate(self) -> float:
        """How fast the clock of the connected server runs; the practice directory is in a hurry."""
        return self.connection.target.facts.clock_rate if self.connection else 1.0

    # Sessions

    def open_session(self, path: Path) -> None:
        """Open a session file in place of the present one."""
        self.screensNeeded.emit()
        title = self.tr("Opening {name}").format(name=path.name)
        self.runner.start(
            session_key(path),
            title,
            partial(open_file, path),
            on_done=self._on_opened,
            on_failed=self.fail,
        )

    def rewrite_session(self, title: str, work: Callable[[Path], None]) -> None:
        """Let `work` write to the file of the open session: closed before, open again after."""
        if opened := self.opened:
            self.opened = None
            self.selection.clear()
            self.sessionChanged.emit()
            self.runner.start(
                opened.key,
                title,
                lambda _, __: rewrite_file(opened, work),
                on_done=self._on_rewritten,
                on_failed=self.fail,
            )

    def close_session(self) -> None:
        """Let go of the session; its file is complete without that."""
        if self.opened:
            self._let_go()
            self.sessionChanged.emit()

    def ask_session(
        self,
        title: str,
        work: OnSession,
        on_done: Callable[[Any], None],
        on_failed: Callable[[Exception], None] | None = None,
        *,
        view: bool = False,
    ) -> Job | None:
        """Run `work(session)` in the session's thread; None where no session is open.

        What is only looked at is a `view`: nobody hears of it once another session is open, lest
        one is shown under the name of the other.
        """
        if self.opened is None:
            return None
        session = self.opened.session
        job = self.runner.start(
            self.opened.key,
            title,
            lambda _, __: work(session),
            on_done=on_done,
            on_failed=on_failed or self.fail,
        )
        if view:
            self._views = [job for job in self._views if job.running]
            self._views.append(job)
        return job

    def session_match(self) -> Match | None:
        """Whether the open session is of the connected server; None without one or the other."""
        if self.opened is None or self.connection is None:
            return None
        from ldap_workbench.figures.overview.knobs import match_servers

        return match_servers(self.opened.summary.facts, self.connection.target.facts)

    # Servers

    def connect_to(self, profile: Profile) -> None:
        """Connect to a server in place of the present one."""
        self.screensNeeded.emit()
        self.disconnect_server()
        key = server_key(profile)
        self._wanted[key] = profile
        self.runner.start(
            key,
            self.tr("Connecting to {name}").format(name=profile.name),
            partial(open_connection, profile, self.secrets, self.journal.file),
            on_done=self._on_connected,
            on_failed=self._on_connect_failed,
        )

    def disconnect_server(self) -> None:
        """Close the connection; open changes stay open, and in the journal."""
        if connection := self.connection:
            self.connection = None
            self.runner.start(
                connection.key, self.tr("Disconnecting"), lambda _, __: connection.close()
            )
            self.runner.forget(connection.key)
            self.connectionChanged.emit()

    def ask_server(
        self,
        title: str,
        work: ServerWork,
        *,
        kind: str = "",
        **listeners: Callable[..., None],
    ) -> Job | None:
        """Run `work(connection, progress, cancel)` in the server's thread."""
        if self.connection is None:
            return None
        connection = self.connection
        listeners.setdefault("on_failed", self.fail)
        return self.runner.start(
            connection.key,
            title,
            lambda progress, cancel: work(connection, progress, cancel),
            kind=kind,
            **listeners,
        )

    def is_connected_to(self, change: Change) -> bool:
        """Whether the connected server is the one that was changed."""
        return self.connection is not None and self.connection.is_of(change)

    def runs_elsewhere(self) -> bool:
        """Whether another window runs an experiment."""
        return self.running.run is not None and self.running.owner is not self

    def may_change_a_server(self) -> bool:
        """Whether no other window is in the middle of an experiment; else it is said."""
        if not self.runs_elsewhere():
            return True
        self.fail(
            ExperimentError(
                Message(
                    "Another window is running an experiment on {server}.",
                    server=self.running.server,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Wait until it has ended, or stop it in that window."),
            )
        )
        return False

    @property
    def server_answered(self) -> bool:
        """False where only the host of the connected server could be reached."""
        return self.connection is None or self.connection.silence is None

    @property
    def may_log_index_keys(self) -> bool:
        """Whether the connected server can be asked for them: 389 DS with its log in reach."""
        if self.connection is None or self.read_only or not self.server_answered:
            return False
        profile, facts = self.connection.profile, self.connection.target.facts
        return product_of(facts) == "389ds" and bool(profile.ssh or profile.local)

    # All else

    @property
    def read_only(self) -> bool:
        return self.settings.read_only

    def set_read_only(self, wanted: bool) -> None:
        """Refuse to change servers, or no longer."""
        self.screensNeeded.emit()
        self.settings.read_only = wanted
        self.readOnlyChanged.emit(wanted)

    def start(
        self, key: str, title: str, work: Work, on_done: Callable[[Any], None] | None = None
    ) -> Job:
        """Any other job; its failure goes to the error bar."""
        return self.runner.start(key, title, work, on_done=on_done, on_failed=self.fail)

    def close(self) -> None:
        """End everything; waits for the workers."""
        self.prompts.close()
        self.close_session()
        self.disconnect_server()
        self.runner.shutdown()
        self.journal.close()
        self.shared.let_go()

    @Slot(object)
    def fail(self, error: Exception) -> None:
        """Show an error in the bar; one that nobody expected with its crash report."""
        error_shown = in_our_words(error)
        self.failed.emit(shown(error_shown.what), error_shown)

    def show_status(self, sentence: str) -> None:
        """Show a sentence in the status bar."""
        self.statusChanged.emit(sentence)

    def notice(self, heading: str, sentence: str = "", session: Path | None = None) -> None:
        """Show what must not be overlooked, until it is closed; without words, take it away.

        What concerns one session goes when another is opened.
        """
        self.noticed.emit(heading, sentence, session)

    def _let_go(self) -> None:
        if opened := self.opened:
            self.opened = None
            self.selection.clear()
            for view in self._views:
                view.drop()
            self._views = []
            self.runner.start(opened.key, self.tr("Closing"), lambda _, __: opened.session.close())
            self.runner.forget(opened.key)

    @Slot(object)
    def _on_opened(self, opened: OpenSession) -> None:
        # Told of once: to empty every screen in between costs as much as to fill it.
        self._let_go()
        self.opened = opened
        self.settings.remember(opened.path, badges_of(opened.summary))
        self.sessionChanged.emit()

    @Slot(object)
    def _on_rewritten(self, answer: tuple[OpenSession, WorkbenchError | None]) -> None:
        opened, error = answer
        self._on_opened(opened)
        if error:
            self.fail(error)

    @Slot(object)
    def _on_connected(self, connection: Connection) -> None:
        self.connection = connection
        self.connectionChanged.emit()
        self.answeringChanged.emit(self.server_answered)
        if silence := connection.silence:
            again = Message("Connect again once the server answers.")
            self.notice(shown(silence.what), shown(sentences(HOST_ALONE, again)))
        self.journal.reload()

    @Slot(object)
    def _on_connect_failed(self, error: Exception) -> None:
        job = self.sender()
        assert isinstance(job, Job)
        profile = self._wanted[job.key]  # another server may have been asked for since
        if isinstance(error, UnknownHostKeyError):
            self.hostKeyUnknown.emit(profile, error)
        elif isinstance(error, UntrustedCertificateError):
            self.certificateUntrusted.emit(profile, error)
        else:
            self.fail(error)
            self.connectFailed.emit(profile)
