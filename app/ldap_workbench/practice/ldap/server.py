"""LDAP v3 on loopback: one thread a connection, plain, StartTLS or LDAPS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from pathlib import Path

from ldap_workbench.practice.address import LOOPBACK
from ldap_workbench.practice.ldap.connection import LdapConnection
from ldap_workbench.practice.ldap.directory import PracticeDirectory
from ldap_workbench.practice.model.engine import Engine


class LdapServer:
    """Listens on two random ports; `close_connections` and `listen` make a restart."""

    def __init__(self, engine: Engine, directory: PracticeDirectory, certificate: Path) -> None:
        self._engine, self._directory = engine, directory
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._lock = threading.Lock()
        self._listeners: list[socket.socket] = []
        self._open: set[LdapConnection] = set()
        self.port = self.secure_port = 0
        self.listen()

    def listen(self) -> None:
        """Accept connections, on the same ports as before."""
        self.port = self._listen(self.port, secure=False)
        self.secure_port = self._listen(self.secure_port, secure=True)

    def close(self) -> None:
        """Listen no more and drop every connection, as when the server goes down."""
        with self._lock:
            listeners, connections = list(self._listeners), list(self._open)
            self._listeners.clear()
        for listener in listeners:
            with contextlib.suppress(OSError):  # not connected, says the kernel, and wakes accept
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in connections:
            connection.drop()

    def _listen(self, port: int, *, secure: bool) -> int:
        listener = socket.create_server((LOOPBACK, port), backlog=128)
        with self._lock:
            self._listeners.append(listener)
        name = "practice-ldaps" if secure else "practice-ldap"
        accept = threading.Thread(
            target=self._accept, args=(listener, secure), name=name, daemon=True
        )
        accept.start()
        return int(listener.getsockname()[1])

    def _accept(self, listener: socket.socket, secure: bool) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:  # closed: the server goes down
                return
            serve = threading.Thread(target=self._serve, args=(client, secure), daemon=True)
            serve.start()

    def _serve(self, client: socket.socket, secure: bool) -> None:
        with contextlib.suppress(OSError):  # some systems say so when the client has gone
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = LdapConnection(self._engine, self._directory, client, self._context)
        with self._lock:
            self._open.add(connection)
        try:
            connection.serve(secure=secure)
        finally:
            with self._lock:
                self._open.discard(connection)
