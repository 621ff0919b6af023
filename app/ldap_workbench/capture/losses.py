"""Lines of an access log that are not there, told by those that are.

A syslog under load drops lines and says so: rsyslog and journald count what their rate limits took.
Without a word of theirs the numbers tell it. A result whose request would have to be in the text
has lost it, and 389 DS and slapd number the operations of a connection, and their connections,
without gaps: what is skipped was dropped. Numbers are also skipped in a whole log: one or two for a
read that ran out of time, and those of operations that run on, were abandoned or have no etime;
none of these counts. Numbers that are not close-set anywhere, as in excerpts and in logs written by
hand, tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import TYPES, Int64, Operations
from ldap_workbench.model.units import NS_PER_S

_NUMBERED = ("389", "389-json", "openldap")
"""Dialects of servers that number operations and connections without gaps."""
_PIECE = 30_000
"""Operations that are judged together."""
_LONGEST_LINE = 4096
_SKIPPED = 2
"""Numbers in a row that a connection may skip without a loss."""
_CONNECTIONS = 20
"""Fewer that are missing in a row may have come and gone without a word."""
_SOON_NS, _WHOLE_NS = NS_PER_S // 10, 2 * NS_PER_S
"""How far a request may be behind the time of its result less the etime; where times are whole
seconds."""
_NO_REQUEST = (1, 2, 12, 34, 51, 52, 53)
"""Errors that a server may answer before it logs what was asked."""
_OP_BITS = 22
_OP_MASK = (1 << _OP_BITS) - 1
_BOOTS = 4
"""Server processes whose connections are remembered."""
_REMEMBERED = 200_000
"""Connections of each that are."""
_ABANDON = TYPES.index("ABANDON")

_RATE_LIMITED = re.compile(
    rb"imuxsock lost (?P<n>\d{1,12}) messages from pid (?P<pid>\d+)"
    rb"|(?:\[pid:? ?(?P<by>\d+)[^\]\n]*\]: )?(?P<lost>\d{1,12}) messages lost due to rate-limiting"
)
_DROPPING = re.compile(
    rb"imuxsock begins? to drop messages from pid (?P<pid>\d+)"
    rb"|(?:\[pid:? ?(?P<by>\d+)[^\]\n]*\])?[^:\n]*: begin to drop messages"
)
_SUPPRESSED = re.compile(rb"Suppressed (?P<n>\d{1,12}) messages from (?P<unit>\S*)")
_WORDS = (b" due to rate-limiting", b"Suppressed ")
_OURS = re.compile(rb"slapd|dirsrv|ldap|389|docker|containerd|podman|libpod|conmon|cri-?o|kube")
_ABANDONED = re.compile(rb"conn=(\d+) op=(\d+) ABANDON")


@dataclass(frozen=True)
class Lost:
    """How much is missing at least, by what tells it."""

    lines: int = 0
    """Dropped by syslog or the journal, which say so."""
    requests: int = 0
    """Of results that are there."""
    operations: int = 0
    connections: int = 0

    def __bool__(self) -> bool:
        return bool(self.lines or self.requests or self.operations or self.connections)


class Losses:
    """Takes the text of a log piece by piece, after its scanner, with the operations it gave.

    `lost` is known after `close`. Memory does not grow with the log.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._notices = _Notices(scanner)
        self._numbers = _Numbers(scanner)
        self._numbered = scanner.dialect.name in _NUMBERED
        self._rows = self._without = self._requests = 0

    def add(self, text: bytes, operations: Operations) -> None:
        self._notices.add(text)
        if not self._numbered or self._scanner.undated:
            return
        self._look_for_requests(operations)
        self._numbers.add(text, operations, certain=self._is_certain)

    def close(self) -> None:
        self._numbers.close(certain=self._is_certain)

    @property
    def _is_certain(self) -> bool:
        """Whether something is missing for certain: then small gaps are part of it."""
        return bool(self._notices.lines or self._requests)

    @property
    def lost(self) -> Lost:
        lines = self._notices.lines
        if self._scanner.censored_below_ns is not None:
            return Lost(lines)
        # A log of results alone, as some levels and filters write it, has lost no requests.
        alone = self._without * 10 >= self._rows * 9
        requests = 0 if alone else self._requests
        return Lost(lines, requests, self._numbers.operations, self._numbers.connections)

    def _look_for_requests(self, operations: Operations) -> None:
        clients = ~operations.internal & (operations.op >= 0) & (operations.kind != _ABANDON)
        self._rows += int(clients.sum())
        missing = np.flatnonzero(clients & (operations.request_at < 0))
        first = self._scanner.first_time_ns
        if not len(missing) or first is None:
            return
        self._without += len(missing)
        end = operations.end_ns[missing]
        in_seconds = self._scanner.resolution_ns >= NS_PER_S or not (end % NS_PER_S).any()
        asked = end - operations.etime_ns[missing]
        in_text = asked > first + (_WHOLE_NS if in_seconds else _SOON_NS)
        self._requests += int((in_text & ~np.isin(operations.err[missing], _NO_REQUEST)).sum())


