"""Errors nobody expected: told in our words, and kept in a report for whoever mends them.

A report holds versions and stacks, never the words of an error: those may name servers, entries
or worse.
"""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from ldap_workbench import __version__
from ldap_workbench.connect.folders import state_folder
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, verbatim


def in_our_words(error: Exception) -> WorkbenchError:
    """An error as a person may see it; one that nobody expected leaves a crash report.

    Its notes say what is safe: they were added by who put the server back on its way up.
    """
    if isinstance(error, WorkbenchError):
        return error
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        # A file that cannot be read or written is no fault of ours.
        name = os.fsdecode(error.filename)
        explained = WorkbenchError(
            Message("{name}: {reason}.", name=name, reason=error.strerror),
            remedy=Message("Choose another file or folder."),
        )
    else:
        explained = WorkbenchError(
            Message(
                "The workbench failed because of a bug of its own ({kind}).",
                kind=type(error).__name__,
            ),
            safe=verbatim(" ".join(notes)) if (notes := getattr(error, "__notes__", ())) else None,
            remedy=_where_it_is(error),
        )
    explained.__cause__ = error
    return explained


def _where_it_is(error: Exception) -> Message:
    try:
        path = str(write_report(error))
    except OSError as second:
        return Message("No crash report could be written: {reason}.", reason=second.strerror)
    return Message("Send the report, which holds no names and no secrets: {path}", path=path)


_KEPT = 20
"""Reports that are kept: a fault at every paint must not fill the disk."""


def report_folder() -> Path:
    """Where reports are; a new private folder where the user's own cannot be written."""
    try:
        folder = state_folder() / "crashes"
        folder.mkdir(mode=0o700, exist_ok=True)
    except (OSError, WorkbenchError):
        return _elsewhere()
    return folder if os.access(folder, os.W_OK) else _elsewhere()


def write_report(error: BaseException) -> Path:
    """A report of one error, for its owner alone. Raises OSError where there is no place at all."""
    now = datetime.now(UTC)
    folder, text = report_folder(), f"{now:%Y-%m-%d %H:%M:%S} UTC\n{versions()}\n{stack_of(error)}"
    try:
        return _written(folder, now, text)
    except OSError:  # a disk that is full, for one: it may not be the only one
        return _written(_elsewhere(), now, text)


def versions() -> str:
    """What this runs on, in one line."""
    system = f"{platform.system()} {platform.release()}"
    return f"ldap-workbench {__version__}, Python {platform.python_version()}, {system}"


def stack_of(error: BaseException) -> str:
    """The kinds of an error and its causes, and where each was raised; not their words."""
    lines: list[str] = []
    step: BaseException | None = error
    while step is not None:
        lines += [f"{type(step).__name__}\n", *traceback.format_tb(step.__traceback__)]
        step = step.__cause__ or step.__context__
    return "".join(lines)


def _elsewhere() -> Path:
    return Path(tempfile.mkdtemp(prefix="ldap-workbench-crash-"))


def _written(folder: Path, now: datetime, text: str) -> Path:
    path = folder / f"fault-{now:%Y%m%dT%H%M%S.%f}-{os.getpid()}.txt"
    # O_EXCL follows no link either, where the system has no O_NOFOLLOW.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    for old in sorted(folder.glob("fault-*.txt"))[:-_KEPT]:
        old.unlink(missing_ok=True)
    return path
