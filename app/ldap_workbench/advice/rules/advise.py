"""From findings to advice: which rules apply, in which order, and which exclude each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.evidence.view import settings_of
from ldap_workbench.advice.evidence.wording import filled, names_in
from ldap_workbench.advice.rules.basis import CONDITIONS, Basis
from ldap_workbench.advice.rules.index_commands import index_values
from ldap_workbench.advice.rules.rule import RISKS, TAILS, TAKES, Rule, every_rule, nearest_tail
from ldap_workbench.advice.rules.values import values_of
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.finding import Advice, Finding
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import KnobReading, Setting, Treatment
from ldap_workbench.model.message import Message, Value
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue, parse_setting

_MUCH, _SOME = 0.5, 0.1
"""Shares of the costliest finding's cost from which on a finding counts three and two."""
_MEASURED_NS = 60 * NS_PER_S


def advise(
    findings: Sequence[Finding],
    facts: TargetFacts | None,
    readings: Sequence[KnobReading] | None = None,
    tail: str = "p99.9",
    settings: Mapping[str, str] | None = None,
) -> list[Advice]:
    """Advice backed by the findings, best first for the tail (p50, p95, p99, p99.9, slo ...).

    Larger expected effect first, then cheaper, then safer. Advice of high risk comes after all
    other, and never alone. What the server already has is not advised: `readings` tell, or
    `settings` by knob as a session has them (view.settings_now).
    """
    now = settings_of(readings) | dict(settings or {})
    basis = Basis({f.id: f for f in findings}, facts, now)
    values = values_of(basis)
    chosen = []
    for rule in every_rule():
        advice = _advice(rule, basis, values)
        if advice:
            chosen.append((_rank(rule, basis, tail), advice, rule))
    chosen.sort(key=lambda item: item[0])
    if all(rule.risk == "high" for _, _, rule in chosen) or _is_well(findings):
        return []
    return [advice for _, advice, _ in chosen]


def _is_well(findings: Sequence[Finding]) -> bool:
    """Whether nothing in a window is more than worth knowing; a configuration alone has none."""
    measured = any(finding.over_ns >= _MEASURED_NS for finding in findings)
    return measured and all(finding.severity == 1 for finding in findings)


def _advice(rule: Rule, basis: Basis, values: Mapping[str, Value]) -> Advice | None:
    backed = backing(rule, basis)
    if not backed or not _is_new_enough(rule, basis) or not CONDITIONS[rule.when](basis):
        return None
    servers = [basis.server_of(which) for which in backed]
    todo = [step.text for step in rule.steps if any(map(step.fits, servers))]
    if not rule.settings and not todo:
        return None
    values = {**values, **index_values(rule.commands, basis, backed)}
    treatment = _treatment(rule, basis, values)
    if rule.settings_from:
        treatment = _listed(basis, values.get(rule.settings_from))
    templates = (rule.title, rule.why, rule.cost, rule.disagree, *todo)
    if treatment is None or not all(names_in(template) <= values.keys() for template in templates):
        return None
    title, why, cost, disagree = (filled(template, values) for template in templates[:4])
    steps = [step for template in todo for step in _steps(template, values)]
    return Advice(
        id=rule.id,
        title=title,
        findings=backed,
        treatment=treatment,
        why=why,
        expected=Message(rule.expected),
        cost=cost,
        risk=Message(rule.risk_words),
        risk_level=rule.risk,
        excludes=rule.excludes,
        sources=rule.sources,
        needs=tuple(Message(need.text) for need in rule.needs if any(map(need.fits, servers))),
        steps=tuple(steps),
        disagree=disagree,
        primary=_metric(rule, values),
    )


def _steps(template: str, values: Mapping[str, Value]) -> list[Message]:
    """The step of a template; those of a list where a place is all of it."""
    listed = values.get(template[1:-1]) if template.startswith("{") else None
    if isinstance(listed, tuple):
        return [step for step in listed if isinstance(step, Message)]
    return [filled(template, values)]


def backing(rule: Rule, basis: Basis) -> tuple[str, ...]:
    """The findings behind a rule that were made of servers it holds for."""
    return tuple(
        which
        for which in rule.findings
        if which in basis.findings and rule.fits(basis.server_of(which))
    )


def _metric(rule: Rule, values: Mapping[str, Value]) -> str:
    """What an experiment is judged by; of one kind of search where the advice is about it."""
    if not names_in(rule.metric) <= values.keys():
        return ""
    return str(PrimaryMetric.parse(str(filled(rule.metric, values)))) if rule.metric else ""


