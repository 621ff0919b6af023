"""The one way a session file is opened: looked at first, then by a DuckDB that reaches no other.

A file may come from a stranger, and so may the write-ahead log beside it. Whoever opens one, to
read or to go on writing, comes through here.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from ldap_workbench.files import is_locked
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message
from ldap_workbench.session.limits import MEMORY_LIMIT, duckdb
from ldap_workbench.session.schema import BLOCK_BYTES, STORAGE_VERSION

_THREADS = min(os.cpu_count() or 1, 8)

_Settings = dict[str, str | bool | int | float | list[str]]

_LOCKED: _Settings = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
_READING: _Settings = {**_LOCKED, "memory_limit": f"{MEMORY_LIMIT}B", "threads": str(_THREADS)}
WRITING: _Settings = {
    **_LOCKED,
    "storage_compatibility_version": STORAGE_VERSION,
    "default_block_size": str(BLOCK_BYTES),
    # A table of raw text at once is more than this and goes straight into the file. What goes
    # through the log stays in memory until then, each large frame in blocks of its own.
    "wal_autocheckpoint": "8MB",
    # One thread inserts; with two, DuckDB cuts what it gets into smaller row groups.
    "threads": "1",
    # Memory grows with the file up to the limit: blocks are kept as if somebody read them.
    "memory_limit": "224MB",
}
LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""What DuckDB keeps beside a file while it is written, and reads back when it is opened."""
_OF_DUCKDB = b"DUCK"
_KINDS = {
    b"SQLite format 3\0": Message("an SQLite database"),
    b"PAR1": Message("a Parquet file"),
    b"PK\x03\x04": Message("a zip archive"),
    b"\x1f\x8b": Message("a gzip file"),
    b"\x28\xb5\x2f\xfd": Message("a zstd file"),
    b"%PDF": Message("a PDF document"),
}

_FileId = tuple[int, int]


class _OpenFiles:
    """Files this process has open, by device and inode.

    POSIX locks belong to a process: closing any descriptor of a file drops DuckDB's lock on it. So
    a file that is open here is never opened a second time to look at its header.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers: Counter[_FileId] = Counter()
        self._writers: set[_FileId] = set()

    def read(self, file: _FileId) -> bool:
        return self._readers[file] > 0

    def written(self, file: _FileId) -> bool:
        return file in self._writers

    def take(self, file: _FileId, *, write: bool) -> None:
        with self._lock:
            if write:
                self._writers.add(file)
            else:
                self._readers[file] += 1

    def release(self, file: _FileId, *, write: bool) -> None:
        with self._lock:
            if write:
                self._writers.discard(file)
            elif self._readers[file] > 0:
                self._readers[file] -= 1


_open_files = _OpenFiles()


class Database:
    """A session file held open; `connection` is good until `close`, which may be called again."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self.file = file = _looked_at(path, write=write)
        self._open = False
        self._write = write
        try:
            self.connection = duckdb.connect(
                str(path), read_only=not write, config=WRITING if write else _READING
            )
        except (duckdb.Error, MemoryError, ValueError) as error:
            if not _open_files.read(file) and is_locked(path, write=write):
                raise _in_use(path, write=write) from error
            raise unreadable(path, error) from error
        _open_files.take(file, write=write)
        self._open = True

    def close(self) -> None:
        """Let go of the file. Raises duckdb.Error: a full disk makes even closing fail."""
        was_open, self._open = self._open, False
        if was_open:
            try:
                self.connection.close()
            finally:
                _open_files.release(self.file, write=self._write)


def unreadable(path: Path, error: BaseException) -> SessionError:
    """What is said of a file that DuckDB gives up on."""
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return SessionError(
            Message("{path} needs more memory than a session may take here.", path=str(path)),
            safe=Message("The file was not changed."),
            remedy=Message(
                "Open it on a machine with more memory. If it comes from a stranger, "
                "it may have been built to exhaust memory."
            ),
        )
    return SessionError(
        Message("{path} cannot be read: {reason}", path=str(path), reason=words_of(error)),
        safe=Message("The file was not changed."),
        remedy=Message("It may be truncated or damaged: copy it again from where it was made."),
    )


