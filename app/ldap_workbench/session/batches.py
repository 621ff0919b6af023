"""Batches on their way into the database: they wait until they are worth a transaction.

Raw text on its way into a session: cut into frames, packed beside the thread that writes.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import duckdb
import numpy as np
import zstandard
from numpy.typing import NDArray

from ldap_workbench.model.operations import COLUMNS, RARE, Operations
from ldap_workbench.model.window import Sample
from ldap_workbench.session.schema import (
    RAW_FRAMES,
    STRING_KINDS,
    TABLES,
    add_rare_column,
    rare_columns,
    raw_tables,
)

ROW_GROUP = 122_880
"""Rows that DuckDB packs together. A transaction of just so many goes straight into the file; what
is more or less goes through the write-ahead log and is packed a second time."""

Columns = dict[str, NDArray[Any]]


class WaitingRows:
    """Room for one row group, of operations of several sources, used again and again.

    Fresh memory for each would cost more than filling it.
    """

    def __init__(self) -> None:
        self._columns: Columns = {"source": np.empty(ROW_GROUP, np.int32)}
        self._columns |= {name: np.empty(ROW_GROUP, dtype) for name, dtype in COLUMNS.items()}
        self._count = 0
        self._said: set[str] = set()

    def __len__(self) -> int:
        return self._count

    @property
    def full(self) -> bool:
        return self._count == ROW_GROUP

    def add(self, source: int, operations: Operations, first: int = 0) -> int:
        """Copy rows from `first` on, as many as there is room for; returns how many."""
        count = min(len(operations) - first, ROW_GROUP - self._count)
        here = slice(self._count, self._count + count)
        self._columns["source"][here] = source
        for name in COLUMNS:
            values = getattr(operations, name)[first : first + count]
            if name in RARE and name not in self._said:
                # Where no row says anything the scanner gives a view of one number.
                differing = values[:1] if values.strides == (0,) else values
                if not (differing != RARE[name]).any():
                    continue
                self._said.add(name)
                self._columns[name][: self._count] = RARE[name]
            self._columns[name][here] = values
        self._count += count
        return count

    def take(self) -> Columns:
        """'source' and the columns of operations, of all rows; good until the next `add`.

        A column of RARE in which nothing is said is left out: it takes neither time nor room.
        """
        unsaid = RARE.keys() - self._said
        rows = {
            name: column[: self._count]
            for name, column in self._columns.items()
            if name not in unsaid
        }
        self._said.clear()
        self._count = 0
        return rows


WAIT_S = 2.0
"""Longest time that rows wait for a full row group, in seconds: so much a crash may cost."""
BULK_WAIT_S = 30.0
"""The same while logs are imported, which are still there after a crash. On a busy machine a row
group takes longer than WAIT_S, and what is written before it is full is packed twice."""


class Batches:
    """Rows of operations, strings, samples and frames of raw text of one session.

    Everything but `raw.add` is called in the thread that writes.
    """

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self.raw = RawPacker()
        self._series: dict[str, int] = dict(db.execute("SELECT name, id FROM series").fetchall())
        self._strings: dict[tuple[int, str], int] = {}
        self._rows = WaitingRows()
        self._rare = set(rare_columns(db))
        self._tables: dict[int, Operations] = {}
        self._frames: list[Frame] = []
        self._inserted_at = time.monotonic()
        self.wait_s = WAIT_S

    def hold_rows(self, db: duckdb.DuckDBPyConnection, source: int, operations: Operations) -> None:
        """Take rows of a source; full row groups are inserted."""
        self._tables[source] = operations
        taken = 0
        while taken < len(operations):
            taken += self._rows.add(source, operations, taken)
            if self._rows.full:
                self._insert_rows(db)
        self._insert_late(db)

    def hold_frames(self, db: duckdb.DuckDBPyConnection) -> None:
        """Take what the packer has finished of the raw text."""
        self._frames += self.raw.frames()
        if len(self._frames) >= RAW_FRAMES:
            self._insert_frames(db)
        self._insert_late(db)

    def _insert_late(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert what has waited for long."""
        if time.monotonic() - self._inserted_at > self.wait_s:
            self.insert_all(db)

    def insert_all(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert whatever waits."""
        self._insert_rows(db)
        self._insert_frames(db)

    def _insert_rows(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert the rows that wait, and the strings they point to."""
        self._inserted_at = time.monotonic()
        rows = self._rows.take()
        for name in [name for name in rows if name in RARE and name not in self._rare]:
            add_rare_column(db, name)
            self._rare.add(name)
        db.execute("BEGIN")
        for source, operations in self._tables.items():
            for kind, table in STRING_KINDS.items():
                self._insert_strings(db, source, kind, getattr(operations, table))
        self._tables.clear()
        if len(rows["source"]):
            _insert(db, "operation", (), rows, some=True)
        db.execute("COMMIT")

    def _insert_frames(self, db: duckdb.DuckDBPyConnection) -> None:
        frames, self._frames = self._frames, []
        if frames:
            table = self._raw_table(db, len(frames))
            sources, places, sizes, bodies = zip(*frames, strict=True)
            batch = {
                "source": np.array(sources, np.int32),
                "first_byte": np.array(places, np.int64),
                "size": np.array(sizes, np.int64),
                "body": np.array(bodies, object),
            }
            _insert(db, table, (), batch)

    def _raw_table(self, db: duckdb.DuckDBPyConnection, count: int) -> str:
        """The table that takes the next frames: the last one, or one more."""
        tables = raw_tables(db)
        [(frames,)] = db.execute(f"SELECT count(*) FROM {tables[-1]}").fetchall()  # noqa: S608
        if frames + count <= RAW_FRAMES:
            return tables[-1]
        table = f"raw_{len(tables) + 1}"
        db.execute(f"CREATE TABLE {table} ({TABLES['raw']})")
        return table

    def _insert_strings(
        self, db: duckdb.DuckDBPyConnection, source: int, kind: str, strings: Sequence[str]
    ) -> None:
        known = self._strings.get((source, kind), 0)
        if len(strings) == known:
            return
        # A scanner's table may grow while we are here: its length is looked at once.
        new = np.array(list(strings[known:]), dtype=object)
        end = known + len(new)
        batch = {"id": np.arange(known, end, dtype=np.int32), "value": new}
        _insert(db, "string", [f"{source}::INTEGER", f"'{kind}'"], batch)
        self._strings[source, kind] = end

    def insert_samples(
        self, db: duckdb.DuckDBPyConnection, source: int, samples: Sequence[Sample]
    ) -> None:
        """Insert counters and gauges of a source."""
        self._insert_series(db, {sample.series for sample in samples})
        batch = {
            "series": np.array([self._series[s.series] for s in samples], np.int32),
            "time_ns": np.array([s.time_ns for s in samples], np.int64),
            "value": np.array([s.value for s in samples], np.float64),
        }
        _insert(db, "sample", [f"{source}::INTEGER"], batch)

    def _insert_series(self, db: duckdb.DuckDBPyConnection, names: set[str]) -> None:
        """All new names at once: hundreds of small writes would hold up the window."""
        new = sorted(names - self._series.keys())
        if not new:
            return
        first = len(self._series) + 1
        batch = {
            "id": np.arange(first, first + len(new), dtype=np.int32),
            "name": np.array(new, object),
        }
        _insert(db, "series", (), batch)
        self._series |= dict(zip(new, batch["id"].tolist(), strict=True))

    def flush(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert everything, raw text that is still being packed included."""
        self.raw.finish()
        self._frames += self.raw.frames(wait=True)
        self.insert_all(db)


def _insert(
    db: duckdb.DuckDBPyConnection,
    table: str,
    prefix: Sequence[str],
    batch: dict[str, Any],
    *,
    some: bool = False,
) -> None:
    """Append a batch of columns behind the columns of `prefix`, the same in every row.

    `some`: the table has more columns, which stay without a value.
    """
    into = f"{table} ({', '.join(batch)})" if some else table
    db.register("batch", batch)
    try:
        db.execute(f"INSERT INTO {into} SELECT {', '.join([*prefix, *batch])} FROM batch")  # noqa: S608
    finally:
        db.unregister("batch")


RAW_CHUNK = 1 << 20
"""Bytes of raw text in one zstd frame: small to unpack for one line, large enough to pack."""


def _parameters(
    strategy: int, hash_log: int, min_match: int
) -> zstandard.ZstdCompressionParameters:
    return zstandard.ZstdCompressionParameters(
        strategy=strategy,
        window_log=20,
        hash_log=hash_log,
        chain_log=hash_log - 1,
        search_log=1,
        min_match=min_match,
        target_length=0,
    )


QUICK = _parameters(zstandard.STRATEGY_FAST, 9, 7)
"""Logs repeat whole phrases: longer matches, and a table so small that it holds little but the last
lines, pack them half as fast again as zstd's level 1, and tighter than its level 3."""
_TIGHT = tuple(_parameters(zstandard.STRATEGY_LAZY, size, 5) for size in (9, 12, 14, 17))
"""A quarter as fast, and up to four tenths smaller: how large a table serves best, differs between
dialects by as much (see docs/benchmarks.md)."""
TIGHT_BYTES = 16 << 20
"""So much text of a source is packed tightly: it makes small sessions smaller, and costs the import
of a large log nothing that is noticed."""
_AT_ONCE = 16
"""Frames waiting to be packed; whoever brings more waits."""

Frame = tuple[int, int, int, bytes]
"""Source, offset of its first byte in the text of that source, bytes of text, zstd frame."""


class RawPacker:
    """Takes text of several sources in pieces of any size, gives frames in their order.

    Anybody may bring text; one thread takes the frames.
    """

    def __init__(self) -> None:
        self._rest: dict[int, tuple[int, bytes]] = {}
        self._lock = threading.Lock()
        self._quick, *self._tight = (
            zstandard.ZstdCompressor(compression_params=parameters)
            for parameters in (QUICK, *_TIGHT)
        )
        self._tightest: dict[int, zstandard.ZstdCompressor] = {}
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix="session-packer", initializer=_stand_back
        )
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._coming: deque[tuple[int, int, int, Future[bytes]]] = deque()

    def add(self, source: int, data: bytes) -> None:
        """Append to the text of a source; what is no whole frame waits for more."""
        with self._lock:
            at, rest = self._rest.get(source, (0, b""))
            first = 0
            if rest and len(rest) + len(data) >= RAW_CHUNK:
                first = RAW_CHUNK - len(rest)
                self._pack(source, at, rest + data[:first])
                at, rest = at + RAW_CHUNK, b""
            if not rest:
                text = memoryview(data)  # a slice of it is no copy
                while len(data) - first >= RAW_CHUNK:
                    self._pack(source, at, text[first : first + RAW_CHUNK])
                    at, first = at + RAW_CHUNK, first + RAW_CHUNK
            self._rest[source] = (at, rest + data[first:])

    def finish(self) -> None:
        """Let what waits for more become frames, shorter than others."""
        with self._lock:
            for source, (at, rest) in self._rest.items():
                if rest:
                    self._pack(source, at, rest)
                    self._rest[source] = (at + len(rest), b"")

    def frames(self, *, wait: bool = False) -> list[Frame]:
        """The frames that are packed, in their order; with `wait`, all there are."""
        ready = []
        while self._coming and (wait or self._coming[0][3].done()):
            source, at, size, work = self._coming.popleft()
            ready.append((source, at, size, work.result()))
        return ready

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=True)

    def _pack(self, source: int, at: int, text: bytes | memoryview) -> None:
        self._room.acquire()
        pack = partial(self._pack_tight, source) if at < TIGHT_BYTES else self._quick.compress
        work = self._thread.submit(pack, text)
        work.add_done_callback(lambda _: self._room.release())
        self._coming.append((source, at, len(text), work))

    def _pack_tight(self, source: int, text: bytes | memoryview) -> bytes:
        """With what packs the first frame of the source best."""
        if source not in self._tightest:
            tried = [(packer.compress(text), packer) for packer in (self._quick, *self._tight)]
            packed, self._tightest[source] = min(tried, key=lambda attempt: len(attempt[0]))
            return packed
        return self._tightest[source].compress(text)


def _stand_back() -> None:
    """Let this thread have what others leave.

    On few processors the database is what all wait for, and it waits for frames last of all.
    """
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
