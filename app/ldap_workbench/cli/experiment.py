"""The command that runs an A/B experiment on a server."""

from __future__ import annotations

import secrets as random_source
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.asking import agree_to_start, keep_or_revert
from ldap_workbench.cli.compare import ExitStatus, print_verdict, status_of
from ldap_workbench.cli.console import long_work, note, print_json, say
from ldap_workbench.cli.faults import FAILED
from ldap_workbench.cli.link import Writer, connected, opened_journal
from ldap_workbench.cli.resuming import (
    Quoted,
    further_pairs,
    rerun_with_longer_wait,
    stored_experiment,
)
from ldap_workbench.cli.server import Json, Offline, Output, ProfileName, Yes
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.experiment.aftermath import insisted, open_change
from ldap_workbench.experiment.assertions import (
    Checked,
    Outcome,
    check,
    parse_assertion,
    to_junit,
)
from ldap_workbench.experiment.description import describe, length, restarts_ahead
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.foresight import foresee
from ldap_workbench.experiment.further import further_plan
from ldap_workbench.experiment.guards import ERROR_SHARE, LAG_S, P99_NS
from ldap_workbench.experiment.in_force import read_in_force
from ldap_workbench.experiment.index_proof import indexes_added
from ldap_workbench.experiment.lag_watch import LagWatch, watch_replicas
from ldap_workbench.experiment.plan import (
    check_differs,
    duration_s,
    make_plan,
    parse_design,
    parse_looks,
    usual_design,
)
from ldap_workbench.model import plan_fields
from ldap_workbench.model.change import left_stored, reverted
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KNOB=VALUE",
        help="The treatment. 'olcDbIndex+=mail eq' adds one value of many, -= removes it; "
        "index.mail=eq,sub is an index, with its build.",
    ),
]
PairDesign = Annotated[
    str,
    typer.Option(
        help="pairs:8 (the default), abba:4 or ab:4: four windows of A, one switch, four of B. ab, "
        "one of each, is the default for an index of a server not marked as a test server."
    ),
]
WindowLength = Annotated[float, typer.Option(help=plan_fields.WINDOW.help)]
Settle = Annotated[float, typer.Option(help=plan_fields.SETTLE.help)]
Trim = Annotated[
    str, typer.Option(help="Warm-up to discard from every window, s; 'auto' detects it.")
]
TrimSeconds = Annotated[float, typer.Option(min=plan_fields.TRIM.least, help=plan_fields.TRIM.help)]
LoadCommand = Annotated[
    str,
    typer.Option(
        help="Command that generates the load; {seconds} becomes the length of the window."
    ),
]
OnHost = Annotated[bool, typer.Option("--load-on-host", help="Run the load on the server's host.")]
Cold = Annotated[
    bool,
    typer.Option(
        "--cold",
        help="Equalise cache state: drop the page cache of the server's host before every window, "
        "of both arms. Slows other programs of that host for a while.",
    ),
]
Primary = Annotated[
    str,
    typer.Option(
        help="p50, p95, p99, p99.9, slo, stall_len, stall_time, stall_n or failed (share of the "
        "operations that fail). Of one type: BIND:p50. Of one kind of operation: "
        "SRCH[(mail=?)]:p50."
    ),
]
Slo = Annotated[float, typer.Option("--slo-ms", help=plan_fields.SLO.help)]
Looks = Annotated[
    str,
    typer.Option(
        help="Interim analyses after these pairs: 8,12,16. The first decision ends the experiment."
    ),
]
NoiseFloor = Annotated[
    bool, typer.Option("--noise-floor", help="Change nothing: measure the noise of the server.")
]
Baseline = Annotated[
    Path | None, typer.Option(help="Session with a noise floor, to estimate the sensitivity.")
]
After = Annotated[Then | None, typer.Option(help="What to do after the verdict; asks by default.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the random order.")]
ErrorShare = Annotated[
    float | None, typer.Option(help="Abort when more operations than this fail (0 to 1).")
]
P99 = Annotated[float | None, typer.Option(help=plan_fields.P99.help)]
MaxLag = Annotated[
    float | None, typer.Option(min=plan_fields.LEAST_LAG_S, help=plan_fields.LAG.help)
]
Replicas = Annotated[
    list[str] | None,
    typer.Option(
        "--replica",
        metavar="PROFILE",
        help="With --max-lag: another replica, by which the lag is known; repeatable.",
    ),
]
MaxRepeats = Annotated[
    int, typer.Option(min=plan_fields.REPEATS.least, help=plan_fields.REPEATS.help)
]
Reconnect = Annotated[
    float,
    typer.Option(
        "--reconnect-timeout", min=plan_fields.PATIENCE.least, help=plan_fields.PATIENCE.help
    ),
]
RestartWait = Annotated[
    float,
    typer.Option(
        "--restart-timeout", min=plan_fields.RESTART_WAIT.least, help=plan_fields.RESTART_WAIT.help
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the experiment in the file.")]
Again = Annotated[
    Path | None,
    typer.Option(
        "--again",
        metavar="SESSION",
        help="Measure more pairs by the plan in this session, whose verdict is open. They are an "
        "experiment of their own, judged without the earlier ones.",
    ),
]
Pairs = Annotated[
    int | None,
    typer.Option(
        min=plan_fields.PAIRS.least,
        max=plan_fields.PAIRS.most,
        help="With --again: how many; by default what its verdict asks.",
    ),
]
AcceptLoad = Annotated[
    str,
    typer.Option(
        help="With --resume or --again: allow this load command, quoted as it stands in the file."
    ),
]
Asserted = Annotated[
    list[str] | None,
    typer.Option(
        "--assert",
        metavar="'p99 <= 1.05'",
        help="Exit with 1 unless the interval of the ratio B/A is on this side; repeatable.",
    ),
]
Junit = Annotated[
    Path | None, typer.Option("--junit", help="The assertions as JUnit XML, for a nightly test.")
]


def experiment(
    profile: ProfileName,
    output: Output,
    setting: Settings = None,
    design: PairDesign = "",
    window: WindowLength = plan_fields.WINDOW.default,
    settle: Settle = plan_fields.SETTLE.default,
    trim: Trim = "0",
    load: LoadCommand = "",
    load_on_host: OnHost = False,
    cold: Cold = False,
    primary: Primary = "slo",
    slo_ms: Slo = plan_fields.SLO.default,
    looks: Looks = "",
    noise_floor: NoiseFloor = False,
    baseline: Baseline = None,
    then: After = None,
    seed: Seed = None,
    max_error_share: ErrorShare = None,
    max_p99_ms: P99 = None,
    max_lag: MaxLag = None,
    replica: Replicas = None,
    max_repeats: MaxRepeats = plan_fields.REPEATS.default,
    reconnect_timeout: Reconnect = plan_fields.PATIENCE.default,
    restart_timeout: RestartWait = plan_fields.RESTART_WAIT.default,
    resume: Resume = False,
    again: Again = None,
    pairs: Pairs = None,
    accept_load: AcceptLoad = "",
    asserted: Asserted = None,
    junit: Junit = None,
    exit_status: ExitStatus = False,
    yes: Yes = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Run an A/B experiment with one treatment, then keep or revert it.

    With --json it prints the state, the verdict, the session, and left_stored: a sentence for each
    value that is stored after the revert and was not before.
    """
    assertions = [parse_assertion(text) for text in asserted or ()]
    if again is None:
        _check_new(setting, pairs, noise_floor=noise_floor, resume=resume)
    number = drawn(seed)
    options = {
        "window_s": window,
        "seed": number,
        "settle_s": settle,
        "trim_s": _seconds(trim),
        "trim_auto": trim == "auto",
        "looks": parse_looks(looks),
        "load": load,
        "load_on_host": load_on_host,
        "cold": cold,
        "primary": primary,
        "slo_ns": round(slo_ms * plan_fields.NS_PER_MS),
        "then": then or Then.ASK,
        "repeats": max_repeats,
        "patience_s": reconnect_timeout,
        "restart_wait_s": restart_timeout,
        "guards": safety_limits(max_error_share, max_p99_ms, max_lag),
    }
    with connected(profile) as target, opened_journal(Writer.EXPERIMENT) as changes:
        tuner = Tuner(target, changes)
        tuner.may_stop = offline
        _refuse_while_open(target, tuner)
        quoted = Quoted(accept_load, setting or (), then, cold)
        stored = stored_experiment(output, target, tuner, quoted) if resume else None
        if stored:
            plan = stored.plan
        elif again:
            plan = further_pairs(again, target, tuner, quoted, seed=number, pairs=pairs)
        else:
            plan = _new_plan(target, tuner, setting or [], design, options)
        with tuner.locked(), watched(target, plan, replica or ()) as lag:
            _agree(target, plan, tuner, baseline, stored, yes=yes)
            done, verdict = _run(target, tuner, plan, output, stored, lag)
        left = tuple(dict.fromkeys((*done.left_stored, *_left_by_revert(done, changes))))
    _print_end(done, verdict, output, left, json=json)
    if not json:
        _offer_further(profile, done, output)
    if assertions and done.verdict:
        _assert(check(assertions, done.verdict), output, junit)
    if exit_status:
        raise typer.Exit(status_of(done.verdict))


def _check_new(
    settings: Sequence[str] | None, pairs: int | None, *, noise_floor: bool, resume: bool
) -> None:
    """Raises UsageError for options that go with --again, and where nothing or too much is asked.

    Either there is a treatment, or nothing is changed; an experiment that goes on has its own.
    """
    if pairs is not None:
        raise UsageError(
            Message("--pairs goes with --again."),
            remedy=Message("Say the number of a new experiment with --design pairs:8."),
        )
    if not resume and bool(settings) == noise_floor:
        raise UsageError(
            Message("An experiment needs a treatment; a noise floor has none."),
            remedy=Message("Add --set KNOB=VALUE, or --noise-floor without it."),
        )


def drawn(seed: int | None) -> int:
    """The seed that was named, else a random one."""
    return random_source.randbelow(2**31) if seed is None else seed


def safety_limits(
    error_share: float | None, p99_ms: float | None, lag_s: float | None = None
) -> dict[str, float]:
    """Those that were named, as a plan has them."""
    limits = {
        ERROR_SHARE: error_share,
        P99_NS: p99_ms and p99_ms * plan_fields.NS_PER_MS,
        LAG_S: lag_s,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}


@contextmanager
def watched(target: Target, plan: Plan, names: Sequence[str]) -> Iterator[LagWatch | None]:
    """The lag of the replicas, while a plan limits it. Raises UsageError as watch_replicas does."""
    with watch_replicas(target, names, plan.guards.get(LAG_S), connected) as watch:
        if watch is not None:
            note(
                Message(
                    "Aborts when one of {names:and} is more than {lag:g} s behind the others.",
                    names=(target.profile.name, *names),
                    lag=plan.guards[LAG_S],
                )
            )
        yield watch


def _assert(checked: Sequence[Checked], output: Path, junit: Path | None) -> None:
    """Say what holds, write it down; raises typer.Exit with 1 where not all does."""
    if junit:
        write_beside(junit, to_junit(output.stem, checked))
    for result in checked:
        note(
            Message(
                "{assertion}: {outcome}. {found}",
                assertion=str(result.assertion),
                outcome=result.outcome.value,
                found=result.finding,
            )
        )
    if any(result.outcome is not Outcome.HOLDS for result in checked):
        raise typer.Exit(FAILED)


def _new_plan(
    target: Target, tuner: Tuner, settings: Sequence[str], design: str, options: dict[str, Any]
) -> Plan:
    treatment = Treatment(())
    if settings:
        treatment = tuner.catalogue.treatment(settings, target.facts)
    restart = any(change.needs_restart for change in tuner.plan(treatment))
    design = design or usual_design(treatment, test_server=target.profile.test_server)
    return make_plan(treatment, parse_design(design), restart=restart, **options)


def _refuse_while_open(target: Target, tuner: Tuner) -> None:
    """Raises ChangeError; of a run that is still alive the changes are its own, and it says so."""
    if not tuner.open_changes():
        return
    with tuner.locked():
        raise open_change(target.profile.name)


def _seconds(trim: str) -> float:
    try:
        return 0.0 if trim == "auto" else float(trim)
    except ValueError as error:
        raise UsageError(
            Message("'{trim}' is neither seconds nor auto.", trim=trim),
            remedy=Message("Write --trim 30, or --trim auto."),
        ) from error


def _agree(
    target: Target,
    plan: Plan,
    tuner: Tuner,
    baseline: Path | None,
    stored: Experiment | None,
    *,
    yes: bool,
) -> None:
    """Say what will happen and ask, also where what was begun goes on: of that, what is left.

    Raises KnobError and ChangeError before that where the treatment cannot be made.
    """
    planned = tuner.plan(plan.treatment)
    check_differs(plan, planned)
    tuner.check_automated(planned)
    clock_rate = target.facts.clock_rate
    if user_data := tuner.catalogue.user_data_ahead([plan.treatment]):
        note(user_data)
    if plan.restart:
        left = replace(plan, steps=plan.steps[stored.step :]) if stored else plan
        note(restarts_ahead(left, target.profile.name, clock_rate, time.time()))
    for line in [*describe(plan, clock_rate), *_foreseen(plan, baseline)]:
        note(line)
    for change in planned:
        note(f"  {change.describe()}")
    if not yes:
        agree_to_start(Message("The experiment was not started."))


def _foreseen(plan: Plan, baseline: Path | None) -> list[Message]:
    """What the plan can find, as far as earlier windows tell it."""
    if plan.changes_nothing:
        return []
    if baseline is None:
        served = Message(
            "Which searches the index would serve is not known: name a session of this server with "
            "--baseline."
        )
        return [
            *([served] if indexes_added(plan.treatment) else []),
            Message(
                "Its sensitivity is not known: measure a --noise-floor first, and name its "
                "session with --baseline."
            ),
        ]
    with Session.open(baseline) as session:
        return foresee(session, plan)


def _run(
    target: Target,
    tuner: Tuner,
    plan: Plan,
    output: Path,
    stored: Experiment | None,
    lag: LagWatch | None,
) -> tuple[Experiment, Verdict | None]:
    with long_work(str(insisted(plan))) as (tell, stop):

        def decide(verdict: Verdict) -> Then:
            assert job.experiment is not None
            now = read_in_force(tuner, job.experiment, deciding=True)
            return keep_or_revert(verdict, "Keep the change?", stop, now.lines)

        job = ExperimentJob(output, plan, decide=decide, resume_from=stored, lag=lag)
        done = job.run(target, tuner, tell, stop)
    note(*read_in_force(tuner, done, deciding=False).lines)
    return done, job.verdict


def _offer_further(profile: str, done: Experiment, output: Path) -> None:
    """How to measure more pairs, where the verdict is open and they can answer the question."""
    further = further_plan(done.plan, done.verdict, output.name) if done.verdict else None
    if further:
        words = ["ldap-workbench", "experiment", profile, "-o", "NEW.ldapwb", "--again"]
        note(
            Message(
                "To measure {n} more pairs, judged by themselves ({length}): {command}",
                n=len(further.steps) // 2,
                length=length(duration_s(further)),
                command=shlex.join([*words, str(output)]),
            )
        )


def _left_by_revert(done: Experiment, journal: Journal) -> tuple[Message, ...]:
    """What is stored now and was not; the journal may lack a change of a file from elsewhere."""
    groups = done.change_groups
    if not groups:
        return ()
    return left_stored(change for change in journal.changes() if change.group in groups)


def _print_end(
    done: Experiment,
    verdict: Verdict | None,
    output: Path,
    left: Sequence[Message],
    *,
    json: bool,
) -> None:
    if json:
        print_json(
            {
                "state": done.state.value,
                "verdict": done.verdict.to_json() if done.verdict else None,
                "exit_status": status_of(done.verdict),
                "session": str(output),
                "left_stored": left,
            }
        )
        return
    if verdict and done.plan.then is not Then.ASK:
        print_verdict(verdict)
    if rerun := rerun_with_longer_wait(done.plan, done.verdict):
        note(rerun)
    if done.plan.changes_nothing:
        say(f"Nothing was changed. Session to plan by: {output}")
        return
    what = reverted(left)
    if done.state is State.KEPT:
        what = Message("The change was kept.")
    say(f"{what} Session: {output}")
