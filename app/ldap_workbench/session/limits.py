"""How much a session may ask of the machine that reads it.

A file of a few megabytes can be made to unpack into many gigabytes. What a truthful session holds
is in proportion to its size, so these limits grow with it; only what is made to hurt meets them.

DuckDB as those who read a session need it. `import duckdb` loads its relations, too, which nobody
here uses: a sixth of the time of `tails`. What it names is the same in both, so one module may use
this and another that.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

MAX_FRAME = 16 << 20
"""Bytes of raw text in one zstd frame; ours have 1 MiB."""
MAX_BODY = 64 << 20
"""Bytes of one noun as JSON: the settings of a large server, thousands of stacks."""
MAX_NOUNS = 100_000
"""Windows, sources, marks, experiments or changes in one session."""
MAX_DEPTH = 64
"""Levels of a noun as JSON; ours have under ten."""
MAX_TIME_NS = 1 << 62
"""The year 2116. Twice a time still fits in 64 bits, and so does the difference of two."""
MAX_ETIME_NS = 1 << 60
"""36 years, of an operation and of a window."""

_ROW_BYTES = 150
"""Of one operation in memory."""


def _memory_bytes() -> int:
    """Of this machine; where it does not say, what a small laptop has."""
    if sys.platform == "win32":
        return 8 << 30
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 8 << 30


MEMORY_BYTES = _memory_bytes()
MEMORY_LIMIT = min(4 << 30, MEMORY_BYTES // 2)
"""What DuckDB may take to read a session; what does not fit lies beside the file meanwhile."""


@dataclass(frozen=True)
class Limits:
    """What is read at once of a file of some size."""

    rows: int
    """An operation takes more than a byte in the file: its lines lie at a place of their own."""
    text: int
    """Bytes of strings: names and filters repeat, but not more often than this."""

    @classmethod
    def of_file(cls, size: int) -> Limits:
        rows = min(1_000_000 + size, MEMORY_BYTES // 2 // _ROW_BYTES)
        return cls(rows, min((64 << 20) + 32 * size, MEMORY_BYTES // 4))


try:
    import _duckdb as duckdb
except ImportError:  # a later one may keep its engine in another place
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
