"""The command that runs a campaign, and the one that lists what was tried."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.campaign.description import chance, describe, headline
from ldap_workbench.campaign.plan import (
    CampaignPlan,
    Candidate,
    Limits,
    advised,
    levels,
    make_campaign,
    make_ladder,
    named,
)
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import Campaign, Entry, new_campaign, refuse_existing, resumable
from ldap_workbench.cli.asking import agree_to_start, agree_to_url
from ldap_workbench.cli.compare import ExitStatus, status_of_word
from ldap_workbench.cli.console import (
    long_work,
    note,
    print_columns,
    print_json,
    say,
)
from ldap_workbench.cli.experiment import (
    Baseline,
    Cold,
    ErrorShare,
    LoadCommand,
    MaxLag,
    MaxRepeats,
    OnHost,
    Primary,
    Reconnect,
    Replicas,
    RestartWait,
    Settings,
    Settle,
    Slo,
    TrimSeconds,
    WindowLength,
    drawn,
    safety_limits,
    watched,
)
from ldap_workbench.cli.link import Writer, connected, opened_journal
from ldap_workbench.cli.server import Json, Offline, Output, ProfileName, Yes
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.hours import parse_hours
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.plan import make_plan, parse_design, parse_looks
from ldap_workbench.figures.overview.history import COLUMNS as HISTORY
from ldap_workbench.figures.overview.history import METRIC, read_history
from ldap_workbench.figures.verdict.campaign_view import TRIALS, trial_rows
from ldap_workbench.model import plan_fields
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.stored import as_stored
from ldap_workbench.report.campaign import campaign_html, to_markdown
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.tuner import Tuner

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0}

Budget = Annotated[str, typer.Option(help="Time budget: 90m, 8h, 2d.")]
Restarts = Annotated[int | None, typer.Option(min=0, help="Maximum number of restarts.")]
Between = Annotated[str, typer.Option(help="Measure and change only in these hours: 01:00-05:00.")]
FromAdvice = Annotated[
    Path | None,
    typer.Option(metavar="SESSION", help="Also queue the advice for this session."),
]
Ladder = Annotated[
    str, typer.Option(metavar="KNOB=V,V,...", help="Find the best of 4 to 6 values of one knob.")
]
Stopping = Annotated[
    bool, typer.Option("--stop", help="End the campaign of this file: revert every change it kept.")
]
Going = Annotated[bool, typer.Option("--resume", help="Continue the campaign of this file.")]


def campaign(
    profile: ProfileName,
    output: Output,
    budget: Budget = "8h",
    setting: Settings = None,
    from_advice: FromAdvice = None,
    ladder: Ladder = "",
    between: Between = "",
    baseline: Baseline = None,
    restarts: Restarts = None,
    design: Annotated[str, typer.Option(help="Pairs of each experiment.")] = "pairs:12",
    looks: Annotated[str, typer.Option(help="Interim analyses after these pairs: 8,12.")] = "",
    window: WindowLength = plan_fields.WINDOW.default,
    settle: Settle = plan_fields.SETTLE.default,
    trim: TrimSeconds = plan_fields.TRIM.default,
    load: LoadCommand = "",
    load_on_host: OnHost = False,
    cold: Cold = False,
    primary: Primary = "slo",
    slo_ms: Slo = plan_fields.SLO.default,
    seed: Annotated[int | None, typer.Option(help="Seed of the random orders.")] = None,
    max_error_share: ErrorShare = None,
    max_lag: MaxLag = None,
    replica: Replicas = None,
    max_repeats: MaxRepeats = plan_fields.REPEATS.default,
    reconnect_timeout: Reconnect = plan_fields.PATIENCE.default,
    restart_timeout: RestartWait = plan_fields.RESTART_WAIT.default,
    resume: Going = False,
    stop: Stopping = False,
    exit_status: ExitStatus = False,
    yes: Yes = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Test a queue of treatments one after the other, keep what is better, confirm the whole.

    A treatment that only works as a group is one --set: KNOB=VALUE+KNOB=VALUE. --ladder tries
    values of one knob instead: each round keeps the better half, the best is confirmed. FILE gets
    the session of the confirmation; those of the treatments are beside it, with the report. With
    --json, left_stored has a sentence for each value that reverts left stored and that was not,
    and in_force says what the settings that were changed have been left at.
    """
    trial = make_plan(
        Treatment(()),
        parse_design(design),
        window_s=window,
        seed=drawn(seed),
        settle_s=settle,
        trim_s=trim,
        looks=parse_looks(looks),
        load=load,
        load_on_host=load_on_host,
        cold=cold,
        primary=primary,
        slo_ns=round(slo_ms * plan_fields.NS_PER_MS),
        then=Then.REVERT,
        repeats=max_repeats,
        patience_s=reconnect_timeout,
        restart_wait_s=restart_timeout,
        guards=safety_limits(max_error_share, None, max_lag),
    )
    limits = Limits(_seconds(budget), restarts, _hours(between))
    with connected(profile) as target, opened_journal(Writer.CAMPAIGN) as changes:
        tuner = Tuner(target, changes)
        tuner.may_stop = offline
        if resume or stop:
            state = resumable(output, tuner)
            agree_to_url(tuner, yes=yes)
        else:
            refuse_existing(output)
            asked = _Asked(setting or [], from_advice, ladder, unseen=yes)
            plan = _new_plan(target, tuner, asked, trial, limits)
            state = new_campaign(plan, target, tuner, output)
        if not stop:
            treatments = [candidate.treatment for candidate in state.plan.candidates]
            if user_data := tuner.catalogue.user_data_ahead(treatments):
                note(user_data)
            _agree(state, baseline, target.facts.clock_rate, yes=yes)
            with watched(target, state.plan.trial, replica or ()) as lag:
                done = _run(target, tuner, state, lag)
        else:
            done = _run(target, tuner, state, None, stop=True)
    report = output.with_suffix(".html")
    write_beside(output.with_suffix(".md"), to_markdown(done))
    write_beside(report, campaign_html(done))
    _print_end(done, report, json=json)
    if exit_status:
        raise typer.Exit(_status(done))


