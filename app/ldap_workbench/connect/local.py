"""This machine as a RemoteShell: commands run as subprocesses."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence

from ldap_workbench.connect.children import Group, environment
from ldap_workbench.connect.commands import command_line, own_program
from ldap_workbench.connect.shell import BoundedStderr, CommandResult, TimeOutError
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel

_PIECE = 1 << 16
_BEAT_S = 0.1
_GRACE_S = 2.0
"""For a command to clean up when it is cancelled; no signal of ours reaches one of root's."""
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
_UMASK = 0o022
"""Of commands, as in a login over SSH: a file of the server is none of the workbench's own."""


class LocalShell:
    """Runs on the machine the workbench itself runs on. Raises ConnectError on Windows."""

    _sudo: bool
    _installed: str | None

    def __init__(self, *, sudo: bool = False) -> None:
        if sys.platform == "win32":
            raise ConnectError(
                Message(
                    "On Windows, --local is not possible: the server cannot be on this machine."
                ),
                remedy=Message("Run the workbench on the server's host, or give an SSH host."),
            )
        self._sudo = sudo and os.geteuid() != 0
        self._installed = None

    @property
    def name(self) -> str:
        return f"local://{socket.gethostname()}"

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        try:
            done = subprocess.run(
                self._argv(argv, sudo),
                input=stdin,
                capture_output=True,
                env=_environment(),
                timeout=timeout,
                check=False,
                umask=_UMASK,
            )
        except (FileNotFoundError, PermissionError) as error:
            return _not_started(error)
        except subprocess.TimeoutExpired as error:
            raise time_out(argv, Message("this machine"), timeout) from error
        return CommandResult(_as_a_shell_has_it(done.returncode), done.stdout, done.stderr)

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        try:
            group = Group(
                self._argv(argv, sudo),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                umask=_UMASK,
            )
        except (FileNotFoundError, PermissionError) as error:
            return _not_started(error)
        stderr = BoundedStderr()
        try:
            _read_both(group.process, on_bytes, stderr.add, cancel)
        finally:
            _end(group, 0.0 if sudo and self._sudo else _GRACE_S)
        status = -signal.SIGTERM if cancel else _as_a_shell_has_it(group.process.returncode)
        return CommandResult(status, b"", stderr.text())

    def close(self) -> None:
        """Nothing is held open between commands."""

    def _argv(self, argv: Sequence[str], sudo: bool) -> list[str]:
        if not sudo or not self._sudo:
            return command_line(argv, sudo=False)
        if self._installed is None:
            self._installed = own_program(self)
        return command_line(argv, sudo=True, installed=self._installed)


def time_out(argv: Sequence[str], where: Message, seconds: float) -> TimeOutError:
    """What `run` raises when a command takes too long."""
    return TimeOutError(
        Message(
            "'{program}' on {where} did not finish within {seconds:g} s.",
            program=argv[0],
            where=where,
            seconds=seconds,
        ),
        safe=Message("It may still be running there."),
        remedy=Message("Check whether the host is overloaded, then try again."),
    )


def _environment() -> dict[str, str]:
    """Programs print numbers and dates as they do everywhere: what they print is read here."""
    return environment() | {"LC_ALL": "C"}


def _not_started(error: OSError) -> CommandResult:
    missing = isinstance(error, FileNotFoundError)
    status = _NOT_FOUND if missing else _NOT_EXECUTABLE
    return CommandResult(status, b"", f"{error.filename}: {error.strerror}".encode())


def _as_a_shell_has_it(returncode: int) -> int:
    return 128 - returncode if returncode < 0 else returncode


def _read_both(
    process: subprocess.Popen[bytes],
    on_stdout: Callable[[bytes], None],
    on_stderr: Callable[[bytes], None],
    cancel: Cancel,
) -> None:
    """Until both outputs end, the process ends silently, or it is cancelled."""
    assert process.stdout
    assert process.stderr
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ, on_stdout)
        ready.register(process.stderr, selectors.EVENT_READ, on_stderr)
        while ready.get_map() and not cancel:
            events = ready.select(_BEAT_S)
            if not events and process.poll() is not None:
                return  # a child that outlives it holds the pipes
            for key, _ in events:
                if data := os.read(key.fd, _PIECE):
                    key.data(data)
                else:
                    ready.unregister(key.fileobj)


def _end(group: Group, grace_s: float) -> None:
    """End the command and its children; one of root's ends when it writes to its closed output."""
    for pipe in (group.process.stdout, group.process.stderr):
        if pipe:
            pipe.close()
    group.end(grace_s)
