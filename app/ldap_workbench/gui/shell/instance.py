"""One window a user: a second start hands its files to the first and ends."""

from __future__ import annotations

import hashlib
import json
import os
import socket as unix
import struct
import sys
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from ldap_workbench.connect.folders import config_folder, runtime_folder

_PATIENCE_MS = 2000
_MOST_BYTES = 1 << 20
_MOST_PATHS = 256
_ANSWER = b"taken\n"


def address() -> str:
    """Where the window of this user listens; another for each configuration folder.

    '' where there is no folder that nobody else can enter: then every window is on its own.
    """
    configured = os.fsencode(config_folder().resolve())
    name = f"ldap-workbench-{hashlib.sha256(configured).hexdigest()[:16]}"
    if os.name == "nt":
        return name  # a pipe, which Qt opens to this user alone
    folder = runtime_folder()
    return str(folder / name) if folder else ""


def hand_over(paths: list[str]) -> bool:
    """Give the files to the window that is open; False where there is none, or it is stuck."""
    where = address()
    socket = QLocalSocket()
    socket.connectToServer(where)
    if not where or not socket.waitForConnected(_PATIENCE_MS) or not is_ours(socket):
        return False
    message = json.dumps([str(Path(path).absolute()) for path in paths])
    socket.write(message.encode() + b"\n")
    socket.waitForBytesWritten(_PATIENCE_MS)
    taken = socket.waitForReadyRead(_PATIENCE_MS) and bytes(socket.readAll().data()) == _ANSWER
    socket.disconnectFromServer()
    return taken


class FirstInstance(QObject):
    """Listens for later starts.

    *Signals:* handedOver(list[str] paths), empty where the window is only to come to the front
    """

    handedOver = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # An address alone does not tell: a second server takes it over without a word.
        self._lock = QLockFile(str(config_folder() / "window.lock"))
        self._lock.setStaleLockTime(0)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def listen(self) -> bool:
        """From now on; False where another window does.

        The lock of a window that was killed is stale, and its address is taken away first.
        """
        if not self._lock.tryLock(0):
            return False
        where = address()
        QLocalServer.removeServer(where)
        return bool(where) and self._server.listen(where)

    def close(self) -> None:
        """Listen no longer."""
        self._server.close()
        self._lock.unlock()

    @Slot()
    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            if not is_ours(socket):
                socket.abort()
                continue
            socket.setReadBufferSize(_MOST_BYTES + 1)
            socket.readyRead.connect(self._on_words)
            QTimer.singleShot(_PATIENCE_MS, socket, socket.abort)  # whoever says nothing

    @Slot()
    def _on_words(self) -> None:
        socket = self.sender()
        if not isinstance(socket, QLocalSocket):
            return
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MOST_BYTES:
                socket.abort()
            return
        paths = _paths(bytes(socket.readLine().data()))
        if paths is None:
            socket.abort()
            return
        socket.write(_ANSWER)
        socket.flush()
        self.handedOver.emit(paths)


def _paths(line: bytes) -> list[str] | None:
    """What a later start said; None where it is not one of ours."""
    try:
        paths = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(paths, list) or len(paths) > _MOST_PATHS or not all(map(_is_path, paths)):
        return None
    return paths


def _is_path(path: object) -> bool:
    return isinstance(path, str) and "\0" not in path and Path(path).is_absolute()


def is_ours(socket: QLocalSocket) -> bool:
    """Whether a process of this user is at the other end.

    Where the system does not tell, the folder alone answers for it.
    """
    if sys.platform != "linux":
        return True
    with unix.socket(fileno=os.dup(socket.socketDescriptor())) as peer:
        credentials = peer.getsockopt(unix.SOL_SOCKET, unix.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.getuid())
