"""The command that tries a change on one replica at a time, beside the others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.campaign.canary import (
    Canary,
    Servers,
    make_canary,
    new_canary,
    refuse_existing_canary,
    refuse_other_servers,
    resumable_canary,
    survey,
)
from ldap_workbench.campaign.canary_description import (
    canary_restarts_ahead,
    describe_canary,
    foresee_canary,
    outcome_of,
)
from ldap_workbench.campaign.canary_run import CanaryRun
from ldap_workbench.cli.asking import agree_to_start, agree_to_url, keep_or_revert
from ldap_workbench.cli.compare import ExitStatus, print_verdict, status_of
from ldap_workbench.cli.console import long_work, note, print_json, say
from ldap_workbench.cli.experiment import (
    P99,
    After,
    ErrorShare,
    MaxRepeats,
    Primary,
    Reconnect,
    RestartWait,
    Settings,
    Settle,
    Slo,
    TrimSeconds,
    WindowLength,
    drawn,
    safety_limits,
)
from ldap_workbench.cli.link import Writer
from ldap_workbench.cli.server import Json, Offline, Output, Yes
from ldap_workbench.cli.side_by_side import replicas
from ldap_workbench.model import plan_fields
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from ldap_workbench.report.campaign import write_canary_report

Profiles = Annotated[
    list[str], typer.Argument(metavar="PROFILE...", help="Profiles of the replicas, two or more.")
]
Load = Annotated[
    str,
    typer.Option(
        help="Command that generates the load of one replica, run for each: {url}, {host} and "
        "{port} become its own, {seconds} the length of the window."
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(help="Capture of the replicas without a change, to estimate the sensitivity."),
]

KEEP = "Keep the change on all replicas?"


def canary(
    profiles: Profiles,
    output: Output,
    setting: Settings = None,
    window: WindowLength = plan_fields.WINDOW.default,
    blocks: Annotated[
        int, typer.Option(min=plan_fields.BLOCKS.least, help=plan_fields.BLOCKS.help)
    ] = plan_fields.BLOCKS.default,
    settle: Settle = plan_fields.SETTLE.default,
    trim: TrimSeconds = plan_fields.TRIM.default,
    load: Load = "",
    primary: Primary = "slo",
    slo_ms: Slo = plan_fields.SLO.default,
    baseline: Baseline = None,
    effect: Annotated[
        float,
        typer.Option(help="Ratio for which the chance of finding it is printed before the start."),
    ] = 1.25,
    then: After = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random order.")] = None,
    max_error_share: ErrorShare = None,
    max_p99_ms: P99 = None,
    max_lag: Annotated[
        float | None, typer.Option(min=plan_fields.LEAST_LAG_S, help=plan_fields.LAG.help)
    ] = None,
    max_repeats: MaxRepeats = plan_fields.REPEATS.default,
    reconnect_timeout: Reconnect = plan_fields.PATIENCE.default,
    restart_timeout: RestartWait = plan_fields.RESTART_WAIT.default,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the canary of this file.")
    ] = False,
    exit_status: ExitStatus = False,
    yes: Yes = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Test a change on one replica at a time, beside the others, in random order.

    What changes on all replicas at once is not counted as an effect. FILE gets the session of the
    first replica, FILE-PROFILE those of the others; the report is beside them. With --json,
    left_stored has a sentence for each value that reverts left stored and that was not, and
    in_force says what the settings of the change have been left at on each replica.
    """
    options: dict[str, Any] = {
        "window_s": window,
        "settle_s": settle,
        "trim_s": trim,
        "load": load,
        "primary": primary,
        "slo_ns": round(slo_ms * plan_fields.NS_PER_MS),
        "then": then or Then.ASK,
        "repeats": max_repeats,
        "patience_s": reconnect_timeout,
        "restart_wait_s": restart_timeout,
        "guards": safety_limits(max_error_share, max_p99_ms),
        "seed": drawn(seed),
        "max_lag_s": max_lag,
    }
    stored = resumable_canary(output) if resume else None
    if stored:
        profiles = [seat.profile for seat in stored.seats]
    with replicas(profiles, Writer.CANARY, offline=offline) as servers:
        if stored:
            state = stored
            refuse_other_servers(state, servers)
            for _, tuner in servers:
                agree_to_url(tuner, yes=yes)
        else:
            refuse_existing_canary(output, profiles)
            state = _new(servers, setting or [], blocks, output, options)
        _announce(state, profiles)
        if not stored:
            note(*foresee_canary(state.plan, profiles, baseline, effect))
        _agree(state, yes=yes)
        done = _run(servers, state)
    report = output.with_suffix(".md")
    write_canary_report(done, report)
    _print_end(done, report, json=json)
    if exit_status:
        raise typer.Exit(status_of(done.verdict))


def _new(
    servers: Servers, settings: Sequence[str], blocks: int, output: Path, options: dict[str, Any]
) -> Canary:
    """A canary over these servers, after a look at their replication and at the change."""
    seen = survey(servers, settings)
    plan = make_canary(seen.treatment, len(servers), blocks, restart=seen.restart, **options)
    return new_canary(plan, seen, output)


def _announce(state: Canary, profiles: Sequence[str]) -> None:
    """Say what is going to happen, restarts first."""
    if restarts := canary_restarts_ahead(state, time.time()):
        note(restarts)
    note(*describe_canary(state.plan, profiles))


def _agree(state: Canary, *, yes: bool) -> None:
    if state.windows:
        done, of = len(state.windows), len(state.plan.windows)
        note(Message("{done} of {of} windows are measured.", done=done, of=of))
    if not yes:
        agree_to_start(Message("The canary was not started."))


def _run(servers: Servers, state: Canary) -> Canary:
    insisted = Message("The change is being reverted on all replicas. Please wait.")
    with long_work(str(insisted)) as (tell, stop):
        run = CanaryRun(
            servers,
            state,
            progress=tell,
            cancel=stop,
            decide=lambda verdict: keep_or_revert(verdict, KEEP, stop, run.canary.in_force),
        )
        return run.run()


def _print_end(done: Canary, report: Path, *, json: bool) -> None:
    if json:
        print_json(
            {
                "outcome": done.outcome.value,
                "verdict": done.verdict.to_json() if done.verdict else None,
                "exit_status": status_of(done.verdict),
                "windows": len(done.windows),
                "largest_lag_s": done.largest_lag_s,
                "sessions": [seat.session for seat in done.seats],
                "report": str(report),
                "left_stored": done.left_stored,
                "in_force": done.in_force,
            }
        )
        return
    if done.verdict:
        print_verdict(done.verdict)
    say("", str(outcome_of(done)), *map(str, done.in_force), f"Report: {report}")
