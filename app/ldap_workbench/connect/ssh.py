"""paramiko behind the RemoteShell port: keys are verified, nothing unread blocks."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import paramiko

from ldap_workbench.connect.children import watched
from ldap_workbench.connect.commands import command_line, own_program
from ldap_workbench.connect.conversation import RemoteConversation
from ldap_workbench.connect.host_keys import (
    TIMEOUT_S,
    accept_fingerprint,
    accept_host_key,
    known_hosts_path,
    not_reached,
)
from ldap_workbench.connect.local import LocalShell, time_out
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import BoundedStderr, CommandResult, RemoteShell
from ldap_workbench.connect.small_shell import LINE, AfterNumber, Opening, no_command, not_begun
from ldap_workbench.connect.ssh_login import log_in
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel

__all__ = [
    "SshShell",
    "accept_fingerprint",
    "accept_host_key",
    "known_hosts_path",
    "open_shell",
]

_PIECE = 1 << 18
_BEAT_S = 0.1
# A daemon that a restart leaves behind may hold the channel open for ever.
_SILENCE_AFTER_END_S = 3.0
_WINDOW = 16 << 20
"""Bytes on their way at most. A line of 4 s there and back carries a quarter of it a second: with
the 2 MiB of paramiko less than a busy log grows."""


def open_shell(
    profile: Profile, secrets: Secrets, *, like: RemoteShell | None = None
) -> RemoteShell | None:
    """A shell on the server's host; None where the profile names none.

    What `like`, an older one of the same profile, has found out about the host is not asked again.
    Raises UnknownHostKeyError (ask the operator, then `accept_host_key`), ChangedHostKeyError,
    AuthenticationError or ConnectError.
    """
    if profile.ssh is None:
        return LocalShell(sudo=profile.sudo) if profile.local else None
    shell = SshShell(profile.ssh, log_in(profile, profile.ssh, secrets), sudo=profile.sudo)
    if isinstance(like, SshShell):
        shell.installed = like.installed
    return shell


class SshShell:
    """A login over SSH; each command has a channel of its own."""

    def __init__(self, address: SshAddress, client: paramiko.SSHClient, *, sudo: bool) -> None:
        self._address = address
        self._client = client
        self._sudo = sudo and address.user != "root"
        self.installed: str | None = None
        """The text of the host's own program for our scripts; None while nobody has looked."""

    @property
    def name(self) -> str:
        return f"ssh://{self._address}"

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        deadline = time.monotonic() + timeout
        chunks: list[bytes] = []
        opening = Opening(self._argv(argv, sudo), reads=bool(stdin))
        with _Command(self._start(), self._address, opening, chunks.append) as command:
            command.send(stdin)
            while not command.ended:
                if time.monotonic() > deadline:
                    if not command.begun:
                        raise not_begun(self._address, timeout)
                    raise time_out(argv, verbatim(self._address.host), timeout)
                command.beat()
            return CommandResult(command.status, b"".join(chunks), command.stderr.text())

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        opening = Opening(watched(self._argv(argv, sudo)), reads=True)
        with _Command(self._start(), self._address, opening, on_bytes) as command:
            while not command.ended:
                if cancel:
                    return CommandResult(-signal.SIGTERM, b"", command.stderr.text())
                command.beat()
            return CommandResult(command.status, b"", command.stderr.text())

    def converse(self, argv: Sequence[str], *, sudo: bool = False) -> RemoteConversation:
        """Start a command to talk to; this login is its own from now on, and ends with it."""
        opening = Opening(self._argv(argv, sudo), reads=True)
        return RemoteConversation(self._client, self._start(), self._address, opening)

    def close(self) -> None:
        self._client.close()

    def _argv(self, argv: Sequence[str], sudo: bool) -> list[str]:
        if not sudo or not self._sudo:
            return command_line(argv, sudo=False)
        if self.installed is None:
            self.installed = own_program(self)
        return command_line(argv, sudo=True, installed=self.installed)

    @contextmanager
    def _closed_after(self, seconds: float) -> Iterator[None]:
        """paramiko waits for the answer to a command for ever, on a dead link too."""
        watch = threading.Timer(seconds, self._client.close)
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()
            watch.join()

    def _start(self) -> paramiko.Channel:
        """A channel with a small shell that waits for what it is to run."""
        transport = self._client.get_transport()
        try:
            if transport is None:
                raise ConnectError(
                    Message(
                        "The SSH connection to {address} is closed.", address=str(self._address)
                    ),
                    remedy=Message("Check that the host is up and reachable, then try again."),
                )
            channel = transport.open_session(window_size=_WINDOW, timeout=TIMEOUT_S)
            with self._closed_after(TIMEOUT_S):
                channel.exec_command(LINE)
        except (paramiko.SSHException, OSError, EOFError) as error:
            raise not_reached(self._address, error) from error
        return channel


