"""The log kernel: text of access logs in, columns of finished operations out."""

from collections.abc import Sequence
from typing import final

from typing_extensions import Buffer

__version__: str
REASONS: list[str]
"""Why lines or values are set aside."""
TABLES: list[str]
"""The tables of strings, by their numbers."""
CLASSES: list[str]
"""What lines are; with those below, what a dialect may ask for."""
STYLES: list[str]
UNITS: list[str]
FIELDS: list[str]
KINDS: list[tuple[str, int]]
NOTES: bytes
WITH_VLV: int
ABSENT: int
COLUMNS: list[str]
RARE: list[str]
CONNECTION: list[str]
"""The numbers of a row of `Kernel.connections`, each of 64 bits."""
REQUEST: list[str]

_Columns = tuple[dict[str, Buffer], Buffer, dict[str, Buffer]]

@final
class Kernel:
    """A scanner of one log."""

    def __new__(
        cls,
        *,
        style: str,
        unit: str,
        depth: int,
        words: Sequence[tuple[str, str, int]],
        operations: Sequence[tuple[str, str, int]],
        keys: Sequence[tuple[str, str]],
        months: Sequence[tuple[str, int]],
        nonces: Sequence[bytes],
        offset: int,
        year: int,
        zone_ns: int,
        undated_ns: int | None,
        keep_closed: int,
    ) -> Kernel: ...
    def begin_file(self, year: int, zone_ns: int) -> None: ...
    def feed(self, data: bytes) -> _Columns:
        """Columns of the operations that end here; rows that say more, and what they say."""

    def finish(self) -> _Columns: ...
    @property
    def joins(self) -> bool: ...
    @property
    def carry(self) -> bytes: ...
    @property
    def overlong(self) -> int: ...
    @property
    def offset(self) -> int: ...
    def count(self, table: int) -> int: ...
    def texts(self, table: int, start: int, end: int) -> list[bytes]: ...
    def statistics(self) -> Statistics: ...
    def messages(self) -> Buffer:
        """Where lines of the last feed begin and end that may be messages of the server."""

    def connections(self) -> Buffer: ...
    def closed_on(self) -> Buffer: ...
    def unused(self) -> list[tuple[tuple[int, int, bool], int]]: ...
    def requests(self) -> Buffer: ...

@final
class Statistics:
    """What a scan counts, as it was when it was asked for."""

    understood: int
    set_aside: int
    unknown: int
    reasons: list[tuple[str, int]]
    first_time: int | None
    last_time: int | None
    steps_back: int
    clock_changes: int
    open_operations: int
    orphans: int
    combined: int
    between_lines: int
    whole_seconds: int
    quantised: int
    microseconds: int
    nanoseconds: int
    finished: int
    smallest: int
    newest_boot: int
    processes: int
    pids: list[int]
    returns: int
    lacks_zone: bool
    lacks_year: bool
    lacks_time: bool
    zone_ns: int
    own: list[tuple[int, int]]
