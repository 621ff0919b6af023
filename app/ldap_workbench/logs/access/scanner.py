"""Access log text in pieces -> operations, line counts and what is still open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import Dialect, Line, Style
from ldap_workbench.logs.access.scan_statistics import ScanStatistics
from ldap_workbench.logs.access.server_messages import (
    SelectedLines,
    ServerMessages,
    times_around,
)
from ldap_workbench.logs.access.slapd_notices import SlapdNotices
from ldap_workbench.logs.access.strings import StringTable
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, RARE, Operations

if TYPE_CHECKING:
    from ldap_workbench_kernel import Kernel

_TABLES = ("clients", "fingerprints", "bases", "bind_dns", "index_keys")
"""The tables of strings, in the order of the kernel."""
_KEEP_CLOSED = 16 << 20
"""Connections closed longer ago than this many bytes of log may be forgotten."""


def kernel_sources() -> str:
    """What tells the sources of the kernel in a checkout from others; '' where there are none."""
    folder = Path(__file__).parents[3] / "kernel"
    files = [*folder.glob("src/*.rs"), folder / "Cargo.toml", folder / "Cargo.lock"]
    text = b"".join(file.read_bytes() for file in sorted(files) if file.is_file())
    return f"{crc32(text):08x}" if text else ""


@cache
def _kernel() -> type[Kernel]:
    """The compiled part of the log engine.

    LogError where it has not been built for this system, or from other sources of a checkout:
    `packaging/kernel install` notes of which (`.kernel-sources`), and `git pull` changes them.
    A wheel of the workbench has no sources to compare, also in the .venv of a checkout.
    """
    note, sources = Path(sys.prefix, ".kernel-sources"), kernel_sources()
    if sources and note.is_file() and note.read_text("ascii").strip() != sources:
        raise LogError(
            Message("The log reader was built from other sources than this copy has."),
            safe=Message("Nothing was read."),
            remedy=Message("Run: packaging/kernel install"),
        )
    try:
        from ldap_workbench_kernel import Kernel
    except ImportError as error:
        raise LogError(
            Message("The log reader has not been built."),
            safe=Message("Nothing was read."),
            remedy=Message("In a copy of the sources, run: packaging/run setup"),
        ) from error
    return Kernel


class Scanner(ScanStatistics):
    """Reads one access log, fed in pieces of any size; memory does not grow with its length.

    `dialect` is a key of DIALECTS. `own_nonces`: a connection whose request names one of them in
    its base is the workbench's own, and its later rows say so. `start_offset` is the place of the
    first byte in its source. `year` and `zone_offset_ns` (east of UTC) complete the times of
    syslog, which have neither. `undated_ns` is given to lines without a readable time, which are
    set aside otherwise. Not thread safe; the scan itself does not hold the GIL.
    """

    def __init__(
        self,
        dialect: str = "389",
        own_nonces: Sequence[bytes] = (),
        start_offset: int = 0,
        *,
        year: int | None = None,
        zone_offset_ns: int = 0,
        undated_ns: int | None = None,
    ) -> None:
        if dialect not in DIALECTS:
            raise LogError(
                Message("'{dialect}' is not a dialect of access logs.", dialect=dialect),
                remedy=Message("Choose one of {dialects}.", dialects=tuple(DIALECTS)),
            )
        self.dialect: Dialect = DIALECTS[dialect]
        self._kernel = _kernel()(
            style=self.dialect.style,
            unit=self.dialect.etime_unit,
            depth=self.dialect.depth,
            words=_words(self.dialect.words),
            operations=_words(self.dialect.operations),
            keys=list(self.dialect.keys.items()),
            months=[
                (name, number)
                for number, names in self.dialect.months.items()
                for name in names.split()
            ],
            nonces=list(own_nonces),
            offset=start_offset,
            year=year or datetime.now(UTC).year,
            zone_ns=zone_offset_ns,
            undated_ns=undated_ns,
            keep_closed=_KEEP_CLOSED,
        )
        self._open_requests = None
        self._tables = tuple(StringTable(self._kernel, table) for table in range(len(_TABLES)))
        file = self.dialect.messages
        self.messages = ServerMessages(file) if file else None
        is_slapd = self.dialect.style == Style.SLAPD
        self.notices = SlapdNotices(self.messages) if self.messages and is_slapd else None

    # --- feeding -------------------------------------------------------------------------------

    def begin_file(self, year: int, zone_offset_ns: int = 0) -> None:
        """The next line begins another file; syslog's times in it are of this year and zone."""
        self._kernel.begin_file(year, zone_offset_ns)

    def feed(self, data: bytes) -> Operations:
        """The operations that end in this piece. A last line without newline waits."""
        return self._with_messages(self._kernel.feed, data)

    def finish(self) -> Operations:
        """The operation of a last line without newline, if it is whole."""
        return self._with_messages(lambda _: self._kernel.finish(), b"")

    def _with_messages(self, read: Callable[[bytes], Any], data: bytes) -> Operations:
        """What is read, with what the server says on lines of its own, where a piece has any."""
        self._open_requests = None
        if self.messages is None:
            return self._operations(*read(data))
        carry, offset = self._kernel.carry, self._kernel.offset + self._kernel.overlong
        operations = self._operations(*read(data))
        if self._kernel.joins:
            return operations
        notices = self.notices
        column: Any = self._kernel.messages()
        places = np.frombuffer(column, np.int64).reshape(-1, 2)
        if len(places):
            (notices or self.messages).add(SelectedLines(carry + data, offset, places))
        if notices is not None and (notices.terms or notices.deferrals or self.messages.undated):
            return notices.mark(operations, self.last_time_ns, self)
        if self.messages.undated:
            self.messages.date(times_around(operations, self.last_time_ns), self)
        return operations

    def _operations(
        self, columns: dict[str, Any], rare_rows: Any, rare: dict[str, Any]
    ) -> Operations:
        """Columns as arrays; those that no row fills are views of one number."""
        arrays: dict[str, Any] = {
            name: np.frombuffer(column, COLUMNS[name]) for name, column in columns.items()
        }
        rows = np.frombuffer(rare_rows, np.int64)
        for name, column in rare.items():
            said = np.frombuffer(column, COLUMNS[name])
            arrays[name] = _filled(name, len(arrays["end_ns"]), rows, said)
        arrays |= zip(_TABLES, self._tables, strict=True)
        return Operations(**arrays)


def _filled(name: str, size: int, rows: NDArray[np.int64], said: NDArray[Any]) -> NDArray[Any]:
    """A rare column of so many rows, of which few say anything."""
    nothing = np.array(RARE[name], said.dtype)
    if not (said != nothing).any():
        return np.broadcast_to(nothing, size)
    column = np.full(size, nothing)
    column[rows] = said
    return column


def _words(words: Mapping[str, tuple[Line, int]]) -> list[tuple[str, str, int]]:
    return [(name, line, kind) for name, (line, kind) in words.items()]
