"""The command that says why one operation was slow."""

from __future__ import annotations

from typing import Annotated

import typer

from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows, with_resolution
from ldap_workbench.figures.operations.index_plan import STATISTICS, SlowSearch, explain
from ldap_workbench.figures.operations.view import Listing
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_duration
from ldap_workbench.session.conditions import parse_conditions
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search

Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]


def why(
    file: File,
    conn: Annotated[int | None, typer.Option(help="Number of its connection.")] = None,
    op: Annotated[int | None, typer.Option(help="Its number on the connection.")] = None,
    window: Windows = None,
    json: Json = False,
) -> None:
    """Say why a search was slow: its index plan, and what its result line tells.

    Without a number it is the slowest search of the windows.
    """
    words = [f"{name}={n}" for name, n in (("conn", conn), ("op", op)) if n is not None]
    with Session.open(file) as session:
        conditions = parse_conditions(" ".join([*words, "type=SRCH"]))
        search = Search(tuple(chosen_windows(session, window)), conditions)
        slowest = Listing(session, search, "etime", descending=True).first
        if not slowest:
            raise UsageError(
                Message("No search of a client in these windows has these numbers."),
                remedy=Message("List searches with: ldap-workbench slowest FILE"),
            )
        reasons = explain(session, slowest[0])
    if json:
        print_json(reasons.as_json())
        return
    _print_search(reasons)


def _print_search(search: SlowSearch) -> None:
    row = search.row
    took = with_resolution(row.etime_ns, row.resolution_ns)
    say(f"{took}  conn={row.conn} op={row.op}  {row.fingerprint}  base {row.base or '(root)'}")
    for reason in search.reasons:
        say(f"  {reason}")
    if search.plan:
        rows = [
            (
                key.attribute,
                key.kind,
                key.value,
                f"{key.entries:,}",
                format_duration(key.time_ns) if key.time_ns is not None else "",
            )
            for key in search.plan
        ]
        print_table(("attribute", "index", "key", "entries", "time"), rows, numbers=("entries",))
        return
    if not search.lacks_plan:
        return
    say(
        "  Two minutes with it, reverted afterwards: "
        f"ldap-workbench capture PROFILE -o FILE --seconds 120 --statistics ({STATISTICS})"
    )
