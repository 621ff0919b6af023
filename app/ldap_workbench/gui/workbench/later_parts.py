"""Modules that the start leaves out: half a second beside the first comparison would be felt."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message

_LATER = (
    "gui.screens.connect.dialog",
    "gui.screens.connect.sudoers",
    "gui.shell.palette",
    "gui.shell.about",
    "gui.shell.help",
    "gui.screens.start.reading",
    "capture.importing.logs",
    "advice",
    "connect.ldap",
    "report",
)


def load_screens(workbench: Workbench, then: Callable[[object], None]) -> None:
    """Load what the screens are made of in a worker; then call `then`, a QObject's method."""
    title = shown(Message("Preparing"))
    workbench.start("screens", title, lambda _, __: load_screen_parts(), then)


def load_screen_parts() -> None:
    """Load pyqtgraph and all screens; in any thread."""
    import_module("ldap_workbench.gui.shell.screens")
    import_module("ldap_workbench.gui.shell.undo")


def load_later(workbench: Workbench) -> None:
    """Load them in a worker, while nobody waits for it."""
    workbench.start("ready", shown(Message("Preparing")), lambda _, __: load_later_parts())


def load_later_parts() -> None:
    """Load what the first dialog, log, connection, verdict and report need; in any thread."""
    for name in _LATER:
        import_module(f"ldap_workbench.{name}")
