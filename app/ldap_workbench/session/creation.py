"""A new session file: there as a whole, or not at all, and its user's alone from the first byte."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import duckdb

from ldap_workbench import __version__
from ldap_workbench.files import sync
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message
from ldap_workbench.session.opening import LOGS, WRITING, check_name, words_of
from ldap_workbench.session.schema import SCHEMA_VERSION, TABLES

_DRAFT = ".session-"
"""Begin of the name of a folder in which a session is made; a kill may leave one behind."""
_FORGOTTEN_S = 3600.0
"""Age at which such a folder belongs to nobody any more: it is needed for less than a second."""
_empty: list[bytes] = []
"""A session without a window, once this process has made one."""


def make_session(path: Path) -> None:
    """Make an empty session under its name; nothing is ever overwritten. Raises SessionError."""
    check_name(path)
    for ending in ("", *LOGS):
        there = path.with_name(path.name + ending)
        if os.path.lexists(there):
            raise SessionError(
                Message("{path} already exists.", path=str(there)),
                safe=Message("It was not touched."),
                remedy=Message("Choose another name, or remove the file first."),
            )
    try:
        _remove_forgotten(path.parent)
        with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=path.parent) as folder:
            draft = Path(folder) / "new.ldapwb"
            _write_tables(draft)
            draft.chmod(0o600)
            sync(draft)
            _give_name(draft, path)
        sync(path.parent)
    except FileExistsError as error:
        raise SessionError(
            Message("{path} already exists.", path=str(path)),
            safe=Message("It was not touched."),
            remedy=Message("Choose another name, or remove the file first."),
        ) from error
    except (duckdb.Error, OSError, ValueError) as error:
        raise SessionError(
            Message(
                "{path} cannot be opened for writing: {reason}",
                path=str(path),
                reason=words_of(error),
            ),
            safe=Message("Nothing was written."),
            remedy=Message("Choose a folder that exists, can be written and has room."),
        ) from error


def _write_tables(draft: Path) -> None:
    """The same bytes for each session of this process: to make them takes DuckDB 40 ms."""
    if not _empty:
        _make_tables(draft)
        _empty.append(draft.read_bytes())
    else:
        draft.write_bytes(_empty[0])


def _make_tables(draft: Path) -> None:
    meta = {"schema": str(SCHEMA_VERSION), "written_by": f"ldap-workbench {__version__}"}
    with duckdb.connect(str(draft), config=WRITING) as db:
        db.execute("BEGIN")  # one, for each waits for the disk
        for table, columns in TABLES.items():
            db.execute(f"CREATE TABLE {table} ({columns})")
        for key, value in meta.items():
            db.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        db.execute("COMMIT")
        db.execute("CHECKPOINT")


def _give_name(draft: Path, path: Path) -> None:
    """Move it without overwriting. Raises FileExistsError."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: what comes in between here would be lost
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.rename(draft, path)


def _remove_forgotten(folder: Path) -> None:
    for draft in folder.glob(f"{_DRAFT}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            if draft.is_dir() and time.time() - draft.lstat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(draft)
