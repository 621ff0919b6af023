"""Searches that take more than their share: which they are, and the finding they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import share_of_work, user_ns, worker_ns
from ldap_workbench.advice.evidence.rows import Rows, slowest
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Value
from ldap_workbench.model.operations import TYPES, Operations, client_operations

SRCH = TYPES.index("SRCH")


def client_searches(operations: Operations) -> NDArray[np.bool_]:
    """Mask of what clients searched."""
    searches: NDArray[np.bool_] = client_operations(operations) & (operations.kind == SRCH)
    return searches


def costly(operations: Operations, which: str, mask: NDArray[np.bool_]) -> Rows:
    """Rows of searches of clients among some that take time that matters; none otherwise."""
    limit = limits(which)
    rows = np.flatnonzero(client_searches(operations) & mask)
    if len(rows) < limit["searches"]:
        return rows[:0]
    enough = share_of_work(operations, rows) >= limit["share_of_time"]
    enough &= bool(np.median(operations.etime_ns[rows]) >= limit["usual_ms"] * 1_000_000)
    return rows if enough else rows[:0]


def finding_of_rows(
    which: str,
    operations: Operations,
    rows: Rows,
    evidence: list[Evidence] | None = None,
    *,
    numbers: Mapping[str, Any] | None = None,
    confidence: str = "",
    **values: Value,
) -> Finding:
    """The finding `which` of some searches: how many, their share of the work, and the longest.

    Without `evidence` of parts of them it is what the table says of all.
    """
    share, longest = share_of_work(operations, rows), int(operations.etime_ns[rows].max())
    counted = {"searches": len(rows), "share_of_time": share, "longest_ns": longest}
    said: dict[str, Any] = {"share": share, "longest": longest}
    return finding(
        which,
        numbers=counted | dict(numbers or {}),
        evidence=evidence,
        operations=operations,
        rows=slowest(operations, rows),
        confidence=confidence,
        worker_ns=worker_ns(operations, rows),
        user_ns=user_ns(operations, rows),
        **(said | values),
    )
