"""Writing a session file: one thread owns the database, anybody may hand it work."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Mark, Sample, Source, Window
from ldap_workbench.session.batches import BULK_WAIT_S, WAIT_S, Batches
from ldap_workbench.session.codec import from_json, to_json
from ldap_workbench.session.contents import note_own
from ldap_workbench.session.creation import make_session
from ldap_workbench.session.opening import Database, unreadable
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import (
    STRING_KINDS,
    migrate,
)
from ldap_workbench.session.write_thread import WriteThread


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
        self._thread = WriteThread(path, database)
        self._batches = Batches(connection)
        self._closed = False
        self._lock = threading.Lock()
        self._ids = {
            # After a crash a source may be there without its window: that id is taken, too.
            "capture_window": max(
                self._last("capture_window"), self._last("source", "capture_window")
            ),
            "source": self._last("source"),
        }

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
            migrate(database.connection)
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
        self._thread.do(
            lambda db: db.execute("INSERT INTO mark VALUES (?, ?)", [mark.time_ns, to_json(mark)])
        )

    def remove_mark(self, mark: Mark) -> None:
        """Take a mark out again; nothing where it is not there."""

        def work(db: duckdb.DuckDBPyConnection) -> None:
            query = "SELECT rowid, body FROM mark WHERE time_ns = ?"
            for row, body in db.execute(query, [mark.time_ns]).fetchall():
                if from_json(Mark, body) == mark:
                    db.execute("DELETE FROM mark WHERE rowid = ?", [row])

        self._thread.do(work)

    def add_operations(self, source: int, operations: Operations) -> None:
        """Append rows; string tables may have grown since the last call with this source."""
        if len(operations) or any(getattr(operations, name) for name in STRING_KINDS.values()):
            self._thread.do(lambda db: self._batches.hold_rows(db, source, operations))

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Let rows wait for full row groups longer: a crash may cost BULK_WAIT_S, not WAIT_S."""
        self._batches.wait_s = BULK_WAIT_S
        try:
            yield
        finally:
            self._batches.wait_s = WAIT_S

    def mark_own(self, source: int, connections: Iterable[tuple[int, int]]) -> None:
        """Mark all operations of these (boot, conn) as the workbench's own."""
        ours = sorted(connections)
        if not ours:
            return
        query = (
            "UPDATE operation SET own = true "
            "FROM (SELECT unnest(?::INTEGER[]) AS boot, unnest(?::BIGINT[]) AS conn) AS ours "
            "WHERE source = ? AND operation.boot = ours.boot AND operation.conn = ours.conn "
            "AND NOT own"
        )
        boots, conns = [boot for boot, _ in ours], [conn for _, conn in ours]
        self._thread.do(self._batches.insert_all)
        self._thread.do(lambda db: db.execute(query, [boots, conns, source]))

    def add_samples(self, source: int, samples: Sequence[Sample]) -> None:
        """Append counters and gauges."""
        if samples:
            self._thread.do(lambda db: self._batches.insert_samples(db, source, samples))

    def add_raw(self, source: int, data: bytes) -> None:
        """Append to the raw text of a source; offsets count from its first byte."""
        if data:
            self._batches.raw.add(source, data)
            self._thread.do(self._batches.hold_frames)

    def check(self) -> None:
        """Raise SessionError where something handed over before could not be written."""
        self._thread.check()

    def flush(self) -> None:
        """Wait until everything is on disk, raw text included. Raises what went wrong."""
        self._thread.do_now(self._batches.flush)

    def reader(self, *, follows: bool = False) -> Session:
        """What is in the file so far, to read while writing goes on; close it after use.

        One that stays open and is to see what comes `follows` the file.
        """
        self.flush()
        cursor = self._connection.cursor()
        return Session(self.path, cursor, cursor.close, follows=follows)

    def close(self) -> None:
        """Flush, fold the write-ahead log into the file and let go of it; may be called again."""
        if self._closed:
            return
        self._closed = True
        try:
            self._thread.close(self._finish)
        finally:
            self._batches.raw.close()
        self._thread.check()
        note_own(self.path, self._database.file)

    def __enter__(self) -> SessionWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _last(self, table: str, column: str = "id") -> int:
        query = f"SELECT max({column}) FROM {table}"  # noqa: S608 - names of our own
        # Fetched to the end: DuckDB registers no batch on a connection with an open result.
        [(last,)] = self._connection.execute(query).fetchall()
        return int(last or 0)

    def _replace(self, table: str, key: str, value: object, row: Sequence[object]) -> None:
        marks = ", ".join("?" * len(row))

        def work(db: duckdb.DuckDBPyConnection) -> None:
            db.execute("BEGIN")
            db.execute(f"DELETE FROM {table} WHERE {key} = ?", [value])  # noqa: S608
            db.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
            db.execute("COMMIT")

        self._thread.do(work)

    def _finish(self, db: duckdb.DuckDBPyConnection) -> None:
        self._batches.flush(db)
        db.execute("CHECKPOINT")
