"""Commands on the server's host over a link that may drop: opened when needed, opened anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.progress import Cancel

T = TypeVar("T")


class HostLink:
    """Runs commands through a shell that `connect` opens; close it after use.

    `pauses_s` are the waits before each new attempt after a dropped link. It counts its reads, the
    bytes that came, and how often the link was opened anew. Raises ConnectError where the link
    stays broken.
    """

    def __init__(
        self, connect: Callable[[], RemoteShell], cancel: Cancel, pauses_s: Sequence[float]
    ) -> None:
        self._connect = connect
        self._cancel = cancel
        self._pauses_s = pauses_s
        self._shell: RemoteShell | None = None
        self.wire_bytes = 0
        self.reads = 0
        self.reconnects = 0

    def run(self, argv: Sequence[str], *, sudo: bool = True) -> CommandResult:
        """A command to its end."""

        def work() -> CommandResult:
            return self._open().run(argv, sudo=sudo, timeout=120)

        result = self.again(work)
        self.reads += 1
        self.wire_bytes += len(result.stdout)
        return result

    def flow(
        self, argv: Sequence[str], take: Callable[[bytes], None], cancel: Cancel
    ) -> CommandResult:
        """A command whose output is handed on as it comes; not repeated when the link drops."""

        def count(data: bytes) -> None:
            self.wire_bytes += len(data)
            take(data)

        self.reads += 1
        return self._open().stream(argv, count, cancel=cancel, sudo=True)

    def again(self, work: Callable[[], T], moved: Callable[[], int] = lambda: 0) -> T:
        """Do it; after a dropped link open another and go on, as often as there are pauses without
        getting further, which `moved` tells."""
        pauses = list(self._pauses_s)
        before = moved()
        while True:
            try:
                return work()
            except ConnectError:
                self.close()
                if moved() > before:
                    before, pauses = moved(), list(self._pauses_s)
                if not pauses or self._cancel.wait(pauses.pop(0)):
                    raise
                self.reconnects += 1

    def close(self) -> None:
        if self._shell is not None:
            self._shell.close()
            self._shell = None

    def _open(self) -> RemoteShell:
        if self._shell is None:
            self._shell = self._connect()
        return self._shell
