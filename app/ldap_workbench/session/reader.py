"""Reading a session file, offline, read-only; the file may come from a stranger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, RARE, TYPES, Latencies, Operations
from ldap_workbench.model.window import Mark, Source, SourceKind, Window
from ldap_workbench.session.codec import check_finite, from_json
from ldap_workbench.session.contents import check_contents, stamp_of
from ldap_workbench.session.details import check_details
from ldap_workbench.session.limits import MAX_ETIME_NS, MAX_FRAME, MAX_TIME_NS, Limits, duckdb
from ldap_workbench.session.lines import first_line
from ldap_workbench.session.opening import Database, unreadable
from ldap_workbench.session.schema import STRING_KINDS, rare_columns, raw_tables

if TYPE_CHECKING:
    from ldap_workbench.model.change import Change
    from ldap_workbench.model.experiment import Experiment
    from ldap_workbench.model.target import TargetFacts

T = TypeVar("T")
_RANGES = {
    "end_ns": (-MAX_TIME_NS, MAX_TIME_NS),
    "etime_ns": (0, MAX_ETIME_NS),
    "kind": (0, len(TYPES) - 1),
    **dict.fromkeys(STRING_KINDS, (-1, 2**31 - 1)),
}
"""What a column is counted or looked up by: beyond it lies another row's memory, or an error."""
_AT_ONCE, _SMALL = 4, 4 << 20
"""Columns of all operations that are read with one question; of a file of fewer bytes, all."""
_LINE_LIMIT = 1 << 16
"""Bytes looked at to find the end of one raw line."""


