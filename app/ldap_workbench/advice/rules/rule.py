"""Advice as data: the rules of resources/advice/*.toml, read and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ldap_workbench.resources import resource

HOSTS = ("host-linux", "host-solaris")
TAKES = ("live", "restart", "offline", "reimport")
"""What applying costs the service, cheapest first."""
RISKS = ("low", "medium", "high")
TAILS = ("p50", "p95", "p99.9")
_NEAREST = {
    "p50": "p50",
    "median": "p50",
    "p75": "p95",
    "p90": "p95",
    "p95": "p95",
}
"""What is not here (p99, p99.9, slo, max, stall_len ...) lies in the tail."""


@dataclass(frozen=True)
class Rule:
    """One [[advice]]: its words are templates, `settings` too; see 389ds.toml for each field.

    `commands` is the table [index] of its file.
    """

    id: str
    title: str
    findings: tuple[str, ...]
    why: str
    expected: str
    effect: dict[str, int]
    takes: str
    cost: str
    risk: str
    risk_words: str
    settings: tuple[str, ...] = ()
    metric: str = ""
    when: str = ""
    only: dict[str, str] | None = None
    min_version: str = ""
    excludes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    disagree: str = ""
    sources: tuple[str, ...] = ()
    commands: Mapping[str, Any] = field(default_factory=dict)

    def helps(self, tail: str) -> int:
        """Expected effect on a quantile or metric, 0 to 3."""
        return self.effect.get(_NEAREST.get(tail, "p99.9"), 0)


@cache
def load_rules(product: str) -> tuple[Rule, ...]:
    """The advice for a product and for its host, in the order of the files; or of a host alone."""
    files = (resource(f"advice/{name}.toml") for name in dict.fromkeys((product, *HOSTS)))
    documents = [tomllib.loads(file.read_text("utf-8")) for file in files]
    return tuple(
        Rule(**_tuples(row), commands=document.get("index", {}))
        for document in documents
        for row in document["advice"]
    )


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
