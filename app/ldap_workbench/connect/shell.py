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
    """What a command left: exit status and both outputs, whole."""

    status: int
    stdout: bytes
    stderr: bytes


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
