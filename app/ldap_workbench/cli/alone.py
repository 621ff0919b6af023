"""The command without words: the window, without loading what reads words and prints tables.

Typer, Rich and Pydantic are an eighth of the time until the window is there.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ldap_workbench.cli.faults import ended
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

_OF_THE_WINDOW = ("PySide6", "shiboken6", "pyqtgraph")
_LIBRARIES = "libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3 libglib2.0-0 libgssapi-krb5-2"
_NO_LIBRARY = re.compile(r"(lib[\w.+-]+): cannot open shared object file")
"""What the loader of Linux says where Qt is there and a library of the system is not."""


def open_window(paths: list[str], *, smoke: bool = False) -> int:
    """The window, until it is closed; its exit status."""
    with needing_qt():
        from ldap_workbench.gui.app import run  # Qt is loaded only when a window is wanted

    return int(run(paths, smoke=smoke))


@contextmanager
def needing_qt() -> Iterator[None]:
    """Say how to get the window where it cannot be had: a bastion has the command alone."""
    try:
        yield
    except ImportError as error:
        if library := _NO_LIBRARY.match(str(error)):
            raise UsageError(
                Message(
                    "The window and reports as PDF need {library}, which is missing here.",
                    library=library[1],
                ),
                remedy=Message(
                    "Install it; on Debian and Ubuntu: apt-get install {packages}. "
                    "All other commands work without.",
                    packages=_LIBRARIES,
                ),
            ) from error
        if (error.name or "").partition(".")[0] not in _OF_THE_WINDOW:
            raise
        raise UsageError(
            Message("The window is not installed here; a report as PDF needs it, too."),
            remedy=Message(
                "Install it: pip install '{package}'. All other commands work without.",
                package="ldap-tuning-workbench[gui]",
            ),
        ) from error


def main() -> None:
    """Open the window and exit; an error becomes its sentences and status 1."""
    gc.disable()  # while modules are loaded; the window has a collector of its own
    try:
        status = ended(lambda: open_window([]))
    finally:
        gc.unfreeze()  # else DuckDB's types are called leaked when the process ends
    sys.exit(status)
