"""The command that lists clients by what they cost."""

from __future__ import annotations

from typing import Annotated

import typer

from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.figures.operations.clients import ClientRow, ClientsView, bind_dn_of, clients_of
from ldap_workbench.session.reader import Session

Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]


def clients(
    file: File,
    window: Windows = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many.")] = 20,
    json: Json = False,
) -> None:
    """List clients by the time of worker threads they took, and what is found about each.

    A client is an address and the DN it was bound as.
    """
    with Session.open(file) as session:
        view = clients_of(session, chosen_windows(session, window))
    if json:
        print_json([row.as_json() for row in view.rows])
        return
    if not view.rows:
        say("No operation of a client is in these windows.")
        return
    headings = ("worker s/h", "share", "connections", "ops/conn.", "operations", "binds")
    table = [_row(row, view) for row in view.rows[:count]]
    print_table((*headings, "client", "bind DN", "found"), table, numbers=headings)
    if len(view.rows) > count:
        say(f"{len(view.rows) - count:,} more clients; -n {len(view.rows)} prints them all.")


def _row(row: ClientRow, view: ClientsView) -> list[str]:
    per_connection = row.operations_per_connection
    return [
        f"{row.worker_s_per_h:,.3g}" if row.worker_s_per_h < 1000 else f"{row.worker_s_per_h:,.0f}",
        f"{100 * row.share:.1f} %",
        f"{row.connections:,}",
        f"{per_connection:.1f}" if per_connection is not None else "",
        f"{row.operations:,}",
        f"{row.binds:,}",
        row.address or "(not known)",
        str(bind_dn_of(row)),
        "; ".join(str(view.titles[which]) for which in row.findings),
    ]
