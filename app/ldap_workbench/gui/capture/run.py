"""One capture into a session file of its own. Knows no Qt; runs in the server's thread."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.capture import CapturePlan, capture
from ldap_workbench.experiment import remember_settings
from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.window import Mark, Source, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import Tuner


@dataclass(frozen=True)
class Captured:
    """The window that was captured with its sources, and the file it is in."""

    path: Path
    window: Window
    sources: tuple[Source, ...] = ()


class CaptureRun:
    """A capture that can be marked and ended from another thread while it runs."""

    def __init__(self, path: Path, plan: CapturePlan, feed: LiveFeed) -> None:
        self.path = path
        self.plan = plan
        self.feed = feed
        self._over = Cancel()
        self._writer: SessionWriter | None = None
        self._target: Target | None = None

    def run(self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel) -> Captured:
        """Capture, and keep what the knobs say; into a file that is there, one more window.

        Raises WorkbenchError.
        """
        there = self.path.exists()
        writer = (
            SessionWriter.append(self.path)
            if there
            else SessionWriter.create(self.path, target.facts)
        )
        self._writer, self._target = writer, target
        try:
            with writer:
                window = capture(
                    target,
                    writer,
                    self.plan,
                    progress=progress,
                    end=self._over,
                    cancel=cancel,
                    on_live=self.feed.put,
                )
                if not window.cancelled:
                    remember_settings(writer, tuner, window)
                with writer.reader() as session:
                    sources = tuple(session.sources(window.id))
        finally:
            self._writer = None
        return Captured(self.path, window, sources)

    def end(self) -> None:
        """End the window now; its log is waited for."""
        self._over.set()

    @property
    def ended(self) -> bool:
        """Whether somebody has ended it before its time."""
        return bool(self._over)

    def mark(self, text: str) -> bool:
        """Note this moment in the session, on the server's clock; False when not running."""
        writer, target = self._writer, self._target
        if writer is None or target is None:
            return False
        writer.add_mark(Mark(target.now_ns(), "mark", text))
        return True


def free_path(folder: Path, name: str) -> Path:
    """A path in a folder that is not taken yet."""
    path = folder / f"{name}.ldapwb"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}.ldapwb"
    return path
