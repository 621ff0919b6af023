"""`import`: log files into a session."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.capture import import_logs
from ldap_workbench.cli.console import long_work, note, print_json, print_table, say
from ldap_workbench.cli.instants import instant
from ldap_workbench.session import SessionWriter


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; .gz, .xz, .zst too.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Session file to write.")],
    dialect: Annotated[
        str, typer.Option(help="What the logs are; told by their content.")
    ] = "auto",
    start: Annotated[str, typer.Option("--from", help="ISO time, UTC without a zone.")] = "",
    end: Annotated[str, typer.Option("--to", help="ISO time, UTC without a zone.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Read access logs and what lies beside them into a session."""
    with SessionWriter.create(output) as writer, long_work() as (tell, cancel):
        done = import_logs(
            paths,
            writer,
            dialect=dialect,
            start_ns=instant(start),
            end_ns=instant(end),
            progress=tell,
            cancel=cancel,
        )
    if json:
        left_out = {str(path): why for path, why in done.left_out.items()}
        sources = [asdict(source) for source in done.sources]
        windows = [asdict(window) for window in done.windows]
        print_json({"windows": windows, "sources": sources, "left_out": left_out})
        return
    rows = [
        (
            source.name,
            str(source.details.get("title", source.kind.value)),
            f"{source.samples:,}",
            f"{source.lines.understood:,}",
            f"{source.lines.set_aside:,}",
            f"{source.lines.unknown:,}",
            source.why,
        )
        for source in done.sources
    ]
    headings = ("log", "is", "operations", "understood", "set aside", "unknown", "why")
    print_table(headings, rows, numbers=headings[2:6])
    for why in done.left_out.values():
        note(f"Left out: {why}")
    say(f"Session: {output}")
