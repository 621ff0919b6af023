"""Clients and worker threads of a directory server, so that a log has the waits a real one has."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

Client = Generator["Request | float", None, None]
"""What a client does: it yields requests, and seconds in which it does nothing."""


def utc(year: int, month: int, day: int, hour: int, minute: int) -> float:
    """When a simulation begins, s since 1970."""
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()


@dataclass(eq=False)
class Connection:
    """One connection; `operations` is the number of its next operation."""

    number: int
    fd: int
    address: str
    port: int
    local: str = ""
    """Path of the socket of a connection from the same host."""
    operations: int = 0
    bind_dn: str = ""


@dataclass(eq=False)
class Request:
    """One operation; `took` is the time of the worker thread, infinity for what never ends."""

    connection: Connection
    kind: str
    took: float
    dn: str = ""
    """Base of a search, entry of any other operation, or who binds."""
    scope: int = 2
    query: str = ""
    """Filter of a search, changed attribute of a modify, identifier of an extension, or the SASL
    mechanism of a bind."""
    attributes: str = ""
    """Attributes a search asks for, name of an extension, or the new parent of a rename."""
    entries: int = 0
    error: int = 0
    notes: str = ""
    """Notes of the result, or the text an OpenLDAP gives for a change it refuses."""
    before: tuple[str, ...] = ()
    """Lines that belong between request and result, in the words of the dialect."""
    inside: tuple[Inner, ...] = ()
    lock: str = ""
    """What it holds alone while it works; others that need the same wait with their thread."""
    culprit: bool = False
    """Whether it is what made the users wait: the share of the truth counts these."""
    patience: float = math.inf
    """After how long the client goes on without an answer; the server works on all the same."""
    csn: str = ""
    """Change number of a write, as a replicated 389 DS logs it."""
    detached: bool = False
    """Whether it stays open by its nature, as a search that follows changes does."""
    number: int = -1


@dataclass(frozen=True)
class Inner:
    """A search the server itself does within an operation, and what it took."""

    base: str
    query: str
    attribute: str
    took: float
    entries: int = 0
    notes: str = ""


class NoDescriptorError(Exception):
    """The server takes no more connections: its limit of open files is reached."""


class Dialect(Protocol):
    """Writes what happened as one product does. Times are seconds since the epoch."""

    def opened(self, at: float, connection: Connection) -> None: ...
    def asked(self, at: float, request: Request) -> None: ...
    def answered(self, at: float, request: Request, queued: float, worked: float) -> None: ...
    def closed(self, at: float, connection: Connection, clean: bool) -> None: ...
    def refused(self, at: float) -> None: ...


@dataclass
class Waited:
    """Seconds that users waited for answers: in all, and for the culprit or behind its lock."""

    total: float = 0.0
    culprit: float = 0.0

    @property
    def share(self) -> float:
        return self.culprit / self.total if self.total else 0.0


@dataclass
class Simulation:
    """A pool of worker threads that takes requests in the order in which they arrive."""

    dialect: Dialect
    begin: float
    seconds: float
    workers: int = 16
    seed: int = 1
    first_connection: int = 1
    first_fd: int = 64
    last_fd: int = 65535
    stuck: str | None = None
    """As in a deadlock, a thread never comes back from an entry below this DN; '' is any."""
    stuck_kinds: tuple[str, ...] = ()
    """Only requests of these kinds are stuck; empty is all."""
    now: float = 0.0
    waited: Waited = field(default_factory=Waited)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.end = self.begin + self.seconds
        self.now = self.begin
        self._free = [self.begin] * self.workers
        self._locks: dict[str, float] = {}
        self._holders: dict[str, bool] = {}
        self._held = (self.begin, self.begin)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._connections = self.first_connection
        self._free_fds: list[int] = []
        self._next_fd = self.first_fd

    def at(self, second: float, action: Callable[[], None]) -> None:
        """Do something at a second of the window."""
        self._count += 1
        heapq.heappush(self._events, (self.begin + second, self._count, action))

    def start(self, second: float, client: Client) -> None:
        """Let a client begin at a second of the window."""
        self.at(second, lambda: self._go_on(client))

    def connect(self, address: str, local: str = "") -> Connection:
        """Open a connection now; a client that cannot ends there."""
        if not self._free_fds and self._next_fd > self.last_fd:
            self.dialect.refused(self.now)
            raise NoDescriptorError
        if self._free_fds:
            fd = heapq.heappop(self._free_fds)
        else:
            fd, self._next_fd = self._next_fd, self._next_fd + 1
        port = 32768 + self.random.randrange(28000)
        connection = Connection(self._connections, fd, address, port, local)
        self._connections += 1
        self.dialect.opened(self.now, connection)
        return connection

    def close(self, connection: Connection, *, clean: bool = True) -> None:
        """Close a connection now, with an unbind where it is clean."""
        heapq.heappush(self._free_fds, connection.fd)
        self.dialect.closed(self.now, connection, clean)

    def hold(self, lock: str, seconds: float) -> None:
        """Let work that is in no log hold a lock from now on; all that wait meanwhile wait for it.

        Locks held so must not overlap.
        """
        self._held = (self.now, self.now + seconds)
        self._locks[lock] = self._held[1]

    def about(self, middle: float, spread: float = 0.35) -> float:
        """A time near `middle`, as times of short operations are spread."""
        return middle * math.exp(self.random.gauss(0.0, spread))

    def run(self) -> Waited:
        """Everything until the end of the window; what is open then is never answered."""
        while self._events and self._events[0][0] < self.end:
            self.now, _, action = heapq.heappop(self._events)
            action()
        return self.waited

    def _go_on(self, client: Client) -> None:
        try:
            wanted = next(client)
        except (StopIteration, NoDescriptorError):
            return
        if isinstance(wanted, Request):
            self._serve(wanted, client)
        else:
            self.start(self.now - self.begin + wanted, client)

    def _serve(self, request: Request, client: Client) -> None:
        arrived = self.now
        request.number = request.connection.operations
        request.connection.operations += 1
        if request.detached:
            self.dialect.asked(arrived + 2e-5, request)
            return
        taken = max(arrived + self.about(2e-5), heapq.heappop(self._free))
        working = max(taken, self._locks.get(request.lock, taken)) if request.lock else taken
        stuck = self._is_stuck(request)
        done = working + (math.inf if stuck else request.took)
        heapq.heappush(self._free, done)
        heard = min(done, self.end, arrived + request.patience)
        self._account(request, heard - arrived, min(working, self.end) - taken)
        if request.lock:
            behind = working > taken and self._holders.get(request.lock, False)
            self._locks[request.lock] = done
            self._holders[request.lock] = request.culprit or behind
        if taken >= self.end:
            return  # no thread ever takes it, so that no line is written
        self.dialect.asked(taken, request)
        waiting: Client | None = client
        if arrived + request.patience < done:
            self.start(arrived + request.patience - self.begin, client)
            waiting = None
        if done < self.end:
            self.at(done - self.begin, lambda: self._answer(request, arrived, taken, waiting))

    def _is_stuck(self, request: Request) -> bool:
        if self.stuck is None or not request.dn.endswith(self.stuck):
            return False
        return not self.stuck_kinds or request.kind in self.stuck_kinds

    def _answer(
        self, request: Request, arrived: float, taken: float, waiting: Client | None
    ) -> None:
        if request.kind == "BIND" and not request.error:
            request.connection.bind_dn = request.dn
        self.dialect.answered(self.now, request, taken - arrived, self.now - taken)
        if waiting is not None:
            self._go_on(waiting)

    def _account(self, request: Request, waited: float, blocked: float) -> None:
        self.waited.total += waited
        if request.culprit:
            self.waited.culprit += waited
        elif (held := min(self.now + waited, self._held[1]) - max(self.now, self._held[0])) > 0:
            self.waited.culprit += held
        elif self._holders.get(request.lock):
            self.waited.culprit += max(0.0, blocked)