class _Command:
    """One command under way.

    Both outputs are read all the time, for one that is not read would stop the other; so is its
    input written without waiting: first what makes the small shell run it, and what it reads itself
    only once it runs, for the shell may read ahead.
    """

    def __init__(
        self,
        channel: paramiko.Channel,
        address: SshAddress,
        opening: Opening,
        on_bytes: Callable[[bytes], None],
    ) -> None:
        self._channel = channel
        self._address = address
        self._on_bytes = on_bytes
        self._to_send = memoryview(opening.script)
        self._stdin: memoryview | None = None
        self._shut = False
        self._eof = False
        self._last_heard = time.monotonic()
        self._output = AfterNumber(opening.number)
        self._complaints = AfterNumber(opening.number)
        self.stderr = BoundedStderr()

    def __enter__(self) -> _Command:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, EOFError):  # the link is broken: there is no one to tell
            self._channel.close()

    def send(self, stdin: bytes) -> None:
        """What the command reads, and then the end of its input; without it that stays open."""
        self._stdin = memoryview(stdin)

    @property
    def begun(self) -> bool:
        """Whether the small shell has come to run it."""
        return self._output.begun

    @property
    def ended(self) -> bool:
        done = self._channel.exit_status_ready()
        silent = time.monotonic() - self._last_heard > _SILENCE_AFTER_END_S
        return done and (self._eof or silent)

    @property
    def status(self) -> int:
        """128 + N for a command that signal N ended, as a shell has it.

        Raises CommandError where the login ended before the command ran.
        """
        status = self._channel.recv_exit_status()
        if status < 0 and not self._channel.get_transport().is_active():
            raise ConnectError(
                Message(
                    "The SSH connection to {address} broke while a command ran.",
                    address=str(self._address),
                ),
                remedy=Message("Check that the host is up and reachable, then try again."),
            )
        if not self.begun:
            said = self._complaints.before.strip() or self._output.before
            raise no_command(self._address, status, said)
        return status if status >= 0 else 128 + signal.SIGTERM

    def beat(self) -> None:
        """Move what can be moved; waits a tenth of a second at the most."""
        try:
            self._write()
        except (OSError, EOFError) as error:  # paramiko's, of a socket that was reset this moment
            raise not_reached(self._address, error) from error
        waits = self._shut or not self._to_send
        self._channel.settimeout(_BEAT_S if waits else _BEAT_S / 10)
        if self._eof:
            time.sleep(_BEAT_S / 10)
        try:
            self._read()
        except TimeoutError:
            return

    def _write(self) -> None:
        if self._shut:
            return
        if self._channel.closed or self._channel.exit_status_ready():
            self._end_input()
            return
        if not self._to_send and self._stdin and self.begun:
            self._to_send, self._stdin = self._stdin, memoryview(b"")
        if self._to_send and self._channel.send_ready():
            self._to_send = self._to_send[self._channel.send(bytes(self._to_send[:_PIECE])) :]
        if not self._to_send and self._stdin is not None and not self._stdin:
            self._end_input()

    def _end_input(self) -> None:
        self._channel.shutdown_write()
        self._shut = True

    def _read(self) -> None:
        if self._channel.recv_stderr_ready():
            self._heard()
            self._complain(self._channel.recv_stderr(_PIECE))
        if self._eof:
            return
        data = self._channel.recv(_PIECE)
        self._heard()
        if not data:
            self._end_of_output()
        elif text := self._output.add(data):
            self._on_bytes(text)

    def _end_of_output(self) -> None:
        self._eof = True
        # Standard error has ended too: both end with one message.
        while piece := self._channel.recv_stderr(_PIECE):
            self._complain(piece)

    def _complain(self, piece: bytes) -> None:
        self.stderr.add(self._complaints.add(piece))

    def _heard(self) -> None:
        self._last_heard = time.monotonic()
