"""Something seen in a window with its evidence, and the advice it backs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.stored import STORED

HIGH, MEDIUM, LOW = CONFIDENCES = ("high", "medium", "low")
"""How sure a finding is: counted in the sources; fits them well; one of several explanations."""


@dataclass(frozen=True)
class Evidence:
    """Where to look: a time range, operations (rows of the session), samples of a series."""

    text: Message
    start_ns: int | None = None
    end_ns: int | None = None
    operations: tuple[int, ...] = ()
    series: str = ""
    which: OperationFilter | None = field(default=None, kw_only=True)
    """What finds exactly its operations; None where no such filter does."""
    rows: NDArray[np.intp] | None = field(
        default=None, kw_only=True, compare=False, repr=False, metadata={STORED: ""}
    )
    """All its operations, until the account of its window is made; no file has them."""


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
class Deployment:
    """What the server of a window is, as far as the window shows: its advice depends on it.

    `product` is a name of resources/servers/products.toml, `db_library` bdb or mdb, `systems` what
    its host may run (linux, solaris); '' and () are unknown.
    """

    product: str = ""
    db_library: str = ""
    systems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """`severity` 1 (worth knowing) to 3 (likely the cause); keys of `numbers` name units.

    What it cost: `worker_ns`, time of worker threads that it took, and `user_ns`, time that clients
    waited because of it, within the `over_ns` of the windows that show it; None where the sources
    do not tell.
    """

    id: str
    title: Message
    sentence: Message
    severity: int
    evidence: tuple[Evidence, ...]
    numbers: dict[str, Any] = field(default_factory=dict)
    confidence: str = MEDIUM
    """How sure it is that this is the reason: one of CONFIDENCES."""
    disproof: Message = NOTHING
    """What, if it were seen, would show that it is not."""
    owner_steps: tuple[Message, ...] = ()
    """What only the owner of the clients can change."""
    worker_ns: int | None = None
    user_ns: int | None = None
    over_ns: int = 0
    uncosted: Message = NOTHING
    """Why neither is known, where it is so."""
    server: Deployment = Deployment()

    @property
    def cost_worker_s_per_h(self) -> float | None:
        """Seconds of worker threads an hour."""
        return _hourly(self.worker_ns, self.over_ns)

    @property
    def cost_user_s_per_h(self) -> float | None:
        """Seconds an hour that clients waited, all together."""
        return _hourly(self.user_ns, self.over_ns)

    @property
    def cost_s_per_h(self) -> float | None:
        """The larger of both, by which findings are ordered; None where neither is known."""
        known = [cost for cost in (self.cost_worker_s_per_h, self.cost_user_s_per_h) if cost]
        return max(known, default=None)


def _hourly(part_ns: int | None, over_ns: int) -> float | None:
    return 3600 * part_ns / over_ns if part_ns is not None and over_ns > 0 else None


@dataclass(frozen=True)
class FindingGroup:
    """Findings with one cause: `lead` is the cause, or nearest to it, `others` follow."""

    lead: Finding
    others: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (self.lead, *self.others)


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
    primary: str = ""
    """The metric an experiment is judged by, as PrimaryMetric reads it; '' where any will do."""
    tried: tuple[Message, ...] = ()
    """When it was tried on this server before, and with what verdict; newest first."""
