"""`tails --client`: what a client measured, by its labels, and beside the server by type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.sessions import chosen_windows
from ldap_workbench.figures.tails.client_view import ClientRow, ClientView, TypeGap, client_views
from ldap_workbench.figures.tails.table import QUANTILES
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session

_HEADINGS = ("window", "label", "n", "failed", *(column.key for column in QUANTILES))


def print_client_tails(file: Path, windows: list[str] | None, *, json: bool) -> None:
    """Elapsed times of a client's log. Raises UsageError where none was imported."""
    with Session.open(file) as session:
        views = client_views(session, chosen_windows(session, windows))
    if not views:
        raise UsageError(
            Message("No window has a log of a client."),
            remedy=Message("Import the results of JMeter (JTL) with the access log."),
        )
    if json:
        print_json([_as_json(view) for view in views])
        return
    say("Elapsed times as the client measured them, not etimes of the server.")
    rows = [_row(view, row) for view in views for row in view.rows]
    print_table(_HEADINGS, rows, numbers=_HEADINGS[2:])
    for view in views:
        for gap in view.gaps:
            say(f"{view.window.name}: {gap.sentence}")


def _row(view: ClientView, row: ClientRow) -> list[str]:
    counts = [f"{row.elapsed.n:,}", f"{row.failed:,}"]
    quantiles = [column.cell(row.elapsed) for column in QUANTILES]
    return [view.window.name, row.label, *counts, *quantiles]


def _as_json(view: ClientView) -> dict[str, Any]:
    return {
        "window": view.window.name,
        "labels": [
            row.elapsed.to_json()
            | {"label": row.label, "type": row.type, "failed": row.failed}
            | {"connect": row.connect.to_json() if row.connect else None}
            for row in view.rows
        ],
        "types": [_gap(gap) for gap in view.gaps],
    }


def _gap(gap: TypeGap) -> dict[str, Any]:
    return {
        "type": gap.client.type,
        "comparable": gap.comparable,
        "client": gap.client.to_json(),
        "server": gap.server.to_json(),
    }
