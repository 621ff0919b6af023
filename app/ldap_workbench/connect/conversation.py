"""A command that is asked and answers, as long as both sides live: over SSH, or on this machine."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

import paramiko

from ldap_workbench.connect.children import environment
from ldap_workbench.connect.host_keys import not_reached
from ldap_workbench.connect.small_shell import AfterNumber, Opening, no_command, not_begun
from ldap_workbench.model.profile import SshAddress

SILENCE_S = 60.0
"""A command that answers nothing for so long, not even that it works, is given up."""
_WORDS = 500
"""Bytes kept of the last words of a command that ended."""
_ENDING_S = 2.0


class Conversation(Protocol):
    """A command with both its ends. It ends with its input; `end` may be called by any thread.

    Reading and sending raise OSError where the other side is gone or silent.
    """

    def send(self, data: bytes) -> None: ...

    def line(self, most: int) -> bytes:
        """The next line, or its first `most` bytes; fewer at the end of what it says."""
        ...

    def read(self, size: int) -> bytes:
        """So many bytes; fewer at the end of what it says."""
        ...

    def end(self) -> None: ...

    def last_words(self) -> str:
        """End it, and what it said last on its standard error."""
        ...


class LocalConversation:
    """With a process of this machine. Raises OSError where it does not start."""

    def __init__(self, command: Sequence[str]) -> None:
        # A file, for nobody reads a pipe while an answer is waited for.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=environment(),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def send(self, data: bytes) -> None:
        self._input.write(data)
        self._input.flush()

    def line(self, most: int) -> bytes:
        return self._output.readline(most)

    def read(self, size: int) -> bytes:
        return self._output.read(size)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._input, self._output, self._words):
            with suppress(OSError):
                stream.close()

    def last_words(self) -> str:
        self._process.kill()
        self._process.wait()
        with suppress(ValueError):  # `end` was here first
            size = self._words.seek(0, 2)
            self._words.seek(max(0, size - _WORDS))
            return self._words.read().decode("utf-8", "replace").strip()
        return ""


class RemoteConversation:
    """With a command over a channel of SSH, and the login it needs, which ends with it.

    Raises ConnectError where the link breaks before the command runs, CommandError where the login
    ends before that, or is silent.
    """

    def __init__(
        self,
        client: paramiko.SSHClient,
        channel: paramiko.Channel,
        address: SshAddress,
        opening: Opening,
    ) -> None:
        self._client = client
        self._channel = channel
        channel.settimeout(SILENCE_S)
        self._output = channel.makefile("rb", 1 << 16)
        self._number = opening.number
        try:
            self._begin(address, opening)
        except TimeoutError as error:
            raise not_begun(address, SILENCE_S) from error
        except (OSError, EOFError) as error:
            raise not_reached(address, error) from error

    def _begin(self, address: SshAddress, opening: Opening) -> None:
        self._channel.sendall(opening.script)
        output = AfterNumber(opening.number)
        while not output.begun:
            line = self._output.readline()
            if not line:
                said = self.last_words().encode() or output.before
                status = self._channel.recv_exit_status()
                if status < 0:
                    raise EOFError("the connection broke")
                raise no_command(address, status, said)
            output.add(line)

    def send(self, data: bytes) -> None:
        self._channel.sendall(data)

    def line(self, most: int) -> bytes:
        return bytes(self._output.readline(most))

    def read(self, size: int) -> bytes:
        return bytes(self._output.read(size))

    def piece(self, most: int) -> bytes:
        """What has come, however long that takes; b'' at the end. Not with `line` and `read`."""
        self._channel.settimeout(None)
        return bytes(self._channel.recv(most))

    def end_of_input(self) -> None:
        """The command reads no more than it was sent."""
        with suppress(OSError, EOFError):
            self._channel.shutdown_write()

    def end(self) -> None:
        with suppress(OSError, EOFError):  # the link is broken: there is no one to tell
            self._channel.close()
        self._client.close()

    def last_words(self) -> str:
        said, deadline = b"", time.monotonic() + _ENDING_S
        with suppress(OSError, EOFError):
            self._channel.shutdown_write()
            while not self._channel.exit_status_ready() and time.monotonic() < deadline:
                time.sleep(_ENDING_S / 100)
            while self._channel.recv_stderr_ready():
                said = (said + self._channel.recv_stderr(1 << 16))[-_WORDS:]
        self.end()
        *_, words = said.rpartition(self._number + b"\n")
        return words.decode("utf-8", "replace").strip()
