"""Messages in an access log: lines that are about the server or a connection, not an operation.

    daemon: accept(9) failed errno=24 (Too many open files)
    conn=1009 fd=14 closed (TLS negotiation failure)
    conn=7 op=-1 fd=64 Disconnect - Idle timeout (nsslapd-idletimeout) - T1

A file of resources/logs has the kinds of a dialect. What a client wrote into a filter or a DN
stands behind 'conn=' and 'op=' and is never taken for one.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any, Protocol

from ldap_workbench.logs.server.errors389 import Notice
from ldap_workbench.model.operations import Int64, Operations
from ldap_workbench.resources import resource

_REPEATED = re.compile(rb"message repeated (\d{1,9}) times: \[ ")
_LINES, _CLIENTS, _SHOWN, _LONGEST = 200, 10_000, 100, 500
"""Bounds of a kind: lines that are kept, clients counted and shown; and bytes of a line."""


@dataclass(frozen=True)
class _Kind:
    notice: Notice
    words: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


@cache
def _kinds(file: str) -> tuple[_Kind, ...]:
    stored = tomllib.loads(resource(file).read_text("utf-8"))["notice"]
    return tuple(
        _Kind(
            Notice(table["kind"], re.compile(table["pattern"]), table["one"], table["several"]),
            tuple(words.encode() for words in table["words"]),
            re.compile(table["pattern"].encode()),
        )
        for table in stored
    )


def kinds_of_messages(file: str) -> tuple[Notice, ...]:
    """Every kind of a file, as those of an error log are described."""
    return tuple(kind.notice for kind in _kinds(file))


def times_around(operations: Operations, last_ns: int | None) -> Callable[[int], int | None]:
    """The time at a place of the log: of the result before it, else of the next.

    `last_ns`: that of the newest line, for what no operation of a piece ended near.
    """
    ends = operations.result_at.tolist()

    def time_at(place: int) -> int | None:
        row = max(bisect_right(ends, place) - 1, 0)
        return int(operations.end_ns[row]) if ends else last_ns

    return time_at


@dataclass
class MessagesOfKind:
    """The messages of one kind: how many, when, of which clients, and the first of their lines."""

    n: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    clients: Counter[str] = field(default_factory=Counter)
    lines: list[tuple[int | None, str]] = field(default_factory=list)

    def add(self, time_ns: int | None, n: int, text: str, client: str) -> None:
        self.n += n
        if client and (client in self.clients or len(self.clients) < _CLIENTS):
            self.clients[client] += n
        if time_ns is not None:
            self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
            self.last_ns = time_ns if self.last_ns is None else max(self.last_ns, time_ns)
        if len(self.lines) < _LINES:
            self.lines.append((time_ns, text))


@dataclass(frozen=True)
class _Undated:
    """A message without its time; `client` is "" where it names a connection, or nobody."""

    kind: str
    at: int
    n: int
    text: str
    client: str
    conn: int | None


class Connections(Protocol):
    """What the scanner knows of connections."""

    def open_connections(self) -> Counter[str]: ...
    def clients_of(self, connections: Sequence[int]) -> dict[int, str]: ...


class SelectedLines:
    """Lines of a piece of a log, one behind the other.

    `offset` is the place of the piece in the log; `places` is an array of two columns, where lines
    begin and end in the log.
    """

    def __init__(self, piece: bytes, offset: int, places: Int64) -> None:
        self.piece, self.offset = piece, offset
        spans = (places - offset).tolist()
        self.text = b"".join(piece[begin:end] for begin, end in spans)
        self._begins = [begin for begin, _ in spans]
        self._starts = list(accumulate((end - begin for begin, end in spans), initial=0))

    def place(self, at: int) -> int:
        """Where in the piece a place of `text` is."""
        span = bisect_right(self._starts, at, hi=len(self._begins)) - 1
        return int(self._begins[span] + at - self._starts[span])


class ServerMessages:
    """The messages of one log, of the kinds of a file, fed in the pieces its scanner has."""

    def __init__(self, file: str) -> None:
        self._known = _kinds(file)
        self.kinds: dict[str, MessagesOfKind] = {}
        self.undated: list[_Undated] = []
        self.holders: Counter[str] = Counter()
        """Connections that were open, by client, when most of them were and one was refused."""

    def add(self, lines: SelectedLines) -> None:
        """Look through lines that may be messages."""
        for kind in self._known:
            for begin, end in _lines_with(lines.text, kind.words):
                line = lines.text[begin:end]
                match = kind.pattern.search(line)
                if match is not None and b"conn=" not in line[: match.start()]:
                    self._take(kind, match, lines.offset + lines.place(begin))

    def _take(self, kind: _Kind, match: re.Match[bytes], place: int) -> None:
        repeated = _REPEATED.search(match.string)
        n = int(repeated[1]) if repeated else 1
        said = match.string[match.start() :][:_LONGEST]
        shown = said.decode("utf-8", "replace").strip().removesuffix("]" if repeated else "")
        named = match.groupdict()
        client = (named.get("client") or b"").decode("ascii", "replace").strip("[]")
        conn = int(named["conn"]) if named.get("conn") else None
        self.undated.append(_Undated(kind.notice.kind, place, n, shown, client, conn))

    def date(self, time_at: Callable[[int], int | None], connections: Connections) -> None:
        """Give the newest messages the time at their place, and clients by their connections."""
        if any(message.kind == "refused" for message in self.undated):
            open_now = connections.open_connections()
            self.holders = max(self.holders, open_now, key=lambda count: count.total())
        numbers = [message.conn for message in self.undated if message.conn is not None]
        clients = connections.clients_of(numbers) if numbers else {}
        for message in self.undated:
            client = message.client
            if message.conn is not None:
                client = clients.get(message.conn, "").strip("[]")
            messages = self.kinds.setdefault(message.kind, MessagesOfKind())
            messages.add(time_at(message.at), message.n, message.text, client)
        self.undated = []

    def counted(self) -> Counter[str]:
        """How many there are of each kind."""
        return Counter({kind: messages.n for kind, messages in self.kinds.items()})

    def details(self) -> dict[str, Any]:
        """As they stand in `Source.details`; {} where there are none."""
        if not self.kinds:
            return {}
        messages = [
            {
                "kind": kind,
                "n": of.n,
                "first_ns": of.first_ns,
                "last_ns": of.last_ns,
                "clients": _stored(of.clients),
                "lines": [{"time_ns": time_ns, "text": text} for time_ns, text in of.lines],
            }
            for kind, of in self.kinds.items()
        ]
        holders = {"open_when_refused": _stored(self.holders)} if self.holders else {}
        return {"messages": messages} | holders


def _stored(clients: Counter[str]) -> list[dict[str, Any]]:
    return [{"client": client, "n": n} for client, n in clients.most_common(_SHOWN)]


def _lines_with(text: bytes, words: tuple[bytes, ...]) -> Iterator[tuple[int, int]]:
    """Where lines begin and end that hold one of some words."""
    for sought in words:
        at = text.find(sought)
        while at >= 0:
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            yield text.rfind(b"\n", 0, at) + 1, end
            at = text.find(sought, end)
