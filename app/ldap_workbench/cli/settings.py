"""`settings`: what the configurations in a session said."""

from __future__ import annotations

from typing import Any

from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.findings import Windows
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue


def settings(file: File, window: Windows = None, json: Json = False) -> None:
    """List the settings from an imported configuration or a capture, window by window."""
    with Session.open(file) as session:
        rows = [row for chosen in chosen_windows(session, window) for row in _said(session, chosen)]
    if json:
        print_json(rows)
        return
    if not rows:
        say("No window has a configuration: import dse.ldif, or an LDIF of cn=config, with it.")
        return
    columns = ("window", "setting", "value", "default", "source")
    print_table(columns, [[str(row[name]) for name in columns] for row in rows])


def _said(session: Session, window: Window) -> list[dict[str, Any]]:
    """Every setting of the sources of a window, the first source's where two say one."""
    by_name: dict[str, dict[str, Any]] = {}
    for source in session.sources(window.id):
        for name, value in source.details.get("settings", {}).items():
            row = {"window": window.name, "setting": name, "value": value}
            by_name.setdefault(name, row | {"default": _default(name), "source": source.name})
    return [by_name[name] for name in sorted(by_name)]


def _default(name: str) -> str:
    """What the server would take without it, "-" where that is not known."""
    catalogue: Catalogue = load_catalogue("openldap" if name.startswith("olc") else "389ds")
    try:
        return catalogue.knob(name).default or "-"
    except KnobError:
        return "-"