def _seconds(text: str) -> float:
    """'90m', '8h', '2d'. Raises UsageError."""
    try:
        seconds = float(text[:-1]) * _UNITS[text[-1:]]
    except (ValueError, KeyError):
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise UsageError(
            Message("'{text}' is not a budget.", text=text),
            remedy=Message("Write it as 90m, 8h or 2d."),
        )
    return seconds


def _hours(text: str) -> str:
    hours = parse_hours(text)
    return str(hours) if hours else ""


@dataclass(frozen=True)
class _Asked:
    """What a campaign is to try."""

    settings: Sequence[str]
    session: Path | None
    """Its advice is tried, too."""
    ladder: str
    unseen: bool
    """Nobody will have read the plan before it starts."""


def _new_plan(
    target: Target, tuner: Tuner, asked: _Asked, trial: Plan, limits: Limits
) -> CampaignPlan:
    clock_rate = target.facts.clock_rate
    if asked.ladder:
        _refuse_beside_a_ladder(asked)
        return make_ladder(levels(target, tuner, asked.ladder), trial, limits, clock_rate)
    wanted = _candidates(target, tuner, asked)
    if asked.unseen:
        _refuse_unread(wanted)
    return make_campaign(wanted, trial, limits, clock_rate)


def _candidates(target: Target, tuner: Tuner, asked: _Asked) -> list[Candidate]:
    """What the operator named, in that order, then the advice a session gets."""
    candidates = [named(target, tuner, text) for text in asked.settings]
    known = {str(candidate.treatment) for candidate in candidates}
    every = advised(target, tuner, asked.session) if asked.session else []
    return candidates + [candidate for candidate in every if str(candidate.treatment) not in known]


def _refuse_beside_a_ladder(asked: _Asked) -> None:
    if asked.settings or asked.session:
        raise UsageError(
            Message("A ladder is of one knob; it has no other treatments beside it."),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --set and --from-advice, or run them as a second campaign."),
        )


def _refuse_unread(candidates: Sequence[Candidate]) -> None:
    """Advice rests on a file that a stranger may have written, so a person confirms it."""
    advised = [candidate.treatment for candidate in candidates if candidate.advice]
    if not advised:
        return
    words = [
        word
        for treatment in advised
        for word in ("--set", "+".join(setting.argument for setting in treatment.settings))
    ]
    raise UsageError(
        Message("Read advice from a file before you try it."),
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Leave out --yes, or name what you agree to: {words}", words=shlex.join(words)
        ),
    )


def _agree(state: Campaign, baseline: Path | None, clock_rate: float, *, yes: bool) -> None:
    note(*describe(state.plan, clock_rate))
    if baseline:
        with Session.open(baseline) as session:
            note(*chance(session, state.plan))
    for entry in state.entries:
        if not entry.open:
            note(Message("{treatment}: {fate}.", treatment=entry.treatment, fate=entry.fate.value))
    if not yes:
        agree_to_start(Message("The campaign was not started."))


def _run(
    target: Target, tuner: Tuner, state: Campaign, lag: LagWatch | None, *, stop: bool = False
) -> Campaign:
    insisted = Message("The changes are being reverted. Please wait; the journal has them.")
    with long_work(str(insisted)) as (tell, asked):
        run = CampaignRun(target, tuner, state, progress=tell, cancel=asked, lag=lag)
        return run.revert_all() if stop else run.run()


def _print_end(done: Campaign, report: Path, *, json: bool) -> None:
    if json:
        print_json(
            {
                "headline": headline(done),
                "kept": done.confirmed,
                "exit_status": _status(done),
                "confirmation": _entry_json(done.confirmation) if done.confirmation else None,
                "treatments": [_entry_json(entry) for entry in done.entries],
                "report": str(report),
                "left_stored": done.left_stored,
                "in_force": done.in_force,
            }
        )
        return
    print_columns(TRIALS, trial_rows(done))
    say("", str(headline(done)), *map(str, done.in_force), f"Report: {report}")


def _status(done: Campaign) -> int:
    """The exit status: that of what the confirmation said."""
    confirmed = done.confirmation.verdict if done.confirmation else None
    return status_of_word(confirmed.verdict if confirmed else "")


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {**as_stored(entry), "why": entry.why}


def history(
    profile: Annotated[
        str | None, typer.Argument(metavar="[PROFILE]", help="Only this profile's server.")
    ] = None,
    json: Json = False,
) -> None:
    """List what was tried on a server, or on all: treatment, verdict, kept or not, session."""
    past = read_history()
    tried = list(past.tried)
    if profile:
        url = ProfileStore().get(profile).server_url
        tried = [trial for trial in tried if trial.is_on(url) or trial.profile == profile]
    if json:
        print_json({"tried": [as_stored(trial) for trial in tried], "unread": past.unread})
        return
    print_columns((*HISTORY[:3], METRIC, *HISTORY[3:]), tried)
    if not tried:
        say("Nothing was tried yet.")
    if past.unread:
        note(Message("{n} lines of the history cannot be read.", n=past.unread))
