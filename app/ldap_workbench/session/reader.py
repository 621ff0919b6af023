"""Reading a session file, offline, read-only; the file may come from a stranger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
import zstandard
from numpy.typing import NDArray

from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.operations import COLUMNS, Latencies, Operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Mark, Source, SourceKind, Window
from ldap_workbench.session.codec import from_json
from ldap_workbench.session.lines import first_line
from ldap_workbench.session.schema import SCHEMA_VERSION, STRING_KINDS, TABLES, raw_tables

T = TypeVar("T")
_LINE_LIMIT = 1 << 16
"""Bytes looked at to find the end of one raw line."""


class Session:
    """A session file opened for reading; a cheap object, to be used from one thread at a time."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._db = connection

    @classmethod
    def open(cls, path: str | Path) -> Session:
        """Open a file read-only. Raises SessionError: not there, not ours, newer, in use."""
        path = Path(path)
        if not path.is_file():
            raise SessionError(f"{path} does not exist.", remedy="Check the path.")
        try:
            connection = duckdb.connect(
                str(path),
                read_only=True,
                config={"enable_external_access": "false", "lock_configuration": "true"},
            )
        except duckdb.Error as error:
            raise _unreadable(path, error) from error
        session = cls(path, connection)
        try:
            session._check()
        except BaseException:
            connection.close()
            raise
        return session

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def meta(self) -> dict[str, str]:
        return dict(self._rows("SELECT key, value FROM meta"))

    @property
    def facts(self) -> TargetFacts | None:
        """What is known of the server; None for an import of files."""
        text = self.meta.get("facts")
        return from_json(TargetFacts, text) if text else None

    def windows(self) -> list[Window]:
        """All windows in the order of their start."""
        return self._nouns(Window, "SELECT body FROM capture_window ORDER BY start_ns, id")

    def window(self, name: str | int) -> Window:
        """The window of this id or name. Raises SessionError with those there are."""
        windows = self.windows()
        for window in windows:
            if str(name) in (str(window.id), window.name):
                return window
        known = ", ".join(f"{w.id} ({w.name})" for w in windows) or "none"
        raise SessionError(f"There is no window '{name}'.", remedy=f"This session has: {known}.")

    def sources(self, window: int | None = None) -> list[Source]:
        """The sources of a window, or of all."""
        if window is None:
            return self._nouns(Source, "SELECT body FROM source ORDER BY id")
        query = "SELECT body FROM source WHERE capture_window = ? ORDER BY id"
        return self._nouns(Source, query, [window])

    def marks(self) -> list[Mark]:
        return self._nouns(Mark, "SELECT body FROM mark ORDER BY time_ns")

    def experiments(self) -> list[Experiment]:
        return self._nouns(Experiment, "SELECT body FROM experiment ORDER BY id")

    def changes(self) -> list[Change]:
        return self._nouns(Change, "SELECT body FROM change ORDER BY id")

    def operations(self, window: Window) -> Operations:
        """The operations that start in a window, in the order of their result lines."""
        source = self.operation_source(window)
        if source is None:
            return Operations.empty()
        where = "source = ? AND end_ns - etime_ns >= ? AND end_ns - etime_ns < ?"
        found = self._columns(where, [source, window.start_ns, window.end_ns], "ORDER BY result_at")
        return Operations(**found, **self.strings(source))

    def latencies(self, window: Window) -> Latencies:
        """End, etime and kind of the operations that start in a window, in no order."""
        source = self.operation_source(window)
        where = "source = ? AND end_ns - etime_ns >= ? AND end_ns - etime_ns < ?"
        parameters = [-1 if source is None else source, window.start_ns, window.end_ns]
        return Latencies(
            **self._columns(where, parameters, "", [f.name for f in fields(Latencies)])
        )

    def client_columns(self, window: Window, names: Sequence[str]) -> dict[str, Any]:
        """Some columns of the client operations that start in a window, in no order."""
        source = self.operation_source(window)
        where = (
            "source = ? AND end_ns - etime_ns >= ? AND end_ns - etime_ns < ? "
            "AND NOT internal AND NOT own"
        )
        parameters = [-1 if source is None else source, window.start_ns, window.end_ns]
        return self._columns(where, parameters, "", names)

    def strings(self, source: int) -> dict[str, Any]:
        """The string tables of a source: clients, fingerprints, bases, bind_dns."""
        tables: dict[str, list[str]] = {name: [] for name in STRING_KINDS.values()}
        query = "SELECT kind, value FROM string WHERE source = ? ORDER BY kind, id"
        for kind, value in self._rows(query, [source]):
            tables[STRING_KINDS[kind]].append(value)
        return {name: tuple(values) for name, values in tables.items()}

    def series_names(self, window: Window) -> list[str]:
        """Names of what was sampled in a window."""
        query = (
            "SELECT DISTINCT name FROM sample JOIN series ON series.id = sample.series "
            "WHERE source IN (SELECT id FROM source WHERE capture_window = ?) ORDER BY name"
        )
        return [name for (name,) in self._rows(query, [window.id])]

    def samples(self, window: Window, series: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Times (ns) and values of one series in a window, in time order."""
        query = (
            "SELECT time_ns, value FROM sample WHERE series = "
            "(SELECT id FROM series WHERE name = ?) AND source IN "
            "(SELECT id FROM source WHERE capture_window = ?) ORDER BY time_ns"
        )
        found = self.query(query, [series, window.id]).fetchnumpy()
        return np.asarray(found["time_ns"], np.int64), np.asarray(found["value"], np.float64)

    def raw(self, source: int, at: int, length: int) -> bytes:
        """Raw text of a source: up to `length` bytes from offset `at`."""
        one = (
            "SELECT first_byte, size, body FROM {} "
            "WHERE source = $1 AND first_byte < $2 AND first_byte + size > $3"
        )
        query = " UNION ALL ".join(one.format(table) for table in raw_tables(self._db))
        text = b""
        first = at
        for begin, size, body in self._rows(f"{query} ORDER BY 1", [source, at + length, at]):
            if not text:
                first = begin
            text += zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=size)
        return text[max(at - first, 0) : at - first + length]

    def raw_line(self, source: int, at: int) -> str:
        """The line, or the JSON object printed over several lines, that starts at an offset.

        Undecodable bytes are shown as escapes.
        """
        return first_line(self.raw(source, at, _LINE_LIMIT))

    def raw_around(self, source: int, at: int, lines: int = 5) -> list[str]:
        """The line at an offset with up to `lines` lines before and after it."""
        start = max(0, at - _LINE_LIMIT)
        before = self.raw(source, start, at - start).split(b"\n")[:-1]
        after = self.raw(source, at, _LINE_LIMIT).split(b"\n")[: lines + 1]
        chosen = before[-lines:] + after if lines else after
        return [line.decode("utf-8", "backslashreplace") for line in chosen]

    def operation_source(self, window: Window) -> int | None:
        """Id of the source the operations of a window come from: their raw text is there."""
        for source in self.sources(window.id):
            if source.kind == SourceKind.ACCESS_LOG:
                return source.id
        return None

    def _columns(
        self,
        where: str,
        parameters: Sequence[object],
        tail: str,
        names: Sequence[str] = tuple(COLUMNS),
    ) -> dict[str, Any]:
        query = f"SELECT {', '.join(names)} FROM operation WHERE {where} {tail}"  # noqa: S608
        found = self.query(query, parameters).fetchnumpy()
        return {name: np.asarray(found[name], COLUMNS[name]) for name in names}

    def _nouns(self, cls: type[T], query: str, parameters: Sequence[object] = ()) -> list[T]:
        return [from_json(cls, body) for (body,) in self._rows(query, parameters)]

    def _rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self.query(query, parameters).fetchall()

    def query(self, sql: str, parameters: Sequence[object] = ()) -> duckdb.DuckDBPyConnection:
        """Any other question, for the rooms of this file. Raises SessionError."""
        try:
            return self._db.execute(sql, list(parameters))
        except duckdb.Error as error:
            raise _unreadable(self.path, error) from error

    def _check(self) -> None:
        # Views and macros of a stranger's file could stand in for our tables.
        rows = self._rows("SELECT table_name FROM duckdb_tables() WHERE NOT internal")
        missing = TABLES.keys() - {name for (name,) in rows}
        if missing:
            raise SessionError(
                f"{self.path} is not a session of the LDAP Tuning Workbench.",
                safe="The file was not changed.",
                remedy="To read logs, use: ldap-workbench import PATH -o FILE.",
            )
        version = int(self.meta.get("schema", "0"))
        if version > SCHEMA_VERSION:
            raise SessionError(
                f"{self.path} was written by a newer workbench ({self.meta.get('written_by')}).",
                safe="The file was not changed.",
                remedy="Update the workbench to open it.",
            )


def _unreadable(path: Path, error: duckdb.Error) -> SessionError:
    text = str(error).splitlines()[0]
    if "lock" in text.lower():
        return SessionError(
            f"{path} is being written by another workbench.",
            safe="Nothing was changed.",
            remedy="Wait until its capture has ended, or stop that one.",
        )
    return SessionError(
        f"{path} cannot be read: {text}",
        safe="The file was not changed.",
        remedy="It may be cut short or no session at all: copy it again from where it was made.",
    )