def why_lost(lost: Lost) -> list[Message]:
    """What is missing, in sentences; empty where nothing is."""
    sentences = []
    if lost.lines:
        sentences.append(
            count_of(
                "Its syslog or journal says that it dropped {n} line: raise its rate limit "
                "(RateLimitBurst), or use a log that the server writes itself.",
                "Its syslog or journal says that it dropped {n} lines: raise its rate limit "
                "(RateLimitBurst), or use a log that the server writes itself.",
                n=lost.lines,
            )
        )
    if lost.requests:
        sentences.append(
            count_of(
                "{n} result has no request, though the log covers the time it was asked: lines are "
                "missing.",
                "{n} results have no request, though the log covers the time they were asked: "
                "lines are missing.",
                n=lost.requests,
            )
        )
    if lost.operations:
        sentences.append(
            count_of(
                "At least {n} operation is missing: its connection skips its number.",
                "At least {n} operations are missing: their connections skip their numbers.",
                n=lost.operations,
            )
        )
    if lost.connections:
        sentences.append(
            count_of(
                "At least {n} connection is missing: its number is skipped.",
                "At least {n} connections are missing: their numbers are skipped.",
                n=lost.connections,
            )
        )
    return sentences


class _Notices:
    """Lines that rsyslog and journald say they have dropped of this server."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._others = 0
        self._carry = b""
        self._lost = self._ends = self._begins = 0

    @property
    def lines(self) -> int:
        """Dropping that began and has not ended took one at least."""
        return self._lost + max(0, self._begins - self._ends)

    def add(self, text: bytes) -> None:
        # Such a line is none of the server's, so most texts need not be looked at.
        others = self._scanner.other_lines
        if others != self._others:
            self._others = others
            for line in _lines_with(_WORDS, self._carry + text):
                self._read(line)
        begun = text.rfind(b"\n") + 1
        self._carry = (text[begun:] if begun else self._carry + text)[-_LONGEST_LINE:]

    def _read(self, line: bytes) -> None:
        if b"conn=" in line:  # whoever asks for such words writes them into the log
            return
        if match := _SUPPRESSED.search(line):
            if b".service" not in match["unit"] or _OURS.search(match["unit"]):
                self._lost += int(match["n"])
        elif match := _RATE_LIMITED.search(line):
            if self._is_ours(match["pid"] or match["by"]):
                self._lost += int(match["n"] or match["lost"])
                self._ends += 1
        elif (match := _DROPPING.search(line)) and self._is_ours(match["pid"] or match["by"]):
            self._begins += 1

    def _is_ours(self, pid: bytes | None) -> bool:
        known = self._scanner.processes
        return pid is None or not known or int(pid) in known


def _lines_with(words: tuple[bytes, ...], text: bytes) -> Iterator[bytes]:
    """The whole lines of a text that have one of some words."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            end = text.find(b"\n", at)
            if end < 0:
                break
            yield text[text.rfind(b"\n", 0, at) + 1 : end]
            at = text.find(word, end)


