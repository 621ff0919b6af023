"""The commands that send the operations of a captured window again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.console import long_work, note, print_json, print_table, say, write_beside
from ldap_workbench.cli.link import connected
from ldap_workbench.cli.server import Json
from ldap_workbench.cli.sessions import File, chosen_windows
from ldap_workbench.model.errors import ExperimentError, UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.units import format_duration
from ldap_workbench.replay import (
    Pace,
    Script,
    build,
    endpoint_of,
    packed_script,
    read_script,
    refuse_original,
)
from ldap_workbench.replay.child import play_in_processes
from ldap_workbench.replay.outcome import Outcome
from ldap_workbench.session import Session

commands = typer.Typer(
    help="Send the operations of a captured window again, to a test server.",
    no_args_is_help=True,
)

Target = Annotated[str, typer.Option("--target", metavar="PROFILE", help="Where they are sent.")]
ReplayFile = Annotated[Path, typer.Argument(metavar="FILE", help="Made by `replay build`.")]


@commands.command("build")
def build_(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="The replay file to write.")],
    window: Annotated[str, typer.Option(help="Id or name; the only one by default.")] = "",
    json: Json = False,
) -> None:
    """Make a replay file from a window: its searches and binds, with their connections and times.

    The file holds filters and DNs. What cannot be replayed is counted by its reason.
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
                "skipped": dict(script.skipped),
            }
        )
        return
    say(
        str(count_of("{n} request", "{n} requests", n=script.requests))
        + str(count_of(" of {n} connection", " of {n} connections", n=len(script.conversations)))
        + f": {output}"
    )
    _say_skipped(script)


@commands.command("run")
def run(
    file: ReplayFile,
    target: Target,
    speed: Annotated[
        float,
        typer.Option(min=0.01, max=100, help="Copies of each connection; think times stay."),
    ] = 1.0,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Play so long, from the start again if need be.")
    ] = None,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Share the connections.")] = 1,
    this_is_production: Annotated[
        bool,
        typer.Option("--this-is-production", help="Also onto the server it was captured from."),
    ] = False,
    json: Json = False,
) -> None:
    """Replay onto a server. Only reads are sent, and binds as the profile's own identity.

    Ends with 1 where the replay fell behind, or the answers are not those of the capture.
    """
    script = read_script(file)
    with connected(target) as server:
        if not this_is_production:
            refuse_original(script, server)
        endpoint = endpoint_of(server)
    pace = Pace(seconds, speed)
    with long_work() as (tell, stop):
        tell(Progress(Message("Replaying onto {url}", url=f"{endpoint.host}:{endpoint.port}")))
        outcome = play_in_processes(file, endpoint, pace, processes, stop)
    _print(outcome, script, json=json)
    if outcome.fault:
        raise ExperimentError(
            outcome.fault,
            safe=Message("Only reads were sent."),
            remedy=Message("Use a lower --speed or more --processes, or a server with that data."),
        )


def _print(outcome: Outcome, script: Script, *, json: bool) -> None:
    if json:
        print_json(outcome.as_json(script.skipped))
        return
    quantiles = ("p50", "p90", "p95", "p99", "p999", "max")
    rows = [
        [each["type"], f"{each['n']:,}", *(format_duration(each[f"{q}_ns"]) for q in quantiles)]
        for each in outcome.tails()
    ]
    print_table(("Type", "n", *quantiles), rows, numbers=("n", *quantiles))
    say(
        f"Sent {outcome.sent:,} of {outcome.planned:,}; "
        f"{100 * outcome.agreement:.1f} % of {outcome.answered:,} answers as in the capture."
    )
    late = ", ".join(f"{name}: {n:,}" for name, n in outcome.lateness().items() if n)
    say(f"Sent after they were due: {late}.")
    for reason, n in outcome.broken.most_common(5):
        note(Message("{n} connections ended early: {reason}", n=n, reason=reason))
    _say_skipped(script)


def _say_skipped(script: Script) -> None:
    for reason, n in script.skipped.items():
        say(f"Skipped: {n:,} {reason}")
