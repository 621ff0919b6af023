"""Requests without a result, connections without a request or a close, kept with a log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ldap_workbench.model.operations import CHANGES
from ldap_workbench.model.window import Source, UnusedConnections

_ASKS = re.compile(
    r"options=persistent|\"psearch\": ?(?:true|\"true\")"
    r"|2\.16\.840\.1\.113730\.3\.4\.3|1\.3\.6\.1\.4\.1\.4203\.1\.9\.1\.1"
)
"""How 389 DS logs it, and the controls of persistent search and of synchronisation (RFC 4533)."""
_CONSUMER = re.compile(r"SRCH attr=(?:\* \+|\+ \*|reqDN\b)")
"""What a consumer of OpenLDAP asks for, on a line behind its search."""
_OF_CHANGES = re.compile(r"\bcn=(?:accesslog|changelog)$", re.IGNORECASE)
"""Where changes are kept for those who follow them."""
_BEHIND = 20
"""Lines behind a search among which the one with its attributes is."""


@dataclass(frozen=True)
class Unanswered:
    """A change whose result the log does not hold; `dn` is "" where the log does not say it."""

    type: str
    time_ns: int
    dn: str = ""


def unanswered_changes(sources: Iterable[Source]) -> Iterator[Unanswered]:
    """Those of some sources; a session may be a stranger's, and what has another shape is none."""
    for source in sources:
        stored = source.details.get("unanswered")
        for entry in stored if isinstance(stored, list) else ():
            if isinstance(entry, dict) and entry.get("type") in CHANGES:
                time_ns, dn = entry.get("time_ns"), entry.get("dn")
                if isinstance(time_ns, int) and isinstance(dn, str):
                    yield Unanswered(str(entry["type"]), time_ns, dn)


@dataclass(frozen=True)
class Waiting:
    """An operation without a result; `at` is the place of its request in the log.

    It ran on where the log ends, or its connection was closed at `closed_ns`, by the line at
    `closed_at`. `client`, `bind_dn`, `base` and `filter` are "" where the log does not say them.
    Older sessions hold searches alone, without what follows `at`.
    """

    time_ns: int
    conn: int
    client: str
    base: str
    at: int
    type: str = "SRCH"
    op: int = -1
    boot: int = -1
    bind_dn: str = ""
    filter: str = ""
    closed_ns: int | None = None
    closed_at: int = -1

    @property
    def is_search(self) -> bool:
        return self.type == "SRCH"

    def waited_ns(self, end_ns: int) -> int:
        """How long it had waited where its connection was closed, or a window ends."""
        return (end_ns if self.closed_ns is None else self.closed_ns) - self.time_ns


_SHAPE = {"time_ns": int, "conn": int, "client": str, "base": str, "at": int}
_LATER = {"type": str, "op": int, "boot": int, "bind_dn": str, "filter": str}
_CLOSED = {"closed_ns": int, "closed_at": int}
_MOST = 20_000
"""No workbench writes more of them."""


def waiting_operations(sources: Iterable[Source]) -> Iterator[Waiting]:
    """Those that run on where the logs of some sources end."""
    return (operation for operation in _stored(sources, "waiting") if operation.closed_ns is None)


def given_up(sources: Iterable[Source]) -> Iterator[Waiting]:
    """Those of some sources whose connections were closed before a result."""
    return (op for op in _stored(sources, "given_up") if op.closed_ns is not None)


def _stored(sources: Iterable[Source], name: str) -> Iterator[Waiting]:
    """What has another shape is none."""
    for source in sources:
        stored = source.details.get(name)
        later = _LATER | _CLOSED
        for entry in stored[:_MOST] if isinstance(stored, list) else ():
            if not isinstance(entry, dict):
                continue
            shape = _SHAPE | {name: kind for name, kind in later.items() if name in entry}
            if all(isinstance(entry.get(name), kind) for name, kind in shape.items()):
                yield Waiting(**{name: entry[name] for name in shape})


def unused_connections(sources: Iterable[Source]) -> Iterator[UnusedConnections]:
    """Connections without an operation; what has another shape is none."""
    shape = {"client": str, "minute_ns": int, "connections": int, "is_open": bool}
    for source in sources:
        stored = source.details.get("unused_connections")
        for entry in stored if isinstance(stored, list) else ():
            if isinstance(entry, dict) and all(
                isinstance(entry.get(name), kind) for name, kind in shape.items()
            ):
                yield UnusedConnections(**{name: entry[name] for name in shape})


def left_open(sources: Iterable[Source]) -> list[int]:
    """Numbers of connections that the newest server run opened and the log does not show closed."""
    return [number for source in sources for number in source.details.get("left_open", ())]


def is_persistent(search: Waiting, line_at: Callable[[int], str]) -> bool:
    """Whether a client left the search open to be told of changes, so that it waits for no answer.

    `line_at` gives the line that starts at a place of the log.
    """
    if not search.is_search:
        return False
    line = line_at(search.at)
    if asks_for_changes(line) or _OF_CHANGES.search(search.base):
        return True
    return "deref=" in line and is_of_consumer(search.conn, search.op, search.at, line_at)


def is_of_consumer(conn: int, op: int, at: int, line_at: Callable[[int], str]) -> bool:
    """Whether a search of slapd's log, whose line is at this place, asks for what consumers do."""
    return bool(_CONSUMER.search(_attributes_of(conn, op, at, line_at)))


def _attributes_of(conn: int, op: int, at: int, line_at: Callable[[int], str]) -> str:
    """The line of slapd with the attributes of a search; lines of others may come between."""
    operation, place, line = f"conn={conn} op={op} SRCH attr=", at, line_at(at)
    for _ in range(_BEHIND):
        place += len(line.encode()) + 1
        line = line_at(place)
        if operation in line or op < 0:
            return line
        if not line:
            break
    return ""


def asks_for_changes(line: str) -> bool:
    """Whether the request line of a search says that it stays open."""
    return bool(_ASKS.search(line))
