"""A session as files for other tools: tables, scripts of its changes, dashboards, histograms.

The etimes of a session as an HdrHistogram log: lines for each window, one an operation type. The
line without a tag holds all client operations of its window: HistogramLogProcessor reads such lines
unless `-tag` names others, and fails where there are none.

Format: HdrHistogram V2 with zlib and base64, log version 1.3, as HistogramLogProcessor and the
viewers of JMeter and wrk2 read it. Values are nanoseconds with three significant digits.
Source: https://github.com/HdrHistogram/HdrHistogram (AbstractHistogram.encodeIntoByteBuffer).
"""

from __future__ import annotations

import base64
import re
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.tails import ascending_etimes
from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, ALL, COLUMNS, RARE, TYPES, Operations
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.report.change_scripts import ansible_files, dsconf_files, ldif_files
from ldap_workbench.report.grafana import grafana_annotations, grafana_dashboard, openmetrics
from ldap_workbench.report.text import cell
from ldap_workbench.session.opening import check_name
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import SQL_TYPES, STRING_KINDS

_TEXTS: dict[str, Callable[[Session], dict[str, str]]] = {
    "ldif": ldif_files,
    "dsconf": dsconf_files,
    "ansible": ansible_files,
    "hlog": lambda session: {"etimes.hlog": hlog(session)},
    "openmetrics": lambda session: {"etimes.prom": openmetrics(session)},
    "grafana": lambda session: {
        "annotations.json": grafana_annotations(session),
        "dashboard.json": grafana_dashboard(session),
    },
}
FORMATS = ("parquet", "csv", *_TEXTS)

_TEXT = {"window_name": "VARCHAR", "type": "VARCHAR"} | dict.fromkeys(STRING_KINDS, "VARCHAR")
_NUMBERS = {
    name: SQL_TYPES[dtype(0).dtype.name]
    for name, dtype in COLUMNS.items()
    if name not in STRING_KINDS and name != "kind"
}
_OPERATION = (
    {"window_id": "INTEGER", "window_name": "VARCHAR", "arm": "VARCHAR", "pair": "INTEGER"}
    | {"type": "VARCHAR", "start_ns": "BIGINT"}
    | _NUMBERS
    | dict.fromkeys(STRING_KINDS, "VARCHAR")
)
"""Columns of an exported operation, NULL where _UNSAID; times are ns since 1970 UTC, etimes ns."""
_UNSAID = {"wtime_ns": ABSENT, "optime_ns": ABSENT} | {
    name: nothing for name, nothing in RARE.items() if nothing and name not in STRING_KINDS
}
"""What stands in a column of numbers where the log does not say it."""
_WINDOW = {
    "id": "INTEGER",
    "name": "VARCHAR",
    "arm": "VARCHAR",
    "pair": "INTEGER",
    "start_ns": "BIGINT",
    "end_ns": "BIGINT",
    "cancelled": "BOOLEAN",
    "note": "VARCHAR",
}
_SAMPLE = {"window_id": "INTEGER", "series": "VARCHAR", "time_ns": "BIGINT", "value": "DOUBLE"}
_TABLES = {"windows": _WINDOW, "operations": _OPERATION, "samples": _SAMPLE}

Clean = Callable[[str], str]


def export(
    session: Session | str | Path,
    folder: str | Path,
    formats: Iterable[str],
    progress: OnProgress = no_progress,
) -> list[Path]:
    """Write the chosen FORMATS into a folder, made if absent; returns the files.

    Tables are windows, operations and samples; files of these names are replaced. In CSV no text
    can run as a formula of a spreadsheet. Raises UsageError for an unknown format, or a script of
    changes where nothing was changed, SessionError where a file cannot be written.
    """
    wanted = list(dict.fromkeys(formats))
    unknown = [format_name for format_name in wanted if format_name not in FORMATS]
    if unknown or not wanted:
        raise UsageError(
            Message("'{formats}' is not an export format.", formats=tuple(unknown)),
            safe=Message("Nothing was written."),
            remedy=Message("Choose from {formats}.", formats=FORMATS),
        )
    check_name(Path(folder))
    if isinstance(session, Session):
        return _export(session, Path(folder), wanted, progress)
    with Session.open(session) as opened:
        return _export(opened, Path(folder), wanted, progress)


