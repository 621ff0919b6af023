"""One LDAP connection: requests in, answers out, and its lines in the access log."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ldap_workbench.connect import ber
from ldap_workbench.connect.ber import BerError, Element
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.address import LOOPBACK
from ldap_workbench.practice.ldap.directory import START_TLS, WHO_AM_I, Failure, PracticeDirectory
from ldap_workbench.practice.ldap.filters import filter_of
from ldap_workbench.practice.model.engine import Engine
from ldap_workbench.practice.model.tree import Entry

PROTOCOL_ERROR, AUTH_METHOD, CRITICAL_EXTENSION, UNWILLING = 2, 7, 12, 53
MAX_MESSAGE = 2_097_152
"""nsslapd-maxbersize."""

_BIND, _UNBIND, _SEARCH, _MODIFY, _ADD, _DELETE, _RENAME, _COMPARE, _ABANDON, _EXTENDED = (
    0x60, 0x42, 0x63, 0x66, 0x68, 0x4A, 0x6C, 0x6E, 0x50, 0x77,
)  # fmt: skip
(_BIND_DONE, _ENTRY, _SEARCH_DONE, _MODIFY_DONE, _ADD_DONE, _DELETE_DONE, _RENAME_DONE,
 _COMPARE_DONE, _EXTENDED_DONE) = (
    0x61, 0x64, 0x65, 0x67, 0x69, 0x6B, 0x6D, 0x6F, 0x78,
)  # fmt: skip
_LOG_TAGS = {0x61: 97, 0x65: 101, 0x67: 103, 0x69: 105, 0x6B: 107, 0x6D: 109, 0x6F: 111, 0x78: 120}


class LdapConnection:
    """Serves one client until it goes; answers one request after the other."""

    def __init__(
        self,
        engine: Engine,
        directory: PracticeDirectory,
        client: socket.socket,
        context: ssl.SSLContext,
    ) -> None:
        self._engine, self._directory = engine, directory
        self._socket, self._context = client, context
        self._link = engine.connect()
        self._bound = ""
        self._id = 0
        self._began_ns = 0
        self._handlers: dict[int, Callable[[Element], None]] = {
            _BIND: self._bind,
            _SEARCH: self._search,
            _MODIFY: self._modify,
            _ADD: self._add,
            _DELETE: self._delete,
            _RENAME: self._rename,
            _COMPARE: self._compare,
            _EXTENDED: self._extended,
        }

    def serve(self, *, secure: bool) -> None:
        """Read and answer until the client unbinds, breaks off or sends nonsense."""
        try:
            if secure:
                self._start_tls()
            while (message := self._receive()) and self._answer(message):
                self._engine.count(self._link)
        except (BerError, ValueError, LookupError, RecursionError, OSError):
            self._close("Bad Ber Tag or uncleanly closed connection - B1")
        finally:
            with self._engine.lock:
                if self._link in self._engine.links:
                    self._engine.links.remove(self._link)
            with contextlib.suppress(OSError):  # a broken link needs no goodbye
                self._socket.close()

    def drop(self) -> None:
        """Break the connection off, as when the server goes down; for another thread to call."""
        with contextlib.suppress(OSError):  # the client may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)

    def _receive(self) -> bytes | None:
        """One whole LDAPMessage, None when the client has gone."""
        data = b""
        while True:
            sizes = ber.length_of(data[:6])
            wanted = sum(sizes) if sizes else 2
            if data[:1] not in (b"", b"0") or wanted > MAX_MESSAGE:
                raise BerError("no LDAPMessage, or too large a one")
            if sizes and len(data) == wanted:
                return data
            more = self._socket.recv(max(1, wanted - len(data)) if sizes else 1)
            if not more:
                self._close("Bad Ber Tag or uncleanly closed connection - B1")
                return None
            data += more

    def _answer(self, message: bytes) -> bool:
        """Handle one message; False when it was the last."""
        envelope, _ = ber.read(message)
        self._id, request, controls = self._opened(envelope)
        self._began_ns = self._engine.clock.now_ns()
        if request.tag == _UNBIND:
            self._log("UNBIND")
            self._close("Cleanly Closed Connection - U1")
            return False
        if request.tag == _ABANDON:
            self._log(f"ABANDON targetop=NOTFOUND msgid={request.integer()}")
        elif request.tag in self._handlers and not self._critical(controls):
            self._handlers[request.tag](request)
        else:
            self._done(_EXTENDED_DONE, PROTOCOL_ERROR, "not understood")
        return True

    def _opened(self, envelope: Element) -> tuple[int, Element, list[Element]]:
        parts = envelope.children()
        if envelope.tag != ber.SEQUENCE or len(parts) < 2 or parts[0].tag != ber.INTEGER:
            raise BerError("no LDAPMessage")
        return parts[0].integer(), parts[1], parts[2:]

    def _critical(self, controls: Sequence[Element]) -> bool:
        """Whether a control demands what this server does not know."""
        parts = [control.children() for group in controls for control in group.children()]
        return any(len(p) > 1 and p[1].tag == ber.BOOLEAN and p[1].value != b"\0" for p in parts)

    def _bind(self, request: Element) -> None:
        version, name, credentials = request.children()
        dn = name.text()
        method = "128" if credentials.tag == 0x80 else "sasl"
        self._log(f'BIND dn="{dn}" method={method} version={version.integer()}')
        self._bound = self._link.bound = ""
        if credentials.tag != 0x80:
            self._done(_BIND_DONE, AUTH_METHOD, "SASL mechanism not supported")
            return
        try:
            self._bound = self._link.bound = self._directory.bind(dn, credentials.value)
        except Failure as failure:
            self._done(_BIND_DONE, failure.code, str(failure))
            return
        self._done(_BIND_DONE, extra=f' dn="{self._bound}"')

    def _search(self, request: Element) -> None:
        base, scope, _, limit, _, types_only, condition, wanted = request.children()
        text, test = filter_of(condition)
        names = [name.text() for name in wanted.children()]
        shown = f'"{" ".join(names)}"' if names and names != ["*"] else "ALL"
        self._log(
            f'SRCH base="{base.text()}" scope={scope.integer()} filter="{text}" attrs={shown}'
        )
        who, sent = self._bound, 0
        most = self._directory.limit(who, limit.integer())
        try:
            for entry in self._directory.search(
                who, base.text(), scope.integer(), text, test, most
            ):
                self._send(_entry(entry, names, types_only.value != b"\0"))
                sent += 1
        except Failure as failure:
            message = (failure.code, str(failure), failure.matched)
            self._done(_SEARCH_DONE, *message, entries=sent)
            return
        says = self._directory.diagnostic(base.text(), names)
        self._done(_SEARCH_DONE, message=says, entries=sent)

    def _modify(self, request: Element) -> None:
        dn, listed = request.children()
        self._log(f'MOD dn="{dn.text()}"')
        changes = []
        for change in listed.children():
            kind, attribute = change.children()
            name, values = attribute.children()
            changes.append(
                (kind.integer(), name.text(), [value.text() for value in values.children()])
            )
        self._change(_MODIFY_DONE, self._directory.modify, dn.text(), changes)

    def _add(self, request: Element) -> None:
        dn, listed = request.children()
        self._log(f'ADD dn="{dn.text()}"')
        pairs = (attribute.children() for attribute in listed.children())
        attributes = [
            (name.text(), value.text()) for name, values in pairs for value in values.children()
        ]
        self._change(_ADD_DONE, self._directory.add, dn.text(), attributes)

    def _delete(self, request: Element) -> None:
        self._log(f'DEL dn="{request.text()}"')
        self._change(_DELETE_DONE, self._directory.delete, request.text())

    def _rename(self, _: Element) -> None:
        self._log('MODRDN dn=""')
        self._done(_RENAME_DONE, UNWILLING, "the practice directory renames no entry")

    def _change(self, tag: int, change: Callable[..., str | None], *what: Any) -> None:
        """Make a change as who is bound, and answer it."""
        try:
            says = change(self._bound, *what)
        except Failure as failure:
            self._done(tag, failure.code, str(failure), failure.matched)
        else:
            self._done(tag, message=says or "")

    def _compare(self, request: Element) -> None:
        dn, assertion = request.children()
        name, value = (part.text() for part in assertion.children())
        self._log(f'CMP dn="{dn.text()}" attr="{name}"')
        try:
            self._done(_COMPARE_DONE, self._directory.compare(dn.text(), name, value))
        except Failure as failure:
            self._done(_COMPARE_DONE, failure.code, str(failure), failure.matched)

    def _extended(self, request: Element) -> None:
        oid = request.children()[0].text()
        if oid == START_TLS and not isinstance(self._socket, ssl.SSLSocket):
            self._log(f'EXT oid="{oid}" name="start_tls_plugin"')
            self._done(_EXTENDED_DONE, value=ber.octets(oid, 0x8A))
            self._start_tls()
        elif oid == WHO_AM_I:
            self._log(f'EXT oid="{oid}" name="whoami-plugin"')
            who = f"dn: {self._bound}" if self._bound else ""
            self._done(_EXTENDED_DONE, value=ber.octets(who, 0x8B))
        else:
            self._log(f'EXT oid="{oid}"')
            self._done(_EXTENDED_DONE, PROTOCOL_ERROR, "unsupported extended operation")

    def _start_tls(self) -> None:
        secured = self._context.wrap_socket(self._socket, server_side=True)
        self._socket = secured
        name, _, bits = secured.cipher() or ("", "", 0)
        version = str(secured.version()).replace("TLSv", "TLS")
        suite = "AES-GCM" if "GCM" in name else name.partition("_")[2]
        self._engine.log(f"conn={self._link.conn} {version} {bits}-bit {suite}")

    def _send(self, operation: bytes) -> None:
        message = ber.element(ber.SEQUENCE, ber.integer(self._id), operation)
        self._socket.sendall(message)

    def _done(
        self,
        tag: int,
        code: int = 0,
        message: str = "",
        matched: str = "",
        *,
        entries: int = 0,
        value: bytes = b"",
        extra: str = "",
    ) -> None:
        """Log and send a result."""
        result = ber.integer(code, ber.ENUMERATED) + ber.octets(matched) + ber.octets(message)
        # the line comes first, so that whoever has the answer finds the line in the log
        etime = self._engine.clock.now_ns() - self._began_ns
        self._log(
            f"RESULT err={code} tag={_LOG_TAGS[tag]} nentries={entries} wtime=0.000020000 "
            f"optime={_seconds(etime)} etime={_seconds(etime + 20_000)}{extra}"
        )
        self._send(ber.element(tag, result, value))

    def _log(self, text: str) -> None:
        self._engine.log(f"conn={self._link.conn} op={self._link.operations} {text}")

    def _close(self, why: str) -> None:
        fd = 400 + self._link.conn % 500
        op = self._link.operations if why.endswith("U1") else -1
        if self._link in self._engine.links:
            self._engine.log(f"conn={self._link.conn} op={op} fd={fd} Disconnect - {why}")


def _seconds(ns: int) -> str:
    return f"{ns // NS_PER_S}.{ns % NS_PER_S:09d}"


def _entry(entry: Entry, names: Sequence[str], types_only: bool) -> bytes:
    """A SearchResultEntry with the attributes asked for."""
    wanted = {name.lower() for name in names}
    everything = not wanted or "*" in wanted
    attributes = [
        ber.element(
            ber.SEQUENCE,
            ber.octets(name),
            ber.element(ber.SET, *([] if types_only else map(ber.octets, values))),
        )
        for name, values in entry
        if everything or name.lower() in wanted
    ]
    return ber.element(_ENTRY, ber.octets(entry.dn), ber.element(ber.SEQUENCE, *attributes))


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
