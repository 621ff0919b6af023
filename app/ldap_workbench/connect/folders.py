"""Where the workbench keeps what belongs to its user: profiles, host keys, journal.

`LDAP_WORKBENCH_HOME` names one folder that holds them all; without it they are where the operating
system wants them.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from ldap_workbench.files import replace, sync
from ldap_workbench.model.errors import ChangeError, ProfileError, SessionError
from ldap_workbench.model.message import NOTHING, Message

_NAME = "ldap-workbench"


def config_folder() -> Path:
    """Folder of profiles.toml and known_hosts."""
    return _folder("config", platformdirs.user_config_dir(_NAME, appauthor=False))


def state_folder() -> Path:
    """Folder of the journal of changes."""
    return _folder("state", platformdirs.user_state_dir(_NAME, appauthor=False))


def cache_folder() -> Path:
    """Folder of what can be made again."""
    return _folder("cache", platformdirs.user_cache_dir(_NAME, appauthor=False))


def documents_folder() -> Path:
    """Folder where the desktop keeps what its user makes; the home folder where it has none."""
    folder = Path(platformdirs.user_documents_dir())
    return folder if folder.is_dir() else Path.home()


def runtime_folder() -> Path | None:
    """Folder of sockets, which nobody else can enter; None where there is none.

    That of the login session where it is ours and closed to others, else one in the folder for
    temporary files: a socket's path must be short.
    """
    session = os.environ.get("XDG_RUNTIME_DIR")
    if session and is_private(Path(session)):
        folder = Path(session) / _NAME
    else:
        folder = Path(tempfile.gettempdir()) / _NAME
        if sys.platform != "win32":  # there, each user has a folder for temporary files
            folder = folder.with_name(f"{_NAME}-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder if is_private(folder) else None


def is_private(folder: Path) -> bool:
    """Whether a folder is ours and nobody else may enter it; a link to one is not."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True  # what is in a user's own folders is closed to others, and no mode says so
    return status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077


def _folder(kind: str, of_the_system: str) -> Path:
    """Made where it is missing, for its owner alone."""
    home = os.environ.get("LDAP_WORKBENCH_HOME")
    folder = Path(home) / kind if home else Path(of_the_system)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ProfileError(
            Message(
                "The folder {folder} cannot be created: {reason}.",
                folder=str(folder),
                reason=error.strerror,
            ),
            safe=Message("Nothing was done."),
            remedy=Message(
                "Set the environment variable LDAP_WORKBENCH_HOME to a folder you can write to."
            ),
        ) from error
    return folder


def free_path(path: Path) -> Path:
    """The path itself, or with the first number behind its name that makes a new file of it."""
    free, number = path, 1
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


def unwritable(path: Path, error: OSError) -> ChangeError:
    """A small file of our own that has to be there before a server is changed."""
    return ChangeError(
        Message(
            "{path} cannot be written: {why}.", path=str(path), why=error.strerror or str(error)
        ),
        safe=Message("Nothing was changed."),
        remedy=Message("Make room on the disk, or make the file and its folder writable."),
    )


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file whole, for its owner alone: after a crash it is the old one or the new one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_beside(path: Path, content: str | bytes) -> None:
    """A file beside a session, whole or not at all. Raises SessionError."""
    with writing(path, Message("The session and the server are not affected.")):
        write_atomically(path, content)


@contextmanager
def writing(path: Path, safe: Message = NOTHING) -> Iterator[None]:
    """What goes wrong while this file or folder is written is raised as SessionError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise SessionError(
            Message("{path} cannot be written: {why}.", path=str(path), why=why),
            safe=safe,
            remedy=Message("Make room, or choose a folder that you may write to."),
        ) from error
