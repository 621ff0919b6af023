"""Findings in the order of what they cost, and those that tell of one thing folded into a story."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.model.finding import Finding, Story
from ldap_workbench.resources import resource

_LIKELY = 3


@dataclass(frozen=True)
class _Fold:
    """Ids from the cause to its effects; `same` names what they must have in common, '' nothing."""

    findings: tuple[str, ...]
    same: str = ""


def by_cost(findings: Sequence[Finding]) -> list[Finding]:
    """The dearest first.

    Before them come likely causes without a cost: a server that refuses work has no operations to
    count. After them comes the rest without one.
    """
    return sorted(findings, key=_rank)


def stories(findings: Sequence[Finding]) -> list[Story]:
    """Every finding in one story, in the order of by_cost of the dearest of each."""
    left = list(findings)
    found = []
    for fold in _folds():
        members = _members(fold, left)
        if len(members) > 1:
            found.append(Story(members[0], tuple(by_cost(members[1:]))))
            left = [each for each in left if each not in members]
    found += [Story(each) for each in left]
    return sorted(found, key=lambda story: _rank(by_cost(story.findings)[0]))


def _rank(finding: Finding) -> tuple[int, float, int]:
    cost = finding.cost_s_per_h
    if cost is None:
        return 0 if finding.severity == _LIKELY else 2, 0.0, -finding.severity
    return 1, -cost, -finding.severity


def _members(fold: _Fold, findings: Sequence[Finding]) -> list[Finding]:
    """Those of a fold that were made, the cause first."""
    named = [each for each in findings if each.id in fold.findings]
    named.sort(key=lambda each: fold.findings.index(each.id))
    if not fold.same or not named:
        return named
    shared = _values(named[0], fold.same)
    return [named[0], *(each for each in named[1:] if shared & _values(each, fold.same))]


def _values(finding: Finding, name: str) -> set[str]:
    """What a number of a finding, or the list of several, says."""
    several = finding.numbers.get(f"{name}s") or [finding.numbers.get(name)]
    return {str(each) for each in several if each is not None}


@cache
def _folds() -> tuple[_Fold, ...]:
    text = resource("advice/stories.toml").read_text("utf-8")
    return tuple(
        _Fold(tuple(each["findings"]), each.get("same", ""))
        for each in tomllib.loads(text)["story"]
    )
