"""A TCP proxy on loopback whose line can be made to fail, for LDAP and for SSH.

    with Proxy(lab.port) as line:
        ... connect to 127.0.0.1:line.port ...
        line.cut(refuse=True)       # every connection reset, new ones refused
        line.heal()                 # as if nothing had ever been wrong with it

`up` is what the client sends, `down` what the server sends. A fault is for connections that exist
and for those to come, until `heal`. Every method may be called from any thread and returns when the
fault is in force.
"""

from __future__ import annotations

import queue
import selectors
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

_CHUNK = 65536
_HELD_AT_MOST = 4 << 20
"""Bytes a direction holds back before its sender is no longer read, as a line's buffers do."""
_TICK_S = 0.02
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass
class Direction:
    """What is wrong with one direction, for all connections; `passed` counts delivered bytes."""

    delay_s: float = 0.0
    bytes_per_s: float | None = None
    ends_after: int | None = None
    swallow: bool = False
    passed: int = 0

    def heal(self) -> None:
        self.delay_s, self.bytes_per_s, self.ends_after = 0.0, None, None
        self.swallow = False


@dataclass
class _Lane:
    """One direction of one connection, and the bytes that are on their way."""

    source: socket.socket
    sink: socket.socket
    faults: Direction
    held: deque[tuple[float, bytes]] = field(default_factory=deque)
    size: int = 0
    free_at: float = 0.0
    ended: bool = False
    closed: bool = False
    swallowing: bool = False
    broken: bool = False

    def readable(self) -> bool:
        return not self.ended and self.size < _HELD_AT_MOST

    def due(self, now: float) -> bool:
        if not self.held:
            return self.ended and not self.closed
        return now >= max(self.held[0][0], self.free_at)


class _Connection:
    def __init__(self, client: socket.socket, server: socket.socket, proxy: Proxy) -> None:
        self.client, self.server = client, server
        self.up = _Lane(client, server, proxy.up)
        self.down = _Lane(server, client, proxy.down)

    def close(self, reset: bool) -> None:
        for end in (self.client, self.server):
            if reset:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            end.close()


