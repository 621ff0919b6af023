"""Findings in the order of what they cost, and those with one cause as one group."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.model.finding import Finding, FindingGroup
from ldap_workbench.resources import resource

_WORTH_A_LOOK, _LIKELY = 2, 3


@dataclass(frozen=True)
class _GroupRule:
    """Ids from the cause to its effects; `same` names what they must have in common, '' nothing."""

    findings: tuple[str, ...]
    same: str = ""
    cause: str = ""
    """The finding without which the others are no group."""


def by_cost(findings: Sequence[Finding]) -> list[Finding]:
    """The most expensive first.

    Before them come likely causes without a cost: a server that refuses work has no operations to
    count. After them comes the rest without one, and last what is no more than worth knowing.
    """
    return sorted(findings, key=_rank)


def group_findings(findings: Sequence[Finding]) -> list[FindingGroup]:
    """Every finding in one group, ordered as by_cost orders the most expensive of each."""
    left = list(findings)
    groups = []
    for rule in _group_rules():
        while len(members := _members(rule, left)) > 1:
            groups.append(FindingGroup(members[0], tuple(by_cost(members[1:]))))
            left = [finding for finding in left if finding not in members]
    groups += [FindingGroup(finding) for finding in left]
    return sorted(groups, key=lambda group: _rank(by_cost(group.findings)[0]))


def _rank(finding: Finding) -> tuple[int, float, int]:
    cost, minor = finding.cost_s_per_h, finding.severity < _WORTH_A_LOOK
    if cost is None:
        place = 0 if finding.severity == _LIKELY else 2
        return (4 if minor else place), 0.0, -finding.severity
    return (3 if minor else 1), -cost, -finding.severity


def _members(rule: _GroupRule, findings: Sequence[Finding]) -> list[Finding]:
    """Those of a rule that were made, the cause first; one alone where nothing goes with it."""
    named = [finding for finding in findings if finding.id in rule.findings]
    named.sort(key=lambda finding: rule.findings.index(finding.id))
    if rule.cause and rule.cause not in {finding.id for finding in named}:
        return []
    if not rule.same:
        return named
    for number, first in enumerate(named):
        shared = _values(first, rule.same)
        others = [other for other in named[number + 1 :] if shared & _values(other, rule.same)]
        if others:
            return [first, *others]
    return named[:1]


def _values(finding: Finding, name: str) -> set[str]:
    """What a number of a finding, or the list of several, says."""
    several = finding.numbers.get(f"{name}s") or [finding.numbers.get(name)]
    return {str(value) for value in several if value is not None}


@cache
def _group_rules() -> tuple[_GroupRule, ...]:
    text = resource("advice/groups.toml").read_text("utf-8")
    return tuple(
        _GroupRule(tuple(row["findings"]), row.get("same", ""), row.get("cause", ""))
        for row in tomllib.loads(text)["group"]
    )
