"""`experiment --resume`, `--again`: nothing of a plan in a file is taken over unagreed.

At a terminal the operator is asked: for the command it runs, and for the rest. Without one the same
is said in options that quote the file. Neither is an answer to whether to start: that is asked
after it, as of every experiment, or said with --yes.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.cli.console import confirm, note
from ldap_workbench.experiment.further import further_plan, with_longer_wait
from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.model.errors import ExperimentError, UsageError
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Verdict
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.tuner import Tuner


@dataclass(frozen=True)
class Quoted:
    """What the operator said of the plan in the file, beforehand."""

    load: str
    settings: Sequence[str]
    then: Then | None
    cold: bool = False


def stored_experiment(path: Path, target: Target, tuner: Tuner, quoted: Quoted) -> Experiment:
    """The experiment in a file that can go on, once the operator has agreed to all of its plan.

    Raises UsageError where nobody agrees, ExperimentError where it is of another server.
    """
    with Session.open(path) as session:
        experiments, facts = session.experiments(), session.facts
    if not experiments or experiments[-1].state.ended:
        raise UsageError(
            Message("{path} holds no experiment that can be resumed.", path=str(path)),
            remedy=Message("Leave out --resume and name a new file."),
        )
    stored = experiments[-1]
    origin = Origin(path, facts, stored.plan)
    origin.check_plan(stored)
    origin.check_server(target.facts)
    _check_restart(stored.plan, tuner)
    _agree(origin, stored.plan, target, tuner, quoted)
    return stored


def rerun_with_longer_wait(plan: Plan, verdict: Verdict | None) -> Message:
    """The options to measure again what had not settled; nothing where that helps nobody."""
    settled = with_longer_wait(plan, verdict)
    if settled == plan:
        return NOTHING
    return Message(
        "Not settled: run it again with --settle {wait:g} --trim {trim}.",
        wait=settled.settle_s,
        trim="auto" if settled.trim_auto else f"{settled.trim_s:g}",
    )


def further_pairs(
    path: Path, target: Target, tuner: Tuner, quoted: Quoted, *, seed: int, pairs: int | None
) -> Plan:
    """The plan of more pairs after the verdict in a file, once the operator has agreed to it.

    Raises UsageError where more pairs answer nothing there, and as `stored_experiment`.
    """
    with Session.open(path) as session:
        experiments, facts = session.experiments(), session.facts
        stored = experiments[-1] if experiments else None
        verdict = verdict_of_today(session, stored) if stored else None
    if stored is None or verdict is None:
        raise UsageError(
            Message("{path} holds no experiment with a verdict.", path=str(path)),
            remedy=Message("Resume it with --resume where it was interrupted."),
        )
    origin = Origin(path, facts, stored.plan)
    origin.check_plan(stored)
    origin.check_server(target.facts)
    _check_restart(stored.plan, tuner)
    plan = further_plan(stored.plan, verdict, path.name, seed=seed, pairs=pairs)
    if plan is None:
        raise UsageError(
            Message(
                "More pairs of the plan in {path} would not answer its question: {judgement}.",
                path=str(path),
                judgement=Judgement.named(verdict.primary.verdict),
            ),
            safe=Message("Nothing was changed."),
            remedy=rerun_with_longer_wait(stored.plan, verdict)
            or Message("Plan another experiment with --set."),
        )
    _agree(origin, plan, target, tuner, quoted)
    return plan


def _agree(origin: Origin, plan: Plan, target: Target, tuner: Tuner, quoted: Quoted) -> None:
    """All of a plan that comes from a file, read and agreed to. Raises UsageError."""
    lines = origin.describe(plan, target.facts, target.profile.restart_command)
    note(*(f"{words} {named}".rstrip() for words, named in lines))
    _agree_to_command(plan, quoted)
    named = tuner.catalogue.treatment(quoted.settings, target.facts) if quoted.settings else None
    _agree_to_rest(plan, quoted, named)


def _check_restart(plan: Plan, tuner: Tuner) -> None:
    """A file restarts no server that needs no restart."""
    if plan.restart and not any(change.needs_restart for change in tuner.plan(plan.treatment)):
        raise ExperimentError(
            Message("The plan in the file restarts the server, and its change does not need that."),
            safe=Message("Nothing of it was used."),
            remedy=Message("Plan the experiment again on this server."),
        )


def _agree_to_command(plan: Plan, quoted: Quoted) -> None:
    if not plan.load or quoted.load == plan.load:
        return
    if quoted.load or not confirm("Run this command from the file?"):
        raise _refused(plan, Message("The load command in the file was not accepted."))


def _agree_to_rest(plan: Plan, quoted: Quoted, named: Treatment | None) -> None:
    """What is written and decided; to be asked, or to revert, takes nobody's word."""
    settings = {setting.argument for setting in plan.treatment.settings}
    same_settings = settings == (
        {setting.argument for setting in named.settings} if named else set()
    )
    same_caches = quoted.cold or not plan.cold
    leaves_nothing = quoted.then is None and plan.then in (Then.ASK, Then.REVERT)
    if same_settings and same_caches and (leaves_nothing or quoted.then is plan.then):
        return
    if named or quoted.then or not confirm("Go on with this plan from the file?"):
        raise _refused(plan, Message("The plan in the file was not accepted."))


def _refused(plan: Plan, what: Message) -> UsageError:
    """Names the options that accept the plan; each holds what it accepts."""
    words = ["--accept-load", plan.load] if plan.load else []
    for setting in plan.treatment.settings:
        words += ["--set", setting.argument]
    if plan.then in (Then.KEEP, Then.KEEP_IF_BETTER):
        words += ["--then", plan.then.value]
    if plan.cold:
        words.append("--cold")
    words.append("--yes")
    return UsageError(
        what,
        safe=Message("Nothing of it was used."),
        remedy=Message(
            "Read it, and say yes at a terminal or add: {options}", options=shlex.join(words)
        ),
    )