class _Numbers:
    """Numbers of operations and connections that are skipped."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.operations = self.connections = 0
        self._texts: list[bytes] = []
        self._pieces: list[Operations] = []
        self._size = 0
        self._allowed = _SKIPPED
        self._unread = scanner.unread_results
        self._last: dict[int, tuple[Int64, Int64]] = {}
        self._opened: dict[int, int] = {}
        self._asked: tuple[Int64, Int64, Int64] | None = None
        self._given_up: Int64 | None = None

    def add(self, text: bytes, operations: Operations, *, certain: bool) -> None:
        self._texts.append(text)
        self._pieces.append(operations)
        self._size += len(operations)
        if self._size >= _PIECE:
            self.close(certain=certain)

    def close(self, *, certain: bool) -> None:
        """Judge what has come since the last time; `certain`: some of it is missing."""
        self._allowed = 0 if certain else _SKIPPED
        for boot, conn, op, opened in _by_boot(self._pieces):
            self._judge_operations(boot, conn, op)
            self._judge_connections(boot, conn[opened != _NEVER])
        self._texts, self._pieces, self._size = [], [], 0
        self._asked = self._given_up = None
        self._unread = self._scanner.unread_results

    def _judge_operations(self, boot: int, conn: Int64, op: Int64) -> None:
        keys = (conn << _OP_BITS) + op
        keys.sort()
        old, last = self._last.get(boot, (_NONE, _NONE))
        if len(old):
            # What runs on is answered after later ones: its number was accounted for by then.
            conn = keys >> _OP_BITS
            place = np.minimum(np.searchsorted(old, conn), len(old) - 1)
            new = (old[place] != conn) | (keys & _OP_MASK > last[place])
            keys = np.concatenate(((old << _OP_BITS) + last, keys[new]))
            keys.sort()
        same = (keys[1:] >> _OP_BITS) == (keys[:-1] >> _OP_BITS)
        steps = np.diff(keys)
        self._count(boot, keys[:-1][same], steps[same])
        ends = np.flatnonzero(np.append(~same, True)) if len(keys) else _NONE
        self._remember(boot, keys[ends])

    def _remember(self, boot: int, keys: Int64) -> None:
        keys = keys[-_REMEMBERED:]
        self._last.pop(boot, None)
        self._last[boot] = keys >> _OP_BITS, keys & _OP_MASK
        if len(self._last) > _BOOTS:
            del self._last[next(iter(self._last))]

    def _count(self, boot: int, keys: Int64, steps: Int64) -> None:
        """Count what is skipped between some numbers and the next of the same connection."""
        gaps = steps > 1
        if not (steps - 1 > self._allowed).any():
            return
        if self._allowed:
            gaps &= _in_turn(keys >> _OP_BITS, steps)
        starts, sizes = keys[gaps], steps[gaps] - 1
        known = np.unique(np.concatenate((self._open(boot), self._abandoned)))
        ends = np.searchsorted(known, starts + sizes, "right")
        sizes = sizes - (ends - np.searchsorted(known, starts, "right"))
        missing = int(sizes[sizes > self._allowed].sum())
        # The lines of some are there, but give no operation.
        self.operations += max(0, missing - (self._scanner.unread_results - self._unread))

    def _open(self, boot: int) -> Int64:
        """Requests without a result."""
        if self._asked is None:  # once for all starts of the server: there may be many of both
            self._asked = self._scanner.open_numbers()
        boots, conn, op = self._asked
        of_boot = boots == boot
        keys: Int64 = (conn[of_boot] << _OP_BITS) + op[of_boot]
        return keys

    @property
    def _abandoned(self) -> Int64:
        """Requests to abandon an operation, which give none themselves."""
        if self._given_up is None:
            matches = (match for text in self._texts for match in _ABANDONED.finditer(text))
            keys = [(int(match[1]) << _OP_BITS) + int(match[2]) for match in matches]
            self._given_up = np.array(keys, np.int64)
        return self._given_up

    def _judge_connections(self, boot: int, opened: Int64) -> None:
        before = self._opened.get(boot)
        numbers = np.unique(
            opened if before is None else np.append(opened[opened > before], before)
        )
        if not len(numbers):
            return
        self._opened[boot] = int(numbers[-1])
        gaps = np.flatnonzero(np.diff(numbers) > _CONNECTIONS)
        # Where most numbers are far apart they are none that a server gave in turn.
        if not len(gaps) or len(gaps) * 10 > len(numbers):
            return
        known = self._scanner.connection_numbers(boot)
        for start, end in zip(numbers[gaps].tolist(), numbers[gaps + 1].tolist(), strict=True):
            there = np.searchsorted(known, end) - np.searchsorted(known, start, "right")
            missing = end - start - 1 - int(there)
            self.connections += missing if missing > _CONNECTIONS else 0


def _by_boot(pieces: Sequence[Operations]) -> Iterator[tuple[int, Int64, Int64, Int64]]:
    """For each server start `conn`, `op` and `opened_ns` of what its clients asked.

    Most pieces have one start and clients alone: of these no row is looked at by itself.
    """
    parts = []
    for piece in pieces:
        columns = (piece.boot, piece.conn, piece.op, piece.opened_ns)
        counts = ~piece.internal & (piece.op >= 0) & (piece.op <= _OP_MASK)
        parts.append(columns if counts.all() else tuple(column[counts] for column in columns))
    if not parts:
        return
    boot, conn, op, opened = (np.concatenate(column) for column in zip(*parts, strict=True))
    op = op.astype(np.int64)
    if not (boot != boot[:1]).any():
        yield from ((number, conn, op, opened) for number in boot[:1].tolist())
        return
    for number in np.unique(boot).tolist():
        of_boot = boot == number
        yield number, conn[of_boot], op[of_boot], opened[of_boot]


_NONE: Int64 = np.empty(0, np.int64)
_NEVER = np.iinfo(np.int64).min


def _in_turn(conn: Int64, steps: Int64) -> NDArray[np.bool_]:
    """Of which connections most numbers follow each other: a server gave these."""
    _, places = np.unique(conn, return_inverse=True)
    in_turn: NDArray[np.bool_] = np.bincount(places, steps == 1) >= np.bincount(places, steps > 1)
    return in_turn[places]
