"""The port through which the workbench runs commands on the host of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.progress import Cancel


class TimeOutError(CommandError):
    """A command did not end in time: its host is overloaded, or the link to it is dead."""


@dataclass(frozen=True)
class CommandResult:
    """What a command left: exit status, all its output, and standard error (BoundedStderr)."""

    status: int
    stdout: bytes
    stderr: bytes


class BoundedStderr:
    """Standard error of a command: whole up to 128 KiB, else its first and last 64 KiB.

    A host that never stops complaining would fill our memory otherwise; how many bytes were left
    out stands between the two parts.
    """

    _PART = 64 << 10

    def __init__(self) -> None:
        self._size = 0
        self._first = b""
        self._last = b""

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        room = self._PART - len(self._first)
        self._first += piece[:room]
        self._last = (self._last + piece[room:])[-self._PART :]

    def text(self) -> bytes:
        left_out = self._size - len(self._first) - len(self._last)
        between = b"\n[%d bytes left out]\n" % left_out if left_out else b""
        return self._first + between + self._last


class RemoteShell(Protocol):
    """A login on the server's host, or this machine.

    It belongs to one thread, which may have several commands under way at once; each has a channel
    of its own.

    `argv` is a fixed template of the caller with its arguments; implementations quote every
    argument, so nothing in it is ever expanded by a shell. `sudo=True` asks for `sudo -n` where the
    profile allows it and is silently plain where it does not. Raises ConnectError when the link
    broke, TimeOutError for a time-out.
    """

    @property
    def name(self) -> str:
        """ssh://user@host:port or local://host, for messages and the journal."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        """Run to the end; a non-zero status is returned, not raised."""
        ...

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        """Run and hand on stdout as it comes, until it ends or is cancelled (then it is ended).

        The command's stdin stays open while it runs, so a dropped link ends it on the host too.
        """
        ...

    def close(self) -> None: ...
