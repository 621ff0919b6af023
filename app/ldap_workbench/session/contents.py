"""What a session file may hold: the plain tables of the schema, and nothing that could act.

A view, a macro or a computed column of a stranger's file could stand in for what a query asks. So
before anything is read the catalogue must be ours to the letter. It is asked by functions of
DuckDB under their full names, and with none in the query, for a macro of the file could shadow it.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import RARE
from ldap_workbench.session.limits import MAX_BODY, MAX_NOUNS, duckdb
from ldap_workbench.session.opening import LOGS, unreadable
from ldap_workbench.session.schema import (
    NOUN_TABLES,
    SCHEMA_VERSION,
    TABLES,
    add_rare_column,
    rare_column,
)

_OURS = "NOT (database_name = 'system' OR database_name = 'temp')"
"""Rows about the file, whatever its database is called; DuckDB lets no file take these names. Its
column `internal` would not do: a file says of its own entries that they are."""

_FORBIDDEN = {
    "schema": "schema_name FROM system.main.duckdb_schemas()",
    "view": "view_name FROM system.main.duckdb_views()",
    "macro": "function_name FROM system.main.duckdb_functions()",
    "sequence": "sequence_name FROM system.main.duckdb_sequences()",
    "index": "index_name FROM system.main.duckdb_indexes()",
    "trigger": "trigger_name FROM system.main.duckdb_triggers()",
    "coordinate system": "crs_name FROM system.main.duckdb_coordinate_systems()",
}
_HINT = re.compile(r" USING COMPRESSION \w+")
"""How a column is packed means nothing to who reads it; older files have other hints."""
_KEYWORD = re.compile(r"\b(key|name|sample|source|value)\b")
"""Names of ours that DuckDB 2 writes in quotes."""
_RAW = re.compile(r"raw_([1-9][0-9]{0,5})")
_COLUMN = re.compile(r"[(,] ?\"?(\w+)")

_WINDOWS = sys.platform == "win32"
_Stamp = tuple[int, int, int, int, int]
_own: dict[Path, _Stamp] = {}
"""Files that this process wrote itself: in them nothing acts."""
_checked: dict[Path, _Stamp] = {}
"""Files in which it looked for everything."""


def note_own(path: Path, file: tuple[int, int]) -> None:
    """Remember that a file was written here and is closed: nothing that could act is in it.

    `file` is its device and inode: another one may have its name by now.
    """
    stamp = stamp_of(path)
    if stamp and stamp[:2] == file:
        _own[path] = stamp


def stamp_of(path: Path) -> _Stamp | None:
    """What changes whenever a file does; None on Windows, or where a log beside it adds to it."""
    # The ctime of Windows is when a file was made, and whoever changes one may set its mtime back.
    if _WINDOWS or any(os.path.lexists(f"{path}{ending}") for ending in LOGS):
        return None
    try:
        about = path.stat()
    except OSError:  # moved or removed while it was open
        return None
    return (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def check_contents(path: Path, db: duckdb.DuckDBPyConnection, before: _Stamp | None) -> None:
    """Raises SessionError that names what is there and has no place in a session, or is missing.

    `before` is the stamp of the file before it was opened: where it is another one now, nobody
    knows which of both the database reads.
    """
    # DuckDB makes all its views to list the tables: half the time of opening a file again.
    stamp = before if before == stamp_of(path) else None
    if stamp and _checked.get(path) == stamp:
        return
    try:
        # It lists all its functions to say which are the file's, which takes as long.
        reason = NOTHING if stamp and _own.get(path) == stamp else _foreign(db)
        if not reason:
            written = _written_tables(db)
            rare = _rare_of(written.get("operation", ""))
            # To ask DuckDB how it writes them takes a database of its own: a tenth of `tails`.
            if reason := _wrong_tables(written, _as_duckdb_2_writes(rare)):
                reason = _wrong_tables(written, _statements(rare))
        if not reason:
            _check_version(path, db, {str(SCHEMA_VERSION)} if rare else {"1", str(SCHEMA_VERSION)})
            reason = _too_much(db)
    except (duckdb.Error, MemoryError, ValueError) as error:
        raise unreadable(path, error) from error
    if reason:
        raise SessionError(
            Message(
                "{path} is not a session of the LDAP Tuning Workbench: {found}.",
                path=str(path),
                found=reason,
            ),
            safe=Message("Nothing of it was read or run, and the file was not changed."),
            remedy=Message("Ask whoever sent it for the file as the workbench wrote it."),
        )
    if stamp:
        _checked[path] = stamp


def _foreign(db: duckdb.DuckDBPyConnection) -> Message:
    """What could act in place of a table."""
    queries = [f"SELECT '{kind}', {query} WHERE {_OURS}" for kind, query in _FORBIDDEN.items()]
    for kind, name in db.execute(" UNION ALL ".join(queries)).fetchall():
        if (kind, name) != ("schema", "main"):
            return Message("it has the {kind} {name}", kind=kind, name=_quoted(name))
    # Every database lists the built-in types as its own; those of a file come on top.
    columns = "type_name, logical_type, type_size, type_category"
    query = f"SELECT database_name, {columns} FROM system.main.duckdb_types()"  # noqa: S608
    rows = db.execute(f"{query} WHERE NOT database_name = 'system'").fetchall()
    builtin = Counter(row[1:] for row in rows if row[0] == "temp")
    for name, *_ in Counter(row[1:] for row in rows if row[0] != "temp") - builtin:
        return Message("it has the type {name}", name=_quoted(name))
    return NOTHING


def _written_tables(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every table, by the statement that would make it: columns, types, defaults, constraints."""
    query = f"SELECT table_name, sql FROM system.main.duckdb_tables() WHERE {_OURS}"  # noqa: S608
    return {name: _HINT.sub("", sql) for name, sql in db.execute(query).fetchall()}


