"""Writing a session file: one thread owns the database, anybody may hand it work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Mark, Sample, Source, Window
from ldap_workbench.session.codec import to_json
from ldap_workbench.session.creation import make_session
from ldap_workbench.session.opening import Database, unreadable, words_of
from ldap_workbench.session.packing import Frame, RawPacker
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import (
    RAW_FRAMES,
    STRING_KINDS,
    TABLES,
    raw_tables,
)
from ldap_workbench.session.waiting import WaitingRows

_PENDING_LIMIT = 16
"""Pieces of work waiting for the disk: each may hold the rows of 8 MiB of log, some 3 MiB."""
_WAIT_S = 2.0
"""What waits for more of its kind waits no longer: so much a crash may cost."""

PATIENCE_S = 120.0
"""How long the disk may take for what is handed over at once: a share of a network may hang for
ever, and whoever writes has a server to put back."""


class SessionWriter:
    """The one writer of a session file.

    Methods return at once (the next call after a failure raises it) and wait only when the disk is
    far behind; `flush` waits until everything handed over is durable. Ids of windows and sources
    are given out here. Raises SessionError when the file cannot be written, a full disk for one:
    what was durable before stays readable. No method waits for longer than PATIENCE_S, nor does
    one after a failure, whatever the disk does.
    """

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self._database = database
        self._connection = connection = database.connection
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session-writer")
        self._room = threading.BoundedSemaphore(_PENDING_LIMIT)
        self._failure: BaseException | None = None
        self._closed = False
        self._hangs = False
        self._lock = threading.Lock()
        self._ids = {
            # After a crash a source may be there without its window: that id is taken, too.
            "capture_window": max(
                self._last("capture_window"), self._last("source", "capture_window")
            ),
            "source": self._last("source"),
        }
        self._series: dict[str, int] = dict(
            connection.execute("SELECT name, id FROM series").fetchall()
        )
        self._strings: dict[tuple[int, str], int] = {}
        self._rows = WaitingRows()
        self._tables: dict[int, Operations] = {}
        self._frames: list[Frame] = []
        self._inserted_at = time.monotonic()
        self._raw = RawPacker()

    @classmethod
    def create(cls, path: str | Path, facts: TargetFacts | None = None) -> SessionWriter:
        """A new session file; an existing one is never overwritten."""
        path = Path(path)
        make_session(path)
        writer = cls._opened(path)
        if facts:
            writer.set_facts(facts)
        return writer

    @classmethod
    def append(cls, path: str | Path) -> SessionWriter:
        """Go on with an existing file, to resume an experiment or add a window."""
        path = Path(path)
        Session.open(path).close()  # read-only: a stranger's is refused before anything is written
        return cls._opened(path)

    @classmethod
    def _opened(cls, path: Path) -> SessionWriter:
        database = Database(path, write=True)
        try:
            return cls(path, database)
        except duckdb.Error as error:
            database.close()
            raise unreadable(path, error) from error

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
            self._do(lambda db: self._hold_rows(db, source, operations))

    def mark_own(self, source: int, connections: Iterable[tuple[int, int]]) -> None:
        """Mark all operations of these (boot, conn) as the workbench's own."""
        query = "UPDATE operation SET own = true WHERE source = ? AND boot = ? AND conn = ?"
        rows = [[source, boot, conn] for boot, conn in sorted(connections)]
        if rows:
            self._do(self._insert_all)
            self._do(lambda db: db.executemany(query, rows))

    def add_samples(self, source: int, samples: Sequence[Sample]) -> None:
        """Append counters and gauges."""
        if samples:
            self._do(lambda db: self._insert_samples(db, source, samples))

    def add_raw(self, source: int, data: bytes) -> None:
        """Append to the raw text of a source; offsets count from its first byte."""
        if data:
            self._raw.add(source, data)
            self._do(self._hold_frames)

    def check(self) -> None:
        """Raise SessionError where something handed over before could not be written."""
        self._raise_failure()

    def flush(self) -> None:
        """Wait until everything is on disk, raw text included. Raises what went wrong."""
        self._wait(self._do(self._flush))
        self._raise_failure()

    def reader(self) -> Session:
        """What is in the file so far, to read while writing goes on; close it after use."""
        self.flush()
        cursor = self._connection.cursor()
        return Session(self.path, cursor, cursor.close)

    def close(self) -> None:
        """Flush, fold the write-ahead log into the file and let go of it; may be called again."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._failure is None:
                self._do(self._flush)
                self._wait(self._do(lambda db: db.execute("CHECKPOINT")))
        finally:
            # Who hangs in a write cannot be ended, and must hold up nobody else.
            self._thread.shutdown(wait=not self._hangs)
            self._raw.close()
            if not self._hangs:
                self._close_database()
        self._raise_failure()

    def __enter__(self) -> SessionWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_database(self) -> None:
        try:
            self._database.close()
        except duckdb.Error as error:  # a full disk makes even closing fail
            self._failure = self._failure or error

    def _do(self, work: Callable[[duckdb.DuckDBPyConnection], Any]) -> Future[None]:
        self._raise_failure()
        if not self._room.acquire(timeout=PATIENCE_S):
            raise self._stuck()
        return self._thread.submit(self._run, work)

    def _wait(self, work: Future[None]) -> None:
        """Until a piece of work is done, or the disk has been given time enough."""
        try:
            work.result(PATIENCE_S)
        except TimeoutError:
            raise self._stuck() from None

    def _stuck(self) -> SessionError:
        self._hangs = True
        self._failure = TimeoutError(f"the disk has not answered for {PATIENCE_S:.0f} s")
        return self._failed(self._failure)

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
            raise self._failed(self._failure) from self._failure

    def _failed(self, error: BaseException) -> SessionError:
        return SessionError(
            f"The session file {self.path} cannot be written: {words_of(error)}",
            safe="What was written before stays readable; changes of a server are in the journal.",
            remedy="Make room on the disk, then start again with a new file.",
        )

    def _last(self, table: str, column: str = "id") -> int:
        query = f"SELECT max({column}) FROM {table}"  # noqa: S608 - names of our own
        found = self._connection.execute(query).fetchone()
        return int(found[0] or 0) if found else 0

    def _replace(self, table: str, key: str, value: object, row: Sequence[object]) -> None:
        marks = ", ".join("?" * len(row))

        def work(db: duckdb.DuckDBPyConnection) -> None:
            db.execute("BEGIN")
            db.execute(f"DELETE FROM {table} WHERE {key} = ?", [value])  # noqa: S608
            db.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
            db.execute("COMMIT")

        self._do(work)

    def _hold_rows(
        self, db: duckdb.DuckDBPyConnection, source: int, operations: Operations
    ) -> None:
        self._tables[source] = operations
        taken = 0
        while taken < len(operations):
            taken += self._rows.add(source, operations, taken)
            if self._rows.full:
                self._insert_rows(db)
        self._insert_late(db)

    def _hold_frames(self, db: duckdb.DuckDBPyConnection) -> None:
        self._frames += self._raw.frames()
        if len(self._frames) >= RAW_FRAMES:
            self._insert_frames(db)
        self._insert_late(db)

    def _insert_late(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert what has waited for long."""
        if time.monotonic() - self._inserted_at > _WAIT_S:
            self._insert_all(db)

    def _insert_all(self, db: duckdb.DuckDBPyConnection) -> None:
        self._insert_rows(db)
        self._insert_frames(db)

    def _insert_rows(self, db: duckdb.DuckDBPyConnection) -> None:
        """Insert the rows that wait, and the strings they point to."""
        self._inserted_at = time.monotonic()
        db.execute("BEGIN")
        for source, operations in self._tables.items():
            for kind, table in STRING_KINDS.items():
                self._insert_strings(db, source, kind, getattr(operations, table))
        self._tables.clear()
        if len(self._rows):
            _insert(db, "operation", (), self._rows.take())
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
        [(held,)] = db.execute(f"SELECT count(*) FROM {tables[-1]}").fetchall()  # noqa: S608
        if held + count <= RAW_FRAMES:
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

    def _insert_samples(
        self, db: duckdb.DuckDBPyConnection, source: int, samples: Sequence[Sample]
    ) -> None:
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

    def _flush(self, db: duckdb.DuckDBPyConnection) -> None:
        self._raw.finish()
        self._frames += self._raw.frames(wait=True)
        self._insert_all(db)


def _insert(
    db: duckdb.DuckDBPyConnection, table: str, prefix: Sequence[str], batch: dict[str, Any]
) -> None:
    """Append a batch of columns behind the columns of `prefix`, the same in every row."""
    db.register("batch", batch)
    try:
        db.execute(f"INSERT INTO {table} SELECT {', '.join([*prefix, *batch])} FROM batch")  # noqa: S608
    finally:
        db.unregister("batch")
