"""From a captured window to a script: what of it can be sent again, and when.

Entries that a window writes become numbers: no name of the captured server reaches another one.
A search in pages (RFC 2696) is put together from its operations. 389 DS prints its place on the
connection, pr_idx, and a cookie, -1 with the last page; it does not print the size of a page, which
is what a page holds that is not the last.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, CHANGES, TYPES, Operations
from ldap_workbench.model.window import Window
from ldap_workbench.replay.script import Conversation, Request, Script
from ldap_workbench.replay.wire import FilterError, pack_filter
from ldap_workbench.session.lines import first_line
from ldap_workbench.session.reader import Session

_BLOCK = 4 << 20
_AHEAD = 64 << 10
"""Bytes looked at for a line, of which few are longer."""
_NEAR = 4 << 10
"""Bytes behind the line of a search in which slapd's line with its attributes is looked for."""
_PAGED = 4
"""Bit of the note P."""


def build(session: Session, window: Window) -> Script:
    """All of a window that can be replayed. Raises UsageError where nothing can."""
    source = session.operation_source(window)
    operations = session.operations(window)
    chosen = np.flatnonzero(~operations.internal & ~operations.own)
    skipped: Counter[str] = Counter()
    requests = _requests(session, source, operations, chosen, skipped) if len(chosen) else {}
    conversations = tuple(_conversations(operations, requests, window.start_ns))
    if source is None or not conversations:
        raise UsageError(
            Message("Window {window} holds nothing that could be replayed.", window=window.name),
            remedy=Message(
                "Capture or import a window whose access log has the requests of its operations."
            ),
        )
    facts = session.facts
    return Script(
        length_ns=window.end_ns - window.start_ns,
        server=facts.host if facts else "",
        identity=facts.identity if facts else "",
        conversations=conversations,
        skipped=dict(sorted(skipped.items())),
    )


def _requests(
    session: Session,
    source: int | None,
    operations: Operations,
    chosen: np.ndarray,
    skipped: Counter[str],
) -> dict[int, Request]:
    """By row: what is sent, with no times yet."""
    requests: dict[int, Request] = {}
    pages = _pages(session, source, operations, chosen)
    searches, writes = [], []
    for row in chosen.tolist():
        kind, notes = TYPES[operations.kind[row]], int(operations.notes[row])
        if kind in CHANGES:
            if operations.err[row] == 0:
                writes.append(row)
            else:
                # A scratch entry cannot be made to refuse a change for the same reason.
                skipped[f"{kind}, failed in the capture"] += 1
        elif kind not in ("SRCH", "BIND"):
            skipped[kind] += 1
        elif kind == "BIND":
            requests[row] = Request(False, 0, None, err=int(operations.err[row]))
        elif operations.vlv[row]:
            skipped["SRCH, one page of a virtual list view"] += 1
        elif notes & _PAGED and row not in pages:
            skipped["SRCH, one page of several"] += 1
        else:
            searches.append(row)
    for row, (line, after) in _request_lines(session, source, operations, searches):
        search = search_of(line, after)
        if search is None or not _is_filter(search.filter):
            skipped["SRCH, not all of its request in the log"] += 1
            continue
        page = pages.get(row)
        requests[row] = Request(
            page is not None and not page.first, 0,
            search.base, search.scope, search.filter, search.attributes,
            int(operations.err[row]), int(operations.nentries[row]),
            page.size if page else 0, page.search if page else 0,
        )  # fmt: skip
    return requests | _writes(session, source, operations, writes, skipped)


