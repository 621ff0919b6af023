"""One window a user: a second start hands its files to the first and ends."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from ldap_workbench.connect.folders import config_folder

_PATIENCE_MS = 2000
_MOST_BYTES = 1 << 20
_ANSWER = b"taken\n"


def address() -> str:
    """Where the window of this user listens; another for each configuration folder."""
    folder = str(config_folder().resolve())
    return f"ldap-workbench-{hashlib.sha256(folder.encode()).hexdigest()[:16]}"


def hand_over(paths: list[str]) -> bool:
    """Give the files to the window that is open; False where there is none, or it is stuck."""
    socket = QLocalSocket()
    socket.connectToServer(address())
    if not socket.waitForConnected(_PATIENCE_MS):
        return False
    told = json.dumps([str(Path(path).absolute()) for path in paths])
    socket.write(told.encode() + b"\n")
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
        QLocalServer.removeServer(address())
        return self._server.listen(address())

    def close(self) -> None:
        """Listen no longer."""
        self._server.close()
        self._lock.unlock()

    @Slot()
    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._on_words)
            socket.disconnected.connect(socket.deleteLater)

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
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, list) or not all(isinstance(path, str) for path in told):
        return None
    return told
