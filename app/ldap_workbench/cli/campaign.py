"""The command that runs a campaign, and the one that lists what was tried."""

from __future__ import annotations

import secrets as random_source
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.advice import advise, findings, settings_now
from ldap_workbench.campaign import (
    Campaign,
    CampaignPlan,
    CampaignRun,
    Candidate,
    Entry,
    Limits,
    describe,
    headline,
    make_campaign,
    make_ladder,
    stored_campaign,
)
from ldap_workbench.campaign.report import ratio_of, to_markdown
from ldap_workbench.cli.console import (
    confirm,
    long_work,
    note,
    print_json,
    print_table,
    say,
    write_beside,
)
from ldap_workbench.cli.experiment import (
    Cold,
    ErrorShare,
    LoadCommand,
    MaxRepeats,
    OnHost,
    Primary,
    Reconnect,
    RestartWait,
    Settings,
    Settle,
    Slo,
    WindowLength,
    Yes,
)
from ldap_workbench.cli.link import connected, opened_journal
from ldap_workbench.cli.server import Json, Offline, Output, ProfileName
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment import make_plan, parse_design, parse_looks
from ldap_workbench.experiment.history import Tried
from ldap_workbench.experiment.hours import parse_hours
from ldap_workbench.figures.history import read_history, took_ns
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.stored import as_stored
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.servers.target import Target
from ldap_workbench.session import Session
from ldap_workbench.tuning import Tuner

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0}

