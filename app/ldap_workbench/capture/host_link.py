"""Commands on the server's host over a link that may be cut, or go silent without a word."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ldap_workbench.capture.link import PATIENCE_S, Link
from ldap_workbench.capture.live.source import SourceMissingError
from ldap_workbench.connect.shell import CommandResult, RemoteShell, TimeOutError
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.servers.target import Target

SILENCE_S = 10.0
"""A command that tells something every second and is silent for so long has lost its link."""
_BUSY_S = 60.0
"""So long a command may be silent that unpacks a large file before it has something to say."""
_FIRST_S = 30.0
"""So long the first word of a command may take: four round trips over the slowest links."""
_ONCE_S = 15.0
"""A short command takes three round trips, of 4 s over the slowest links."""
_STEP_S = 1.0


def shell_of(target: Target) -> RemoteShell:
    """Another shell on the server's host. Raises SourceMissingError where there is no way to it."""
    shell = target.another_shell()
    if shell is None:
        raise SourceMissingError(
            Message("The profile has no SSH host, so the host cannot be asked."),
            remedy=Message(
                "Add SSH to the profile, or --local when the server runs on this machine."
            ),
        )
    return shell


def log_missing(target: Target, fact: str, attribute: str) -> SourceMissingError:
    """The server does not say where a log is."""
    why = Message("The server does not say where its log is ({attribute}).", attribute=attribute)
    return SourceMissingError(
        target.facts.unknown.get(fact, why),
        remedy=Message("Give its path in the profile (--access-log)."),
    )


class HostLink(Link[RemoteShell]):
    """Runs commands through a shell that `connect` opens.

    It counts its reads and the bytes that came. Raises ConnectError where the link stays broken.
    """

    def __init__(
        self, connect: Callable[[], RemoteShell], cancel: Cancel, patience_s: float = PATIENCE_S
    ) -> None:
        super().__init__(connect, cancel, patience_s)
        self.wire_bytes = 0
        self.reads = 0

    def run(self, argv: Sequence[str], *, sudo: bool = True) -> CommandResult:
        """A command to its end."""
        result = self.again(lambda: self._run(argv, sudo))
        if not self.cut:  # a link over which only short commands pass is no good: patience goes on
            self.heard()
        self.reads += 1
        self.wire_bytes += len(result.stdout)
        return result

    def run_once(self, argv: Sequence[str]) -> CommandResult:
        """A command to its end over the link that is open; ConnectError where none is."""
        if self._open is None or self.cut:
            raise ConnectError(
                Message("The link is cut."), remedy=Message("Check the host and the network.")
            )
        return self._open.run(argv, timeout=_ONCE_S)

    def flow(
        self,
        argv: Sequence[str],
        take: Callable[[bytes], None],
        cancel: Cancel,
        silence_s: float = _BUSY_S,
        *,
        sudo: bool = True,
    ) -> CommandResult:
        """A command whose output is handed on as it comes; not repeated after a cut.

        Raises ConnectError after so many seconds of silence.
        """
        watch = _Silence(cancel, silence_s)

        def count(data: bytes) -> None:
            if data:
                watch.heard()
                self.heard()
            self.wire_bytes += len(data)
            take(data)

        self.reads += 1
        result = self.open().stream(argv, count, cancel=watch, sudo=sudo)
        if watch.over and not cancel:
            raise ConnectError(
                Message(
                    "{host} has been silent for {seconds:.0f} s.",
                    host=self.open().name,
                    seconds=silence_s,
                ),
                remedy=Message("Check the host and the network."),
            )
        return result

    def _run(self, argv: Sequence[str], sudo: bool) -> CommandResult:
        try:
            return self.open().run(argv, sudo=sudo, timeout=_BUSY_S)
        except TimeOutError as error:
            raise ConnectError(error.what, remedy=error.remedy) from error


class _Silence(Cancel):
    """Cancelled with another, or when nothing was heard for long.

    Time is counted in small steps: a workbench that was stopped, or a laptop that slept, does not
    take its own sleep for silence.
    """

    def __init__(self, other: Cancel, limit_s: float) -> None:
        super().__init__()
        self._other = other
        self._limit_s = limit_s
        self._left_s = max(limit_s, _FIRST_S)
        self._looked = time.monotonic()

    @property
    def over(self) -> bool:
        return self._left_s <= 0

    def heard(self) -> None:
        self._left_s = self._limit_s

    def __bool__(self) -> bool:
        now = time.monotonic()
        self._left_s -= min(now - self._looked, _STEP_S)
        self._looked = now
        return self.over or bool(self._other)