def _export(
    session: Session, folder: Path, wanted: Sequence[str], progress: OnProgress
) -> list[Path]:
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        written = []
        # Made in a folder nobody else may enter, then moved: a link of that name is not followed.
        with tempfile.TemporaryDirectory(prefix=".export-", dir=folder) as room:
            for format_name in wanted:
                if format_name in _TEXTS:
                    drafts = _write_texts(_TEXTS[format_name](session), Path(room))
                else:
                    drafts = _write_tables(session, Path(room), format_name, progress)
                written += [_publish(draft, folder) for draft in drafts]
    except (OSError, duckdb.Error) as error:
        raise SessionError(
            Message(
                "The export to {folder} failed: {why}",
                folder=str(folder),
                why=str(error).splitlines()[0],
            ),
            safe=Message("The session was not changed."),
            remedy=Message("Choose a folder that can be written and has room."),
        ) from error
    return written


def _publish(draft: Path, folder: Path) -> Path:
    draft.chmod(0o600)
    return draft.replace(folder / draft.name)


def _write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    written = []
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        written.append(folder / name)
    return written


def _write_tables(session: Session, folder: Path, kind: str, progress: OnProgress) -> list[Path]:
    """Gather in a database beside the files, so that no session is too large for memory."""
    clean: Clean = cell if kind == "csv" else str
    options = "FORMAT csv, HEADER" if kind == "csv" else "FORMAT parquet, COMPRESSION zstd"
    with duckdb.connect(str(folder / f"{kind}.duckdb")) as db:
        for table, columns in _TABLES.items():
            declared = ", ".join(f'"{name}" {sql}' for name, sql in columns.items())
            db.execute(f"CREATE TABLE {table} ({declared})")
        windows = session.windows()
        for index, window in enumerate(windows):
            text = Message("Exporting window {name} as {kind}", name=window.name, kind=kind)
            progress(Progress(text, index / len(windows)))
            _add_window(db, session, window, clean)
        return [_copy(db, table, folder / f"{table}.{kind}", options) for table in _TABLES]


def _copy(db: duckdb.DuckDBPyConnection, table: str, path: Path, options: str) -> Path:
    name = str(path).replace("'", "''")
    db.execute(f"COPY {table} TO '{name}' ({options})")
    return path


def _add_window(
    db: duckdb.DuckDBPyConnection, session: Session, window: Window, clean: Clean
) -> None:
    row = [window.id, clean(window.name), clean(window.arm), window.pair]
    row += [window.start_ns, window.end_ns, window.cancelled, clean(str(window.notes))]
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO windows VALUES ({marks})", row)  # noqa: S608
    operations = session.operations(window)
    if len(operations):
        _insert(db, "operations", _operation_columns(window, operations, clean))
    for series in session.series_names(window):
        times, values = session.samples(window, series)
        batch = {
            "window_id": np.full(len(times), window.id, np.int32),
            "series": _repeated(clean(series), len(times)),
            "time_ns": times,
            "value": values,
        }
        _insert(db, "samples", batch)


def _operation_columns(window: Window, operations: Operations, clean: Clean) -> dict[str, Any]:
    n = len(operations)
    types = np.array(TYPES, dtype=object)
    batch: dict[str, Any] = {
        "window_id": np.full(n, window.id, np.int32),
        "window_name": _repeated(clean(window.name), n),
        "arm": _repeated(clean(window.arm), n),
        "pair": np.full(n, window.pair, np.int32),
        "type": types[operations.kind],
        "start_ns": operations.start_ns,
    }
    batch |= {name: np.ascontiguousarray(getattr(operations, name)) for name in _NUMBERS}
    for name, table in STRING_KINDS.items():
        # Index -1 is 'unknown' and falls on the empty string at the end.
        strings = np.array([*map(clean, getattr(operations, table)), ""], dtype=object)
        batch[name] = strings[getattr(operations, name)]
    return batch


