"""The part of a report that tells of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ldap_workbench.experiment.in_force import recorded_in_force
from ldap_workbench.experiment.judge import b_of
from ldap_workbench.figures import formats
from ldap_workbench.figures.verdict.pairs import Measured, pairs_of
from ldap_workbench.figures.verdict.stored import (
    ledger_of,
    shift_of,
)
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.knob import Effect, Knob, Setting
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_ratio
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.report import words
from ldap_workbench.report.parts import ExperimentPart, SettingPart
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.values import shown


def experiment_part(
    experiment: Experiment,
    parts: Sequence[Measured],
    changes: Iterable[Change],
    facts: TargetFacts | None = None,
) -> ExperimentPart:
    """Everything of an experiment but its windows."""
    ours = tuple(c for c in changes if c.group in experiment.change_groups)
    once = first_application(ours)
    plan = experiment.plan
    verdict = experiment.verdict and experiment.verdict.naming(b_of(plan))
    return ExperimentPart(
        experiment=experiment,
        settings=tuple(_setting(setting, once) for setting in plan.treatment.settings),
        design=words.design(experiment),
        order=_order(experiment),
        state=words.state(experiment),
        verdict=verdict,
        pairs=pairs_of(parts, plan, verdict),
        changes=ours,
        ldif_apply=ldif_to_apply(once) if once else "",
        ldif_undo=ldif_to_undo(once) if once else "",
        shift=shift_of(verdict) if verdict else None,
        ledger=ledger_of(verdict, [p.window for p in parts], plan.trim_s) if verdict else None,
        notes=tuple(notes_of(verdict)) if verdict else (),
        recorded=recorded_in_force(experiment, ours, facts).lines,
    )


def first_application(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Each change once: an experiment applies and reverts the same settings for every pair.

    What the server refused is left out.
    """
    once: dict[tuple[str, str, str], Change] = {}
    for change in sorted(changes, key=lambda change: change.id):
        if change.state is not ChangeState.REFUSED:
            once.setdefault((change.server, change.dn, change.attribute), change)
    return tuple(once.values())


def _order(experiment: Experiment) -> str:
    """'AB BA AB': the windows in the order they were planned, pair by pair."""
    text, last = "", None
    for step in experiment.plan.steps:
        text += (" " if last not in (None, step.pair) else "") + step.arm
        last = step.pair
    return text


def _setting(setting: Setting, changes: Sequence[Change]) -> SettingPart:
    knob = _knob(setting.knob)
    change = next((c for c in changes if c.knob == setting.knob), None)
    before = "not recorded"
    if change is not None:
        before = value_words(change.knob, change.before)
    asked = value_words(setting.knob, (setting.value,))
    if knob is None:
        return SettingPart(setting.knob, setting.place, before, asked)
    effect = Effect.LIVE if setting.value in knob.live_values else knob.effect
    return SettingPart(
        setting.knob,
        setting.place,
        before,
        asked,
        title=str(knob.title),
        effect=str(words.tables()["effects"].get(effect.value, effect.value)),
        risk=knob.risk.value,
        about=str(knob.about),
        trap=str(knob.trap),
        source=knob.source,
    )


def value_words(knob_name: str, values: tuple[str, ...] | None) -> str:
    """Values as a person reads them: '209715200 (200 MiB)', 'absent'."""
    knob = _knob(knob_name)
    if values is None:
        return "absent"
    return ", ".join(str(shown(knob, value)) if knob else value for value in values)


def _knob(name: str) -> Knob | None:
    """What the catalogue knows; a session may have knobs of another version's catalogue."""
    try:
        return load_catalogue().knob(name)
    except KnobError:
        return None


def notes_of(verdict: Verdict) -> list[str]:
    """What else the reader should know of how the verdict came about."""
    details, sentences = verdict.details, words.tables()["notes"]
    notes = []
    if cut := formats.number(details.trimmed_s):
        notes.append(sentences["trimmed"].format(seconds=f"{cut:g}"))
    if details.clients and details.clients.closed:
        notes.append(sentences["closed"])
    planned = details.planning.get(verdict.primary.metric)
    if detectable := formats.number(planned.detectable) if planned else None:
        up, down = format_ratio(detectable), format_ratio(1 / detectable)
        if best := formats.number(planned.detectable_at_best) if planned else None:
            low = format_ratio(best)
            notes.append(sentences["detectable_range"].format(low=low, up=up))
        else:
            notes.append(sentences["detectable"].format(up=up, down=down))
    return notes
