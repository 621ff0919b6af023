"""The commands that send the operations of a captured window again."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.asking import agree_to_start
from ldap_workbench.cli.console import confirm, long_work, note, print_json, print_table, say
from ldap_workbench.cli.link import connected
from ldap_workbench.cli.server import Json, Yes
from ldap_workbench.cli.sessions import File, chosen_windows
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.model.errors import ExperimentError, UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.units import format_duration
from ldap_workbench.replay.build import build
from ldap_workbench.replay.child import play_in_processes
from ldap_workbench.replay.endpoint import endpoint_of, is_origin_known, playable, refuse_original
from ldap_workbench.replay.outcome import Outcome
from ldap_workbench.replay.player import Pace
from ldap_workbench.replay.script import Script, packed_script, read_script
from ldap_workbench.replay.tidying import PlannedWrites, leftovers, remove
from ldap_workbench.servers.target import Target as Server
from ldap_workbench.session.reader import Session

commands = typer.Typer(
    help="Send the operations of a captured window again, to a test server.",
    no_args_is_help=True,
)

Target = Annotated[
    str, typer.Option("--target", metavar="PROFILE", help="Profile of the server to replay on.")
]
_SENT_ONLY = ", sent with --writes-under alone."
_REMOVED_FIRST = "The entries of the replay are removed first."
_SAFE = Message("Only entries of the replay were written, and they are removed.")
ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", help="Made by `replay build`.")]


@commands.command("build")
def build_(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="The replay file to write.")],
    window: Annotated[str, typer.Option(help="Id or name; the only one by default.")] = "",
    json: Json = False,
) -> None:
    """Make a replay file from a window: its searches, binds and changes, with their times.

    The file holds filters and DNs; of changes it holds types and times. What cannot be replayed is
    counted by its reason.
    """
    with Session.open(file) as session:
        chosen = chosen_windows(session, [window] if window else None)
        if len(chosen) != 1:
            raise UsageError(
                Message("{path} holds {n} windows.", path=str(file), n=len(chosen)),
                remedy=Message("Name one with --window."),
            )
        script = build(session, chosen[0])
    # For its owner alone: filters and DNs are personal data.
    write_beside(output, packed_script(script))
    if json:
        print_json(
            {
                "file": str(output),
                "connections": len(script.conversations),
                "requests": script.requests,
                "writes": len(_writes(script)),
                "skipped": dict(script.skipped),
            }
        )
        return
    say(
        str(count_of("{n} request", "{n} requests", n=script.requests))
        + str(count_of(" of {n} connection", " of {n} connections", n=len(script.conversations)))
        + f": {output}"
    )
    if writes := _writes(script):
        say(str(count_of("{n} is a change", "{n} are changes", n=len(writes))) + _SENT_ONLY)
    _say_skipped(script)


@commands.command("run")
def run(
    file: ReplayFile,
    target: Target,
    speed: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=100,
            help="Copies of each connection; pauses between operations stay as they were.",
        ),
    ] = 1.0,
    seconds: Annotated[
        float | None,
        typer.Option(min=1, help="Length of the replay, s; it starts over if need be."),
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="Processes among which the connections are divided.")
    ] = 1,
    this_is_production: Annotated[
        bool,
        typer.Option("--this-is-production", help="Also on the server it was captured from."),
    ] = False,
    writes_under: Annotated[
        str,
        typer.Option(
            metavar="DN",
            help="Also send changes, to entries made below this one and removed at the end.",
        ),
    ] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Replay on a server. Binds are made as the profile's own identity.

    Only reads are sent without --writes-under. Ends with 1 where the replay fell behind, or the
    answers are not those of the capture.
    """
    script = read_script(file)
    pace = Pace(seconds, speed)
    with connected(target) as server:
        if not this_is_production:
            _refuse_original(script, server)
        endpoint = endpoint_of(server)
        writes = None
        if writes_under:
            writes = PlannedWrites.of(
                playable(script, replace(endpoint, scratch=writes_under)),
                pace,
                server,
                writes_under,
            )
            _agree_to_write(writes, server.profile.name, yes=yes)
        with (
            long_work(_REMOVED_FIRST) as (tell, stop),
            writes.container(server, tell, stop) if writes else nullcontext("") as container,
        ):
            endpoint = replace(endpoint, scratch=container)
            tell(Progress(Message("Replaying onto {server}", server=server.profile.name)))
            outcome = play_in_processes(file, endpoint, pace, processes, stop)
    _print(outcome, playable(script, endpoint), json=json)
    if outcome.fault:
        raise ExperimentError(
            outcome.fault,
            safe=_SAFE,
            remedy=Message("Use a lower --speed or more --processes, or a server with that data."),
        )


