"""A log that only a command shows: journalctl, podman logs, a tail inside a container.

The command is the operator's, from the profile; it is split into words and run without a shell.
What it prints before it is asked to stop is the log: nothing can be read again after a cut.
"""

from __future__ import annotations

import queue
import shlex
import threading
from collections.abc import Callable

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.link import Either
from ldap_workbench.model.errors import CommandError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel

_READY_S = 1.0
"""So long a command has to begin before the window's first search, which must be in the log."""
_TICK_S = 0.1
_SILENT_S = 86_400.0
"""A quiet log is no broken link."""


class _AtEnd:
    """A command prints what there is: nothing is ever behind."""

    at_end = True


class CommandFollower:
    """Hands on what a command prints, from `start` on.

    Raises CommandError where it ends by itself, ConnectError where the link breaks: then what comes
    after is lost.
    """

    def __init__(self, link: HostLink, command: str) -> None:
        self.link = link
        self.pace = _AtEnd()
        self.rotations = 0
        self.gaps = 0
        self.bytes_read = 0
        self.slow: tuple[float, float] | None = None
        self.packer = ""
        self._argv = shlex.split(command)
        self._over = Cancel()
        self._printed: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._failed: WorkbenchError | None = None
        self._thread = threading.Thread(target=self._run, name="capture-log-command")

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()
        self.link.cancel.wait(_READY_S)

    def read_as(self, dialect: str) -> None:
        """A command has no files whose beginnings would have to be known."""

    def last(self, size: int) -> bytes:
        """Nothing from before the start is known."""
        del size
        return b""

    def follow(self, take: Callable[[bytes], None], stop: Cancel) -> None:
        """Hand on what is printed as it comes, until stopped; then the command is ended."""
        try:
            while not stop and self._thread.is_alive():
                self._hand_on(take, _TICK_S)
        finally:
            self._over.set()
            self._thread.join()
        self.read_on(take)
        if self._failed is not None:
            raise self._failed

    def read_on(self, take: Callable[[bytes], None]) -> None:
        """Hand on what has been printed by now."""
        for _ in range(self._printed.qsize()):
            self._hand_on(take, _TICK_S)

    def _hand_on(self, take: Callable[[bytes], None], wait_s: float) -> None:
        """One piece, so that a command that never pauses is asked to stop between two."""
        try:
            data = self._printed.get(timeout=wait_s)
        except queue.Empty:
            return
        self.bytes_read += len(data)
        take(data)

    def _run(self) -> None:
        stop = Either(self._over, self.link.cancel)
        try:
            done = self.link.flow(self._argv, self._come, stop, _SILENT_S)
        except WorkbenchError as error:
            self._failed = error
            return
        if not stop:
            said = done.stderr.decode("utf-8", "replace").strip()
            self._failed = CommandError(
                Message(
                    "The log command '{command}' ended by itself: {said}.",
                    command=shlex.join(self._argv),
                    said=said or Message("exit status {status:plain}", status=done.status),
                ),
                status=done.status,
                stderr=said,
                remedy=Message("It must go on until it is ended, as journalctl -f does."),
            )

    def _come(self, data: bytes) -> None:
        if data:
            self._printed.put(data)
