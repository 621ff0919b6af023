"""Playing a script: each connection on its own socket, one event loop for all."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.endpoint import Endpoint, context_of, playable
from ldap_workbench.replay.outcome import (
    AGREE_SHARE,
    LATE_NS,
    LATE_SHARE,
    LOST_SHARE,
    Outcome,
)
from ldap_workbench.replay.script import Arrival, Request, Scratch, Script
from ldap_workbench.replay.wire import (
    BIND_DONE,
    ENTRY,
    EXTENDED_DONE,
    SEARCH_DONE,
    START_TLS,
    WRITTEN,
    Answer,
    bind,
    in_pages,
    search,
    take_answers,
    with_id,
)

_DONE = (SEARCH_DONE, BIND_DONE, *WRITTEN)
_LEAD_S = 0.2
"""Between the start of the loop and the first arrival."""
_LAST_ANSWERS_S = 30.0
_TURN_S = 0.1
_FEW_FAULTS = 100
"""Up to so many late or lost requests it goes on, however few are planned."""
_FEW = 1_000
"""So many answers before it ends because they are not those of the capture."""


@dataclass(frozen=True)
class Pace:
    """How long, how much, and which share of the connections this process plays."""

    seconds: float | None = None
    """The script begins anew until then; None for once."""
    speed: float = 1.0
    """Copies of each connection on average; think times stay as they were."""
    part: int = 0
    parts: int = 1
    strict: bool = False
    """End as soon as its times or answers can no longer be used."""


def play(script: Script, endpoint: Endpoint, pace: Pace, cancel: Cancel) -> Outcome:
    """Play the connections of one process, to the end or until cancelled.

    It ends early where the generator has fallen behind for good: more of its requests have left
    late than may, of all that are planned.
    """
    return asyncio.run(_Player(script, endpoint, pace, cancel).run())


def arrivals(script: Script, pace: Pace) -> Iterator[Arrival]:
    """When each connection of this process arrives; copies at other times.

    Which connections are copied or left out depends on the script alone: both arms of an
    experiment play the same.
    """
    length = script.length_ns
    total = length if pace.seconds is None else round(pace.seconds * 1e9)
    rounds = -(-total // length)
    for number, conversation in enumerate(script.conversations):
        if number % pace.parts != pace.part:
            continue
        for copy in range(_copies(number, pace.speed)):
            first = (conversation.arrival_ns + _drawn(number, copy, length)) % length
            for cycle in range(rounds):
                at = first + cycle * length
                if at < total:
                    yield Arrival(at, conversation, f"{copy}-{cycle}")


def _copies(number: int, speed: float) -> int:
    whole = int(speed)
    return whole + (_drawn(number, -1, 1_000_000) < (speed - whole) * 1_000_000)


def _drawn(number: int, copy: int, below: int) -> int:
    """The first copy stays where it was."""
    return zlib.crc32(f"{number}/{copy}".encode()) * below >> 32 if copy else 0


class _Player:
    def __init__(self, script: Script, endpoint: Endpoint, pace: Pace, cancel: Cancel) -> None:
        self.endpoint = endpoint
        self._tls = context_of(endpoint)
        self._strict = pace.strict
        self.outcome = Outcome()
        self._cancel = cancel
        script = playable(script, endpoint)
        self._scratch = Scratch(endpoint.scratch, script)
        self._due = sorted(arrivals(script, pace), key=lambda arrival: arrival.at_ns)
        self._seconds = pace.seconds
        self._packed: dict[int, bytes] = {}
        self._open: set[_Line] = set()
        self._unclosed: set[_Line] = set()
        self._opening: set[asyncio.Task[None]] = set()
        self._ended = False
        self._late = 0
        self._bind = bind(endpoint.bind_dn, endpoint.password) if endpoint.bind_dn else b""
        self.outcome.planned = sum(len(arrival.conversation.requests) for arrival in self._due)
        for arrival in self._due:
            for request in arrival.conversation.requests:
                if not request.write:
                    self._packed.setdefault(id(request), self._pack(request))

    def _pack(self, request: Request) -> bytes:
        if request.base is None:
            return self._bind
        return search(request.base, request.scope, request.filter, request.attributes)

    def packed(self, request: Request, round_: str, number: int) -> bytes:
        """The message of a request, under any ID."""
        if request.write:
            return self._scratch.message(request, round_, number)
        return self._packed[id(request)]

    async def run(self) -> Outcome:
        self.loop = asyncio.get_running_loop()
        start = self.loop.time() + _LEAD_S
        for arrival in self._due:
            due = start + arrival.at_ns / 1e9
            self.loop.call_at(due, self._arrive, arrival, due)
        end = start + self._seconds if self._seconds is not None else None
        last = start + (self._due[-1].at_ns / 1e9 if self._due else 0.0)
        while not self._over(end, last):
            await asyncio.sleep(_TURN_S)
        self._ended = True
        for line in list(self._open):
            if line.is_stuck(self.loop.time()):
                self.broke(str(Message("the server stopped answering")), line.unanswered)
            line.leave()
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)
        # Over TLS a server may take its time to close its side.
        for line in self._unclosed:
            line.abort()
        await asyncio.sleep(_TURN_S)
        self.outcome.not_sent = self.outcome.planned - self.outcome.sent
        return self.outcome

    def _over(self, end: float | None, last: float) -> bool:
        now = self.loop.time()
        if self._cancel or self._hopeless or (self._strict and self._other_answers):
            return True
        if end is not None and now >= end:
            return not any(line.waiting for line in self._open) or now > end + _LAST_ANSWERS_S
        if end is not None or now <= last or self._opening:
            return False
        return all(line.is_stuck(now) for line in self._open)

    @property
    def _hopeless(self) -> bool:
        """Too many requests left late, or were lost, for the rest to mend it."""
        planned = self.outcome.planned
        return self._late > max(LATE_SHARE * planned, _FEW_FAULTS) or self.outcome.lost > max(
            LOST_SHARE * planned, _FEW_FAULTS
        )

    @property
    def _other_answers(self) -> bool:
        agreed = min(self.outcome.agreement, self.outcome.write_agreement)
        return self.outcome.answered >= _FEW and agreed < AGREE_SHARE

    def _arrive(self, arrival: Arrival, due: float) -> None:
        if self._ended:
            return
        task = self.loop.create_task(self._connect(arrival, due))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _connect(self, arrival: Arrival, due: float) -> None:
        line = _Line(self, arrival, self.loop.time() - due)
        try:
            await open_line(self.endpoint, self._tls, lambda: line)
        except (OSError, ValueError) as error:
            self.broke(_reason(error), len(arrival.conversation.requests))

    def opened(self, line: _Line, taken_s: float) -> None:
        self._open.add(line)
        self._unclosed.add(line)
        self.outcome.connect_ns.append(round(taken_s * 1e9))

    def ended(self, line: _Line) -> None:
        self._open.discard(line)

    def closed(self, line: _Line) -> None:
        self._unclosed.discard(line)

    def broke(self, reason: str, lost: int) -> None:
        """A connection ended, and so many of its requests were not answered."""
        self.outcome.broken[reason[:200]] += 1
        self.outcome.lost += lost

    def sent(self, late_ns: int) -> None:
        self.outcome.sent += 1
        self.outcome.late_ns.append(max(late_ns, 0))
        self._late += late_ns > LATE_NS


def _reason(error: Exception) -> str:
    """In few words: the certificate's fault, or what the system says."""
    if isinstance(error, TimeoutError):
        return str(Message("the server does not answer"))
    said = getattr(error, "verify_message", None) or getattr(error, "strerror", None)
    return str(said or error)


