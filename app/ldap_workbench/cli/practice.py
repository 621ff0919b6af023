"""`practice`: lessons on a simulated directory; the complaint first, hints when asked for."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.console import say
from ldap_workbench.cli.signals import stopped_by_signals
from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.description import length
from ldap_workbench.experiment.plan import duration_s, make_plan
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.practice.goals import goals
from ldap_workbench.practice.model.scenario import Scenario, load_scenario, scenario_names
from ldap_workbench.practice.process import Practice
from ldap_workbench.session.reader import Session

CAMPAIGN_PAIRS = 10
SLO_MS = 100.0
"""What the commands take where nothing is said."""
QUICK = 30
"""A speed for which half a core is enough."""
CAPTURE_S = 150


def practice(
    scenario: Annotated[
        str, typer.Argument(metavar="[LESSON]", help="Name of the lesson.")
    ] = "checkpoint-storms",
    speed: Annotated[
        float, typer.Option(min=1, help="Seconds of the practice directory per second.")
    ] = 1.0,
    lessons: Annotated[bool, typer.Option("--list", help="List the lessons.")] = False,
    hint: Annotated[
        int | None, typer.Option(min=1, help="Print this hint of the lesson; start nothing.")
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option(
            help="Check which goals of the lesson this session reaches; start nothing. Repeatable."
        ),
    ] = None,
    mended: Annotated[
        bool, typer.Option("--mended", help="Start the directory with the problem already solved.")
    ] = False,
) -> None:
    """Start the practice directory, print how to reach it, stop on Ctrl-C."""
    if lessons:
        _list()
    elif hint is not None:
        _print_hint(load_scenario(scenario), hint)
    elif check:
        _check(load_scenario(scenario), check)
    else:
        _serve(scenario, speed, mended=mended)


def _list() -> None:
    for name in scenario_names():
        lesson = load_scenario(name)
        case = f" (a real case: docs/cases/{lesson.case}.md)" if lesson.case else ""
        say(f"{name:<18} {lesson.title}{case}")


def _serve(scenario: str, speed: float, *, mended: bool) -> None:
    with (
        Practice.start(scenario, speed=speed, mended=mended) as server,
        stopped_by_signals() as asked,
    ):
        assert server.profile.ssh is not None
        accept_fingerprint(server.profile.ssh, server.fingerprint)
        ProfileStore().add(server.profile)
        try:
            _introduce(server)
            while not asked.wait(1.0) and server.alive:
                pass
        finally:
            ProfileStore().remove(server.profile.name)


def _introduce(server: Practice) -> None:
    """The complaint, how to reach the server, and how to begin; never the cause."""
    lesson = server.scenario
    file = f"{lesson.name}.ldapwb"
    say(f"{lesson.title} (a simulation on this machine)", "", str(lesson.about), "")
    say("In another terminal:")
    for name, value in server.environment.items():
        say(f"    export {name}={shlex.quote(value)}")
    say(f"    ldap-workbench profile test {lesson.profile_name}")
    say(f"    ldap-workbench capture {lesson.profile_name} -o {file} --seconds {CAPTURE_S}")
    say(f"    ldap-workbench findings {file}", "")
    for goal in goals(lesson, (), ()):
        say(f"Goal: {goal.text}.")
    count = len(lesson.hints)
    say(f"Hints, one at a time: ldap-workbench practice {lesson.name} --hint 1")
    say(f"(of {count}; the last one is the answer, with the command to try).")
    say(f"Solved? ldap-workbench practice {lesson.name} --check {file}")
    say("Ctrl-C ends the directory.")


def _print_hint(lesson: Scenario, number: int) -> None:
    hints = lesson.hints
    if number > len(hints):
        raise UsageError(
            Message(
                "The lesson '{name}' has {hints}.",
                name=lesson.name,
                hints=count_of("{n} hint", "{n} hints", n=len(hints)),
            ),
            remedy=Message("Ask for a hint by its number, --hint 1 for the first."),
        )
    say(str(hints[number - 1]))
    if number == len(hints):
        say("", f"    {experiment_on(lesson)}")
        if lesson.queue:
            say(f"    {campaign_on(lesson)}")
        say("", how_long(lesson))


def _check(lesson: Scenario, paths: list[Path]) -> None:
    from ldap_workbench.advice.families.find import findings

    ids, tried = set[str](), []
    for path in paths:
        with Session.open(path) as session:
            ids |= {finding.id for finding in findings(session)}
            tried += session.experiments()
    asked = goals(lesson, ids, tried)
    for goal in asked:
        say(f"{'reached' if goal.reached else 'open':<8} {goal.text}")
    if all(goal.reached for goal in asked):
        say("The lesson is solved.")


def experiment_on(lesson: Scenario) -> str:
    """The command that tries the remedy."""
    output = f"{lesson.name}-experiment.ldapwb"
    words = ["ldap-workbench", "experiment", lesson.profile_name, "-o", output]
    for setting in lesson.treatment.settings:
        words += ["--set", setting.argument]
    return shlex.join(words + _measured_by(lesson))


def campaign_on(lesson: Scenario) -> str:
    """The command that tries the queue of the lesson."""
    output = f"{lesson.name}-campaign.ldapwb"
    words = ["ldap-workbench", "campaign", lesson.profile_name, "-o", output, "--budget", "12h"]
    for treatment in lesson.queue:
        words += ["--set", "+".join(setting.argument for setting in treatment.settings)]
    return shlex.join([*words, *_measured_by(lesson), "--design", f"pairs:{CAMPAIGN_PAIRS}"])


def how_long(lesson: Scenario) -> str:
    """The wall time of the experiment, at the speed of life and at a quick one."""
    plan = make_plan(lesson.treatment, Design(), window_s=lesson.window_s, seed=0)
    usual, quick = (length(duration_s(plan, speed)) for speed in (1.0, QUICK))
    return (
        f"The experiment takes about {usual}; {quick} where the directory was started "
        f"with --speed {QUICK}."
    )


def _measured_by(lesson: Scenario) -> list[str]:
    """The options that say how a lesson is measured."""
    words = ["--primary", lesson.primary, "--window", f"{lesson.window_s:g}"]
    if lesson.trim != "0":
        words += ["--trim", lesson.trim]
    if lesson.slo_ms != SLO_MS:
        words += ["--slo-ms", f"{lesson.slo_ms:g}"]
    return words