def _writes(
    session: Session,
    source: int | None,
    operations: Operations,
    rows: list[int],
    skipped: Counter[str],
) -> dict[int, Request]:
    """Changes by row, as writes on numbered entries."""
    logged: dict[int, LoggedWrite] = {}
    for row, (line, _) in _request_lines(session, source, operations, rows):
        if write := write_of(line):
            logged[row] = write
        else:
            skipped[f"{TYPES[operations.kind[row]]}, not all of its request in the log"] += 1
    numbers = EntryNumbers(logged.values())
    requests: dict[int, Request] = {}
    for _, of_connection in _by_connection(operations, logged):
        numbers.begin_connection()
        requests |= {row: numbers.request_of(logged[row]) for row in of_connection}
    return requests


def _request_lines(
    session: Session, source: int | None, operations: Operations, rows: Iterable[int]
) -> Iterator[tuple[int, tuple[str, str]]]:
    """Each row with the line of its request and what follows, in the order of the log."""
    ordered = sorted(rows, key=lambda row: int(operations.request_at[row]))
    lines = _lines(session, source, [int(operations.request_at[row]) for row in ordered])
    return zip(ordered, lines, strict=True)


def _pages(
    session: Session, source: int | None, operations: Operations, chosen: np.ndarray
) -> dict[int, Page]:
    """Of the searches that asked for pages, by row."""
    rows = chosen[(operations.notes[chosen] & _PAGED) > 0].tolist()
    rows.sort(key=lambda row: int(operations.result_at[row]))
    lines = _lines(session, source, [int(operations.result_at[row]) for row in rows])
    text_of = {row: line for row, (line, _) in zip(rows, lines, strict=True)}
    return pages_of(operations, text_of)


def _is_filter(text: str) -> bool:
    try:
        pack_filter(text)
    except (FilterError, UnicodeError):
        return False
    return True


def _lines(
    session: Session, source: int | None, offsets: Iterable[int]
) -> Iterator[tuple[str, str]]:
    """The line at each offset, and some of what follows it; the offsets ascend.

    Read in blocks: one query for many lines.
    """
    block, start = b"", 0
    for at in offsets:
        if source is None or at < 0:
            yield "", ""
            continue
        if not start <= at < start + len(block) - _AHEAD:
            block, start = session.raw(source, at, _BLOCK), at
        text = block[at - start : at - start + _AHEAD]
        if b"\n" not in text:
            text = session.raw(source, at, _BLOCK)
        line, _, after = text.partition(b"\n")
        request = first_line(text if line.startswith(b"{") else line)
        yield request, after[:_NEAR].decode("utf-8", "replace")


def _conversations(
    operations: Operations, requests: dict[int, Request], start_ns: int
) -> Iterator[Conversation]:
    for _, rows in _by_connection(operations, requests):
        yield _conversation(operations, list(rows), requests, start_ns)


def _by_connection(
    operations: Operations, rows: Iterable[int]
) -> Iterator[tuple[tuple[int, ...], Iterator[int]]]:
    """Rows of each connection, in the order they were asked."""

    def place(row: int) -> tuple[int, ...]:
        return (int(operations.boot[row]), int(operations.conn[row]), int(operations.op[row]))

    return groupby(sorted(rows, key=place), key=lambda row: place(row)[:2])


def _conversation(
    operations: Operations, rows: list[int], requests: dict[int, Request], start_ns: int
) -> Conversation:
    ends = [int(operations.end_ns[row]) for row in rows]
    starts = [end - int(operations.etime_ns[row]) for row, end in zip(rows, ends, strict=True)]
    opened = int(operations.opened_ns[rows[0]])
    arrival = starts[0] if opened == ABSENT else min(max(opened, start_ns), starts[0])
    placed, answered, before = [], arrival, arrival
    unanswered: dict[int, str] = {}
    for row, begin, end in zip(rows, starts, ends, strict=True):
        request = requests[row]
        waited = begin >= answered or request.waited or _needs_one(request, unanswered)
        if waited:
            unanswered = {}
        if request.write:
            unanswered |= {request.entry: request.write, request.renamed: request.write}
        gap = max(begin - (answered if waited else before), 0)
        placed.append(replace(request, waited=waited, gap_ns=gap))
        answered, before = max(answered, end), begin
    return Conversation(max(arrival - start_ns, 0), tuple(placed))


