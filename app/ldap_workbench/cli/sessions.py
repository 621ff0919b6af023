"""Commands that read a session file: windows, tails, report, export; and one without names."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.alone import needing_qt
from ldap_workbench.cli.console import long_work, print_columns, print_json, print_table, say
from ldap_workbench.cli.remarks import as_json, remarks
from ldap_workbench.figures.tails.client_view import ClientRow, ClientView, TypeGap, client_views
from ldap_workbench.figures.tails.table import COLUMNS, QUANTILES
from ldap_workbench.inference.counts.tails import tails as tails_of
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.remarks import capture_cost
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import (
    format_latency,
    format_time,
)
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.reader import Session

File = Annotated[Path, typer.Argument(metavar="FILE", help="A session file (*.ldapwb).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]

_HEADINGS = ("window", "label", "n", "failed", *(column.key for column in QUANTILES))


def windows(file: File, json: Json = False) -> None:
    """List the windows of a session, their sources and how complete each is."""
    with Session.open(file) as session:
        rows = [(w, session.sources(w.id), count_operations(session, w)) for w in session.windows()]
    if json:
        print_json([_window_json(*row) for row in rows])
        return
    for window, sources, operations in rows:
        arm = f", arm {window.arm} of pair {window.pair + 1}" if window.arm else ""
        cut = ", cancelled" if window.cancelled else ""
        say(
            f"{window.id}  {window.name}: {format_time(window.start_ns)}, "
            f"{window.seconds:.1f} s, {operations:,} operations{arm}{cut}{_flaws(sources)}"
        )
        headings = ("source", "name", "state", "samples", "understood", "skipped", "unknown")
        numbers = headings[3:]
        print_table(headings, [_source_row(source) for source in sources], numbers=numbers)
        said = [f"{source.name}: {text}" for source in sources for text in remarks(source)]
        for line in [window.notes, *said, capture_cost(window, sources)]:
            if line:
                say(f"   {line}")


def count_operations(session: Session, window: Window) -> int:
    """Operations of clients that start in a window: what tails, findings and reports count."""
    return len(session.client_columns(window, ["end_ns"])["end_ns"])


def _window_json(window: Window, sources: list[Source], operations: int) -> dict[str, Any]:
    return {
        **asdict(window),
        "operations": operations,
        "cost": capture_cost(window, sources),
        "sources": [{**asdict(source), "remarks": remarks(source)} for source in sources],
    }


def _flaws(sources: list[Source]) -> str:
    """Which sources are not complete; '' where all are."""
    flawed = [s for s in sources if s.state is not SourceState.COMPLETE]
    return "".join(f", {source.kind.value} {source.state.value}" for source in flawed)


def _source_row(source: Source) -> list[str]:
    lines = source.lines
    counts = [str(n) for n in (lines.understood, lines.set_aside, lines.unknown)]
    if counts == ["0", "0", "0"]:
        counts = ["", "", ""]
    return [source.kind.value, source.name, source.state.value, str(source.samples), *counts]


def tails(
    file: File,
    window: Annotated[
        list[str] | None, typer.Option("--window", help="Id or name; repeatable.")
    ] = None,
    client: Annotated[
        bool, typer.Option("--client", help="Elapsed times of the client's log (JMeter) instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Print the etime tails of each window per operation type (nearest rank)."""
    if client:
        _print_client_tails(file, window, json=json)
        return
    with Session.open(file) as session:
        logs = _access_logs(session)
        chosen = [(w, logs.get(w.id)) for w in chosen_windows(session, window)]
        measured = [(t, log) for w, log in chosen for t in _tails(session, w, log)]
    if json:
        print_json([{**t.to_json(), "log": as_json(log) if log else None} for t, log in measured])
        return
    print_columns(COLUMNS, [tail for tail, _ in measured])
    for measured_window, log in chosen:
        for sentence in remarks(log) if log else ["No access log, so no latencies."]:
            say(f"{measured_window.name}: {sentence}")


