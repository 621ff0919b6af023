"""A capture as a job: one window, with what the knobs say, in a session file.

A window with statistics of index reads in the access log, taken back at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.source import OnLive
from ldap_workbench.capture.live.window import capture
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.window import MARK, Mark, Source, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner


@dataclass(frozen=True)
class Captured:
    """The window that was captured with its sources, and the file it is in."""

    path: Path
    window: Window
    sources: tuple[Source, ...] = ()


class CaptureJob:
    """One window into a session file; `stop` and `mark` may be called from another thread.

    With `append` a file that exists gets one more window; without, it is refused. With
    `statistics` the server logs the index keys of each search meanwhile: a change, put back. Of a
    server that takes connections and does not answer, the window has what its host tells.
    """

    def __init__(
        self,
        path: Path,
        plan: CapturePlan,
        *,
        append: bool = False,
        statistics: bool = False,
        on_live: OnLive | None = None,
        stop: Cancel | None = None,
    ) -> None:
        self.path = path
        self.plan = replace(plan, host_alone=True)
        self._append = append
        self._statistics = statistics
        self._on_live = on_live
        self._stop = stop if stop is not None else Cancel()
        self._writer: SessionWriter | None = None
        self._target: Target | None = None

    def run(
        self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel | None = None
    ) -> Captured:
        """Capture, in the target's thread. Raises WorkbenchError."""
        with statistics_logged(tuner, progress) if self._statistics else nullcontext():
            return self._capture(target, tuner, progress, cancel)

    def _capture(
        self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel | None
    ) -> Captured:
        writer = self._open(target)
        self._writer, self._target = writer, target
        try:
            with writer:
                window = capture(
                    target,
                    writer,
                    self.plan,
                    progress=progress,
                    end=self._stop,
                    cancel=cancel,
                    on_live=self._on_live,
                )
                if not window.cancelled:
                    remember_settings(writer, tuner, window)
                return _captured(self.path, writer, window)
        finally:
            self._writer = None

    def stop(self) -> None:
        """End the window now; what the server has yet to log of it is waited for."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        """Whether the window was ended before its time."""
        return bool(self._stop)

    def mark(self, text: str) -> bool:
        """Note this moment in the session, on the server's clock; False when not running."""
        writer, target = self._writer, self._target
        if writer is None or target is None:
            return False
        writer.add_mark(Mark(target.now_ns(), MARK, verbatim(text)))
        return True

    def _open(self, target: Target) -> SessionWriter:
        if self._append and self.path.exists():
            return SessionWriter.append(self.path)
        return SessionWriter.create(self.path, target.facts)


def fetch_into(
    path: Path,
    target: Target,
    start_ns: int,
    end_ns: int,
    *,
    progress: OnProgress,
    cancel: Cancel,
    name: str = "window",
    dialect: str = "auto",
) -> Captured:
    """Fetch a past window of the server's log into a new session file, in the target's thread.

    Raises WorkbenchError; where nothing could be read, no file is left behind.
    """
    from ldap_workbench.capture.past.fetching import fetch

    writer = SessionWriter.create(path, target.facts)
    try:
        with writer:
            window = fetch(
                target,
                writer,
                start_ns,
                end_ns,
                name=name,
                dialect=dialect,
                progress=progress,
                cancel=cancel,
            )
            return _captured(path, writer, window)
    except WorkbenchError:
        path.unlink(missing_ok=True)
        raise


def _captured(path: Path, writer: SessionWriter, window: Window) -> Captured:
    with writer.reader() as session:
        return Captured(path, window, tuple(session.sources(window.id)))


STATISTICS = Treatment((Setting("nsslapd-statlog-level", "1"),))


def statistics_logged(tuner: Tuner, progress: OnProgress) -> AbstractContextManager[None]:
    """While this is open the server logs the index keys of each search (389 DS).

    The change goes through the journal and is put back whatever ends the window; nothing is changed
    where the server logs them already. Raises as Tuner.apply and Tuner.put_back.
    """
    if tuner.read(STATISTICS.settings[0].knob).value == STATISTICS.settings[0].value:
        return nullcontext()
    return _logged(tuner, progress)


@contextmanager
def _logged(tuner: Tuner, progress: OnProgress) -> Iterator[None]:
    tuner.apply(STATISTICS, progress=progress)
    try:
        yield
    finally:
        # It refuses to begin with a change that is open: what is put back is its own.
        tuner.put_back(progress)
