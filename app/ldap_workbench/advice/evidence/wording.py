"""Findings as people read them: titles, sentences, limits from resources/advice/findings.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, Value, count_of
from ldap_workbench.resources import resource

_PLACE = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
EVIDENCE_ROWS = 1_000
"""Operations named by one piece of evidence at the most; a chart shows the range anyway."""


@cache
def definitions() -> dict[str, dict[str, Any]]:
    """Finding id -> title, sentence, severity, limits."""
    return tomllib.loads(resource("advice/findings.toml").read_text("utf-8"))


def limits(finding: str) -> Mapping[str, float]:
    """The numbers beyond which a finding is made; each is explained where it is written."""
    found: Mapping[str, float] = definitions()[finding].get("limits", {})
    return found


def words(finding: str, name: str) -> tuple[str, ...]:
    """A list of words a finding looks for."""
    return tuple(definitions()[finding][name])


def finding(
    which: str,
    *,
    numbers: dict[str, Any],
    evidence: Iterable[Evidence],
    severity: int | None = None,
    **values: Value,
) -> Finding:
    """The finding `which`, its sentence with these `values` and its numbers."""
    definition = definitions()[which]
    title, sentence = definition["title"], definition["sentence"]
    return Finding(
        id=which,
        title=Message(title),
        sentence=filled(sentence, numbers | values),
        severity=definition["severity"] if severity is None else severity,
        evidence=tuple(evidence),
        numbers=numbers,
    )


def filled(template: str, values: Mapping[str, Any]) -> Message:
    """The message of a template of resources with those of the values that it names."""
    template = template.strip()
    return Message(template, **{name: values[name] for name in names_in(template)})


def names_in(template: str) -> set[str]:
    """What stands in the places of a template."""
    return set(_PLACE.findall(template))


def once_or_more(n: int) -> Message:
    """At the start of a sentence."""
    return count_of("Once", "{n} times", n=n)


def times(n: int) -> Message:
    """Within a sentence."""
    return count_of("once", "{n} times", n=n)
