"""The part of a report that tells of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ldap_workbench.figures import formats
from ldap_workbench.figures.ratios import PairValue
from ldap_workbench.figures.stored_verdict import (
    ledger_of,
    left_out_s,
    pair_values,
    shift_of,
)
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.knob import Effect, Knob, Setting
from ldap_workbench.model.operations import ALL, TYPES
from ldap_workbench.model.units import NS_PER_S, format_ratio
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.report import words
from ldap_workbench.report.measure import Int64, Measured, trimmed
from ldap_workbench.report.parts import ExperimentPart, PairsPart, SettingPart
from ldap_workbench.statistics.counts.tails import quantile_rank
from ldap_workbench.tuning import ldif_to_apply, ldif_to_undo, load_catalogue, shown

_QUANTILES = {"p50": (1, 2), "p95": (19, 20), "p99": (99, 100), "p99.9": (999, 1000)}


def experiment_part(
    experiment: Experiment, parts: Sequence[Measured], changes: Iterable[Change]
) -> ExperimentPart:
    """Everything of an experiment but its windows."""
    ours = tuple(c for c in changes if c.group in experiment.change_groups)
    once = first_application(ours)
    plan = experiment.plan
    verdict = experiment.verdict
    return ExperimentPart(
        experiment=experiment,
        settings=tuple(_setting(each, once) for each in plan.treatment.settings),
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


def pairs_of(
    parts: Sequence[Measured], plan: Plan, verdict: Verdict | None
) -> tuple[PairsPart, ...]:
    """The metrics of each whole pair, the primary first.

    What the test saw, where the verdict kept it; else from the operations, and then without stalls.
    """
    primary = plan.primary_metric
    first = (primary.type, primary.metric)
    chosen = dict.fromkeys([first, (ALL, "p50"), (ALL, "p99"), (ALL, "slo")])
    whole = _whole_pairs(parts)
    b_first = {a.window.pair: b.window.start_ns < a.window.start_ns for a, b in whole}
    found = []
    for name, metric in chosen:
        values = pair_values(verdict, metric, b_first) if verdict and name == ALL else []
        values = values or _measured_pairs(name, metric, whole, plan, verdict)
        if values:
            found.append(PairsPart(metric, name, tuple(values)))
    return tuple(found)


def _measured_pairs(
    kind: str,
    metric: str,
    whole: Sequence[tuple[Measured, Measured]],
    plan: Plan,
    verdict: Verdict | None,
) -> list[PairValue]:
    if kind not in (*TYPES, ALL) or (metric != "slo" and metric not in _QUANTILES):
        return []
    trim_ns = round(left_out_s(plan, verdict) * NS_PER_S)
    values = [_pair_value(kind, metric, a, b, plan.slo_ns, trim_ns) for a, b in whole]
    return [value for value in values if value]


def _whole_pairs(parts: Sequence[Measured]) -> list[tuple[Measured, Measured]]:
    arms: dict[int, dict[str, Measured]] = {}
    for part in parts:
        if not part.window.cancelled:
            arms.setdefault(part.window.pair, {})[part.window.arm] = part
    return [(arm["A"], arm["B"]) for _, arm in sorted(arms.items()) if {"A", "B"} <= arm.keys()]


def _pair_value(
    kind: str, metric: str, a: Measured, b: Measured, slo_ns: int, trim_ns: int
) -> PairValue | None:
    one, other = (trimmed(part, trim_ns).etimes(kind) for part in (a, b))
    if not len(one) or not len(other):
        return None
    b_first = b.window.start_ns < a.window.start_ns
    return PairValue(
        a.window.pair,
        metric_of(metric, one, slo_ns),
        metric_of(metric, other, slo_ns),
        b_first=b_first,
    )


def metric_of(metric: str, etimes: Int64, slo_ns: int) -> float:
    """A metric of etimes: a quantile in ns by nearest rank, or the share over the limit."""
    n = len(etimes)
    if metric == "slo":
        # As the verdict counts it, so that no window has a share of nothing.
        return (int(np.count_nonzero(etimes > slo_ns)) + 0.5) / (n + 1)
    rank = quantile_rank(n, *_QUANTILES[metric]) - 1
    return float(np.partition(etimes, rank)[rank])


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
    return SettingPart(
        setting.knob,
        setting.place,
        before,
        asked,
        title=str(knob.title),
        effect=_effect(knob, setting),
        risk=knob.risk.value,
        about=str(knob.about),
        trap=str(knob.trap),
        source=knob.source,
    )


def _effect(knob: Knob, setting: Setting) -> str:
    effect = Effect.LIVE if setting.value in knob.live_values else knob.effect
    return str(words.words()["effects"].get(effect.value, effect.value))


def value_words(knob_name: str, values: tuple[str, ...] | None) -> str:
    """Values as a person reads them: '209715200 (200 MiB)', 'absent'."""
    knob = _knob(knob_name)
    if values is None:
        return "absent"
    return ", ".join(shown(knob, value) if knob else value for value in values)


def _knob(name: str) -> Knob | None:
    """What the catalogue knows; a session may have knobs of another version's catalogue."""
    try:
        return load_catalogue().knob(name)
    except KnobError:
        return None


def notes_of(verdict: Verdict) -> list[str]:
    """What else the reader should know of how the verdict came about."""
    details, sentences = verdict.details, words.words()["notes"]
    notes = []
    if cut := formats.number(details.trimmed_s):
        notes.append(sentences["trimmed"].format(seconds=f"{cut:g}"))
    if details.clients and details.clients.closed:
        notes.append(sentences["closed"])
    planned = details.planning.get(verdict.primary.metric)
    if found := formats.number(planned.detectable) if planned else None:
        up, down = format_ratio(found), format_ratio(1 / found)
        notes.append(sentences["detectable"].format(up=up, down=down))
    return notes