def words_of(error: BaseException) -> str:
    """What an error of DuckDB says, without its stack and hints; of the system without numbers.

    Its file is one of ours beside the session: who reads this knows the session alone.
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _looked_at(path: Path, *, write: bool) -> _FileId:
    """Refuse what is no session by what the file system and its first bytes say."""
    about = _status(path)
    check_name(path)
    file = (about.st_dev, about.st_ino)
    if _open_files.written(file) or (write and _open_files.read(file)):
        raise _in_use(path, write=write, here=True)
    if not _open_files.read(file):
        _check_header(path, about.st_size)
    for ending in LOGS:
        beside = path.with_name(path.name + ending)
        with suppress(OSError):
            if not stat.S_ISREG(os.lstat(beside).st_mode):
                raise SessionError(
                    Message(
                        "{beside} is not a regular file, and it would be read with the session.",
                        beside=str(beside),
                    ),
                    safe=Message("Nothing was opened."),
                    remedy=Message("Remove it, or copy the session file alone to another folder."),
                )
    return file


def is_session(path: Path) -> bool:
    """Whether a file looks like a session by its first bytes, whatever its name."""
    try:
        about = _status(path)
        file = (about.st_dev, about.st_ino)
        # Opened and closed once more it would lose the lock that this process has on it.
        if not _open_files.read(file) and not _open_files.written(file):
            _check_header(path, about.st_size)
    except SessionError:
        return False
    return True


def check_name(path: Path) -> None:
    """DuckDB takes names in UTF-8 alone. Raises SessionError."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise SessionError(
            Message(
                "The name of {path} is not UTF-8, which the database of a session needs.",
                path=str(path),
            ),
            safe=Message("Nothing was read or written."),
            remedy=Message("Rename it, then open it again."),
        ) from error


def _status(path: Path) -> os.stat_result:
    """Of a regular file: a pipe would never answer, and to open a device may already do harm."""
    try:
        about = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise SessionError(
            Message("{path} does not exist.", path=str(path)), remedy=Message("Check the path.")
        ) from None
    except (OSError, ValueError) as error:
        raise _refused(path, error) from error
    if not stat.S_ISREG(about.st_mode):
        kind = Message("not a regular file")
        if stat.S_ISDIR(about.st_mode):
            kind = Message("a folder")
        raise SessionError(
            Message("{path} is {kind}, not a session.", path=str(path), kind=kind),
            safe=Message("Nothing was opened."),
            remedy=Message("Choose a session file (*.ldapwb)."),
        )
    return about


def _check_header(path: Path, size: int) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise _refused(path, error) from error
    kind = next((name for magic, name in _KINDS.items() if head.startswith(magic)), None)
    if not size:
        kind = Message("an empty file")
    if head[8:12] != _OF_DUCKDB or kind:
        what = Message("{path} is not a session.", path=str(path))
        if kind:
            what = Message("{path} is {kind}, not a session.", path=str(path), kind=kind)
        raise SessionError(
            what,
            safe=Message("The file was not changed."),
            remedy=Message("To read logs, use: ldap-workbench import PATH -o FILE."),
        )


def _refused(path: Path, error: Exception) -> SessionError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    remedy = Message("Check the name, and the permissions of the file and its folders.")
    if isinstance(error, PermissionError) and sys.platform == "win32":
        # There, a file that another process writes may not even be opened.
        remedy = Message(
            "Another workbench may have it open: close it there, then try again. Otherwise check "
            "the permissions of the file and its folders."
        )
    return SessionError(
        Message("{path} cannot be opened: {reason}.", path=str(path), reason=reason),
        safe=Message("The file was not changed."),
        remedy=remedy,
    )


def _in_use(path: Path, *, write: bool, here: bool = False) -> SessionError:
    who = Message("this workbench") if here else Message("another workbench")
    if write:
        return SessionError(
            Message("{path} is open in {who}.", path=str(path), who=who),
            safe=Message("Nothing was written."),
            remedy=Message("Close it there, then try again."),
        )
    return SessionError(
        Message("{path} is being written by {who}.", path=str(path), who=who),
        safe=Message("Nothing was changed."),
        remedy=Message("Wait until that capture has ended, or stop it."),
    )
