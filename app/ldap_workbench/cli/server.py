"""Commands that speak to a server: capture, knobs, experiment, journal, revert."""

from __future__ import annotations

import secrets as random_source
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.capture import CapturePlan, fetch
from ldap_workbench.capture import capture as capture_window
from ldap_workbench.cli.console import (
    confirm,
    long_work,
    note,
    print_json,
    print_table,
    say,
)
from ldap_workbench.cli.instants import instant
from ldap_workbench.cli.link import (
    connected,
    connected_to_revert,
    opened_journal,
    warn_of_open_changes,
)
from ldap_workbench.cli.sessions import print_verdict
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment import (
    ExperimentRun,
    describe,
    foresee,
    make_plan,
    parse_design,
    remember_settings,
)
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import ChangeError, UsageError
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.target import Target
from ldap_workbench.session import Session, SessionWriter
from ldap_workbench.tuning import Journal, Tuner
from ldap_workbench.tuning.place import words

ProfileName = Annotated[str, typer.Argument(metavar="PROFILE", help="Name of a profile.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Session file to write (*.ldapwb).")]
Offline = Annotated[bool, typer.Option(help="The server may be stopped for edits of its dse.ldif.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def capture(
    profile: ProfileName,
    output: Output,
    seconds: Annotated[float, typer.Option(min=1, help="Length of the window, s.")] = 60,
    name: Annotated[str, typer.Option(help="Name of the window.")] = "window",
    start: Annotated[
        str, typer.Option("--from", help="Fetch a past window of the log: ISO time, else UTC.")
    ] = "",
    end: Annotated[str, typer.Option("--to", help="Its end: ISO time, UTC without a zone.")] = "",
    json: Json = False,
) -> None:
    """Capture one measurement window of cn=monitor, logs and iostat, or fetch a past one."""
    start_ns, end_ns = instant(start), instant(end)
    if (start_ns is None) != (end_ns is None):
        raise UsageError("A past window has a start and an end.", remedy="Say --from and --to.")
    with (
        connected(profile) as target,
        opened_journal() as changes,
        SessionWriter.create(output, target.facts) as writer,
        long_work() as (tell, cancel),
    ):
        warn_of_open_changes(target.profile, changes)
        if start_ns is not None and end_ns is not None:
            window = fetch(
                target, writer, start_ns, end_ns, name=name, progress=tell, cancel=cancel
            )
        else:
            plan = CapturePlan(seconds, name=name)
            window = capture_window(target, writer, plan, progress=tell, cancel=cancel)
            if not window.cancelled:
                remember_settings(writer, Tuner(target, changes), window)
    with Session.open(output) as session:
        sources = session.sources(window.id)
    if json:
        print_json({**asdict(window), "sources": [asdict(source) for source in sources]})
    else:
        say(f"{window.seconds:.1f} s captured into {output}{' (cancelled)' * window.cancelled}")
        rows = [(s.kind.value, s.state.value, f"{s.samples:,}", s.why) for s in sources]
        print_table(("source", "state", "samples", "why"), rows, numbers=("samples",))
    if window.cancelled:
        raise typer.Exit(1)


def knobs(
    where: Annotated[str, typer.Argument(metavar="PROFILE", help="Name of a profile.")],
    json: Json = False,
) -> None:
    """Print the catalogue of knobs with what each says now."""
    with connected(where) as target, opened_journal() as changes:
        readings = Tuner(target, changes).readings()
    if json:
        print_json([asdict(reading) for reading in readings])
        return
    rows = [
        (
            r.knob.name + (f" ({r.place})" if r.place else ""),
            r.unknown or (r.value if r.value is not None else "absent"),
            r.knob.default or "",
            r.knob.unit,
            r.knob.effect.value,
            r.knob.risk.value,
            r.knob.title,
        )
        for r in readings
    ]
    print_table(("knob", "now", "default", "unit", "takes effect", "risk", "what it is"), rows)


def experiment(
    profile: ProfileName,
    output: Output,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KNOB=VALUE", help="The treatment.")
    ] = None,
    design: Annotated[str, typer.Option(help="pairs:8, abba:4 or ab.")] = "pairs:8",
    window: Annotated[float, typer.Option(help="Length of each window, s.")] = 300.0,
    settle: Annotated[float, typer.Option(help="Wait after a change, s.")] = 5.0,
    trim: Annotated[
        str, typer.Option(help="Cut from the start of every window, s; 'auto' finds the warm-up.")
    ] = "0",
    load: Annotated[
        str, typer.Option(help="Command that makes the load; {seconds} is replaced.")
    ] = "",
    load_on_host: Annotated[bool, typer.Option(help="Run it on the server's host.")] = False,
    primary: Annotated[
        str, typer.Option(help="p50, p95, p99, p99.9, slo, stall_len, stall_time or stall_n.")
    ] = "slo",
    slo_ms: Annotated[float, typer.Option("--slo-ms", help="Limit of a good answer, ms.")] = 100.0,
    looks: Annotated[
        str, typer.Option(help="Pairs after which to look and end if decided: 8,12,16.")
    ] = "",
    noise_floor: Annotated[
        bool, typer.Option("--noise-floor", help="Change nothing: measure the noise of the server.")
    ] = False,
    baseline: Annotated[
        Path | None, typer.Option(help="Session with windows without a change, to plan by.")
    ] = None,
    then: Annotated[Then, typer.Option(help="What follows the verdict.")] = Then.ASK,
    seed: Annotated[int | None, typer.Option(help="Seed of the coin.")] = None,
    max_error_share: Annotated[
        float | None, typer.Option(help="Abort when more operations than this fail (0 to 1).")
    ] = None,
    max_p99_ms: Annotated[
        float | None, typer.Option(help="Abort when p99 exceeds this, ms.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the experiment in the file.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before starting.")] = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Run an A/B experiment with one treatment, then keep or revert it."""
    if not resume and bool(setting) == noise_floor:
        raise UsageError(
            "An experiment needs a treatment, a noise floor none.",
            remedy="Add --set KNOB=VALUE, or --noise-floor without it.",
        )
    with connected(profile) as target, opened_journal() as changes:
        _refuse_while_open(target, changes)
        tuner = Tuner(target, changes)
        tuner.may_stop = offline
        stored = _stored_experiment(output) if resume else None
        if stored:
            plan = stored.plan
        else:
            treatment = Treatment(())
            if setting:
                treatment = tuner.catalogue.treatment(setting, target.facts)
            guards = {"error_share": max_error_share, "p99_ns": max_p99_ms and max_p99_ms * 1e6}
            plan = make_plan(
                treatment,
                parse_design(design),
                window_s=window,
                seed=random_source.randbelow(2**31) if seed is None else seed,
                settle_s=settle,
                trim_s=_seconds(trim),
                trim_auto=trim == "auto",
                looks=_looks(looks),
                load=load,
                load_on_host=load_on_host,
                primary=primary,
                slo_ns=round(slo_ms * 1e6),
                then=then,
                restart=any(change.needs_restart for change in tuner.plan(treatment)),
                guards={name: limit for name, limit in guards.items() if limit is not None},
            )
        _agree(plan, tuner, baseline, yes=yes)
        done, verdict = _run(target, tuner, plan, output, stored)
    _tell_end(done, verdict, output, json=json)


def _stored_experiment(path: Path) -> Experiment:
    with Session.open(path) as session:
        experiments = session.experiments()
    if not experiments or experiments[-1].state.ended:
        raise UsageError(f"{path} holds no experiment that could go on.")
    return experiments[-1]


def _refuse_while_open(target: Target, journal: Journal) -> None:
    warn_of_open_changes(target.profile, journal)
    if journal.open_changes(target.profile.ldap_url):
        raise ChangeError(
            "An earlier change is still open on this server.",
            safe="Nothing was changed.",
            remedy=f"Run: ldap-workbench revert {target.profile.name} --all",
        )


def _seconds(trim: str) -> float:
    try:
        return 0.0 if trim == "auto" else float(trim)
    except ValueError as error:
        raise UsageError(f"'{trim}' is neither seconds nor auto.") from error


def _looks(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(",")) if text else ()
    except ValueError as error:
        raise UsageError(
            f"'{text}' names no looks.", remedy="Say numbers of pairs with commas: 8,12,16."
        ) from error


def _agree(plan: Plan, tuner: Tuner, baseline: Path | None, *, yes: bool) -> None:
    for line in [*describe(plan), *_foreseen(plan, baseline)]:
        note(line)
    for change in tuner.plan(plan.treatment):
        note(f"  {change.describe()}")
    if not yes and plan.then is Then.ASK and not confirm("Start?"):
        raise UsageError(
            "The experiment was not started.",
            safe="Nothing was changed.",
            remedy="Say yes, or add --yes, or --then revert for a run without questions.",
        )


def _foreseen(plan: Plan, baseline: Path | None) -> list[str]:
    """What the plan can find, as far as earlier windows tell it."""
    if plan.changes_nothing:
        return []
    if baseline is None:
        return [
            "Which effect it can find is not known: measure a --noise-floor first, and name its "
            "session with --baseline."
        ]
    with Session.open(baseline) as session:
        return foresee(session, plan)


def _run(
    target: Target, tuner: Tuner, plan: Plan, output: Path, stored: Experiment | None
) -> tuple[Experiment, Verdict | None]:
    writer = SessionWriter.append(output) if stored else SessionWriter.create(output, target.facts)
    with writer, long_work() as (tell, cancel):
        run = ExperimentRun(
            target,
            tuner,
            writer,
            plan,
            progress=tell,
            cancel=cancel,
            decide=_keep_or_revert,
            resume_from=stored,
        )
        return run.run(), run.verdict


def _keep_or_revert(verdict: Verdict) -> Then:
    print_verdict(verdict)
    return Then.KEEP if confirm("Keep the change?") else Then.REVERT


def _tell_end(done: Experiment, verdict: Verdict | None, output: Path, *, json: bool) -> None:
    if json:
        print_json({"state": done.state.value, "verdict": done.verdict, "session": str(output)})
        return
    if verdict and done.plan.then is not Then.ASK:
        print_verdict(verdict)
    if done.plan.changes_nothing:
        say(f"Nothing was changed. Session to plan by: {output}")
        return
    what = "kept" if done.state is State.KEPT else "reverted: the server is as it was before"
    say(f"The change was {what}. Session: {output}")


def journal(
    profile: Annotated[str | None, typer.Argument(help="Only this profile's server.")] = None,
    json: Json = False,
) -> None:
    """List the changes made on servers; the open ones are marked."""
    server = ProfileStore().get(profile).ldap_url if profile else None
    with opened_journal() as entries:
        changes = entries.changes(server)
    if json:
        print_json([asdict(change) for change in changes])
        return
    rows = [_change_row(change) for change in changes]
    print_table(("id", "state", "server", "knob", "before", "asked", "got", "proof"), rows)


def _change_row(change: Change) -> list[str]:
    values = [words(change.before), words(change.asked), words(change.got)]
    state = change.state.value + (" (OPEN)" if change.state.open else "")
    return [str(change.id), state, change.server, change.knob, *values, change.proof]


def revert(
    profile: ProfileName,
    number: Annotated[int | None, typer.Argument(metavar="[ID]", help="One change.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All open changes.")] = False,
    force: Annotated[
        bool, typer.Option(help="Overwrite what somebody else has set since.")
    ] = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Put back what was before: one change with its group, or all open ones."""
    if (number is None) == (not all_):
        raise UsageError("Say which: an ID from the journal, or --all.")
    with opened_journal() as entries, connected_to_revert(profile, entries, offline) as target:
        tuner = Tuner(target, entries)
        tuner.may_stop = offline
        if all_:
            changes = tuner.recover(force=force)
        else:
            assert number is not None
            changes = tuner.revert(tuner.journal.get(number).group, force=force)
    _tell_reverted(changes, json=json)


def _tell_reverted(changes: list[Change], *, json: bool) -> None:
    if json:
        print_json([asdict(change) for change in changes])
        return
    if not changes:
        say("There was nothing to revert.")
    for change in changes:
        restart = " (takes effect at the next restart)" if change.needs_restart else ""
        say(f"{change.knob}: {change.state.value}, is {words(change.before)} again{restart}")
