"""Batches on their way into the database: they wait until they are worth a transaction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import COLUMNS, RARE, Operations
from ldap_workbench.model.window import Sample
from ldap_workbench.session.packing import Frame, RawPacker
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
                if not (values != RARE[name]).any():
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


_WAIT_S = 2.0
"""What waits for more of its kind waits no longer: so much a crash may cost."""


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
        if time.monotonic() - self._inserted_at > _WAIT_S:
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
