"""Something seen in a window with its evidence, and the advice it backs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message


@dataclass(frozen=True)
class Evidence:
    """Where to look: a time range, operations (rows of the session), samples of a series."""

    text: Message
    start_ns: int | None = None
    end_ns: int | None = None
    operations: tuple[int, ...] = ()
    series: str = ""


@dataclass(frozen=True)
class Link(Evidence):
    """Evidence for one link of a chain of events, which are told in the order of their times.

    `source` says where it is seen, NOTHING where it is not: `text` then says what would show it.
    """

    link: Message = NOTHING
    source: Message = NOTHING

    @property
    def seen(self) -> bool:
        return bool(self.source)


@dataclass(frozen=True)
class Finding:
    """`severity` 1 (worth knowing) to 3 (likely the cause); keys of `numbers` name units."""

    id: str
    title: Message
    sentence: Message
    severity: int
    evidence: tuple[Evidence, ...]
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Advice:
    """A treatment worth an experiment, why, what it costs and what it excludes."""

    id: str
    title: Message
    findings: tuple[str, ...]
    treatment: Treatment
    why: Message
    expected: Message
    cost: Message
    risk: Message
    risk_level: str
    """low, medium or high."""
    excludes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    needs: tuple[Message, ...] = ()
    """What must be so before, in words."""
    steps: tuple[Message, ...] = ()
    """What a person does where it is not automated; `treatment` then has no settings."""
    disagree: Message = NOTHING
    """Where authorities say otherwise."""
