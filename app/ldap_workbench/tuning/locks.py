"""One workbench at a time may change a server: a lock that the kernel drops when its owner dies."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from ldap_workbench.connect.folders import unwritable
from ldap_workbench.files import seize
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.message import Message, sentences

_ASKED_S = 0.01
"""Longer than `holder` of another process has the lock, to learn that nobody has."""
_TRIES = 5


class ServerTakenError(ChangeError):
    """A workbench of another process is at work on the server, and alive."""

    @property
    def why_not_revert(self) -> Message:
        """Who has made the open changes of the server, and that nobody else has to revert them."""
        return sentences(self.what, Message("It reverts its own changes when it ends."))


class ServerLock:
    """The right to change one server, held from the first write until its changes are closed.

    Taking it twice in one process is allowed and counted. A lock of the operating system is used,
    not a process id in a file: nothing is left behind by kill -9, and no id can be taken anew.
    It is of the instance where its `identity` is known: localhost and 127.0.0.1 are one server.
    """

    _guard = threading.Lock()
    _files: dict[Path, tuple[IO[bytes], int]] = {}  # noqa: RUF012 - of the process, not the object

    def __init__(self, folder: Path, server: str, identity: str = "") -> None:
        self.server = server
        name = hashlib.sha256((identity or server).encode()).hexdigest()[:24]
        self._path = folder / f"{name}.lock"
        self._mine = False

    def acquire(self) -> None:
        """Take the lock; once per object. Waits for another process that only asks who holds it.

        Raises ServerTakenError naming the process that has it, ChangeError where its file cannot
        be written.
        """
        for _ in range(_TRIES - 1):
            with suppress(ServerTakenError):
                return self._take()
            time.sleep(_ASKED_S)
        return self._take()

    def _take(self) -> None:
        if self._mine:
            return
        with self._guard:
            file, count = self._files.get(self._path, (None, 0))
            try:
                self._files[self._path] = (file or self._open(), count + 1)
            except OSError as error:
                raise unwritable(self._path, error) from error
        self._mine = True

    def holder(self) -> ServerTakenError | None:
        """What names another process that holds it now; None where nobody else does."""
        try:
            self._take()
        except ServerTakenError as error:
            return error
        except ChangeError:
            return None  # its file cannot be written, as who wants to write is told
        self.release()
        return None

    def release(self) -> None:
        """Give it back; without effect when it is not held."""
        if not self._mine:
            return
        self._mine = False
        with self._guard:
            file, count = self._files.pop(self._path)
            if count > 1:
                self._files[self._path] = (file, count - 1)
            else:
                file.close()

    def _open(self) -> IO[bytes]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        try:
            seize(file)
        except OSError:
            file.seek(0)
            holder = file.read(200).decode(errors="replace").strip()
            file.close()
            raise self._taken(holder) from None
        now = datetime.fromtimestamp(time.time(), tz=UTC)
        try:
            file.seek(0)
            file.truncate()
            since = f"since {now:%Y-%m-%d %H:%M:%S} UTC"
            file.write(f"process {os.getpid()} {since} on host {socket.gethostname()}".encode())
            file.flush()
        except OSError:
            with suppress(OSError):  # it tries to write once more
                file.close()
            raise
        return file

    def _taken(self, holder: str) -> ServerTakenError:
        return ServerTakenError(
            Message(
                "Another workbench is running on {server} ({holder}).",
                server=self.server,
                holder=holder or Message("just started"),
            ),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Wait until it ends, or stop it where it runs: Ctrl-C in its terminal, Stop in its "
                "window, or kill with its process id. It reverts its own changes; then try again."
            ),
        )
