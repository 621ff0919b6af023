"""The command that says where the time of a session went.

Commands about who asks: clients by what they cost, and operations without an answer.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ldap_workbench.advice.account.account import KEYS
from ldap_workbench.cli.console import print_columns, print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.figures.operations.clients import clients_of, columns
from ldap_workbench.figures.operations.waiting import COLUMNS, waiting_rows
from ldap_workbench.figures.overview.account import (
    GROUP_COLUMNS,
    WindowAccount,
    accounts_of,
    explained_columns,
    made_wait_rows,
    not_charged,
    without_holder,
)
from ldap_workbench.figures.table import by_keys
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search

Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]
_PAIRS = 10


def account(
    file: File,
    window: Windows = None,
    by: Annotated[
        str, typer.Option(metavar="KEY", help=f"Group operations by: {', '.join(KEYS)}.")
    ] = "client",
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many groups.")] = 10,
    json: Json = False,
) -> None:
    """Say where the time went: explained by which finding, unexplained, not judged.

    Time in the queue for a worker thread is charged to the operations that held the workers
    meanwhile. It is an account, not a cause.
    """
    if by not in KEYS:
        raise UsageError(
            Message("Operations can't be grouped by {key}.", key=by),
            remedy=Message("Choose one of: {keys:list}.", keys=KEYS),
        )
    with Session.open(file) as session:
        accounts = accounts_of(session, chosen_windows(session, window), by)
    if json:
        print_json([of_window.as_json() for of_window in accounts])
        return
    for number, of_window in enumerate(accounts):
        if number:
            say("")
        _print(of_window, count)


def _print(account: WindowAccount, count: int) -> None:
    summary = account.summary
    say(f"{summary.window.name}: {format_time(summary.window.start_ns)}")
    for sentence in summary.sentences():
        say(f"  {sentence}")
    if summary.explained:
        say("", "Explained, each second once:")
        print_columns(explained_columns(summary.waited_ns), summary.explained)
    if account.groups:
        say("", "Who waited, worked and made others wait:")
        print_columns(GROUP_COLUMNS, account.groups[:count])
        if len(account.groups) > count:
            say(f"{len(account.groups) - count:,} more; -n {len(account.groups)} prints them all.")
    if pairs := made_wait_rows(account):
        say("", "Who waited behind whom, in the queue or blocked:")
        rows = [[format_duration(waited), *names] for *names, waited in pairs[:_PAIRS]]
        print_table(("time", "waited", "behind"), rows, numbers=("time",))
    for sentence in (*without_holder(account), *not_charged(account)):
        say(str(sentence))


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
