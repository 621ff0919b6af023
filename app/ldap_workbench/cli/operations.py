"""Commands that look for operations in a session file: slowest, groups.

The command that says why one operation was slow.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import print_columns, print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows, with_resolution
from ldap_workbench.figures.operations.index_plan import STATISTICS, SlowSearch, explain
from ldap_workbench.figures.operations.table import GROUP_NAME, GROUP_NUMBERS
from ldap_workbench.figures.operations.view import Listing, grouped, resolved
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ABSENT, TYPES, text_at
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.session.conditions import parse_conditions
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import GROUPINGS, Found, Search, ordered, rows, unanswered

_CSN = re.compile(r"\bcsn[\"']?[=:]\s*[\"']?([0-9a-f]{20})", re.ASCII)
Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]
Find = Annotated[
    str,
    typer.Option(
        "--find",
        help="All terms must match: etime>100ms, err!=0, entries>1000, conn=7, type=SRCH, "
        'notes=U, filter="(uid=?)", client=, base=, dn=, suffix=, parent=, entry=, attribute=, '
        "from= and to= (ISO times), end>=, ops=CONN/OP,..., internal=yes, source=N, finding=ID or "
        "finding=ID/N (of its Nth evidence), or a part of one of those texts.",
    ),
]
Internal = Annotated[bool, typer.Option("--internal", help="Include the server's own operations.")]


def slowest(
    file: File,
    window: Windows = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many.")] = 10,
    lines: Annotated[int, typer.Option("--lines", min=0, help="Raw lines around each.")] = 0,
    find: Find = "",
    internal: Internal = False,
    json: Json = False,
) -> None:
    """Print the slowest operations, each with its request from the log."""
    with Session.open(file) as session:
        search = _search(session, window, find, internal=internal)
        numbers = ordered(session, search)[:count]
        documents = _documents(session, search, rows(session, search, numbers), lines)
    if json:
        print_json(documents)
        return
    if not documents:
        say("No operation of a client in these windows matches.")
    for row in documents:
        where = f"conn={row['conn']} op={row['op']} err={row['err']}"
        when, client = format_time(row["end_ns"]), row["client"] or "client unknown"
        took = with_resolution(row["etime_ns"], row["resolution_ns"])
        csn = f"  csn={row['csn']}" if row["csn"] else ""
        say(f"{took:>9}  {row['type']:<6} {when}  {where + csn}  {client}")
        say(f"           {row['request'] or 'the request line is before the window'}")
        for line in row["raw"]:
            say(f"           | {line}")


def groups(
    file: File,
    by: Annotated[str, typer.Option("--by", help=f"One of {', '.join(GROUPINGS)}.")] = "filter",
    window: Windows = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many.")] = 20,
    find: Find = "",
    internal: Internal = False,
    json: Json = False,
) -> None:
    """Group operations by what they have in common, most total time first."""
    if by not in GROUPINGS:
        raise UsageError(
            Message("'{by}' is not a way to group operations.", by=by),
            remedy=Message("Use --by with one of {names}.", names=tuple(GROUPINGS)),
        )
    with Session.open(file) as session:
        search = _search(session, window, find, internal=internal)
        found_groups = grouped(session, search, by).rows
        others = unanswered(session, search.windows, by)
    if json:
        print_json(
            [
                asdict(row.group) | {"resolution_ns": row.resolution_ns}
                for row in found_groups[:count]
            ]
        )
        return
    print_columns((*GROUP_NUMBERS, replace(GROUP_NAME, key=by)), found_groups[:count])
    if len(found_groups) > count:
        say(f"{len(found_groups) - count:,} more groups; -n {len(found_groups)} prints them all.")
    if others:
        say("")
        say("Changes whose result is not in the log; they are not among the operations:")
        asked = [(f"{n:,}", kind, name or "(not known)") for kind, name, n in others]
        print_table(("requests", "type", by), asked[:count], numbers=("requests",))


def _search(session: Session, names: list[str] | None, find: str, *, internal: bool) -> Search:
    windows = tuple(chosen_windows(session, names))
    return resolved(session, Search(windows, parse_conditions(find), internal=internal))


def _documents(
    session: Session, search: Search, matches: Found, lines: int
) -> list[dict[str, Any]]:
    resolutions = {source.id: source.resolution_ns for source in session.sources()}
    operations = matches.operations
    rows: list[dict[str, Any]] = []
    for i in range(len(operations)):
        source = int(matches.sources[i])
        asked, answered = int(operations.request_at[i]), int(operations.result_at[i])
        wtime = int(operations.wtime_ns[i])
        result = session.raw_line(source, answered)
        around = session.raw_around(source, answered, lines) if lines else []
        csn = _CSN.search(result)
        rows.append(
            {
                "window": search.windows[matches.windows[i]].name,
                "type": TYPES[operations.kind[i]],
                "etime_ns": int(operations.etime_ns[i]),
                "resolution_ns": resolutions[source],
                "wtime_ns": None if wtime == ABSENT else wtime,
                "end_ns": int(operations.end_ns[i]),
                "conn": int(operations.conn[i]),
                "op": int(operations.op[i]),
                "err": int(operations.err[i]),
                "nentries": int(operations.nentries[i]),
                "client": text_at(operations.clients, operations.client[i]),
                "bind_dn": text_at(operations.bind_dns, operations.bind_dn[i]),
                "base": text_at(operations.bases, operations.base[i]),
                "filter": text_at(operations.fingerprints, operations.fingerprint[i]),
                "request": session.raw_line(source, asked) if asked >= 0 else "",
                "csn": csn[1] if csn else "",
                "result": result,
                # Behind the last newline of a log there is no line.
                "raw": around[:-1] if around and not around[-1] else around,
            }
        )
    return rows


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
