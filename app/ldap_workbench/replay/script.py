"""What is replayed: connections with their requests in order, and the file that holds them.

The writes of a replay: their entries are its own, all of them right below one container. Every DN
that is written is made here, out of the container and numbers. No text of a script, a log or a
server gets into one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from ldap_workbench.logs.reading.time_limit import OutOfTimeError, TimeLimit
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import CHANGES
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.wire import add, delete, rename, replace, search

FORMAT = 3
"""1 had no pages, 2 no writes."""
_MOST_BYTES = 8 << 30
"""Of a file unpacked: more is not read."""
_RATIO, _RATIO_FROM = 100, 16 << 20
"""So many times its own size, and more than this, no script has: every request has a time."""
_LONGEST_LINE = 256 << 20
_WITHOUT_PAGES, _WITHOUT_WRITES = 8, 10
"""Values of a request in formats 1 and 2."""
_LARGEST_NUMBER = (1 << 31) - 1
"""Of an entry."""
_LARGEST_PAGE = (1 << 31) - 1
"""RFC 2696."""
_SHORTEST_NS = 100_000_000
"""Of a script: it is repeated, and one of no length would be repeated without end."""


@dataclass(frozen=True)
class Request:
    """One request: a search, a bind where `base` is None, or a write.

    `waited` says that it was sent after every earlier answer of its connection; `gap_ns` is then
    its think time since the last of them, else the time since the request before.
    """

    waited: bool
    gap_ns: int
    base: str | None
    scope: int = 0
    filter: str = ""
    attributes: tuple[str, ...] = ()
    err: int = 0
    nentries: int = 0
    """What the captured server answered."""
    page: int = 0
    """Entries asked for at a time; 0 where it asked for all."""
    search: int = 0
    """Numbers the searches in pages: a page goes on with the cookie of the page before."""

    write: str = ""
    """MOD, ADD, DEL or MODRDN: what was written is not known, and which entry only by number."""
    entry: int = 0
    """Numbers the entries that are written; the same entry has the same number, save that every
    connection has numbers of its own for entries that come, go or are renamed."""
    renamed: int = 0
    """The number that a renamed entry has from then on."""

    @property
    def kind(self) -> str:
        return self.write or ("BIND" if self.base is None else "SRCH")


@dataclass(frozen=True)
class Conversation:
    """One connection: when it arrives, ns since the start of the script, and what it asks."""

    arrival_ns: int
    requests: tuple[Request, ...]


class Arrival(NamedTuple):
    """A connection that is played: when, ns since the start of the replay, and as which copy."""

    at_ns: int
    conversation: Conversation
    round: str
    """'COPY-CYCLE': a connection of the script is played at most once in each."""


@dataclass(frozen=True)
class Script:
    """All of a window that can be replayed. `skipped`: operations left out, by reason."""

    length_ns: int
    server: str
    identity: str
    """Of the server it was captured from, as `TargetFacts.identity`; "" where not known."""
    conversations: tuple[Conversation, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return sum(len(conversation.requests) for conversation in self.conversations)


def packed_script(script: Script) -> bytes:
    """The file of a script: JSON lines in one zstd stream."""
    return zstandard.ZstdCompressor(level=6).compress(b"".join(_lines(script)))


def _lines(script: Script) -> Iterator[bytes]:
    head = asdict(script) | {"replay": FORMAT, "skipped": dict(script.skipped)}
    del head["conversations"]
    yield json.dumps(head).encode() + b"\n"
    for conversation in script.conversations:
        requests = [_to_list(request) for request in conversation.requests]
        yield (
            json.dumps([conversation.arrival_ns, requests], separators=(",", ":")).encode() + b"\n"
        )


def _to_list(request: Request) -> list[Any]:
    return [
        int(request.waited),
        request.gap_ns,
        request.base,
        request.scope,
        request.filter,
        list(request.attributes),
        request.err,
        request.nentries,
        request.page,
        request.search,
        request.write,
        request.entry,
        request.renamed,
    ]


def read_script(path: Path, cancel: Cancel | None = None) -> Script:
    """Raises SessionError where the file is not a script of ours, or is damaged; CancelledError.

    It has the processor time of any file of its size: see logs/reading/time_limit.py.
    """
    limit = TimeLimit(cancel)
    try:
        with path.open("rb") as packed:
            size = path.stat().st_size
            limit.grant(size)
            lines = _unpacked(packed, max(_RATIO_FROM, _RATIO * size))
            head = json.loads(next(lines))
            _number(head["replay"], least=1, most=FORMAT)
            length = _number(head["length_ns"], least=_SHORTEST_NS)
            conversations = tuple(_conversation(json.loads(line), length, limit) for line in lines)
            return Script(
                length,
                _text(head["server"]),
                _text(head["identity"]),
                conversations,
                {_text(key): _number(value) for key, value in head["skipped"].items()},
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError,
            StopIteration, OutOfTimeError, zstandard.ZstdError) as error:  # fmt: skip
        reason = error.what if isinstance(error, OutOfTimeError) else verbatim(str(error))
        raise SessionError(
            Message("{path} is not a replay file: {reason}", path=str(path), reason=reason),
            remedy=Message("Make one with: ldap-workbench replay build SESSION -o FILE"),
        ) from error


def _unpacked(packed: Any, most: int) -> Iterator[bytes]:
    """Its lines. A line or file of more bytes than any script has is refused, not read."""
    total, rest = 0, bytearray()
    for chunk in zstandard.ZstdDecompressor().read_to_iter(packed, read_size=1 << 16):
        total += len(chunk)
        # Only the chunk is searched for the end of a line: a long one grows by many chunks.
        end = chunk.rfind(b"\n") + 1
        rest += chunk[:end]
        if end:
            yield from bytes(rest[:-1]).split(b"\n")
            rest.clear()
        rest += chunk[end:]
        if total > min(most, _MOST_BYTES) or len(rest) > _LONGEST_LINE:
            raise ValueError("it is too large")
    if rest:
        raise ValueError("it ends in the middle of a line")


def _conversation(stored: Any, length: int, limit: TimeLimit) -> Conversation:
    limit.check()
    arrival, requests = stored
    asked = tuple(_request(request, length, limit) for request in requests)
    return Conversation(_number(arrival, most=length), asked)


def _request(stored: Any, length: int, limit: TimeLimit) -> Request:
    """One that can be sent. Raises ValueError."""
    limit.check()
    missing = {_WITHOUT_PAGES: [0, 0, "", 0, 0], _WITHOUT_WRITES: ["", 0, 0]}
    values: list[Any] = [*stored, *missing.get(len(stored), [])]
    waited, gap, base, scope, text, attributes, err, nentries, page, number, *written = values
    write, entry, renamed = written
    request = Request(
        bool(_number(waited)),
        _number(gap, most=length),
        None if base is None else _text(base),
        _number(scope, most=3),
        _text(text),
        tuple(map(_text, attributes)),
        _number(err),
        _number(nentries),
        _number(page, most=_LARGEST_PAGE),
        _number(number),
        _text(write),
        _number(entry, most=_LARGEST_NUMBER),
        _number(renamed, most=_LARGEST_NUMBER),
    )
    if request.kind not in ("SRCH", "BIND", *CHANGES):
        raise ValueError(f"{request.kind[:40]!r} is no type of request")
    if request.kind == "SRCH":
        assert request.base is not None
        search(request.base, request.scope, request.filter, request.attributes)
    return request


def _number(value: Any, least: int = 0, most: int = 1 << 62) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{str(value)[:40]!r} stands where a number was expected")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"{str(value)[:40]!r} stands where a text was expected")
    return value


CONTAINER = "ldap-workbench-replay-"
"""Begins the name of every container."""
CLASS = "device"
"""Of the entries: in every server's schema, and of no use to any client."""
_OURS = re.compile(r"cn=(e\d+(?:-\d+-\d+)?),", re.IGNORECASE)


