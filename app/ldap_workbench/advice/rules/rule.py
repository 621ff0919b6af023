"""Advice as data: the rules of resources/advice/*.toml, read and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ldap_workbench.advice.evidence.wording import Step, step_of
from ldap_workbench.model.finding import Deployment
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import fits_product

FILES = ("389ds", "dsee", "openldap", "opendj", "host-linux", "host-solaris")
"""Files of resources/advice with rules. `products` at the head of one are those of its rules."""
TAKES = ("live", "restart", "offline", "reimport")
"""What applying costs the service, cheapest first."""
RISKS = ("low", "medium", "high")
TAILS = ("p50", "p95", "p99.9")
BY_HAND = {
    "another_party": "another party's decision",
    "import": "export and import",
    "system": "another operating system",
    "restart": "a restart of the host",
}
"""Why advice stays by hand: there is no other reason."""
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
    products: tuple[str, ...] = ()
    min_version: str = ""
    excludes: tuple[str, ...] = ()
    needs: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    disagree: str = ""
    sources: tuple[str, ...] = ()
    by_hand: str = ""
    """Why it is no treatment: a key of BY_HAND."""
    because: str = ""
    """Whose decision it is then, or why that reason holds."""
    ran_on: tuple[str, ...] = ()
    """Versions of the server on which the tests ran the commands of its steps."""
    settings_from: str = ""
    """The value that lists its settings, for as many places as there are: index_settings."""
    you_name: str = ""
    """A setting of the server whose value only a person knows: a folder on another disk."""
    plan_option: str = ""
    """The option by which an experiment does it in each of its windows."""
    commands: Mapping[str, Any] = field(default_factory=dict)

    def helps(self, tail: str) -> int:
        """Expected effect on a quantile or metric, 0 to 3."""
        return self.effect.get(nearest_tail(tail), 0)

    @property
    def is_tried(self) -> bool:
        """Whether an experiment can try it on the server that was looked at."""
        return bool(self.settings or self.settings_from or self.you_name or self.plan_option)

    def fits(self, server: Deployment) -> bool:
        """Whether it holds for a server: its product, its host and its database library.

        What is not known of the server is not assumed: then only what holds for all of them does.
        """
        only = self.only or {}
        return (
            fits_product(self.products, server.product)
            and ("system" not in only or only["system"] in server.systems)
            and ("db_library" not in only or only["db_library"] == server.db_library)
        )


def nearest_tail(tail: str) -> str:
    """Which of TAILS a quantile or metric lies in."""
    return _NEAREST.get(tail, "p99.9")


@cache
def every_rule() -> tuple[Rule, ...]:
    """The advice for all products, in the order of the files."""
    rules = []
    for name in FILES:
        document = tomllib.loads(resource(f"advice/{name}.toml").read_text("utf-8"))
        whose = document.get("products", [])
        commands = document.get("index", {})
        rules += [
            Rule(**_tuples({"products": whose} | row), commands=commands)
            for row in document["advice"]
        ]
    return tuple(rules)


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    steps = {key: tuple(map(step_of, row.get(key, ()))) for key in ("steps", "needs")}
    return row | lists | steps