def _rare_of(statement: str) -> tuple[str, ...]:
    """The columns of RARE in the statement that makes `operation`, in their order."""
    return tuple(name for name in dict.fromkeys(_COLUMN.findall(statement)) if name in RARE)


def _wrong_tables(schema: dict[str, str], expected: dict[str, str]) -> Message:
    if missing := sorted(TABLES.keys() - schema.keys()):
        return Message("it has no table {name}", name=_quoted(missing[0]))
    for name, sql in schema.items():
        kind = "raw" if _RAW.fullmatch(name) else name
        if kind not in expected:
            return Message("it has the table {name}", name=_quoted(name))
        if sql != expected[kind].replace(" raw(", f" {name}(", 1):
            return Message(
                "the columns of its table {name} are {sql}", name=_quoted(name), sql=_quoted(sql)
            )
    return NOTHING


def _as_duckdb_2_writes(rare: tuple[str, ...]) -> dict[str, str]:
    """What `_statements` gives with the DuckDB of today; with another, these fit no file."""
    tables = {**TABLES, "operation": ", ".join([TABLES["operation"], *map(rare_column, rare)])}
    made = {name: f"CREATE TABLE {name}({columns});" for name, columns in tables.items()}
    return {name: _KEYWORD.sub(r'"\g<0>"', _HINT.sub("", sql)) for name, sql in made.items()}


@cache
def _statements(rare: tuple[str, ...]) -> dict[str, str]:
    """How DuckDB writes the statements that make our own tables, with these columns of RARE."""
    with duckdb.connect() as db:
        for name, columns in TABLES.items():
            db.execute(f"CREATE TABLE {name} ({columns})")
        for name in rare:
            add_rare_column(db, name)
        query = "SELECT table_name, sql FROM duckdb_tables()"
        return {name: _HINT.sub("", sql) for name, sql in db.execute(query).fetchall()}


def _check_version(path: Path, db: duckdb.DuckDBPyConnection, versions: set[str]) -> None:
    query = "SELECT key, value FROM meta WHERE key IN ('schema', 'written_by') LIMIT 3"
    meta = dict(db.execute(query).fetchall())
    schema = str(meta.get("schema"))
    if schema in versions:
        return
    if schema.isascii() and schema.isdigit() and len(schema) < 9 and int(schema) > SCHEMA_VERSION:
        raise SessionError(
            Message(
                "{path} was written by a newer workbench ({version}).",
                path=str(path),
                version=_quoted(meta.get("written_by")),
            ),
            safe=Message("The file was not changed."),
            remedy=Message("Update the workbench to open it."),
        )
    raise SessionError(
        Message(
            "{path} says it has schema version {schema}; the newest is {schema_version}.",
            path=str(path),
            schema=_quoted(schema),
            schema_version=SCHEMA_VERSION,
        ),
        safe=Message("The file was not changed."),
        remedy=Message("It may be truncated or damaged: copy it again from where it was made."),
    )


def _too_much(db: duckdb.DuckDBPyConnection) -> Message:
    """More nouns than anybody measured, one that is too long, or one that is not there."""
    counts = "count(*), count(body), coalesce(max(strlen(body)), 0)"
    queries = [f"SELECT '{table}', {counts} FROM {table}" for table in NOUN_TABLES]  # noqa: S608
    queries.append(
        "SELECT 'meta', count(*), count(key) + count(value) - count(*), "
        "coalesce(max(greatest(strlen(key), strlen(value))), 0) FROM meta"
    )
    for table, rows, there, longest in db.execute(" UNION ALL ".join(queries)).fetchall():
        if rows > MAX_NOUNS:
            return Message(
                "its table '{table}' has {rows} rows, more than {limit}",
                table=table,
                rows=rows,
                limit=MAX_NOUNS,
            )
        if there != rows:
            return Message("its table '{table}' has rows without a value", table=table)
        if longest > MAX_BODY:
            return Message(
                "its table '{table}' has a text of {longest} bytes, more than {limit}",
                table=table,
                longest=longest,
                limit=MAX_BODY,
            )
    return NOTHING


def _quoted(text: object) -> str:
    """A name out of the file, as a person can read it whatever it is."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text)[:200])
    return f"'{shown}'" if len(str(text)) <= 200 else f"'{shown}...'"