def _needs_one(request: Request, unanswered: Mapping[int, str]) -> bool:
    """Whether its entry is there, or gone, only once a write before it is answered.

    `unanswered` are the kinds of those writes by entry. All succeeded, so it waited, whatever the
    times of the log say: a server may log a result behind the request that came after.
    """
    before = unanswered.get(request.entry) if request.write else None
    return before is not None and {before, request.write} != {"MOD"}


class EntryNumbers:
    """Numbers the entries of a window that are written, and tells what is written of each.

    An entry that is only modified has one number for all connections, so that those who modify it
    meet on one entry here as they did there. One that is also added, deleted or renamed has a
    number of its own on each connection: replayed twice, or by several copies, each write finds its
    entry as it was, whatever the other connections have come to.
    """

    def __init__(self, writes: Iterable[LoggedWrite]) -> None:
        """`writes` are all of the window."""
        moving = [write for write in writes if write.kind != "MOD"]
        self._moving = {write.dn for write in moving} | {write.new_dn for write in moving}
        self._shared: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._last = 0

    def begin_connection(self) -> None:
        """What follows is of another connection."""
        self._own = {}

    def request_of(self, write: LoggedWrite) -> Request:
        """The next write of the connection, with no times yet."""
        entry, renamed = self._of(write), 0
        if write.kind in ("DEL", "MODRDN"):
            self._own.pop(write.dn, None)
        if write.kind == "MODRDN":
            renamed = self._own[write.new_dn] = self._next()
        return Request(False, 0, "", write=write.kind, entry=entry, renamed=renamed)

    def _of(self, write: LoggedWrite) -> int:
        numbers = self._own if write.dn in self._moving else self._shared
        if write.kind == "ADD" or write.dn not in numbers:
            numbers[write.dn] = self._next()
        return numbers[write.dn]

    def _next(self) -> int:
        self._last += 1
        return self._last


_PLACE = re.compile(r'pr_idx"?[=:]\s*(-?\d{1,9})\b')
_COOKIE = re.compile(r'pr_cookie"?[=:]\s*(-?\d{1,18})\b')


@dataclass(frozen=True)
class Page:
    """One page of a search: the size asked for, and the number of its search."""

    size: int
    search: int
    first: bool


def pages_of(operations: Operations, results: Mapping[int, str]) -> dict[int, Page]:
    """By row. `results` are the result lines of the rows; one that tells no place has no page."""
    pages: dict[int, Page] = {}
    for number, (rows, ended) in enumerate(_searches(operations, results), start=1):
        entries = [int(operations.nentries[row]) for row in rows]
        # The last page may hold fewer than were asked for, and one alone has room left.
        size = max(entries[:-1], default=entries[-1] + 1) if ended else max(entries)
        for row in rows:
            pages[row] = Page(max(size, 1), number, first=row == rows[0])
    return pages


def _searches(
    operations: Operations, results: Mapping[int, str]
) -> Iterator[tuple[list[int], bool]]:
    """Rows of each search in their order, and whether its last page is among them."""
    running: dict[tuple[int, int, int], list[int]] = {}

    def in_order(row: int) -> tuple[int, int, int]:
        return (int(operations.boot[row]), int(operations.conn[row]), int(operations.op[row]))

    for row in sorted(results, key=in_order):
        place, cookie = _PLACE.search(results[row]), _COOKIE.search(results[row])
        if place is None or cookie is None:
            continue
        key = (*in_order(row)[:2], int(place[1]))
        running.setdefault(key, []).append(row)
        if int(cookie[1]) < 0:
            yield running.pop(key), True
    for rows in running.values():
        yield rows, False


