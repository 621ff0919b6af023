"""Findings as people read them: titles, sentences, limits from resources/advice/findings.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.resources import resource

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
    **said: object,
) -> Finding:
    """The finding `which`, its sentence filled in with what is `said` and its numbers."""
    definition = definitions()[which]
    return Finding(
        id=which,
        title=definition["title"],
        sentence=definition["sentence"].format(**(numbers | said)).strip(),
        severity=definition["severity"] if severity is None else severity,
        evidence=tuple(evidence),
        numbers=numbers,
    )


def plural(count: int, one: str, many: str = "") -> str:
    """1 search, 8 searches."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def times(count: int) -> str:
    """Once, 8 times."""
    return "Once" if count == 1 else f"{count:,} times"


def percent(share: float) -> str:
    """0.0512 -> 5.1 %; 0.93 -> 93 %."""
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.2g} %"
