"""The tables of a session file, schema version 2.

`operation` has of the columns of RARE those in which something is said: one that holds nothing
costs an insert as much as one that does. Version 1 has none of them.
"""

from __future__ import annotations

from ldap_workbench.model.operations import COLUMNS, RARE
from ldap_workbench.session.limits import duckdb

SCHEMA_VERSION = 2
STORAGE_VERSION = "v1.2.0"
"""The oldest DuckDB storage format that serves, so that other DuckDBs open the file: the one before
has blocks of one size, of which every table takes one or two, however little it holds."""
BLOCK_BYTES = 1 << 16
"""In smaller blocks DuckDB does not pack numbers."""

SQL_TYPES = {
    "int64": "BIGINT",
    "int32": "INTEGER",
    "uint8": "UTINYINT",
    "int8": "TINYINT",
    "bool": "BOOLEAN",
}

_STEADY = "USING COMPRESSION rle"
"""Of columns that hold the same value for long: DuckDB need not find out how to pack them, which
takes a seventh of the time of an insert."""
_STEADY_COLUMNS = frozenset({"internal", "own", "notes", "boot", "internal_op", "nesting"})
_VARIED = "USING COMPRESSION bitpacking"
"""Of columns that are a number of its own in every row, for the same reason."""
_VARIED_COLUMNS = frozenset(
    {"end_ns", "etime_ns", "wtime_ns", "optime_ns", "conn", "op", "request_at", "result_at"}
)


def _column(name: str) -> str:
    hint = f" {_STEADY}" if name in _STEADY_COLUMNS else ""
    if name in _VARIED_COLUMNS:
        hint = f" {_VARIED}"
    return f"{name} {SQL_TYPES[COLUMNS[name](0).dtype.name]}{hint}"


_OPERATION_COLUMNS = ", ".join(_column(name) for name in COLUMNS if name not in RARE)


def migrate(db: duckdb.DuckDBPyConnection) -> None:
    """Make a file of version 1 that may be written one of this version."""
    query = "UPDATE meta SET value = ? WHERE key = 'schema' AND value = '1'"
    db.execute(query, [str(SCHEMA_VERSION)])


def rare_columns(db: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """The columns of RARE that `operation` has, in their order; of a file that was looked at."""
    columns = db.execute("SELECT * FROM operation LIMIT 0").description or []
    return tuple(column[0] for column in columns if column[0] in RARE)


def add_rare_column(db: duckdb.DuckDBPyConnection, name: str) -> None:
    """Give `operation` a column of RARE, without a value in the rows there are."""
    db.execute(f"ALTER TABLE operation ADD COLUMN {rare_column(name)}")


def rare_column(name: str) -> str:
    """A column of RARE with its type."""
    return f"{name} {SQL_TYPES[COLUMNS[name](0).dtype.name]}"


TABLES = {
    "meta": "key VARCHAR, value VARCHAR",
    # Nouns are kept whole as JSON; what queries filter on has columns of its own.
    "capture_window": "id INTEGER, start_ns BIGINT, end_ns BIGINT, body VARCHAR",
    "source": "id INTEGER, capture_window INTEGER, kind VARCHAR, body VARCHAR",
    "operation": f"source INTEGER {_STEADY}, {_OPERATION_COLUMNS}",
    "string": "source INTEGER, kind VARCHAR, id INTEGER, value VARCHAR",
    "series": "id INTEGER, name VARCHAR",
    "sample": "source INTEGER, series INTEGER, time_ns BIGINT, value DOUBLE",
    # zstd frames; `first_byte` is its offset in the text of the source. Not worth packing again.
    # What does not fit goes on in raw_2, raw_3 ..., see `raw_tables`.
    "raw": "source INTEGER, first_byte BIGINT, size BIGINT, "
    "body BLOB USING COMPRESSION uncompressed",
    "mark": "time_ns BIGINT, body VARCHAR",
    "experiment": "id INTEGER, body VARCHAR",
    "change": "id INTEGER, body VARCHAR",
}

NOUN_TABLES = ("capture_window", "source", "mark", "experiment", "change")
"""Tables with a noun in each row, as JSON."""

STRING_KINDS = {
    "client": "clients",
    "fingerprint": "fingerprints",
    "base": "bases",
    "bind_dn": "bind_dns",
    "index_key": "index_keys",
}
"""Column of `operation` that points into a string table -> name of that table in Operations."""

RAW_FRAMES = 96
"""Frames in one table, and in one transaction while there are enough. A checkpoint that adds a row
to a row group writes all of it anew: with more frames in one, time, memory and file would grow."""


def raw_tables(db: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables that hold raw text, in the order they were filled."""
    query = (
        "SELECT table_name FROM duckdb_tables() WHERE NOT internal "
        r"AND regexp_full_match(table_name, 'raw(_\d+)?') ORDER BY length(table_name), table_name"
    )
    return [name for (name,) in db.execute(query).fetchall()]
