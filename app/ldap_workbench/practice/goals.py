"""What a lesson asks for, and whether a session has it: the cause found, the remedy judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.practice.model.scenario import Remedy, Scenario

_ALIKE = frozenset({Judgement.EQUIVALENT, Judgement.IMMATERIAL})
_ASKED = {
    Judgement.BETTER: Message("Show by an experiment that a remedy works"),
    Judgement.WORSE: Message("Show by an experiment what the advice does"),
    Judgement.EQUIVALENT: Message("Show by an experiment that a change makes no difference"),
}


@dataclass(frozen=True)
class Goal:
    """One thing to do in a lesson."""

    text: Message
    reached: bool


def goals(
    scenario: Scenario, findings: Collection[str], experiments: Collection[Experiment]
) -> tuple[Goal, ...]:
    """What the lesson asks for, in order.

    `findings` are the ids of those in sessions of this directory, `experiments` what was tried on
    it. Where the remedy is not the server's (a client of another team), the cause is all.
    """
    asked = []
    if scenario.finding:
        asked.append(Goal(Message("Find the cause"), scenario.finding in findings))
    if scenario.remedy == Remedy():
        wanted = Judgement(scenario.expected[scenario.primary])
        asked.append(Goal(_ASKED[wanted], _shown(scenario, wanted, experiments)))
    return tuple(asked)


def _shown(scenario: Scenario, wanted: Judgement, experiments: Iterable[Experiment]) -> bool:
    """Whether every knob of the treatment has been judged so, alone or with others."""
    accepted = _ALIKE if wanted in _ALIKE else {wanted}
    judged = {
        setting.knob.lower()
        for experiment in experiments
        if accepted & _judgements(experiment, scenario.primary)
        for setting in experiment.plan.treatment.settings
    }
    return judged >= {setting.knob.lower() for setting in scenario.treatment.settings}


def _judgements(experiment: Experiment, metric: str) -> set[str]:
    """What the verdict says of the metric it rests on, and of the lesson's."""
    if experiment.verdict is None or not experiment.verdict.comparable:
        return set()
    said = [experiment.verdict.primary, experiment.verdict.metrics.get(metric)]
    return {judgement.verdict for judgement in said if judgement is not None}
