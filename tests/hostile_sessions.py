"""Sessions as somebody would make them who wants to hurt, and files that are none at all.

`KINDS` maps what is wrong to who makes it: each takes a path where a small good session lies and
makes it hostile. AT_ONCE are those that no way of opening may accept.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import zstandard

from tests.sessions import build_experiment_session

Spoil = Callable[[Path], None]

REFUSED = ("sqlite", "pipe", "cut in half", "view", "macro in the log", "missing table", "no body")
"""One of AT_ONCE for each way to be refused."""

AT_ONCE: dict[str, Spoil] = {}
LATER: dict[str, Spoil] = {}


def build_good_session(path: Path, pairs: int = 2) -> Path:
    return build_experiment_session(path, pairs=pairs, seconds=5, per_second=20)


def make(kind: str, good: Path, folder: Path) -> Path:
    """A hostile session of a kind, alone in a folder."""
    folder.mkdir()
    path = folder / "s.ldapwb"
    shutil.copy(good, path)
    {**AT_ONCE, **LATER}[kind](path)
    return path


def _sql(*statements: str) -> Spoil:
    def spoil(path: Path) -> None:
        with duckdb.connect(str(path)) as db:
            for statement in statements:
                db.execute(statement)

    return spoil


def _in_log(*statements: str) -> Spoil:
    """The same, left in the write-ahead log by a process that is killed."""

    def spoil(path: Path) -> None:
        work = "".join(f"db.execute({each!r})\n" for each in statements)
        code = f"import duckdb, os, signal\ndb = duckdb.connect({str(path)!r})\n{work}"
        subprocess.run([sys.executable, "-c", f"{code}os.kill(os.getpid(), 9)"], check=False)
        assert path.with_name("s.ldapwb.wal").stat().st_size

    return spoil


def _bytes(content: bytes) -> Spoil:
    return lambda path: path.write_bytes(content) and None


def _replaced(make_it: Callable[[Path], object]) -> Spoil:
    def spoil(path: Path) -> None:
        path.unlink()
        make_it(path)

    return spoil


def _cut(share: float) -> Spoil:
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


def _overwritten(path: Path) -> None:
    """Every block after the headers begins with rubbish."""
    with path.open("r+b") as file:
        for at in range(12288, path.stat().st_size, 262_144):
            file.seek(at)
            file.write(b"\xff" * 64)


def _sqlite(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE meta (key, value)")
    db.close()


def _duckdb_writes(options: str) -> Spoil:
    def spoil(path: Path) -> None:
        path.unlink()
        duckdb.connect().execute(f"COPY (SELECT 1 AS x) TO '{path}' ({options})")

    return spoil


def _body(table: str, value: str) -> Spoil:
    return _sql(f"UPDATE {table} SET body = {value}")


def _set(table: str, change: str) -> Spoil:
    return _sql(f"UPDATE {table} SET {change}")


def _json(table: str, **values: str) -> Spoil:
    """Replace some keys of every noun of a table by JSON."""
    patch = "{" + ", ".join(f'"{key}": {value}' for key, value in values.items()) + "}"
    return _body(table, f"json_merge_patch(body, '{patch}')")


def _frame(body: bytes | Callable[[], bytes], size: int) -> Spoil:
    """Raw text that is such a frame; a large one is made where it is needed."""

    def spoil(path: Path) -> None:
        frame = body if isinstance(body, bytes) else body()
        with duckdb.connect(str(path)) as db:
            db.execute("DELETE FROM raw")
            for source in range(1, 13):
                db.execute("INSERT INTO raw VALUES (?, 0, ?, ?)", [source, size, frame])

    return spoil


def _bomb(size: int) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    piece = bytes(1 << 20)
    return b"".join(packer.compress(piece) for _ in range(size >> 20)) + packer.flush()


def _declared(size: int) -> bytes:
    """A frame that only says how large it is: whoever believes it asks for that much memory."""
    packer = zstandard.ZstdCompressor().compressobj(size)
    return packer.compress(bytes(64 << 20))


def _nested(depth: int) -> str:
    return f"repeat('[', {depth}) || repeat(']', {depth})"


AT_ONCE |= {
    # No session at all
    "empty": _bytes(b""),
    "text": _bytes(b"no database\n" * 2000),
    "gzip": _bytes(b"\x1f\x8b\x08" + bytes(5000)),
    "sqlite": _sqlite,
    "parquet": _duckdb_writes("FORMAT parquet"),
    "csv": _duckdb_writes("FORMAT csv"),
    "folder": _replaced(lambda path: path.mkdir()),
    "pipe": _replaced(lambda path: os.mkfifo(path)),
    "device": _replaced(lambda path: path.symlink_to("/dev/zero")),
    "dangling link": _replaced(lambda path: path.symlink_to("nowhere")),
    "link to itself": _replaced(lambda path: path.symlink_to(path)),
    "only magic": _bytes(b"\0" * 8 + b"DUCK" + b"\xff" * 20_000),
    "cut in the header": _cut(0.001),
    "cut in half": _cut(0.5),
    "overwritten": _overwritten,
    "other database": _replaced(lambda path: duckdb.connect(str(path)).close()),
    # What could act instead of a table
    "view": _sql("CREATE VIEW more AS SELECT 1"),
    "view for a table": _sql(
        "ALTER TABLE mark RENAME TO other",
        "CREATE VIEW mark AS SELECT 1::BIGINT AS time_ns, content AS body "
        "FROM read_text('/etc/passwd')",
    ),
    "view like the catalogue": _sql("CREATE VIEW duckdb_tables AS SELECT 'meta' AS table_name"),
    "macro": _sql("CREATE MACRO max(x) AS 1"),
    "macro of a table": _sql("CREATE MACRO duckdb_tables() AS TABLE SELECT 'meta' AS table_name"),
    "macro of views": _sql("CREATE MACRO duckdb_views() AS TABLE SELECT 'meta' AS table_name"),
    "generated column": _sql(
        "DROP TABLE mark",
        "CREATE TABLE mark (time_ns BIGINT, body VARCHAR AS (repeat('x', 1000000000)))",
    ),
    "default": _sql("ALTER TABLE mark ALTER body SET DEFAULT current_setting('temp_directory')"),
    "check": _sql(
        "DROP TABLE mark", "CREATE TABLE mark (time_ns BIGINT, body VARCHAR CHECK (body > 'a'))"
    ),
    "primary key": _sql("ALTER TABLE mark ADD PRIMARY KEY (time_ns)"),
    "not null": _sql("ALTER TABLE mark ALTER time_ns SET NOT NULL"),
    "index": _sql("CREATE INDEX more ON mark (time_ns)"),
    "schema": _sql("CREATE SCHEMA system"),
    "schema with tables": _sql("CREATE SCHEMA other", "CREATE TABLE other.meta AS FROM main.meta"),
    "sequence": _sql("CREATE SEQUENCE more"),
    "type": _sql("CREATE TYPE more AS ENUM ('a')"),
    "type like a built-in one": _sql("CREATE TYPE main.json AS ENUM ('a')"),
    "extra table": _sql("CREATE TABLE more (id INTEGER)"),
    "table like raw": _sql("CREATE TABLE raw_2 (id INTEGER)"),
    "missing table": _sql("DROP TABLE change"),
    "missing column": _sql("ALTER TABLE mark DROP body"),
    "other column": _sql("ALTER TABLE operation RENAME etime_ns TO etime"),
    "other type": _sql("ALTER TABLE operation ALTER nentries TYPE VARCHAR"),
    "nested type": _sql("ALTER TABLE mark ALTER body TYPE VARCHAR[] USING [body]"),
    "enumeration": _sql("ALTER TABLE mark ALTER body TYPE ENUM ('applied') USING 'applied'"),
    "newer schema": _sql("UPDATE meta SET value = '99' WHERE key = 'schema'"),
    "schema is no number": _sql("UPDATE meta SET value = 'a\x1b[2J' WHERE key = 'schema'"),
    "schema is missing": _sql("DELETE FROM meta"),
    # The log beside it
    "view in the log": _in_log("CREATE VIEW more AS SELECT 1"),
    "macro in the log": _in_log("CREATE MACRO max(x) AS 1"),
    "default in the log": _in_log(
        "ALTER TABLE mark ADD COLUMN more VARCHAR DEFAULT current_setting('temp_directory')"
    ),
    "log is a pipe": lambda path: os.mkfifo(path.with_name("s.ldapwb.wal")),
    "log is a device": lambda path: path.with_name("s.ldapwb.wal").symlink_to("/dev/zero"),
    # More than anybody measured
    "200,000 windows": _sql(
        "INSERT INTO capture_window SELECT range + 100, 1, 2, '{}' FROM range(200000)"
    ),
    "a giant note": _sql("INSERT INTO meta VALUES ('note', repeat('x', 70000000))"),
    "a giant body": _sql("INSERT INTO mark VALUES (1, repeat('x', 70000000))"),
    "no body": _sql("INSERT INTO mark VALUES (1, NULL)"),
    "no key": _sql("INSERT INTO meta VALUES (NULL, 'x')"),
}

if sys.platform == "win32":  # it has no pipes among files, and links are for administrators
    _NONE = {
        "pipe",
        "device",
        "dangling link",
        "link to itself",
        "log is a pipe",
        "log is a device",
    }
    AT_ONCE = {kind: spoil for kind, spoil in AT_ONCE.items() if kind not in _NONE}
    REFUSED = tuple(kind for kind in REFUSED if kind in AT_ONCE)

LATER |= {
    "log is rubbish": lambda path: _bytes(b"\x07" * 50_000)(path.with_name("s.ldapwb.wal")),
    "window is no JSON": _body("capture_window", "'{'"),
    "window is a list": _body("capture_window", "'[1]'"),
    "window is null": _body("capture_window", "'null'"),
    "window nested": _body("capture_window", _nested(100_000)),
    "window of texts": _json("capture_window", start_ns='"now"', id='"x"'),
    "window without an end": _body("capture_window", "'{\"id\": 1}'"),
    "window of real numbers": _json("capture_window", start_ns="1e300"),
    "window of giant numbers": _json("capture_window", end_ns="1" + "0" * 300),
    "window before itself": _json("capture_window", end_ns="1"),
    "window of all times": _json(
        "capture_window", start_ns="-9223372036854775808", end_ns="9223372036854775807"
    ),
    "window of a century": _json("capture_window", start_ns="0", end_ns="3600000000000000000"),
    "window with a hostile name": _json(
        "capture_window", name=r'"\u001b[2J\u001b]0;x\u0007<img src=x>[red]=1+1"'
    ),
    "window with a giant name": _body(
        "capture_window", """json_merge_patch(body, '{"name": "' || repeat('n', 500000) || '"}')"""
    ),
    "source of another kind": _json("source", kind='"gossip"'),
    "source of a list": _json("source", lines="[]"),
    "source with other details": _json("source", details='{"notes": 5, "open_operations": "x"}'),
    "source nested": _json("source", details='{"a": ' + "[" * 500 + "]" * 500 + "}"),
    "source with a number too large": _json("source", samples="9" * 40),
    "source twice": _sql("INSERT INTO source FROM source"),
    "source of nobody": _set("source", "capture_window = 77"),
    "experiment without a plan": _json("experiment", plan="null"),
    "experiment with another verdict": _json("experiment", verdict='{"primary": 3}'),
    "experiment of a list": _json("experiment", verdict="[]"),
    "experiment with odd limits": _json(
        "experiment", plan='{"window_s": 1e308, "guards": {"p99_ns": "x"}}'
    ),
    "experiment without an end": _json("experiment", plan='{"window_s": 1e999, "trim_s": -1e999}'),
    "experiment with an endless limit": _json("experiment", plan='{"guards": {"p99_ns": 1e999}}'),
    "experiment of arms that are none": _json(
        "experiment", step="99", plan='{"steps": [{"arm": "C", "pair": -5}, {"arm": ""}]}'
    ),
    "experiment of windows not there": _json("experiment", windows="[7777]"),
    "change without values": _json("change", asked="7"),
    "change of giant times": _json("change", created_ns="9223372036854775807"),
    "mark of a text": _json("mark", time_ns='"x"'),
    "mark of a giant time": _json("mark", time_ns="-9223372036854775808"),
    "facts of a list": _sql("UPDATE meta SET value = '[]' WHERE key = 'facts'"),
    "facts of other types": _sql(
        """UPDATE meta SET value = json_merge_patch(value, '{"cores": "many", "ram_bytes": []}')
        WHERE key = 'facts'"""
    ),
    "facts nested": _sql(f"UPDATE meta SET value = {_nested(50_000)} WHERE key = 'facts'"),
    "etime below zero": _set("operation", "etime_ns = -5"),
    "etime without a value": _set("operation", "etime_ns = NULL"),
    "etime beyond all": _set("operation", "etime_ns = 9223372036854775807"),
    "end before all times": _set("operation", "end_ns = -9223372036854775807"),
    "kind of nothing": _set("operation", "kind = 250"),
    "kind without a value": _set("operation", "kind = NULL"),
    "text that is not there": _set("operation", "client = 2147483647, fingerprint = 99999"),
    "text before the first": _set("operation", "client = -2147483648"),
    "log line beyond the log": _set("operation", "result_at = 9223372036854775807"),
    "log line before the log": _set("operation", "request_at = -77, result_at = -77"),
    "rows beyond the limit": _sql(
        "INSERT INTO operation SELECT o.* FROM (FROM operation LIMIT 1) AS o, range(2500000)"
    ),
    "strings of another kind": _set("string", "kind = 'gossip'"),
    "strings without an order": _set("string", "id = 5"),
    "strings without a value": _set("string", "value = NULL"),
    "strings of many megabytes": _sql(
        "INSERT INTO string SELECT 1, 'client', range + 4, repeat('x', 1000000) FROM range(90)"
    ),
    "series without a name": _set("series", "name = NULL"),
    "series of one name": _set("series", "name = 'cn=monitor:opscompleted'"),
    "samples without a value": _set("sample", "value = NULL"),
    "samples that are no number": _set("sample", "value = 'nan'"),
    "samples without an end": _set("sample", "value = 'inf'"),
    "samples of giant times": _set("sample", "time_ns = 9223372036854775807"),
    "samples of one time": _set("sample", "time_ns = 0"),
    "frame of gigabytes": _frame(partial(_declared, 8 << 30), 1 << 20),
    "frame of gigabytes undeclared": _frame(partial(_bomb, 1 << 30), 1 << 20),
    "frame of rubbish": _frame(b"\x28\xb5\x2f\xfd" + b"\x99" * 99, 1 << 20),
    "frame of nothing": _frame(b"", 1 << 20),
    "frame below zero": _frame(zstandard.compress(b"x\n"), -1),
    "frame beyond all": _frame(zstandard.compress(b"x\n"), 1 << 62),
    "frames without bytes": _set("raw", "body = NULL"),
    "frames upon each other": _sql("INSERT INTO raw SELECT raw.* FROM raw, range(2000)"),
}
