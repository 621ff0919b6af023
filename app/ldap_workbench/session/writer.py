"""Writing a session file: one thread owns the database, anybody may hand it work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import zstandard

from ldap_workbench import __version__
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.operations import COLUMNS, Operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Mark, Sample, Source, Window
from ldap_workbench.session.codec import to_json
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import (
    SCHEMA_VERSION,
    STORAGE_VERSION,
    STRING_KINDS,
    TABLES,
)

RAW_CHUNK = 1 << 20
"""Bytes of raw text in one zstd frame: small to unpack for one line, large enough to pack."""
_LEVEL = 1
"""Of zstd: for access logs the fastest level also packs better than the next two."""
_PENDING_LIMIT = 16
"""Pieces of work waiting for the disk: each may hold 8 MiB."""
_PACKING_LIMIT = 16
"""Frames being packed beside the database's thread; older ones are waited for."""


class SessionWriter:
    """The one writer of a session file.

    Methods return at once (the next call after a failure raises it) and wait only when the disk is
    far behind; `flush` waits until everything handed over is durable. Ids of windows and sources
    are given out here. Raises SessionError when the file cannot be written, a full disk for one:
    what was durable before stays readable.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session-writer")
        self._room = threading.BoundedSemaphore(_PENDING_LIMIT)
        self._failure: BaseException | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._ids = {table: self._last_id(table) for table in ("capture_window", "source")}
        self._series: dict[str, int] = dict(
            connection.execute("SELECT name, id FROM series").fetchall()
        )
        self._strings: dict[tuple[int, str], int] = {}
        self._raw: dict[int, tuple[int, bytearray]] = {}
        self._packer = zstandard.ZstdCompressor(level=_LEVEL)
        self._packing = ThreadPoolExecutor(1, thread_name_prefix="session-packer")
        self._packed: deque[tuple[int, int, int, Future[bytes]]] = deque()

    @classmethod
    def create(cls, path: str | Path, facts: TargetFacts | None = None) -> SessionWriter:
        """A new session file; an existing one is never overwritten."""
        path = Path(path)
        if path.exists():
            raise SessionError(
                f"{path} exists already.",
                safe="It was not touched.",
                remedy="Choose another name, or remove the file first.",
            )
        connection = _attach(path)
        for table, columns in TABLES.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
        meta = {"schema": str(SCHEMA_VERSION), "written_by": f"ldap-workbench {__version__}"}
        for key, value in meta.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        writer = cls(path, connection)
        if facts:
            writer.set_facts(facts)
        return writer

    @classmethod
    def append(cls, path: str | Path) -> SessionWriter:
        """Go on with an existing file, to resume an experiment or add a window."""
        path = Path(path)
        if not path.is_file():
            raise SessionError(f"{path} does not exist.", remedy="Check the path.")
        connection = _attach(path)
        found = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if found is None or int(found[0]) != SCHEMA_VERSION:
            connection.close()
            raise SessionError(
                f"{path} has another schema version.", safe="The file was not changed."
            )
        return cls(path, connection)

    def set_facts(self, facts: TargetFacts) -> None:
        """What is known of the server; the last one stands."""
        self._replace("meta", "key", "facts", ["facts", to_json(facts)])

    def set_meta(self, key: str, value: str) -> None:
        """A fact about the session itself: a note, a mark of simulation."""
        self._replace("meta", "key", key, [key, value])

    def next_id(self, table: str) -> int:
        """A fresh id for a 'capture_window' or a 'source'."""
        with self._lock:
            self._ids[table] += 1
            return self._ids[table]

    def put_window(self, window: Window) -> None:
        """Write a window, or overwrite the one of the same id."""
        row = [window.id, window.start_ns, window.end_ns, to_json(window)]
        self._replace("capture_window", "id", window.id, row)

    def put_source(self, source: Source) -> None:
        """Write a source, or overwrite the one of the same id."""
        row = [source.id, source.window, source.kind.value, to_json(source)]
        self._replace("source", "id", source.id, row)

    def put_experiment(self, experiment: Experiment) -> None:
        """Write an experiment; durable when this returns, for its state is what a crash leaves."""
        row = [experiment.id, to_json(experiment)]
        self._replace("experiment", "id", experiment.id, row)
        self.flush()

    def put_change(self, change: Change) -> None:
        """A copy of a journal entry, so that the file tells its own story."""
        self._replace("change", "id", change.id, [change.id, to_json(change)])

    def add_mark(self, mark: Mark) -> None:
        """A moment worth remembering."""
        self._do(
            lambda db: db.execute("INSERT INTO mark VALUES (?, ?)", [mark.time_ns, to_json(mark)])
        )

    def add_operations(self, source: int, operations: Operations) -> None:
        """Append rows; string tables may have grown since the last call with this source."""
        if len(operations) or any(getattr(operations, name) for name in STRING_KINDS.values()):
            self._do(lambda db: self._insert_operations(db, source, operations))

    def mark_own(self, source: int, connections: Iterable[tuple[int, int]]) -> None:
        """Mark all operations of these (boot, conn) as the workbench's own."""
        query = "UPDATE operation SET own = true WHERE source = ? AND boot = ? AND conn = ?"
        rows = [[source, boot, conn] for boot, conn in sorted(connections)]
        if rows:
            self._do(lambda db: db.executemany(query, rows))

    def add_samples(self, source: int, samples: Sequence[Sample]) -> None:
        """Append counters and gauges."""
        if samples:
            self._do(lambda db: self._insert_samples(db, source, samples))

    def add_raw(self, source: int, data: bytes) -> None:
        """Append to the raw text of a source; offsets count from its first byte."""
        if data:
            self._do(lambda db: self._append_raw(db, source, data))

    def flush(self) -> None:
        """Wait until everything is on disk, raw text included. Raises what went wrong."""
        self._do(self._flush_raw).result()
        self._raise_failure()

    def reader(self) -> Session:
        """What is in the file so far, to read while writing goes on; close it after use."""
        self.flush()
        cursor = self._connection.cursor()
        cursor.execute("USE session")
        return Session(self.path, cursor)

    def close(self) -> None:
        """Flush, fold the write-ahead log into the file and let go of it; may be called again."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._failure is None:
                self._do(self._flush_raw)
                self._do(lambda db: db.execute("CHECKPOINT session"))
        finally:
            self._thread.shutdown(wait=True)
            self._packing.shutdown(wait=True)
            self._close_connection()
        self._raise_failure()

    def __enter__(self) -> SessionWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_connection(self) -> None:
        try:
            self._connection.close()
        except duckdb.Error as error:  # a full disk makes even closing fail
            self._failure = self._failure or error

    def _do(self, work: Callable[[duckdb.DuckDBPyConnection], Any]) -> Future[None]:
        self._raise_failure()
        self._room.acquire()
        return self._thread.submit(self._run, work)

    def _run(self, work: Callable[[duckdb.DuckDBPyConnection], Any]) -> None:
        try:
            if self._failure is None:
                work(self._connection)
        except (duckdb.Error, OSError) as error:
            self._failure = error
        finally:
            self._room.release()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise SessionError(
                f"The session file {self.path} cannot be written: {_first_line(self._failure)}",
                safe="What was written before stays readable; the server is not affected.",
                remedy="Make room on the disk, then start again with a new file.",
            ) from self._failure

    def _last_id(self, table: str) -> int:
        found = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608
        return int(found[0] or 0) if found else 0

    def _replace(self, table: str, key: str, value: object, row: Sequence[object]) -> None:
        marks = ", ".join("?" * len(row))

        def work(db: duckdb.DuckDBPyConnection) -> None:
            db.execute("BEGIN")
            db.execute(f"DELETE FROM {table} WHERE {key} = ?", [value])  # noqa: S608
            db.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
            db.execute("COMMIT")

        self._do(work)

    def _insert_operations(
        self, db: duckdb.DuckDBPyConnection, source: int, operations: Operations
    ) -> None:
        for kind, table in STRING_KINDS.items():
            self._insert_strings(db, source, kind, getattr(operations, table))
        if not len(operations):
            return
        batch = {name: np.ascontiguousarray(getattr(operations, name)) for name in COLUMNS}
        _insert(db, "operation", f"{source}::INTEGER", batch)

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
        _insert(db, "string", f"{source}::INTEGER, '{kind}'", batch)
        self._strings[source, kind] = end

    def _insert_samples(
        self, db: duckdb.DuckDBPyConnection, source: int, samples: Sequence[Sample]
    ) -> None:
        for name in {sample.series for sample in samples} - self._series.keys():
            self._series[name] = len(self._series) + 1
            db.execute("INSERT INTO series VALUES (?, ?)", [self._series[name], name])
        batch = {
            "series": np.array([self._series[s.series] for s in samples], np.int32),
            "time_ns": np.array([s.time_ns for s in samples], np.int64),
            "value": np.array([s.value for s in samples], np.float64),
        }
        _insert(db, "sample", f"{source}::INTEGER", batch)

    def _append_raw(self, db: duckdb.DuckDBPyConnection, source: int, data: bytes) -> None:
        at, buffer = self._raw.setdefault(source, (0, bytearray()))
        buffer += data
        whole = len(buffer) - len(buffer) % RAW_CHUNK
        for first in range(0, whole, RAW_CHUNK):
            self._pack(source, at + first, bytes(buffer[first : first + RAW_CHUNK]))
        del buffer[:whole]
        self._raw[source] = (at + whole, buffer)
        self._store_packed(db, _PACKING_LIMIT)

    def _flush_raw(self, db: duckdb.DuckDBPyConnection) -> None:
        for source, (at, buffer) in self._raw.items():
            if buffer:
                self._pack(source, at, bytes(buffer))
                self._raw[source] = (at + len(buffer), bytearray())
        self._store_packed(db, 0)

    def _pack(self, source: int, at: int, data: bytes) -> None:
        work = self._packing.submit(self._packer.compress, data)
        self._packed.append((source, at, len(data), work))

    def _store_packed(self, db: duckdb.DuckDBPyConnection, leave: int) -> None:
        """Insert, in one transaction, all but the last `leave` frames and those ready anyway."""
        rows = []
        while self._packed and (len(self._packed) > leave or self._packed[0][3].done()):
            source, at, size, work = self._packed.popleft()
            rows.append([source, at, size, work.result()])
        if rows:
            db.execute("BEGIN")
            db.executemany("INSERT INTO raw VALUES (?, ?, ?, ?)", rows)
            db.execute("COMMIT")


def _attach(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    name = str(path).replace("'", "''")
    try:
        connection.execute(f"ATTACH '{name}' AS session (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE session")
        # Each checkpoint leaves holes; with few of them a file is a third smaller.
        connection.execute("SET wal_autocheckpoint = '256MB'")
    except duckdb.Error as error:
        connection.close()
        raise SessionError(
            f"{path} cannot be opened for writing: {_first_line(error)}",
            safe="Nothing was written.",
            remedy="Check the folder's permissions, and that no other workbench has it open.",
        ) from error
    return connection


def _insert(db: duckdb.DuckDBPyConnection, table: str, prefix: str, batch: dict[str, Any]) -> None:
    db.register("batch", batch)
    try:
        db.execute(f"INSERT INTO {table} SELECT {prefix}, {', '.join(batch)} FROM batch")  # noqa: S608
    finally:
        db.unregister("batch")


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
