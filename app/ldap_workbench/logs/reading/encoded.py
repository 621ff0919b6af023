"""Text that a program of Windows has saved, with a byte order mark or in UTF-16 -> UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST = len(codecs.BOM_UTF8)


def plain(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The text without its byte order mark, UTF-16 as UTF-8; all other text as it is."""
    rest = iter(pieces)
    first = b""
    while len(first) < _LONGEST and (piece := next(rest, b"")):
        first += piece
    if first.startswith(_UTF_16):
        yield from _from_utf_16(chain([first], rest))
        return
    if first := first.removeprefix(codecs.BOM_UTF8):
        yield first
    yield from rest


def _from_utf_16(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A character may be cut by the end of a piece, the last one by that of the file."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for piece in pieces:
        yield decoder.decode(piece).encode()
    if last := decoder.decode(b"", final=True):
        yield last.encode()
