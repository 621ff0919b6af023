"""`import`: log files into a session."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.cli.console import long_work, note, print_json, print_table, say
from ldap_workbench.cli.remarks import remarks
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.errors import CancelledError, LogError, UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.typed import instant
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.writer import SessionWriter

_NAMED = 5
"""Damaged files that an error names."""
_DATES = {"auto": None, "day-first": True, "month-first": False}


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Files, folders and archives (tar, zip), also compressed; - is standard input.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Session file to write.")],
    dialect: Annotated[str, typer.Option(help="Type of the logs; detected by default.")] = "auto",
    start: Annotated[str, typer.Option("--from", help="ISO time, UTC without a zone.")] = "",
    end: Annotated[str, typer.Option("--to", help="ISO time, UTC without a zone.")] = "",
    zone: Annotated[
        str, typer.Option(help="Zone of times without one: +0100; else that of the access log.")
    ] = "",
    began: Annotated[
        str, typer.Option(help="ISO time of the first report where reports print none.")
    ] = "",
    interval: Annotated[
        float, typer.Option(min=0.001, help="Seconds between reports that print no time.")
    ] = 1.0,
    dates: Annotated[
        str, typer.Option(help="How 03/04/2026 is read: day-first, month-first or auto.")
    ] = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Import access logs, and the files beside them, into a session.

    Beside them: error and audit logs, iostat, vmstat, cn=monitor and cn=config as LDIF,
    histograms of SystemTap, DTrace, bcc and bpftrace, stacks of threads, also folded.
    """
    with _new_session(output) as writer, long_work() as (tell, cancel):
        done = import_logs(
            paths,
            writer,
            dialect=dialect,
            start_ns=instant(start),
            end_ns=instant(end),
            clock=_clock(zone, began, interval, dates),
            progress=tell,
            cancel=cancel,
        )
    if json:
        # Its keys are files: the parts of a message beside one would look like another file.
        left_out = {str(path): str(why) for path, why in done.left_out.items()}
        whys = [{"file": str(path), "why": why} for path, why in done.left_out.items()]
        sources = [{**asdict(source), "remarks": remarks(source)} for source in done.sources]
        windows = [asdict(window) for window in done.windows]
        document = {"windows": windows, "sources": sources, "lines": _total(done)}
        damaged = [str(path) for path in done.damaged]
        print_json(document | {"left_out": left_out, "left_out_whys": whys, "damaged": damaged})
    else:
        _print_sources(done)
        say(f"Session: {output}")
    _raise_if_not_whole(done, output)


def _raise_if_not_whole(done: Imported, output: Path) -> None:
    """End with an error where a part was not read, with the session of what was."""
    if done.cancelled:
        raise CancelledError(
            Message("The import was cancelled."),
            safe=Message("What was read until then is in {session}.", session=str(output)),
            remedy=Message("Import again for the rest."),
        )
    if done.out_of_time:
        raise done.out_of_time_error(output)
    if done.damaged:
        raise LogError(
            count_of(
                "{n} file is damaged or cut off: {files:list}.",
                "{n} files are damaged or cut off: {files:list}.",
                n=len(done.damaged),
                files=tuple(str(path) for path in done.damaged[:_NAMED]),
            ),
            safe=Message("What could be read is in {session}.", session=str(output)),
            remedy=Message("Get the file again, then import it again."),
        )


@contextmanager
def _new_session(output: Path) -> Iterator[SessionWriter]:
    """A session that is not left behind empty where nothing could be read into it."""
    writer = SessionWriter.create(output)
    try:
        with writer:
            yield writer
    except (CancelledError, LogError, UsageError):
        output.unlink(missing_ok=True)
        raise


def _clock(zone: str, began: str, interval: float, dates: str) -> Clock | None:
    """None where nothing was said: the access log tells the zone."""
    interval_ns = round(interval * NS_PER_S)
    if dates not in _DATES:
        raise UsageError(
            Message("'{text}' is not an order of dates.", text=dates),
            remedy=Message("Write day-first, month-first or auto."),
        )
    if not zone:
        said = began or dates != "auto" or interval_ns != NS_PER_S
        order = _DATES[dates]
        clock = Clock(0, instant(began), interval_ns, zone_said=bool(began), day_first=order)
        return clock if said else None
    match = re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone)
    if match is None:
        raise UsageError(
            Message("'{zone}' is not a time zone.", zone=zone),
            remedy=Message("Write +0100 or -05:00."),
        )
    seconds = int(match[2]) * 3600 + int(match[3]) * 60
    offset = (-seconds if match[1] == "-" else seconds) * NS_PER_S
    return Clock(offset, instant(began), interval_ns, day_first=_DATES[dates])


def _total(done: Imported) -> dict[str, Any]:
    """The three counts over all files."""
    reasons: Counter[str] = Counter()
    for source in done.sources:
        reasons.update(source.lines.reasons)
    return {
        "understood": sum(source.lines.understood for source in done.sources),
        "set_aside": sum(source.lines.set_aside for source in done.sources),
        "unknown": sum(source.lines.unknown for source in done.sources),
        "reasons": dict(reasons),
    }


def _print_sources(done: Imported) -> None:
    rows = [
        (
            source.name,
            str(source.details.get("title", source.kind.value)),
            f"{source.samples:,}",
            f"{source.lines.understood:,}",
            f"{source.lines.set_aside:,}",
            f"{source.lines.unknown:,}",
        )
        for source in done.sources
    ]
    headings = ("file", "is", "readings", "understood", "skipped", "unknown")
    print_table(headings, rows, numbers=headings[2:])
    for source in done.sources:
        for sentence in remarks(source):
            say(f"{source.name}: {sentence}")
    total = _total(done)
    say(
        f"Lines: {total['understood']:,} understood, {total['set_aside']:,} skipped, "
        f"{total['unknown']:,} unknown."
    )
    for path, why in done.left_out.items():
        named = why if str(path) in str(why) else f"{path}: {why}"
        note(f"Left out: {named}")