def _repeated(text: str, n: int) -> Any:
    repeated = np.empty(n, dtype=object)
    repeated[:] = text
    return repeated


def _insert(db: duckdb.DuckDBPyConnection, table: str, batch: dict[str, Any]) -> None:
    columns = ", ".join(
        f'nullif("{name}", {_UNSAID[name]})' if name in _UNSAID else f'"{name}"'
        for name in _TABLES[table]
    )
    db.register("batch", batch)
    try:
        db.execute(f"INSERT INTO {table} SELECT {columns} FROM batch")  # noqa: S608
    finally:
        db.unregister("batch")


DIGITS = 3
_HALF_BITS = 10
"""2,048 steps double the two thousand that three digits take; half of them is 2^10."""
_MASK = (2 << _HALF_BITS) - 1
_HIGHEST_NS = 1 << 52
"""52 days, the largest etime that is told apart; what is longer counts as that."""
_PLAIN, _PACKED = 0x1C849303 | 0x10, 0x1C849304 | 0x10
_HEADINGS = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def hlog(session: Session) -> str:
    """The log of a session; its base time is the start of the first window."""
    windows = session.windows()
    base_ns = min((window.start_ns for window in windows), default=0)
    head = [
        "#[LDAP Tuning Workbench: etime in ns; a tag is ARM:TYPE, no tag is all client operations]",
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {base_ns / NS_PER_S:.3f} (seconds since epoch)]",
        f"#[BaseTime: {base_ns / NS_PER_S:.3f} (seconds since epoch)]",
        _HEADINGS,
    ]
    lines = [line for window in windows for line in _lines(session, window, base_ns)]
    return "\n".join([*head, *lines]) + "\n"


def _lines(session: Session, window: Window, base_ns: int) -> Iterator[str]:
    """As `tails` counts them: SRCH is what clients searched, INTERNAL is apart."""
    arm = re.sub(r"[^A-Za-z0-9]", "_", window.arm or window.name)
    at = f"{(window.start_ns - base_ns) / NS_PER_S:.3f},{window.seconds:.3f}"
    for kind, etimes in ascending_etimes(session.latencies(window)).items():
        if len(etimes):
            tag = "" if kind == ALL else f"Tag={arm}:{kind},"
            yield f"{tag}{at},{etimes[-1] / 1e6:.3f},{encoded(etimes)}"


def encoded(etimes_ns: NDArray[np.int64]) -> str:
    """A histogram of etimes (n, in ns) as V2, zlib and base64."""
    values = np.clip(etimes_ns, 0, _HIGHEST_NS)
    counts = np.bincount(_indices(values))
    body = _leb128(counts)
    plain = struct.pack(">iiiiqqd", _PLAIN, len(body), 0, DIGITS, 1, _HIGHEST_NS, 1.0)
    packed = zlib.compress(plain + body)
    return base64.b64encode(struct.pack(">ii", _PACKED, len(packed)) + packed).decode()


def _indices(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of the counter of each value: the bucket doubles, 1,024 steps in each."""
    _, bits = np.frexp((values | _MASK).astype(np.float64))
    bucket = bits.astype(np.int64) - (_HALF_BITS + 1)
    step = values >> bucket
    return ((bucket + 1) << _HALF_BITS) + step - (1 << _HALF_BITS)


def _leb128(counts: NDArray[np.int64]) -> bytes:
    """Counts as ZigZag LEB128; a run of zeros is the negative of its length."""
    buffer = bytearray()
    present = np.flatnonzero(counts)
    before = -1
    for index in present:
        if (zeros := int(index) - before - 1) > 0:
            _put(buffer, -zeros)
        _put(buffer, int(counts[index]))
        before = int(index)
    return bytes(buffer)


def _put(buffer: bytearray, value: int) -> None:
    """One number of at most 64 bits; the ninth byte holds eight of them."""
    rest = (value << 1) ^ (value >> 63) if value < 0 else value << 1
    rest &= (1 << 64) - 1
    for _ in range(8):
        if rest < 0x80:
            buffer.append(rest)
            return
        buffer.append(rest & 0x7F | 0x80)
        rest >>= 7
    buffer.append(rest)
