"""Packed files, told by their first bytes and never by their names.

Text that a program of Windows has saved, with a byte order mark or in UTF-16 -> UTF-8.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from itertools import chain
from typing import BinaryIO, cast

import zstandard

GZIP, XZ, ZSTD, BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"BZh"
DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError)
"""What readers raise where a packed file is damaged or was cut."""
NOT_READ = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"\x1f\x9d": "compress (.Z)",
    b"\x04\x22\x4d\x18": "LZ4",
    b"!<arch>\n": "ar",
}
"""Packers that are known and not read."""
_STEP = 2 << 10
"""Packed bytes unpacked at once: the worst of them are 64 MiB of text, most of them 40 KiB."""


def unpacked(source: BinaryIO) -> BufferedReader:
    """A reader of what is packed in `source`, or of itself; closing both is needed."""
    magic = source.read(6)
    source.seek(0)
    if magic.startswith(GZIP):
        return cast(BufferedReader, gzip.GzipFile(fileobj=source))
    if magic.startswith(XZ):
        return cast(BufferedReader, lzma.LZMAFile(source))
    if magic.startswith(BZIP2):
        return cast(BufferedReader, bz2.BZ2File(source))
    if magic.startswith(ZSTD):
        return cast(BufferedReader, ZstdFile(source))
    return cast(BufferedReader, source)


class PackedFile(io.RawIOBase):
    """Reads as many bytes as asked for, which an archive needs, of a reader that gives fewer.

    `on_bytes` is called with the number of bytes of every part, and may raise to end the reading.
    """

    def __init__(
        self, source: BufferedReader, on_bytes: Callable[[int], None] = lambda _: None
    ) -> None:
        self._source = source
        self._on_bytes = on_bytes

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        taken = bytearray()
        while size < 0 or len(taken) < size:
            part = self._source.read1(size - len(taken) if size >= 0 else 1 << 20)
            if not part:
                break
            self._on_bytes(len(part))
            taken += part
        return bytes(taken)


class ZstdFile(io.BufferedIOBase):
    """Frames one after the other.

    The reader of the library takes a cut file for a whole one; this raises EOFError at its end.
    """

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._text = b""
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        """Some text, at most `size` bytes; none at the end."""
        while not self._text and self._more():
            pass
        size = len(self._text) if size < 0 else size
        text, self._text = self._text[:size], self._text[size:]
        return text

    def _more(self) -> bool:
        """Unpack a little more; whether there was something."""
        packed = self._rest or self._packed.read(_STEP)
        self._rest = b""
        if not packed:
            if self._begun:
                raise EOFError("it ends within a frame of zstd")
            return False
        self._begun = True
        self._text = self._frame.decompress(packed)
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._begun = False
        return True


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