Budget = Annotated[str, typer.Option(help="Time budget: 90m, 8h, 2d.")]
Restarts = Annotated[int | None, typer.Option(min=0, help="Maximum number of restarts.")]
Between = Annotated[str, typer.Option(help="Measure and change only then: 01:00-05:00.")]
FromAdvice = Annotated[
    Path | None,
    typer.Option(metavar="SESSION", help="Also queue the advice for this session."),
]
Ladder = Annotated[
    str, typer.Option(metavar="KNOB=V,V,...", help="Find the best of 4 to 6 values of one knob.")
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
    restarts: Restarts = None,
    design: Annotated[str, typer.Option(help="Pairs of each experiment.")] = "pairs:12",
    looks: Annotated[str, typer.Option(help="Interim analyses after these pairs: 8,12.")] = "",
    window: WindowLength = 300.0,
    settle: Settle = 5.0,
    trim: Annotated[
        float, typer.Option(min=0, help="Warm-up to discard from every window, s.")
    ] = 0.0,
    load: LoadCommand = "",
    load_on_host: OnHost = False,
    cold: Cold = False,
    primary: Primary = "slo",
    slo_ms: Slo = 100.0,
    seed: Annotated[int | None, typer.Option(help="Seed of the random orders.")] = None,
    max_error_share: ErrorShare = None,
    max_repeats: MaxRepeats = 3,
    reconnect_timeout: Reconnect = 120.0,
    restart_timeout: RestartWait = 300.0,
    resume: Going = False,
    yes: Yes = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Try a queue of treatments one after the other, keep what is better, confirm it as a whole.

    A treatment that only works as a group is one --set: KNOB=VALUE+KNOB=VALUE. --ladder tries
    values of one knob instead: each round keeps the better half, the best is confirmed. FILE gets
    the session of the confirmation; those of the treatments are beside it, with the report.
    """
    trial = make_plan(
        Treatment(()),
        parse_design(design),
        window_s=window,
        seed=random_source.randbelow(2**31) if seed is None else seed,
        settle_s=settle,
        trim_s=trim,
        looks=parse_looks(looks),
        load=load,
        load_on_host=load_on_host,
        cold=cold,
        primary=primary,
        slo_ns=round(slo_ms * 1e6),
        then=Then.REVERT,
        repeats=max_repeats,
        patience_s=reconnect_timeout,
        restart_wait_s=restart_timeout,
        guards={} if max_error_share is None else {"error_share": max_error_share},
    )
    limits = Limits(_seconds(budget), restarts, _hours(between))
    with connected(profile) as target, opened_journal() as changes:
        tuner = Tuner(target, changes)
        tuner.may_stop = offline
        if resume:
            state = _stored(output, tuner)
        else:
            _refuse_existing(output)
            if ladder:
                _refuse_beside_a_ladder(setting, from_advice)
                levels = _levels(tuner, target, ladder)
                plan = make_ladder(levels, trial, limits, target.facts.clock_rate)
            else:
                wanted = _candidates(tuner, target, setting or [], from_advice)
                if yes:
                    _refuse_unread(wanted)
                plan = make_campaign(wanted, trial, limits, target.facts.clock_rate)
            state = _new(plan, target, tuner, output)
        _agree(state, target.facts.clock_rate, yes=yes)
        done = _run(target, tuner, state)
    report = output.with_suffix(".md")
    write_beside(report, to_markdown(done))
    _print_end(done, report, json=json)


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


def _candidates(
    tuner: Tuner, target: Target, settings: Sequence[str], session: Path | None
) -> list[Candidate]:
    """What the operator named, in that order, then the advice a session gets."""
    found = []
    for text in settings:
        treatment = tuner.catalogue.treatment(text.split("+"), target.facts)
        found.append(Candidate(treatment, _needs_restart(tuner, treatment)))
    named = {str(each.treatment) for each in found}
    for each in _advised(session, target) if session else []:
        treatment = tuner.catalogue.treatment(each.treatment.settings, target.facts)
        if str(treatment) not in named:
            found.append(
                Candidate(
                    treatment,
                    _needs_restart(tuner, treatment),
                    each.title,
                    advice=each.id,
                    excludes=each.excludes,
                )
            )
    return found


def _levels(tuner: Tuner, target: Target, ladder: str) -> list[Candidate]:
    """'nsslapd-threadnumber=4,8,16,32' -> a candidate for each value, in that order."""
    knob, _, values = ladder.partition("=")
    treatments = [
        tuner.catalogue.treatment([f"{knob}={value}"], target.facts) for value in values.split(",")
    ]
    return [Candidate(each, _needs_restart(tuner, each)) for each in treatments]


def _refuse_beside_a_ladder(settings: Sequence[str] | None, session: Path | None) -> None:
    if settings or session:
        raise UsageError(
            Message("A ladder is of one knob; it has no other treatments beside it."),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --set and --from-advice, or run them as a second campaign."),
        )


def _needs_restart(tuner: Tuner, treatment: Treatment) -> bool:
    return any(change.needs_restart for change in tuner.plan(treatment))


def _refuse_unread(candidates: Sequence[Candidate]) -> None:
    """Advice rests on what a file says, which somebody else may have written: a person reads it."""
    advised = [each.treatment for each in candidates if each.advice]
    if not advised:
        return
    words = [
        word
        for treatment in advised
        for word in ("--set", "+".join(each.argument for each in treatment.settings))
    ]
    raise UsageError(
        Message("Read advice from a file before you try it."),
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Leave out --yes, or name what you agree to: {words}", words=shlex.join(words)
        ),
    )


def _advised(path: Path, target: Target) -> list[Any]:
    """The advice of a session that can be tried without a person's steps, the best first.

    Raises UsageError where the session is of another server.
    """
    with Session.open(path) as session:
        if session.facts is None or session.facts.identity != target.facts.identity:
            raise UsageError(
                Message("{path} is not a session of this server.", path=str(path)),
                safe=Message("Nothing was changed."),
                remedy=Message("Capture this server, and take the advice of that session."),
            )
        advice = advise(findings(session), session.facts, settings=settings_now(session))
    return [each for each in advice if each.treatment.settings]


def _refuse_existing(output: Path) -> None:
    state = stored_campaign(output)
    if output.exists() or (state and not state.ended):
        raise UsageError(
            Message("{path} belongs to a campaign already.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Go on with it by --resume, or name a new file."),
        )


def _stored(output: Path, tuner: Tuner) -> Campaign:
    state = stored_campaign(output)
    if state is None or state.ended:
        raise UsageError(
            Message("You have no campaign to resume for {path}.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --resume and name a new file."),
        )
    if state.identity != tuner.identity or state.server != tuner.server:
        raise UsageError(
            Message(
                "The campaign of {path} is on another server: {server}.",
                path=str(output),
                server=state.server,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Name the profile of that server."),
        )
    return state


def _new(plan: CampaignPlan, target: Target, tuner: Tuner, output: Path) -> Campaign:
    return Campaign(
        plan,
        tuner.server,
        tuner.identity,
        target.profile.name,
        str(output.resolve()),
        time.time_ns(),
        tuple(Entry(str(each.treatment)) for each in plan.candidates),
    )


def _agree(state: Campaign, clock_rate: float, *, yes: bool) -> None:
    note(*describe(state.plan, clock_rate))
    for each in state.entries:
        if not each.open:
            note(Message("{treatment}: {fate}.", treatment=each.treatment, fate=each.fate.value))
    if not yes and not confirm("Start?"):
        raise UsageError(
            Message("The campaign was not started."),
            safe=Message("Nothing was changed."),
            remedy=Message("Answer yes, or add --yes to run without questions."),
        )


def _run(target: Target, tuner: Tuner, state: Campaign) -> Campaign:
    insisted = Message("The server is being put back. Please wait; it is durable in the journal.")
    with long_work(str(insisted)) as (tell, stop):
        return CampaignRun(target, tuner, state, progress=tell, cancel=stop).run()


def _print_end(done: Campaign, report: Path, *, json: bool) -> None:
    if json:
        print_json(
            {
                "headline": headline(done),
                "kept": done.confirmed,
                "confirmation": _entry_json(done.confirmation) if done.confirmation else None,
                "treatments": [_entry_json(each) for each in done.entries],
                "report": str(report),
            }
        )
        return
    rows = [_row(each) for each in done.entries]
    print_table(
        ["Treatment", "Verdict", "Ratio B/A", "p", "Tested at", "Outcome"],
        rows,
        numbers=("Ratio B/A", "p", "Tested at"),
    )
    say("", str(headline(done)), f"Report: {report}")


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {**as_stored(entry), "why": entry.why}


def _row(entry: Entry) -> list[str]:
    verdict = entry.verdict
    outcome = str(Message("{fate}: {why}", fate=entry.fate.value, why=entry.why))
    return [
        entry.treatment,
        str(verdict.verdict) if verdict else "",
        str(ratio_of(verdict)),
        f"{verdict.p:.3g}" if verdict else "",
        f"{entry.level:.3g}" if entry.level else "",
        outcome if entry.why else entry.fate.value,
    ]


def history(
    profile: Annotated[str | None, typer.Argument(metavar="[PROFILE]")] = None,
    json: Json = False,
) -> None:
    """List what was tried on a server, or on all: treatment, verdict, kept or not, session."""
    found = read_history()
    tried = list(found.tried)
    if profile:
        url = ProfileStore().get(profile).ldap_url
        tried = [each for each in tried if each.is_on(url) or each.profile == profile]
    if json:
        print_json({"tried": [as_stored(each) for each in tried], "unread": found.unread})
        return
    print_table(
        ["When (UTC)", "Server", "Treatment", "Metric", "Verdict", "Ratio B/A", "Took", "Outcome"],
        [_tried_row(each) for each in tried],
        numbers=("Ratio B/A", "Took"),
    )
    if not tried:
        say("Nothing was tried yet.")
    if found.unread:
        note(Message("{n} lines of the history cannot be read.", n=found.unread))


def _tried_row(tried: Tried) -> list[str]:
    return [
        format_time(tried.began_ns),
        tried.server,
        " + ".join(tried.treatment),
        tried.metric,
        tried.verdict or tried.state,
        str(ratio_of(tried)),
        format_duration(took_ns(tried)),
        tried.state,
    ]
