"""The named databases in a file of LMDB, read as its format has it: no program of it is needed.

The layout is that of mdb.c of LMDB 0.9 on a machine of 64 bits; the file may be open elsewhere, and
nobody may write to it meanwhile.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_MAGIC = 0xBEEFC0DE
_PAGE = 4096
_BRANCH, _NAMED = 0x01, 0x02
"""Flags of a page and of a node."""


def named_databases(file: Path) -> dict[str, int]:
    """The name of each database in the file -> how many entries it has."""
    data = file.read_bytes()
    root = max(map(_meta, (data[:_PAGE], data[_PAGE : 2 * _PAGE])))[1]
    return dict(_below(data, root))


def _meta(page: bytes) -> tuple[int, int]:
    """The transaction that wrote a meta page, and the root of the database of names then."""
    (magic,) = struct.unpack_from("<I", page, 16)
    assert magic == _MAGIC, "no file of LMDB"
    (root,) = struct.unpack_from("<Q", page, 16 + 24 + 48 + 40)
    (transaction,) = struct.unpack_from("<Q", page, 16 + 24 + 2 * 48 + 8)
    return transaction, root


def _below(data: bytes, number: int) -> Iterator[tuple[str, int]]:
    page = data[number * _PAGE : (number + 1) * _PAGE]
    flags, lower = struct.unpack_from("<HH", page, 10)
    for place in struct.unpack_from(f"<{(lower - 16) // 2}H", page, 16):
        low, high, kind, length = struct.unpack_from("<4H", page, place)
        if flags & _BRANCH:
            yield from _below(data, low | high << 16 | kind << 32)
        elif kind & _NAMED:
            name = page[place + 8 : place + 8 + length].rstrip(b"\0").decode()
            (entries,) = struct.unpack_from("<Q", page, place + 8 + length + 32)
            yield name, entries
