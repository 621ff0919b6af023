"""How much of a log repeats the end of the file before it.

A log that was copied before it was truncated (copytruncate), or copied twice while it grew, lies
there twice in part: counted twice, every figure of it would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.model.progress import Cancel

_KEY = 4096
"""Bytes of whole lines that are looked for: so many lines with their times do not come twice."""
_TRIES = 16


def repeated(before: Path, after: Path, cancel: Cancel | None = None) -> int:
    """Bytes at the beginning of `after` with which the text of `before` ends.

    Or which lie within it, where that is all of `after`. Raises CancelledError.
    """
    return repetition(before, after, cancel)[1]


def repetition(before: Path, after: Path, cancel: Cancel | None = None) -> tuple[int, int]:
    """Where in the text of `before` that begins which `repeated` counts, and its bytes."""
    head = LogFile(after, cancel).head(_KEY)
    key = head[: head.rfind(b"\n") + 1]
    if not key:
        return 0, 0
    for at in _places(before, key, cancel):
        if size := _common(before, at, after, cancel):
            return at, size
    return 0, 0


def _places(path: Path, key: bytes, cancel: Cancel | None) -> Iterator[int]:
    """The first few places where a text holds `key`."""
    begin, carry, tries = 0, b"", 0
    for piece in LogFile(path, cancel).pieces():
        text = carry + piece
        at = text.find(key)
        while at >= 0 and tries < _TRIES:
            yield begin + at
            tries += 1
            at = text.find(key, at + 1)
        carry = text[-(len(key) - 1) :]
        begin += len(text) - len(carry)


def _common(before: Path, at: int, after: Path, cancel: Cancel | None) -> int:
    """Bytes that are the same from there on until one of the texts ends; 0 where they differ."""
    ours, theirs = _from(before, at, cancel), LogFile(after, cancel).pieces()
    a = b = b""
    size = 0
    while True:
        a = a or next(ours, b"")
        b = b or next(theirs, b"")
        if not a or not b:
            return size
        count = min(len(a), len(b))
        if a[:count] != b[:count]:
            return 0
        a, b, size = a[count:], b[count:], size + count


def _from(path: Path, at: int, cancel: Cancel | None) -> Iterator[bytes]:
    for piece in LogFile(path, cancel).pieces():
        if at < len(piece):
            yield piece[at:]
        at = max(0, at - len(piece))
