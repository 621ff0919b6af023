"""Commands about who asks: clients by what they cost, and operations without an answer."""

from __future__ import annotations

from typing import Annotated

import typer

from ldap_workbench.cli.console import print_columns, print_json, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.figures.operations.clients import clients_of, columns
from ldap_workbench.figures.operations.waiting import COLUMNS, waiting_rows
from ldap_workbench.figures.table import by_keys
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search

Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]
_NUMBERS = ("worker s/h", "share", "worker/op.", "connections", "ops/conn.", "operations", "binds")
_SHOWN = (*_NUMBERS, "client", "bind DN", "found")


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
        view = clients_of(session, Search(tuple(chosen_windows(session, window))))
    if json:
        print_json([row.as_json() for row in view.rows])
        return
    if not view.rows:
        say("No operation of a client is in these windows.")
        return
    print_columns(by_keys(columns(view.titles), *_SHOWN), view.rows[:count])
    if len(view.rows) > count:
        say(f"{len(view.rows) - count:,} more clients; -n {len(view.rows)} prints them all.")


def waiting(
    file: File,
    window: Windows = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many.")] = 50,
    json: Json = False,
) -> None:
    """List operations without an answer, and how long they waited for one.

    They wait where the window ends, or their connections were closed in it.
    Searches that a client left open to be notified of changes come last: they wait for no answer.
    """
    with Session.open(file) as session:
        rows = waiting_rows(session, chosen_windows(session, window))
    if json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say("No operation of a client lacks its answer in these windows.")
        return
    print_columns(COLUMNS, rows[:count])
    if len(rows) > count:
        say(f"{len(rows) - count:,} more; -n {len(rows)} prints them all.")