def _is_new_enough(rule: Rule, basis: Basis) -> bool:
    if not rule.min_version or (basis.facts is None and not basis.version):
        return True
    return version_of(basis.version) >= version_of(rule.min_version)


def _treatment(rule: Rule, basis: Basis, values: Mapping[str, Value]) -> Treatment | None:
    """The settings with their values; None where one is not known, not here, or in force."""
    if not rule.settings:
        return Treatment(())
    if not all(names_in(template) <= values.keys() for template in rule.settings):
        return None
    wanted = [parse_setting(str(filled(template, values))) for template in rule.settings]
    treatment = _checked(wanted, basis.facts if product_of(basis.facts) in rule.products else None)
    if treatment is None or all(_in_force(setting, basis) for setting in wanted):
        return None
    return treatment


def _listed(basis: Basis, settings: Value | None) -> Treatment:
    """Listed settings; nothing where the server cannot be given them from here."""
    catalogue = _catalogue(basis.facts)
    if basis.facts is None or catalogue is None:
        return Treatment(())
    if not isinstance(settings, tuple) or not settings:
        return Treatment(())
    try:
        return catalogue.treatment(map(str, settings), basis.facts)
    except KnobError:
        return Treatment(())


def _in_force(setting: Setting, basis: Basis) -> bool:
    """Whether the server is known to have a value; a session keeps that of one back end only."""
    backends = [backend.name for backend in basis.facts.backends] if basis.facts else []
    if setting.place in backends and len(backends) > 1:
        return False
    return basis.settings.get(setting.knob, "").lower() == setting.value.lower()


def _checked(settings: Sequence[Setting], facts: TargetFacts | None) -> Treatment | None:
    """Settings as the catalogue has them, with what they need before; None where a knob is not."""
    plain = Treatment(tuple(settings))
    catalogue = _catalogue(facts)
    if catalogue is None or facts is None:
        return plain
    placed = [_placed(setting, catalogue, facts) for setting in settings]
    if len(facts.backends) != 1 and any(_needs_database(one, catalogue) for one in placed):
        return plain  # imported logs do not tell the databases: the operator names the one
    try:
        return catalogue.treatment(placed, facts)
    except KnobError:
        return None


def _placed(setting: Setting, catalogue: Catalogue, facts: TargetFacts) -> Setting:
    """Of a database, where one alone has entries: slapd's accesslog is a database beside it."""
    backends = facts.of_data
    if len(facts.backends) < 2 or len(backends) != 1 or not _needs_database(setting, catalogue):
        return setting
    return replace(setting, place=backends[0].name)


def _needs_database(setting: Setting, catalogue: Catalogue) -> bool:
    return not setting.place and "{backend}" in catalogue.knob(setting.knob).dn


def _catalogue(facts: TargetFacts | None) -> Catalogue | None:
    try:
        return load_catalogue(product_of(facts))
    except KnobError:
        return None  # servers of this product can be measured, not changed


def _weight(finding: Finding, basis: Basis, tail: str) -> int:
    """How much a finding counts, 1 to 3: off the tail by its share of the costliest, not its kind.

    In the tail a rare stall counts as its kind says, whatever all the quick operations add up to.
    """
    costs = [other.cost_s_per_h for other in basis.findings.values()]
    most = max((cost for cost in costs if cost is not None), default=0.0)
    cost = finding.cost_s_per_h
    if cost is None or not most or nearest_tail(tail) == TAILS[-1]:
        return finding.severity
    share = cost / most
    return 3 if share >= _MUCH else 2 if share >= _SOME else 1


def _rank(rule: Rule, basis: Basis, tail: str) -> tuple[int, int, int, int, str]:
    weight = max(_weight(basis.findings[which], basis, tail) for which in backing(rule, basis))
    return (
        int(rule.risk == "high"),
        -rule.helps(tail) * weight,
        TAKES.index(rule.takes),
        RISKS.index(rule.risk),
        rule.id,
    )


def conflicts(advices: Sequence[Advice]) -> list[Message]:
    """One sentence for each pair of advice that exclude each other, and one for each need."""
    titles = {advice.id: advice.title for advice in advices}
    rank = {advice.id: place for place, advice in enumerate(advices)}
    sentences = []
    for advice in advices:
        # A pair is named once, by the one that is ranked first.
        later = (o for o in advice.excludes if rank.get(o, -1) > rank[advice.id])
        sentences += [
            Message(
                "“{one}” and “{other}” exclude each other: try one at a time.",
                one=advice.title,
                other=titles[other],
            )
            for other in later
        ]
        sentences += [
            Message("“{advice}” needs: {need}", advice=advice.title, need=need)
            for need in advice.needs
        ]
    return sentences
