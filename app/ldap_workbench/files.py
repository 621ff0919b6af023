"""What operating systems do in ways of their own with files: write them out, replace and lock them.

Below all rooms. Locks are dropped by the kernel when their process ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_READ_ELSEWHERE_S = 2.0
"""For how long a virus scanner or an indexer may have a file open that is to be replaced."""
_LOCKED_BYTE = 1 << 20
"""Far behind the text of a small file: on Windows nobody else may read a byte that is locked."""


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, outlive a loss of power. Raises OSError."""
    is_folder = path.is_dir()
    if is_folder and sys.platform == "win32":
        return  # it opens no folder
    # Windows writes out only what was opened for writing.
    descriptor = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not is_folder or error.errno != errno.EINVAL:  # network file systems
            raise
    finally:
        os.close(descriptor)


def replace(new: Path, path: Path) -> None:
    """Give a file this name, in place of the one that has it, be it read-only. Raises OSError."""
    if sys.platform == "win32":
        with suppress(FileNotFoundError):
            path.chmod(stat.S_IWRITE)
        end = time.monotonic() + _READ_ELSEWHERE_S
        while time.monotonic() < end:
            with suppress(PermissionError):  # whoever has it open there keeps its name, too
                os.replace(new, path)
                return
            time.sleep(0.02)
    os.replace(new, path)


def seize(file: IO[bytes]) -> None:
    """Lock an open file for this process alone, until it is closed. Raises OSError."""
    if sys.platform == "win32":
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(path: Path, *, write: bool) -> bool:
    """Whether another process has the lock that DuckDB takes before it reads or writes a file.

    Never of a file that this process has open: POSIX drops the locks of a process on it. False on
    Windows, where such a file cannot be opened at all.
    """
    if sys.platform != "win32":
        try:
            with path.open("r+b" if write else "rb") as file:
                fcntl.lockf(file, (fcntl.LOCK_EX if write else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False
