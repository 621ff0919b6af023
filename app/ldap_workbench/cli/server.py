"""Commands that only read a server: capture and knobs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.capture.live.plan import ALL_SOURCES, CapturePlan
from ldap_workbench.cli.console import (
    long_work,
    note,
    print_json,
    print_table,
    say,
)
from ldap_workbench.cli.link import (
    Writer,
    connected,
    connected_to_capture,
    opened_journal,
)
from ldap_workbench.cli.remarks import remarks
from ldap_workbench.cli.sessions import count_operations
from ldap_workbench.experiment.capture_job import Captured, CaptureJob, fetch_into
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.remarks import capture_cost
from ldap_workbench.model.typed import instant
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.tuner import Tuner

ProfileName = Annotated[str, typer.Argument(metavar="PROFILE", help="Name of a profile.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Session file to write (*.ldapwb).")]
Offline = Annotated[
    bool,
    typer.Option("--offline", help="The server may be stopped for edits of its configuration."),
]
_SOURCES = {kind.value.replace(" ", "-"): kind for kind in ALL_SOURCES}
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before starting.")]


def capture(
    profiles: Annotated[
        list[str],
        typer.Argument(metavar="PROFILE...", help="Profile; of several replicas, side by side."),
    ],
    output: Output,
    seconds: Annotated[float, typer.Option(min=1, help="Length of the window, s.")] = 60,
    name: Annotated[str, typer.Option(help="Name of the window.")] = "window",
    start: Annotated[
        str,
        typer.Option(
            "--from",
            help="Fetch a past time range of the log: its start as ISO time, UTC without a zone.",
        ),
    ] = "",
    end: Annotated[str, typer.Option("--to", help="Its end: ISO time, UTC without a zone.")] = "",
    dialect: Annotated[str, typer.Option(help="Type of the log; detected by default.")] = "auto",
    without: Annotated[
        list[str] | None,
        typer.Option(help=f"Leave out this source (repeatable): {', '.join(sorted(_SOURCES))}."),
    ] = None,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics",
            help="Log the index keys of each search during the capture (389 DS); then reverted.",
        ),
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Capture one measurement window of cn=monitor, logs and iostat, or fetch a past one.

    Ends with 1 where a source is not complete: what has come is kept. Of several profiles FILE gets
    the session of the first, FILE-PROFILE those of the others, with their replication lag.
    """
    start_ns, end_ns = instant(start), instant(end)
    sources = _wanted(without or [])
    if len(profiles) > 1:
        _refuse_alone(start, statistics=statistics)
        from ldap_workbench.cli.side_by_side import capture_replicas  # few captures have several

        capture_replicas(profiles, output, CapturePlan(seconds, name=name, sources=sources), json)
        return
    [profile] = profiles
    if (start_ns is None) != (end_ns is None):
        raise UsageError(
            Message("A past time range needs a start and an end."),
            remedy=Message("Give both --from and --to."),
        )
    reach = connected if statistics else connected_to_capture
    with (
        reach(profile) as target,
        opened_journal(Writer.CAPTURE if statistics else None) as changes,
    ):
        if statistics:
            _agree_to_statistics(target.profile.name, Tuner(target, changes), yes=yes)
        with long_work() as (tell, cancel):
            if start_ns is not None and end_ns is not None:
                captured = fetch_into(
                    output,
                    target,
                    start_ns,
                    end_ns,
                    name=name,
                    dialect=dialect,
                    progress=tell,
                    cancel=cancel,
                )
            else:
                plan = CapturePlan(seconds, name=name, sources=sources)
                job = CaptureJob(output, plan, statistics=statistics, stop=cancel)
                captured = job.run(target, Tuner(target, changes), tell)
    whole = print_captured(captured, json=json)
    if captured.window.cancelled or not whole:
        raise typer.Exit(1)


def _refuse_alone(start: str, *, statistics: bool) -> None:
    if start or statistics:
        raise UsageError(
            Message("A past time range and --statistics are for one server."),
            remedy=Message("Name one profile, or leave them out."),
        )


def _agree_to_statistics(profile: str, tuner: Tuner, *, yes: bool) -> None:
    from ldap_workbench.cli.asking import agree_to_start  # few captures change anything
    from ldap_workbench.experiment.capture_job import STATISTICS

    note(f"During the capture {profile} logs the index keys of each search; then that is reverted.")
    note(*(str(change.describe()) for change in tuner.plan(STATISTICS)))
    if not yes:
        agree_to_start(Message("The capture was not started."))


def _wanted(without: list[str]) -> frozenset[SourceKind]:
    if unknown := [name for name in without if name not in _SOURCES]:
        raise UsageError(
            Message("'{name}' is not a source of a capture.", name=unknown[0]),
            remedy=Message("Choose one of {names:list}.", names=tuple(sorted(_SOURCES))),
        )
    return ALL_SOURCES - {_SOURCES[name] for name in without}


def print_captured(captured: Captured, *, json: bool) -> bool:
    """Tell what has come, and what has not; whether every source is complete."""
    output, window, sources = captured.path, captured.window, captured.sources
    with Session.open(output) as session:
        operations = count_operations(session, window)
    flawed = [source for source in sources if source.state is not SourceState.COMPLETE]
    cost = capture_cost(window, sources)
    if json:
        described = [{**asdict(source), "remarks": remarks(source)} for source in sources]
        document = {**asdict(window), "operations": operations, "cost": cost, "sources": described}
        print_json(document)
        return not flawed
    cancelled = " (cancelled)" * window.cancelled
    say(f"{window.seconds:.1f} s captured into {output}{cancelled}: {operations:,} operations.")
    rows = [(s.kind.value, s.state.value, f"{s.samples:,}", str(s.why)) for s in sources]
    print_table(("source", "state", "samples", "why"), rows, numbers=("samples",))
    for source in sources:
        for sentence in remarks(replace(source, why=NOTHING)):
            say(f"{source.kind.value}: {sentence}")
    if cost:
        say(str(cost))
    for source in flawed:
        why = str(source.why).rstrip(".") or "no reason given"
        note(f"The {source.kind.value} source is {source.state.value}: {why}.")
    return not flawed


def knobs(
    where: Annotated[str, typer.Argument(metavar="PROFILE", help="Name of a profile.")],
    json: Json = False,
) -> None:
    """Print the catalogue of knobs with what each says now."""
    with connected(where) as target, opened_journal() as changes:
        tuner = Tuner(target, changes)
        readings, remark = tuner.readings(), tuner.catalogue.remark
    if remark:
        note(str(remark))
    if json:
        print_json([asdict(reading) for reading in readings])
        return
    rows = [
        (
            r.knob.name + (f" ({r.place})" if r.place else ""),
            str(r.unknown) or (r.value if r.value is not None else "absent"),
            r.knob.default or "",
            r.knob.unit,
            r.knob.effect.value,
            r.knob.risk.value,
            str(r.knob.title),
        )
        for r in readings
    ]
    print_table(("knob", "now", "default", "unit", "takes effect", "risk", "what it is"), rows)