class _Line(asyncio.Protocol):
    """One connection. `waiting` holds what was sent and not answered: due time and entries."""

    def __init__(self, player: _Player, arrival: Arrival, late_s: float) -> None:
        """`late_s` is how long after it was due this machine began to connect."""
        self._player = player
        self._requests = arrival.conversation.requests
        self._round = arrival.round
        self._next = 0
        self._late_s = late_s
        self._began = self._heard = player.loop.time()
        self._received = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._left = True
        """Whether it is closed by us, or not connected yet."""
        self.waiting: dict[int, tuple[Request, float]] = {}
        self._entries: dict[int, int] = {}
        self._cookies: dict[int, bytes] = {}
        """By search in pages: how to ask for its next page, b"" where it has ended."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._left = False
        # Think times begin with the link, as for the client that was captured: what connecting
        # took is the server's, and is told by itself.
        now = self._heard = self._player.loop.time()
        self._player.opened(self, now - self._began)
        self._plan(now - self._late_s)

    def _plan(self, since: float) -> None:
        """The next request: behind the last answer where it waited for that, else right away."""
        if self._next == len(self._requests):
            if not self.waiting:
                self.leave()
            return
        request = self._requests[self._next]
        if request.waited and self.waiting:
            return
        due = since + request.gap_ns / 1e9
        self._timer = self._player.loop.call_at(due, self._send, request, due)

    def _send(self, request: Request, due: float) -> None:
        if self._left:
            return
        self._next += 1
        number = self._next
        message = self._player.packed(request, self._round, number)
        if request.page:
            cookie = self._cookies.get(request.search)
            if cookie == b"":  # on this server the search has fewer pages
                self._plan(due)
                return
            message = in_pages(message, request.page, cookie or b"")
        self.waiting[number] = (request, due)
        self._transport.write(with_id(message, number))
        self._player.sent(round((self._player.loop.time() - due) * 1e9))
        self._plan(due)

    @property
    def unanswered(self) -> int:
        """Requests that this connection has not brought to their end."""
        return len(self._requests) - self._next + len(self.waiting)

    def is_stuck(self, now: float) -> bool:
        """Whether the server has left it without a word for too long."""
        return bool(self.waiting) and now > self._heard + _LAST_ANSWERS_S

    def data_received(self, data: bytes) -> None:
        self._heard = self._player.loop.time()
        self._received += data
        try:
            answers = take_answers(self._received)
        except ValueError as error:
            self._end(str(error))
            return
        for answer in answers:
            if answer.tag == ENTRY:
                self._entries[answer.number] = self._entries.get(answer.number, 0) + 1
            elif answer.tag in _DONE and answer.number in self.waiting:
                self._answered(answer)

    def _answered(self, answer: Answer) -> None:
        request, due = self.waiting.pop(answer.number)
        entries = self._entries.pop(answer.number, 0)
        if request.page:
            self._cookies[request.search] = answer.cookie
        code = answer.code
        now, outcome = self._player.loop.time(), self._player.outcome
        kind = request.kind
        outcome.taken_ns.setdefault(kind, []).append(round((now - due) * 1e9))
        outcome.codes[code] += 1
        # Only a search has entries; a bind is made as another identity, which is no sign of others.
        if code == request.err and (kind != "SRCH" or entries == request.nentries):
            outcome.agreed[kind] += 1
        if not self.waiting:
            following = self._next < len(self._requests) and self._requests[self._next].waited
            if following or self._next == len(self._requests):
                self._plan(now)

    def connection_lost(self, error: Exception | None) -> None:
        self._stop()
        if self.unanswered and not self._left:
            reason = _reason(error) if error else str(Message("the server closed the connection"))
            self._player.broke(reason, self.unanswered)
        self._player.ended(self)
        self._player.closed(self)

    def leave(self) -> None:
        """Close it: all is answered, or the replay is over."""
        self._left = True
        self._stop()
        self._transport.close()
        self._player.ended(self)

    def abort(self) -> None:
        self._transport.abort()

    def _end(self, reason: str) -> None:
        self._left = True
        self._stop()
        self._transport.abort()
        self._player.broke(reason, self.unanswered)
        self._player.ended(self)

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()


_TIMEOUT_S = 30.0
_PIECE = 1 << 16


async def open_line(
    endpoint: Endpoint, tls: ssl.SSLContext | None, line: Callable[[], asyncio.Protocol]
) -> None:
    """Connect, and hand the link to `line` once it is as safe as the endpoint asks.

    TLS begins at once or after StartTLS (RFC 4511, 4.14). Raises OSError, of which ssl.SSLError is
    one, where that fails, and ValueError for what is no LDAP.
    """
    async with asyncio.timeout(_TIMEOUT_S):
        if endpoint.starttls:
            await _open_with_start_tls(endpoint, tls, line)
            return
        name = endpoint.host if tls else None
        loop = asyncio.get_running_loop()
        await loop.create_connection(
            line, endpoint.host, endpoint.port, ssl=tls, server_hostname=name
        )


async def _open_with_start_tls(
    endpoint: Endpoint, tls: ssl.SSLContext | None, line: Callable[[], asyncio.Protocol]
) -> None:
    assert tls
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    plain, _ = await loop.create_connection(
        lambda: asyncio.StreamReaderProtocol(reader), endpoint.host, endpoint.port
    )
    try:
        plain.write(START_TLS)
        await _agreed(reader)
        inside = line()
        secured = await loop.start_tls(plain, inside, tls, server_hostname=endpoint.host)
    except BaseException:
        plain.abort()
        raise
    assert secured
    inside.connection_made(secured)


async def _agreed(reader: asyncio.StreamReader) -> None:
    """Return once the server has agreed to StartTLS, in one answer and nothing else."""
    received = bytearray()
    answers: list[Answer] = []
    while not answers:
        data = await reader.read(_PIECE)
        if not data:
            raise ConnectionError(str(Message("the server closed the connection")))
        received += data
        answers = take_answers(received)
    if answers[0].tag != EXTENDED_DONE or answers[0].code != 0:
        reason = Message("the server refused StartTLS ({code:plain})", code=answers[0].code)
        raise ConnectionError(str(reason))
    if received or len(answers) > 1:  # sent in the clear, by whomever
        raise ConnectionError(str(Message("it sent more than the answer to StartTLS")))
