"""The command without words: the window, without loading what reads words and prints tables.

Typer, Rich and Pydantic are an eighth of the time until the window is there.
"""

from __future__ import annotations

import gc
import sys

from ldap_workbench.cli.faults import ended


def open_window(paths: list[str], *, smoke: bool = False) -> int:
    """The window, until it is closed; its exit status."""
    from ldap_workbench.gui.app import run  # Qt is loaded only when a window is wanted

    return int(run(paths, smoke=smoke))


def main() -> None:
    """Open the window and exit; an error becomes its sentences and status 1."""
    gc.disable()  # while modules are loaded; the window has a collector of its own
    try:
        status = ended(lambda: open_window([]))
    finally:
        gc.unfreeze()  # else DuckDB's types are called leaked when the process ends
    sys.exit(status)