@commands.command("clean")
def clean(
    profile: Annotated[
        str, typer.Argument(metavar="PROFILE", help="Only what is on its server.")
    ] = "",
    yes: Yes = False,
) -> None:
    """Remove the entries of a replay that was killed or lost its server.

    A replay that is still running loses its entries.
    """
    remains = leftovers(profile)
    for remnant in remains:
        say(f"{remnant.container} on {remnant.url}")
    if not remains:
        say("No replay has left anything behind.")
        return
    if not yes:
        agree_to_start(Message("Nothing was removed."))
    for remnant in remains:
        with connected(remnant.profile) as server:
            removed = remove(server.directory, remnant)
        say(
            str(count_of("Removed {n} entry of", "Removed {n} entries of", n=removed))
            + f" {remnant.container}"
        )


def _writes(script: Script) -> list[str]:
    return [
        request.write for one in script.conversations for request in one.requests if request.write
    ]


def _refuse_original(script: Script, server: Server) -> None:
    """Ask where it is not known whether the server is the one of the capture."""
    unknown = not is_origin_known(script, server) and not server.profile.test_server
    if unknown and confirm(
        f"Where this replay was captured is not known. Is {server.profile.name} a test server?"
    ):
        return
    refuse_original(script, server)


def _agree_to_write(writes: PlannedWrites, server: str, *, yes: bool) -> None:
    """Say what is going to be written, and ask."""
    counts = ", ".join(f"{n:,} {kind}" for kind, n in sorted(writes.counts.items()))
    note(f"This replay writes on {server}, below {writes.parent}: {counts}.")
    note(
        f"Before that it adds {len(writes.names) + 1:,} entries of its own there, at the end it "
        "removes all of them; no other entry is written. A replicated suffix passes on every write."
    )
    if not yes:
        agree_to_start(Message("The replay was not started."))


def _print(outcome: Outcome, script: Script, *, json: bool) -> None:
    if json:
        print_json(outcome.as_json(script.skipped))
        return
    quantiles = ("p50", "p90", "p95", "p99", "p999", "max")
    rows = [
        [tail["type"], f"{tail['n']:,}", *(format_duration(tail[f"{q}_ns"]) for q in quantiles)]
        for tail in outcome.tails()
    ]
    print_table(("Type", "n", *quantiles), rows, numbers=("n", *quantiles))
    say(
        f"Sent {outcome.sent:,} of {outcome.planned:,}; "
        f"{100 * outcome.agreement:.1f} % of {outcome.answered - outcome.written:,} answers as in "
        "the capture."
    )
    if outcome.written:
        say(
            f"{100 * outcome.write_agreement:.1f} % of {outcome.written:,} writes succeeded. They "
            "had the times and types of the capture, not its values: entries of the replay with a "
            "description, so less work for indexes and plug-ins."
        )
    late = ", ".join(f"{name}: {n:,}" for name, n in outcome.lateness().items() if n)
    say(f"Sent after they were due: {late}.")
    for reason, n in outcome.broken.most_common(5):
        note(Message("{n} connections ended early: {reason}", n=n, reason=reason))
    _say_skipped(script)


def _say_skipped(script: Script) -> None:
    for reason, n in script.skipped.items():
        say(f"Skipped: {n:,} {reason}")
