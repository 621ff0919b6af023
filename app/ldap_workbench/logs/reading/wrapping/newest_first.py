"""Logs whose newest line comes first, as log stores show them, journalctl -r and tac."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator

from ldap_workbench.logs.reading.stamps import bracket_time
from ldap_workbench.logs.reading.wrapping.lines import Line

_OPERATION = re.compile(
    rb'conn(?:=|(?:_id|Id|ectionID)"\s*:\s*)(\d+)[ ,"]{1,3}(?:op=|\w{1,40}"\s*:\s*)(\d+)'
)
_FEWEST = 3
_RARE = 10
"""Operations of a connection may end in another order than they began: one in so many."""


def is_newest_first(head: bytes) -> bool:
    """Whether the operations of connections are numbered downwards, and no times say otherwise."""
    last: dict[bytes, int] = {}
    up = down = 0
    for match in _OPERATION.finditer(head):
        connection, operation = match[1], int(match[2][:9])
        before = last.get(connection, operation)
        last[connection] = operation
        up += operation > before
        down += operation < before
    return down >= _FEWEST and down > _RARE * up and not _times_rise(head)


def _times_rise(head: bytes) -> bool:
    """Whether its last line is later than its first: operations may end in any order."""
    lines = head.decode("latin-1").splitlines()[:-1]
    stamps = [stamp[0] for line in lines if (stamp := bracket_time(line))]
    return bool(stamps) and stamps[0] < stamps[-1]


def oldest_first(parts: Iterable[Line]) -> Iterator[Line]:
    """The same lines from the last to the first, by way of a file: a log may exceed the memory."""
    with tempfile.TemporaryFile(prefix="ldap-workbench-") as file:
        places: list[tuple[bytes, int]] = []
        for stream, text in _whole_lines(parts):
            places.append((stream, len(text)))
            file.write(b"".join(line + b"\n" for line in reversed(text[:-1].split(b"\n"))))
        end = file.tell()
        for stream, size in reversed(places):
            end -= size
            file.seek(end)
            yield stream, file.read(size)


def _whole_lines(parts: Iterable[Line]) -> Iterator[Line]:
    cut: dict[bytes, bytes] = {}
    for stream, piece in parts:
        text = cut.get(stream, b"") + piece
        end = text.rfind(b"\n") + 1
        cut[stream] = text[end:]
        if end:
            yield stream, text[:end]
    yield from ((stream, rest + b"\n") for stream, rest in cut.items() if rest)