class Proxy:
    """A line to 127.0.0.1:`target` through 127.0.0.1:`port`, an ephemeral port."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.up, self.down = Direction(), Direction()
        self.answer_swallowed = threading.Event()
        self.truncated = threading.Event()
        self._listener: socket.socket | None = None
        self.port = 0
        self._listen()
        self._connections: list[_Connection] = []
        self._frozen = False
        self._swallow_after: bytes | None = None
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._waker, self._woken = socket.socketpair()
        self._over = False
        self._thread = threading.Thread(target=self._run, name=f"proxy-{self.port}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every connection and the proxy; may be called twice."""
        if self._thread.is_alive():
            self._order(self._end)
            self._thread.join()

    @property
    def connections(self) -> int:
        """How many connections go through at this moment."""
        return len(self._connections)

    def cut(self, *, refuse: bool = False) -> None:
        """Reset (RST) every connection, at both ends; `refuse` new ones until `heal`."""
        self._order(lambda: self._cut(refuse))

    def drop(self) -> None:
        """Half-open: accept and read everything, deliver nothing, say nothing.

        At `heal` the connections that lost bytes are reset, as by a firewall that forgot them.
        """
        self._order(self._drop)

    def freeze(self) -> None:
        """Deliver nothing and read nothing; `thaw` or `heal` goes on without a byte lost."""
        self._order(lambda: setattr(self, "_frozen", True))

    def thaw(self) -> None:
        self._order(lambda: setattr(self, "_frozen", False))

    def delay(self, *, up: float = 0.0, down: float = 0.0) -> None:
        """Deliver every byte so many seconds later; what is sent meanwhile is not slowed."""

        def order() -> None:
            self.up.delay_s, self.down.delay_s = up, down

        self._order(order)

    def limit(self, *, up: float | None = None, down: float | None = None) -> None:
        """Deliver at most so many bytes a second on each connection."""

        def order() -> None:
            self.up.bytes_per_s, self.down.bytes_per_s = up, down

        self._order(order)

    def truncate(self, *, up: int | None = None, down: int | None = None) -> None:
        """Deliver so many bytes more in a direction, all connections together, then end that one.

        Happens once, with an orderly close (FIN) in the middle of whatever was being said;
        `truncated` is set then.
        """
        self.truncated.clear()

        def order() -> None:
            self.up.ends_after, self.down.ends_after = up, down

        self._order(order)

    def swallow_answer(self, containing: bytes = b"") -> None:
        """Lose one answer: the next write of a client (that has `containing` in it) is delivered.

        What the server says after it on that connection is lost, until the client writes again.
        `answer_swallowed` is set when the first bytes were.
        """
        self.answer_swallowed.clear()
        self._order(lambda: setattr(self, "_swallow_after", containing))

    def heal(self) -> None:
        """No fault from now on. Connections that lost bytes are reset."""
        self._order(self._heal)

    def _order(self, order: Callable[[], None]) -> None:
        done = threading.Event()

        def run() -> None:
            order()
            done.set()

        self._orders.put(run)
        self._waker.send(b"x")
        done.wait()

    def _listen(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]

    def _cut(self, refuse: bool) -> None:
        if refuse and self._listener is not None:
            self._listener.close()
            self._listener = None
        for connection in list(self._connections):
            self._close(connection, reset=True)

    def _drop(self) -> None:
        self.up.swallow = self.down.swallow = True

    def _heal(self) -> None:
        self.up.heal()
        self.down.heal()
        self._frozen, self._swallow_after = False, None
        for connection in list(self._connections):
            if connection.up.broken or connection.down.broken:
                self._close(connection, reset=True)
        if self._listener is None:
            self._listen()

    def _end(self) -> None:
        self._cut(refuse=True)
        self._over = True

    def _close(self, connection: _Connection, reset: bool) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            connection.close(reset)

    def _run(self) -> None:
        while not self._over:
            now = time.monotonic()
            with selectors.DefaultSelector() as selector:
                self._register(selector, now)
                ready = {key.fileobj for key, _ in selector.select(self._patience(now))}
            self._obey(ready)
            if not self._over:
                self._serve(ready)
        self._waker.close()
        self._woken.close()

    def _register(self, selector: selectors.BaseSelector, now: float) -> None:
        wanted: dict[socket.socket, int] = {self._woken: selectors.EVENT_READ}
        if self._listener is not None:
            wanted[self._listener] = selectors.EVENT_READ
        for lane in self._lanes():
            if lane.readable():
                wanted[lane.source] = wanted.get(lane.source, 0) | selectors.EVENT_READ
            if lane.due(now):
                wanted[lane.sink] = wanted.get(lane.sink, 0) | selectors.EVENT_WRITE
        for end, events in wanted.items():
            selector.register(end, events)

    def _patience(self, now: float) -> float | None:
        """How long nothing can happen by itself: until held bytes are due, else for ever."""
        waiting = any(lane.held and not lane.due(now) for lane in self._lanes())
        return _TICK_S if waiting else None

    def _lanes(self) -> list[_Lane]:
        if self._frozen:
            return []
        return [lane for connection in self._connections
                for lane in (connection.up, connection.down)]  # fmt: skip

    def _obey(self, ready: Collection[object]) -> None:
        if self._woken not in ready:
            return
        self._woken.recv(_CHUNK)
        while not self._orders.empty():
            self._orders.get()()

    def _serve(self, ready: Collection[object]) -> None:
        if self._listener is not None and self._listener in ready:
            self._accept(self._listener)
        if self._frozen:
            return
        for connection in list(self._connections):
            try:
                self._pass(connection, ready)
            except OSError:  # one end has gone: the other is told in the same way
                self._close(connection, reset=True)

    def _accept(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except OSError:  # gone between the announcement and the accept
            return
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
        except OSError:  # a dead server refuses; behind a proxy that is a connection that ends
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            client.close()
            return
        for end in (client, server):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections.append(_Connection(client, server, self))

    def _pass(self, connection: _Connection, ready: Collection[object]) -> None:
        for lane in (connection.up, connection.down):
            if lane.source in ready and lane.readable():
                self._take(connection, lane)
        now = time.monotonic()
        for lane in (connection.up, connection.down):
            while lane.due(now) and connection in self._connections:
                if not self._give(connection, lane, now):
                    break
        if connection.up.closed and connection.down.closed:
            self._close(connection, reset=False)

    def _take(self, connection: _Connection, lane: _Lane) -> None:
        try:
            chunk = lane.source.recv(_CHUNK)
        except BlockingIOError:
            return
        if lane is connection.up and chunk:
            self._client_writes(connection, chunk)
        if lane.faults.swallow:
            lane.broken = lane.broken or bool(chunk)
            lane.ended = lane.ended or not chunk
            lane.closed = lane.ended
        elif lane.swallowing and chunk:
            self.answer_swallowed.set()
        elif chunk:
            lane.held.append((time.monotonic() + lane.faults.delay_s, chunk))
            lane.size += len(chunk)
        else:
            lane.ended = True

    def _client_writes(self, connection: _Connection, chunk: bytes) -> None:
        wanted = self._swallow_after
        connection.down.swallowing = wanted is not None and wanted in chunk
        if connection.down.swallowing:
            self._swallow_after = None

    def _give(self, connection: _Connection, lane: _Lane, now: float) -> bool:
        """Deliver the first held piece, or the end; whether another may follow at once."""
        if not lane.held:
            lane.sink.shutdown(socket.SHUT_WR)
            lane.closed = True
            return False
        faults, (due, chunk) = lane.faults, lane.held[0]
        piece = chunk[: self._allowed(faults, len(chunk))]
        try:
            sent = lane.sink.send(piece) if piece else 0
        except BlockingIOError:
            return False
        self._account(lane, sent, now)
        lane.held[0] = (due, chunk[sent:])
        if not lane.held[0][1]:
            lane.held.popleft()
        if faults.ends_after is not None and faults.ends_after <= 0:
            faults.ends_after = None
            self._close(connection, reset=False)
            self.truncated.set()
            return False
        return sent > 0

    def _allowed(self, faults: Direction, size: int) -> int:
        if faults.bytes_per_s is not None:
            size = min(size, max(1, int(faults.bytes_per_s * _TICK_S)))
        return size if faults.ends_after is None else min(size, faults.ends_after)

    def _account(self, lane: _Lane, sent: int, now: float) -> None:
        lane.size -= sent
        lane.faults.passed += sent
        if lane.faults.bytes_per_s is not None:
            lane.free_at = now + sent / lane.faults.bytes_per_s
        if lane.faults.ends_after is not None:
            lane.faults.ends_after -= sent
