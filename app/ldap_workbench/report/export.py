"""A session as files for other tools: tables, scripts of its changes, dashboards, histograms."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, COLUMNS, RARE, TYPES, Operations
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.model.window import Window
from ldap_workbench.report.change_scripts import ansible_files, dsconf_files, ldif_files
from ldap_workbench.report.grafana import grafana_annotations, grafana_dashboard
from ldap_workbench.report.hlog import hlog
from ldap_workbench.report.openmetrics import openmetrics
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
