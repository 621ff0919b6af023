"""The command without words: the window, without loading what reads words and prints tables.

Typer, Rich and Pydantic are an eighth of the time until the window is there.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ldap_workbench.cli.faults import ended
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

_OF_THE_WINDOW = ("PySide6", "shiboken6", "pyqtgraph")


def open_window(paths: list[str], *, smoke: bool = False) -> int:
    """The window, until it is closed; its exit status."""
    with needing_qt():
        from ldap_workbench.gui.app import run  # Qt is loaded only when a window is wanted

    return int(run(paths, smoke=smoke))


@contextmanager
def needing_qt() -> Iterator[None]:
    """Say how to get the window where it was not installed: a bastion has the command alone."""
    try:
        yield
    except ModuleNotFoundError as error:
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