def _access_logs(session: Session) -> dict[int, Source]:
    """The access log of each window that has one, by the window's id."""
    sources = reversed(session.sources())  # the first of a window counts
    return {s.window: s for s in sources if s.kind is SourceKind.ACCESS_LOG}


def _tails(session: Session, window: Window, log: Source | None) -> list[Tail]:
    resolution = log.resolution_ns if log else 1
    return tails_of(session.latencies(window), window=window.name, resolution_ns=resolution)


def with_resolution(ns: int | None, resolution_ns: int) -> str:
    """A whole-second log says 0 s for anything below 1 s: '0 to 1 s', never 0.000."""
    return "-" if ns is None else format_latency(ns, resolution_ns)


def report(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="OUT.html, .md or .pdf.")],
) -> None:
    """Write the report of a session as one self-contained file."""
    from ldap_workbench.report.write import write_report

    write_report(file, output, render_pdf=_pdf if output.suffix == ".pdf" else None)
    say(f"Report written to {output}")


def _pdf(html: str, output: Path) -> None:
    with needing_qt():
        from ldap_workbench.gui.screens.report.pdf import print_pdf

    print_pdf(html, output)


def export(
    file: File,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder for the files; created if missing.")
    ],
    parquet: Annotated[bool, typer.Option("--parquet", help="Operations and samples.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The same as CSV.")] = False,
    ldif: Annotated[bool, typer.Option("--ldif", help="The change and its undo.")] = False,
    dsconf: Annotated[bool, typer.Option("--dsconf", help="Both as scripts.")] = False,
    ansible: Annotated[bool, typer.Option("--ansible", help="Both as Ansible tasks.")] = False,
    hlog: Annotated[bool, typer.Option("--hlog", help="Etimes as HdrHistogram log.")] = False,
    openmetrics: Annotated[
        bool, typer.Option("--openmetrics", help="Tails of windows for Prometheus.")
    ] = False,
    grafana: Annotated[
        bool, typer.Option("--grafana", help="A dashboard, and windows and marks as annotations.")
    ] = False,
) -> None:
    """Export a session for other tools."""
    from ldap_workbench.report.export import export as write_export

    asked = {
        "parquet": parquet,
        "csv": csv,
        "ldif": ldif,
        "dsconf": dsconf,
        "ansible": ansible,
        "hlog": hlog,
        "openmetrics": openmetrics,
        "grafana": grafana,
    }
    formats = [name for name, on in asked.items() if on]
    if not formats:
        raise UsageError(
            Message("No format was chosen."),
            remedy=Message("Add --parquet, --ldif, --hlog or another."),
        )
    for path in write_export(file, folder, formats):
        say(f"{path}")


def chosen_windows(session: Session, names: list[str] | None) -> list[Window]:
    """Windows by id or name, all without names. Raises UsageError for an unknown one."""
    return [session.window(name) for name in names] if names else session.windows()


def _print_client_tails(file: Path, windows: list[str] | None, *, json: bool) -> None:
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


def anonymise(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file (*.ldapwb).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Session file to write.")],
    key_env: Annotated[
        str,
        typer.Option(
            help="Environment variable with a secret key: the same key gives the same pseudonyms. "
            "Without it the key is random and not kept."
        ),
    ] = "",
) -> None:
    """Copy a session without its names.

    Names, DNs, filter values, hosts and addresses become pseudonyms; tails and findings stay.
    """
    from ldap_workbench.report.anonymous.copy import anonymise as write_copy

    with long_work() as (tell, cancel):
        write_copy(file, output, _key(key_env), progress=tell, cancel=cancel)
    say(f"Session without names: {output}")


def _key(variable: str) -> bytes | None:
    if not variable:
        return None
    if not (text := os.environ.get(variable, "")):
        raise UsageError(
            Message("The environment variable {name} is not set.", name=variable),
            remedy=Message("Put a long random text into it, or leave out --key-env."),
        )
    return text.encode()
