"""`demo` and `practice`: the main job on a directory that is simulated and says so."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.alone import needing_qt, open_window
from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.cli.console import long_work, note, say
from ldap_workbench.cli.signals import stopped_by_signals
from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment import ExperimentRun, describe, insisted, make_plan, parse_design
from ldap_workbench.experiment.description import length
from ldap_workbench.experiment.plan import duration_s
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Design, Plan, Then
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.practice import Practice, Scenario, load_scenario, scenario_names
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import Journal, Tuner

SCENARIO = "rehash"
CAMPAIGN_PAIRS = 10
SLO_MS = 100.0
"""What the commands take where nothing is said."""
QUICK = 30
"""A speed for which half a core is enough."""
INTRODUCTION = """\
Logins on this server are slow: its users have {SSHA512} passwords, and 389 DS hashes each of them
again with PBKDF2 when they bind. The demo measures binds with and without that, in random order.
The server is a simulation on this machine, its clock runs 30 times as fast as yours."""


def demo(
    headless: Annotated[
        bool, typer.Option("--headless", help="No window, even with a display.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Session file.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of windows.")] = 6,
    window: Annotated[float, typer.Option(min=1, help="Length of a window, practice s.")] = 60.0,
    speed: Annotated[float, typer.Option(min=1, help="Practice seconds per second.")] = 30.0,
) -> None:
    """Run the main job on the practice directory: capture, experiment, verdict, revert, report."""
    from ldap_workbench.report import write_report

    output = _free(output or Path("demo") / "demo.ldapwb")
    say(*INTRODUCTION.splitlines())
    with _home_of_its_own(), Practice.start(SCENARIO, speed=speed) as practice:
        target = _reach(practice)
        with closing(target):
            _experiment(target, practice, output, pairs, window)
    report = write_report(output, output.with_suffix(".html"))
    say(f"Session: {output}")
    say(f"Report:  {report}")
    _show(output, headless=headless or not _has_display())


def practice(
    scenario: Annotated[
        str, typer.Argument(metavar="[LESSON]", help="Which lesson.")
    ] = "checkpoint-storms",
    speed: Annotated[float, typer.Option(min=1, help="Practice seconds per second.")] = 1.0,
    lessons: Annotated[bool, typer.Option("--list", help="List the lessons.")] = False,
    hint: Annotated[
        int | None, typer.Option(min=1, help="Print this hint of the lesson; start nothing.")
    ] = None,
    mended: Annotated[
        bool, typer.Option("--mended", help="Start the directory with the problem already solved.")
    ] = False,
) -> None:
    """Start the practice directory, print how to reach it, stop on Ctrl-C."""
    if lessons:
        for name in scenario_names():
            lesson = load_scenario(name)
            case = f" (a real case: docs/cases/{lesson.case}.md)" if lesson.case else ""
            say(f"{name:<18} {lesson.title}{case}")
        return
    if hint is not None:
        _print_hint(load_scenario(scenario), hint)
        return
    with (
        Practice.start(scenario, speed=speed, mended=mended) as server,
        stopped_by_signals() as asked,
    ):
        assert server.profile.ssh is not None
        accept_fingerprint(server.profile.ssh, server.fingerprint)
        ProfileStore().add(server.profile)
        try:
            _print_addresses(server)
            while not asked.wait(1.0) and server.alive:
                pass
        finally:
            ProfileStore().remove(server.profile.name)


def _print_addresses(server: Practice) -> None:
    say(f"{server.scenario.title} (a simulation on this machine)", "")
    say(str(server.scenario.about), *server.scenario.lesson.strip().splitlines(), "")
    say("In another terminal:")
    for name, value in server.environment.items():
        say(f"    export {name}={shlex.quote(value)}")
    say(f"    ldap-workbench profile test {server.profile.name}")
    if server.scenario.hints:
        _print_task(server)
        return
    say(f"    {_experiment_on(server)}")
    if server.scenario.queue:
        say(f"    {campaign_on(server)}")
    say("", f"{_how_long(server)} Ctrl-C ends the directory.")


def _print_task(server: Practice) -> None:
    """A lesson that begins with a complaint: how to look for its cause, not what it is."""
    name = server.scenario.name
    file = f"{name}.ldapwb"
    say(f"    ldap-workbench capture {server.profile.name} -o {file} --seconds 150")
    say(f"    ldap-workbench findings {file}")
    count = len(server.scenario.hints)
    say("", f"Find the cause. Hints, one at a time: ldap-workbench practice {name} --hint 1")
    say(f"(of {count}; the last one is the answer). Ctrl-C ends the directory.")


def _print_hint(scenario: Scenario, number: int) -> None:
    hints = scenario.hints
    if number > len(hints):
        raise UsageError(
            Message(
                "The lesson '{name}' has {hints}.",
                name=scenario.name,
                hints=count_of("{n} hint", "{n} hints", n=len(hints)),
            ),
            remedy=Message("Ask for a hint by its number, --hint 1 for the first."),
        )
    say(str(hints[number - 1]))


def _experiment_on(server: Practice) -> str:
    """The command that tries what the lesson says."""
    scenario = server.scenario
    words = ["ldap-workbench", "experiment", server.profile.name, "-o", f"{scenario.name}.ldapwb"]
    for each in scenario.treatment.settings:
        words += ["--set", each.argument]
    return shlex.join(words + _measured_by(scenario))


def campaign_on(server: Practice) -> str:
    """The command that tries the queue of the lesson."""
    scenario = server.scenario
    output = f"{scenario.name}-campaign.ldapwb"
    words = ["ldap-workbench", "campaign", server.profile.name, "-o", output, "--budget", "12h"]
    for treatment in scenario.queue:
        words += ["--set", "+".join(each.argument for each in treatment.settings)]
    return shlex.join([*words, *_measured_by(scenario), "--design", f"pairs:{CAMPAIGN_PAIRS}"])


def _measured_by(scenario: Scenario) -> list[str]:
    """The options that say how a lesson is measured."""
    words = ["--primary", scenario.primary, "--window", f"{scenario.window_s:g}"]
    if scenario.trim != "0":
        words += ["--trim", scenario.trim]
    if scenario.slo_ms != SLO_MS:
        words += ["--slo-ms", f"{scenario.slo_ms:g}"]
    return words


def _how_long(server: Practice) -> str:
    scenario = server.scenario
    plan = make_plan(scenario.treatment, Design(), window_s=scenario.window_s, seed=0)
    said = f"The experiment takes about {length(duration_s(plan, server.speed))}."
    if server.speed >= QUICK:
        return said
    return f"{said} With --speed {QUICK} it takes {length(duration_s(plan, QUICK))}."


def _reach(practice: Practice) -> Target:
    os.environ.update(practice.environment)
    assert practice.profile.ssh is not None
    accept_fingerprint(practice.profile.ssh, practice.fingerprint)
    return connect(practice.profile, Secrets())


def _experiment(
    target: Target, practice: Practice, output: Path, pairs: int, window: float
) -> None:
    with closing(Journal()) as journal:
        tuner = Tuner(target, journal)
        plan = _plan(tuner, target, practice, pairs, window)
        for line in describe(plan, target.facts.clock_rate):
            note(line)
        with (
            SessionWriter.create(output, target.facts) as writer,
            long_work(str(insisted(plan))) as (tell, cancel),
        ):
            run = ExperimentRun(target, tuner, writer, plan, progress=tell, cancel=cancel)
            run.run()
    assert run.verdict is not None
    print_verdict(run.verdict)
    say("The change was reverted: the server is as it was before.")


def _plan(tuner: Tuner, target: Target, practice: Practice, pairs: int, window: float) -> Plan:
    settings = [f"{s.knob}={s.value}" for s in practice.scenario.treatment.settings]
    return make_plan(
        tuner.catalogue.treatment(settings, target.facts),
        parse_design(f"pairs:{pairs}"),
        window_s=window,
        seed=389,
        settle_s=10.0,
        primary="BIND:p50",
        then=Then.REVERT,
    )


@contextmanager
def _home_of_its_own() -> Iterator[None]:
    """The demo leaves no trace in the user's profiles, known hosts and journal."""
    before = os.environ.get("LDAP_WORKBENCH_HOME")
    with tempfile.TemporaryDirectory(prefix="ldap-workbench-demo-") as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        try:
            yield
        finally:
            del os.environ["LDAP_WORKBENCH_HOME"]
            if before is not None:
                os.environ["LDAP_WORKBENCH_HOME"] = before


def _free(path: Path) -> Path:
    """The path itself, or with the first number that makes a new file of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_stem(f"{path.stem}-{number}")
    return candidate


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _show(output: Path, *, headless: bool) -> None:
    if not headless:
        open_window([str(output)])
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        with needing_qt():
            from ldap_workbench.gui.app import screenshots
    except UsageError as error:  # the job is done, and the report written
        say(f"No screenshots. {error.what} {error.remedy}")
        return
    for picture in screenshots(output, output.with_suffix("")):
        say(f"Screenshot: {picture}")