_SEARCH = re.compile(
    r'SRCH.*?base="((?:[^"\\]|\\.)*)" scope=(\d).*? filter="((?:[^"\\]|\\.)*)"'
    r'(?:.*? attrs=(ALL|"[^"]*"))?'
)
_WRITE = re.compile(
    r'\b(MOD|ADD|DEL|MODRDN) dn="((?:[^"\\]|\\.)*)"'
    r'(?: newrdn="((?:[^"\\]|\\.)*)" newsuperior="((?:[^"\\]|\\.)*)")?'
)
_SLAPD = re.compile(r"\b(conn=\d+ op=\d+) SRCH base=.* deref=\d filter=")
_JSON_WRITES = {"MODIFY": "MOD", "ADD": "ADD", "DELETE": "DEL", "MODRDN": "MODRDN"}
_NO_DN = ("", "(null)")
_SCOPES = {"base": 0, "baseobject": 0, "one": 1, "singlelevel": 1, "sub": 2, "wholesubtree": 2}
_COMMA = re.compile(r"(?<!\\),")


@dataclass(frozen=True)
class LoggedSearch:
    """What is known of a search from its line."""

    base: str
    scope: int
    filter: str
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class LoggedWrite:
    """What is known of a change from its line: not what it wrote. DNs are in normal form."""

    kind: str
    """MOD, ADD, DEL or MODRDN."""
    dn: str
    new_dn: str = ""
    """Of an entry that is renamed; "" where the line does not tell it."""


def write_of(line: str) -> LoggedWrite | None:
    """The change of a request line; None where the line does not tell which entry."""
    if line.lstrip().startswith("{"):
        event = _event(line)
        kind = _JSON_WRITES.get(str(event.get("operation")), "")
        names = [event.get(key) for key in ("target_dn", "newrdn", "newsup")]
        dn, rdn, superior = (name if isinstance(name, str) else "" for name in names)
    else:
        match = _WRITE.search(line)
        kind, dn, rdn, superior = match.groups(default="") if match else ("", "", "", "")
    if not kind or dn in _NO_DN:
        return None
    if rdn in _NO_DN:
        return LoggedWrite(kind, normal_dn(dn))
    _, _, parent = _COMMA.sub("\n", dn, count=1).partition("\n")
    new = f"{rdn},{parent if superior in _NO_DN else superior}"
    return LoggedWrite(kind, normal_dn(dn), normal_dn(new))


def search_of(line: str, after: str = "") -> LoggedSearch | None:
    """The search of a request line; None where the line does not tell all of it.

    slapd of OpenLDAP has its attributes in a line of their own, which is looked for in `after`.
    """
    search = _of_json(line) if line.lstrip().startswith("{") else _of_text(line, after)
    return search if search and "..." not in search.filter[-4:] else None


def _of_text(line: str, after: str) -> LoggedSearch | None:
    match = _SEARCH.search(line)
    if not match:
        return None
    base, scope, text, attributes = match.groups()
    if attributes is None and (operation := _SLAPD.search(line)):
        own_line = re.search(rf"\b{operation[1]} SRCH attr=([^\n]*)", after)
        attributes = own_line[1] if own_line else None
    names = () if attributes in (None, "ALL") else tuple(attributes.strip('"').split())
    return LoggedSearch(_unquoted(base), int(scope), _unquoted(text), names)


def _unquoted(text: str) -> str:
    """389 DS escapes quotes and backslashes of what it prints between quotes."""
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _event(line: str) -> dict[str, Any]:
    """The object of a line; empty where it is none."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _of_json(line: str) -> LoggedSearch | None:
    event = _event(line)
    base, scope, text = (event.get(key) for key in ("base_dn", "scope", "filter"))
    named = event.get("attrs", [])
    number = scope if isinstance(scope, int) else _SCOPES.get(str(scope).lower().replace("_", ""))
    if not isinstance(base, str) or not isinstance(text, str) or number is None:
        return None
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return LoggedSearch(base, number, text, () if names == ["ALL"] else tuple(names))