Sampled = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Times (ns) and values."""


class Session:
    """A session file opened for reading; a cheap object, to be used from one thread at a time."""

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        close: Callable[[], None],
        *,
        growing: bool = True,
        follows: bool = False,
    ) -> None:
        """`growing`: rows may come while it is open; one that `follows` sees new windows, too."""
        self.path = path
        self._growing = growing
        self._follows = follows
        self._db = connection
        self._close = close
        self._size = path.stat().st_size
        self._limits = Limits.of_file(self._size)
        self._asked: dict[tuple[object, ...], list[Any]] = {}
        self._series: dict[int, str] = {}
        self._text_is_bounded = False

    @classmethod
    def open(cls, path: str | Path) -> Session:
        """Open a file read-only. Raises SessionError: not there, not ours, newer, in use."""
        path = Path(path)
        stamp = stamp_of(path)
        database = Database(path, write=False)
        try:
            check_contents(path, database.connection, stamp)
            return cls(path, database.connection, database.close, growing=False)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def rare(self) -> tuple[str, ...]:
        """Columns of RARE in which something is said."""
        return self._answer(lambda: rare_columns(self._db))

    @cached_property
    def meta(self) -> dict[str, str]:
        return dict(self.rows("SELECT key, value FROM meta"))

    @property
    def facts(self) -> TargetFacts | None:
        """What is known of the server; None for an import of files."""
        from ldap_workbench.model.target import TargetFacts

        text = self.meta.get("facts")
        return from_json(TargetFacts, text) if text else None

    def windows(self) -> list[Window]:
        """All windows in the order of their start."""
        query = "SELECT body FROM capture_window ORDER BY start_ns, id"
        return self._nouns(Window, query, check=self._check_times)

    def window(self, name: str | int) -> Window:
        """The window of this id or name. Raises SessionError with those there are."""
        windows = self.windows()
        for window in windows:
            if str(name) in (str(window.id), window.name):
                return window
        known = ", ".join(f"{w.id} ({w.name})" for w in windows) or "none"
        raise SessionError(
            Message("There is no window '{name}'.", name=name),
            remedy=Message("This session has: {known}.", known=known),
        )

    def sources(self, window: int | None = None) -> list[Source]:
        """The sources of a window, or of all."""
        where, parameters = ("", ()) if window is None else ("WHERE capture_window = ?", (window,))
        query = f"SELECT body FROM source {where} ORDER BY id"  # noqa: S608 - our own
        return self._nouns(Source, query, parameters, check=check_details)

    def marks(self) -> list[Mark]:
        return self._nouns(Mark, "SELECT body FROM mark ORDER BY time_ns")

    def experiments(self) -> list[Experiment]:
        from ldap_workbench.model.experiment import Experiment

        query = "SELECT body FROM experiment ORDER BY id"
        return self._nouns(Experiment, query, check=lambda stored: check_finite(stored.plan))

    def changes(self) -> list[Change]:
        from ldap_workbench.model.change import Change

        return self._nouns(Change, "SELECT body FROM change ORDER BY id")

    def operations(self, window: Window) -> Operations:
        """The operations that start in a window, in the order of their result lines."""
        source = self.operation_source(window)
        if source is None:
            return Operations.empty()
        where = "source = ? AND end_ns - etime_ns >= ? AND end_ns - etime_ns < ?"
        columns = self._few_at_once(where, [source, window.start_ns, window.end_ns])
        tables = self.strings(source)
        for kind, table in STRING_KINDS.items():
            # A place behind the end of its table says as little as -1 does, and must not be used.
            if len(places := columns[kind]) and places.max() >= len(tables[table]):
                columns[kind] = np.where(places < len(tables[table]), places, np.int32(-1))
        operations = Operations(**columns, **tables)
        result_at = operations.result_at
        if (result_at[1:] >= result_at[:-1]).all():
            return operations
        return operations.take(np.argsort(result_at, kind="stable"))

    def _few_at_once(self, where: str, parameters: Sequence[object]) -> dict[str, Any]:
        """All columns, in the order in which rows were written.

        An answer needs its memory twice, so few columns are asked for at once; one that has the
        same value everywhere needs none. A file that grows must be asked once.
        """
        names = [name for name in COLUMNS if name not in RARE or name in self.rare]
        most = len(names) if self._growing or self._size < _SMALL else _AT_ONCE
        columns: dict[str, Any] = {}
        for at in range(0, len(names), most):
            part = self._columns(where, parameters, "", names[at : at + most])
            columns |= {name: _shared(values) for name, values in part.items()}
        count = len(columns["end_ns"])
        unsaid = {
            name: np.broadcast_to(np.array(value, COLUMNS[name]), count)
            for name, value in RARE.items()
            if name not in self.rare
        }
        return columns | unsaid

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
        self._check_text()
        tables: dict[str, list[str]] = {name: [] for name in STRING_KINDS.values()}
        query = "SELECT kind, id, value FROM string WHERE source = ? ORDER BY kind, id"
        for kind, place, value in self.rows(query, [source]):
            table = tables.get(STRING_KINDS.get(kind, ""))
            if table is None or place != len(table) or value is None:
                raise self.broken(
                    Message(
                        "its strings are not in order at {place} of {kind}",
                        place=place,
                        kind=repr(kind),
                    )
                )
            table.append(value)
        return {name: tuple(values) for name, values in tables.items()}

    def series_names(self, window: Window) -> list[str]:
        """Names of what was sampled in a window."""
        query = (
            "SELECT DISTINCT name FROM sample JOIN series ON series.id = sample.series "
            "WHERE (value IS NULL OR isfinite(value)) "
            "AND source IN (SELECT id FROM source WHERE capture_window = ?) ORDER BY name"
        )
        names = [name for (name,) in self.rows(query, [window.id])]
        if None in names:
            raise self.broken(_without_value("series"))
        return names

    def samples(self, window: Window, series: str) -> Sampled:
        """Times (ns) and values of one series in a window, in time order."""
        none = np.empty(0, np.int64), np.empty(0, np.float64)
        return self.every_sample(window, [series]).get(series, none)

    def every_sample(self, window: Window, names: Sequence[str]) -> dict[str, Sampled]:
        """Times (ns) and values of each of these series that a window has, in time order.

        One query for all: each has to look through all samples of the file.
        """
        query = (
            "SELECT series, time_ns, value FROM sample WHERE series IN "
            "(SELECT id FROM series WHERE name IN (SELECT unnest(?))) AND source IN "
            "(SELECT id FROM source WHERE capture_window = ?) ORDER BY series, time_ns"
        )
        columns = self.arrays(query, [list(names), window.id])
        times = np.asarray(columns["time_ns"], np.int64)
        if len(times) and not -MAX_TIME_NS < times.min() <= times.max() < MAX_TIME_NS:
            raise self.broken(Message("it has a sample of a time that no clock shows"))
        values = np.asarray(columns["value"], np.float64)
        # No scale has a place for "inf" or "nan": such a sample is as one that was not taken.
        measured = np.isfinite(values)
        times, values, ids = times[measured], values[measured], columns["series"][measured]
        begins = np.flatnonzero(np.diff(ids, prepend=-1))
        if any(number not in self._series for number in ids[begins].tolist()):
            self._series = dict(self.rows("SELECT id, name FROM series"))
        parts = zip(begins, [*begins[1:], len(ids)], strict=False)  # none begins where none is
        return {
            self._series[ids[begin]]: (times[begin:end], values[begin:end]) for begin, end in parts
        }

    def sample_count(self, window: Window) -> int:
        """How many samples a window has, of all series."""
        query = (
            "SELECT count(*) FROM sample WHERE source IN "
            "(SELECT id FROM source WHERE capture_window = ?)"
        )
        [(count,)] = self.rows(query, [window.id])
        return int(count)

    def raw(self, source: int, at: int, length: int) -> bytes:
        """Raw text of a source: up to `length` bytes from offset `at`."""
        one = (
            "SELECT first_byte, size, body FROM {} "
            "WHERE source = $1 AND first_byte < $2 AND first_byte + size > $3"
        )
        # To ask for the tables costs as much as to read a line.
        tables = raw_tables(self._db) if self._growing else self._raw_tables
        query = " UNION ALL ".join(map(one.format, tables))
        frames = self.query(f"{query} ORDER BY 1", [source, at + length, at])
        return self._joined(frames, at, length)

    @cached_property
    def _raw_tables(self) -> list[str]:
        return raw_tables(self._db)

    def _joined(self, frames: duckdb.DuckDBPyConnection, at: int, length: int) -> bytes:
        """Frames one by one, each of which goes on where the one before ended."""
        text, first = bytearray(), -1
        while (frame := self._answer(frames.fetchone)) is not None:
            begin, size, body = frame
            if first < 0:
                first = begin
            elif begin != first + len(text):
                break  # a gap, or frames made to overlap
            text += self._unpacked(size, body)
            if begin + size >= at + length:
                break
        start = max(at - first, 0)
        return bytes(text[start : at - first + length])

    def _unpacked(self, size: Any, body: Any) -> bytes:
        """A frame of `size` bytes. What it says itself of its size would be allocated first."""
        if body is None or size is None or not 0 < size <= MAX_FRAME:
            raise self.broken(Message("it has a frame of raw text of {size} bytes", size=size))
        try:
            if zstandard.frame_content_size(body) not in (size, -1):
                raise self.broken(Message("a frame of raw text has another size than declared"))
            return zstandard.ZstdDecompressor().decompress(body, max_output_size=size)
        except zstandard.ZstdError as error:
            raise self.broken(
                Message("a frame of raw text cannot be unpacked ({error})", error=str(error))
            ) from error

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
        if window.end_ns < window.start_ns:
            raise self.broken(Message("its window {id:plain} ends before it starts", id=window.id))
        logs = (s.id for s in self.sources(window.id) if s.kind is SourceKind.ACCESS_LOG)
        return next(logs, None)

    def _columns(
        self,
        where: str,
        parameters: Sequence[object],
        tail: str,
        names: Sequence[str] = tuple(COLUMNS),
    ) -> dict[str, Any]:
        query = f"SELECT {self.selected(names)} FROM operation WHERE {where} {tail}"  # noqa: S608
        return self.columns(query, parameters, names)

    def selected(self, names: Sequence[str]) -> str:
        """Columns of `operation` for a query: what is not said of an operation has its value."""
        return ", ".join(map(self._selected, names))

    def _selected(self, name: str) -> str:
        if name not in RARE:
            return name
        value = f"CAST('{RARE[name]}' AS BIGINT)"
        if name in self.rare:
            value = f"coalesce({name}, {value})"
        return f"{value} AS {name}"

    def columns(
        self, query: str, parameters: Sequence[object], names: Sequence[str]
    ) -> dict[str, Any]:
        """Columns of `operation` in their types, whose values point nowhere they should not."""
        arrays = self.arrays(query, parameters)
        columns = {name: np.asarray(arrays[name], COLUMNS[name]) for name in names}
        for name, values in columns.items():
            low, high = _RANGES.get(name, (None, None))
            if len(values) and low is not None and not low <= values.min() <= values.max() <= high:
                raise self.broken(Message("'{name}' of an operation is out of range", name=name))
        return arrays | columns

    def _nouns(
        self,
        cls: type[T],
        query: str,
        parameters: Sequence[object] = (),
        *,
        check: Callable[[T], object] = lambda _: None,
    ) -> list[T]:
        """Asked for once, unless this follows the file.

        What judges an experiment or writes its report asks for each of them four times and more.
        """
        key = (query, *parameters)
        if self._follows or key not in self._asked:
            nouns = [from_json(cls, body) for (body,) in self.rows(query, parameters)]
            for noun in nouns:
                check(noun)
            self._asked[key] = nouns
        return list(self._asked[key])

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of an answer, as Python has them."""
        return self._answer(self.query(query, parameters).fetchall)

    def arrays(
        self, query: str, parameters: Sequence[object] = (), limit: int | None = None
    ) -> dict[str, Any]:
        """All rows of an answer, or the first few, as arrays; none without a value."""
        most = self._limits.rows
        query = f"{query} LIMIT {most + 1 if limit is None else limit}"
        arrays = self._answer(self.query(query, parameters).fetchnumpy)
        for name, values in arrays.items():
            if len(values) > most:
                raise self.broken(
                    Message("more than {most} rows do not fit in a file of its size", most=most)
                )
            if np.any(getattr(values, "mask", False)):  # numpy.ma loads slowly
                raise self.broken(_without_value(name))
        return arrays

    def query(self, sql: str, parameters: Sequence[object] = ()) -> duckdb.DuckDBPyConnection:
        """Any other question, for the rooms of this file. Raises SessionError."""
        return self._answer(lambda: self._db.execute(sql, list(parameters)))

    def _answer(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except (duckdb.Error, MemoryError, ValueError) as error:
            raise unreadable(self.path, error) from error

    def _check_text(self) -> None:
        """Once of all sources: what comes while it is open is written by this workbench."""
        if self._text_is_bounded:
            return
        query = "SELECT count(*), coalesce(sum(strlen(value)), 0) FROM string GROUP BY source"
        for count, size in self.rows(query):
            if count > self._limits.rows or size > self._limits.text:
                raise self.broken(
                    Message(
                        "it has {count} strings of {size} bytes, too many for it",
                        count=count,
                        size=size,
                    )
                )
        self._text_is_bounded = True

    def _check_times(self, window: Window) -> None:
        times = window.start_ns, window.end_ns
        if max(map(abs, times)) > MAX_TIME_NS or times[1] - times[0] > MAX_ETIME_NS:
            raise self.broken(
                Message(
                    "its window {id:plain} lasts from {start:plain} to {end:plain} ns",
                    id=window.id,
                    start=times[0],
                    end=times[1],
                )
            )

    def broken(self, what: Message) -> SessionError:
        """A value no workbench writes: the file is damaged, or made to hurt."""
        return SessionError(
            Message("{path} is damaged: {what}.", path=str(self.path), what=what),
            safe=Message("The file was not changed."),
            remedy=Message("It may be truncated or damaged: copy it again from where it was made."),
        )


def _shared(values: NDArray[Any]) -> NDArray[Any]:
    """The same values; where all are equal, all rows share one."""
    alike = len(values) > 1 and values.min() == values.max()
    return np.broadcast_to(values[0].copy(), len(values)) if alike else values


def _without_value(name: str) -> Message:
    return Message("'{name}' has rows without a value", name=name)
