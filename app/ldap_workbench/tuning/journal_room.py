"""Room on the disk for the journal, taken before a change so that its revert can be noted."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

ROOM = 1 << 20
"""Bytes: some 250 pages. A change takes at most three pages each of the five times it is noted."""


def take_room(db: sqlite3.Connection, path: Path) -> None:
    """Make the write-ahead log of a journal `ROOM` bytes long, in zeros to be written over.

    SQLite writes over what lies behind the last commit: to it zeros are a log that ends there. So
    a disk that fills up afterwards takes nothing away, except on a file system that never writes
    in place (btrfs, ZFS, APFS). Raises sqlite3.Error or OSError where there is no room.
    """
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else the room would be added every time
    db.execute("BEGIN IMMEDIATE")  # no other process may write to the log meanwhile
    try:
        log = os.open(f"{path}-wal", os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            _append(log, bytes(ROOM))
            os.fsync(log)
        finally:
            os.close(log)
    finally:
        db.rollback()


def _append(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
