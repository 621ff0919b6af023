"""From findings to advice: which rules apply, with which values, in which order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.evidence.view import settings_of
from ldap_workbench.advice.rules.conditions import CONDITIONS
from ldap_workbench.advice.rules.rule import RISKS, TAKES, Rule, load_rules
from ldap_workbench.advice.rules.values import Seen, words
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.finding import Advice, Finding
from ldap_workbench.model.knob import KnobReading, Setting, Treatment
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue, parse_setting

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


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
    seen = Seen({f.id: f for f in findings}, facts, now)
    said = words(seen)
    chosen = []
    for rule in load_rules(product_of(facts)):
        advice = _advice(rule, seen, said)
        if advice:
            chosen.append((_rank(rule, seen, tail), advice, rule))
    chosen.sort(key=lambda item: item[0])
    if all(rule.risk == "high" for _, _, rule in chosen):
        return []
    return [advice for _, advice, _ in chosen]


def _advice(rule: Rule, seen: Seen, said: dict[str, str]) -> Advice | None:
    backed = tuple(f for f in rule.findings if f in seen.findings)
    if not backed or not _fits(rule, seen) or not CONDITIONS[rule.when](seen):
        return None
    treatment = _treatment(rule, seen, said)
    templates = (rule.title, rule.why, rule.cost, rule.disagree, *rule.steps)
    filled = [text for each in templates if (text := fill(each, said)) is not None]
    if treatment is None or len(filled) < len(templates):
        return None
    title, why, cost, disagree, *steps = filled
    return Advice(
        id=rule.id,
        title=title,
        findings=backed,
        treatment=treatment,
        why=why,
        expected=rule.expected,
        cost=cost,
        risk=f"{rule.risk}: {rule.risk_words}",
        excludes=rule.excludes,
        sources=rule.sources,
        needs=rule.needs,
        steps=tuple(steps),
        disagree=disagree,
    )


def _fits(rule: Rule, seen: Seen) -> bool:
    """Whether the server has the system, the database library and version the rule is for."""
    system = (rule.only or {}).get("system")
    if system and system not in seen.systems:
        return False
    facts = seen.facts
    if facts is None:
        return True
    library = (rule.only or {}).get("db_library")
    if library and facts.db_library and facts.db_library != library:
        return False
    return not rule.min_version or version_of(facts.version) >= version_of(rule.min_version)


def _treatment(rule: Rule, seen: Seen, said: dict[str, str]) -> Treatment | None:
    """The settings with their values; None where one is not known, not here, or in force."""
    filled = [fill(text, said) for text in rule.settings]
    if not filled:
        return Treatment(())
    settings = [text for text in filled if text is not None]
    if len(settings) < len(filled):
        return None
    treatment = _checked(settings, seen.facts)
    wanted = [parse_setting(text) for text in settings]
    if treatment is None or all(_in_force(setting, seen) for setting in wanted):
        return None
    return treatment


def _in_force(setting: Setting, seen: Seen) -> bool:
    """Whether the server is known to have a value; a session keeps that of one back end only."""
    backends = [backend.name for backend in seen.facts.backends] if seen.facts else []
    if setting.place in backends and len(backends) > 1:
        return False
    return seen.settings.get(setting.knob, "").lower() == setting.value.lower()


def _checked(settings: list[str], facts: TargetFacts | None) -> Treatment | None:
    """Settings as the catalogue has them, with what they need before; None where a knob is not."""
    plain = Treatment(tuple(parse_setting(text) for text in settings))
    catalogue = _catalogue(facts)
    if catalogue is None or facts is None:
        return plain
    knobs = [catalogue.knob(setting.knob) for setting in plain.settings if not setting.place]
    if not facts.backends and any("{backend}" in knob.dn for knob in knobs):
        return plain  # imported logs do not tell the databases: the operator names the one
    try:
        return catalogue.treatment(settings, facts)
    except KnobError:
        return None


def _catalogue(facts: TargetFacts | None) -> Catalogue | None:
    try:
        return load_catalogue(product_of(facts))
    except KnobError:
        return None  # servers of this product can be measured, not changed


def fill(template: str, said: Mapping[str, str]) -> str | None:
    """A template with its {names} as said; None where one is not."""
    if any(name not in said for name in _PLACEHOLDER.findall(template)):
        return None
    return _PLACEHOLDER.sub(lambda found: said[found[1]], template)


def _rank(rule: Rule, seen: Seen, tail: str) -> tuple[int, int, int, int, str]:
    severity = max(seen.findings[f].severity for f in rule.findings if f in seen.findings)
    return (
        int(rule.risk == "high"),
        -rule.helps(tail) * severity,
        TAKES.index(rule.takes),
        RISKS.index(rule.risk),
        rule.id,
    )