class Scratch:
    """Names the entries of a script below `container`, and packs the writes on them."""

    def __init__(self, container: str, script: Script) -> None:
        self._container = container
        requests = [request for one in script.conversations for request in one.requests]
        modified = {request.entry for request in requests if request.write == "MOD"}
        moving = {request.entry for request in requests if request.write not in ("", "MOD")}
        self._shared = modified - moving - {request.renamed for request in requests}

    def message(self, request: Request, round_: str, number: int) -> bytes:
        """A write, packed; `number` makes values differ from those before."""
        name = self._name(request.entry, round_)
        dn, value = f"cn={name},{self._container}", f"replayed {number}"
        if request.write == "ADD":
            return add(dn, {"objectClass": CLASS, "cn": name, "description": value})
        if request.write == "DEL":
            return delete(dn)
        if request.write == "MODRDN":
            return rename(dn, f"cn={self._name(request.renamed, round_)}")
        return replace(dn, "description", value)

    def needed(self, arrivals: Iterable[Arrival]) -> Iterator[str]:
        """Names of the entries that must be there before: written, and not added, by a replay."""
        seen: set[str] = set()
        for arrival in arrivals:
            for request in arrival.conversation.requests:
                if not request.write:
                    continue
                name = self._name(request.entry, arrival.round)
                if request.write != "ADD" and name not in seen:
                    yield name
                seen |= {name, self._name(request.renamed, arrival.round)}

    def _name(self, entry: int, round_: str) -> str:
        return f"e{entry}" if entry in self._shared else f"e{entry}-{round_}"


def own_name(dn: str) -> str:
    """The name in a DN that a server shows below a container; "" where it is none of ours."""
    match = _OURS.match(dn)
    return match[1] if match else ""
