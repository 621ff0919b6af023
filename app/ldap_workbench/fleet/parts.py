"""Operations as Parquet files, for whoever asks them by DuckDB, Spark, Trino or ClickHouse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ldap_workbench.files import replace
from ldap_workbench.fleet.units import Unit
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, COLUMNS, RARE, TYPES, Operations
from ldap_workbench.session.schema import STRING_KINDS

ROWS = 1 << 20
"""Operations of one file: so many wait in memory."""
_UNSAID = {"wtime_ns": ABSENT, "optime_ns": ABSENT} | RARE
_LEFT_OUT = ("own",)
"""What the workbench asked is not among them."""


class PartWriter:
    """Writes the operations of one unit as 'host=NAME/FILE-PLACE-BEGIN-NUMBER.parquet'."""

    def __init__(self, folder: Path, host: str, unit: Unit) -> None:
        self._folder = folder / f"host={file_name(host)}"
        self._stem = f"{file_name(Path(unit.path).name)}-{unit.place}-{unit.begin}"
        self._waiting: list[Operations] = []
        self._rows = self._written = 0

    def add(self, rows: Operations) -> None:
        """Take some more."""
        self._waiting.append(rows)
        self._rows += len(rows)
        if self._rows >= ROWS:
            self._write()

    def finish(self) -> None:
        """Write what waits."""
        if self._rows:
            self._write()

    def _write(self) -> None:
        path = self._folder / f"{self._stem}-{self._written}.parquet"
        draft = path.with_suffix(".draft")
        try:
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            _copy(self._waiting, draft)
            draft.chmod(0o600)
            replace(draft, path)
        except (OSError, duckdb.Error) as error:
            raise LogError(
                Message("{path} cannot be written: {why}", path=str(path), why=str(error)),
                remedy=Message("Make room, or choose a folder that you may write to."),
            ) from error
        self._waiting, self._rows = [], 0
        self._written += 1


def file_name(text: str) -> str:
    """A name of a server or file as part of a path: nothing in it leads elsewhere."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", text).lstrip(".") or "_"


def _copy(waiting: list[Operations], path: Path) -> None:
    batch: dict[str, Any] = {
        name: np.concatenate([getattr(rows, name) for rows in waiting])
        for name in COLUMNS
        if name not in _LEFT_OUT
    }
    said = {
        name
        for name in batch
        if name not in _UNSAID or name in STRING_KINDS or (batch[name] != _UNSAID[name]).any()
    }
    tables = {kind: _table(getattr(waiting[-1], table)) for kind, table in STRING_KINDS.items()}
    tables["kind"] = _table(TYPES)
    joins = " ".join(f"LEFT JOIN {name}_names ON {name}_names.id = batch.{name}" for name in tables)
    with duckdb.connect(config={"threads": "1"}) as db:
        db.register("batch", {name: batch[name] for name in batch if name in said})
        for name, table in tables.items():
            db.register(f"{name}_names", table)
        chosen = ", ".join(_chosen(name) for name in batch if name in said)
        query = f"SELECT end_ns - etime_ns AS start_ns, {chosen} FROM batch {joins}"  # noqa: S608
        quoted = str(path).replace("'", "''")
        db.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")


def _chosen(name: str) -> str:
    if name == "kind":
        return "kind_names.value AS type"
    if name in STRING_KINDS:
        return f"CAST({name}_names.value AS VARCHAR) AS {name}"
    if name in _UNSAID:
        return f"nullif({name}, {_UNSAID[name]}) AS {name}"
    return name


def _table(names: Any) -> dict[str, Any]:
    values = np.array(list(names), object)
    return {"id": np.arange(len(values), dtype=np.int32), "value": values}
