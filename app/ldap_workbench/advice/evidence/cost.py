"""What operations cost, and which searches take more than their share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.rows import Rows, slowest
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Value
from ldap_workbench.model.operations import ABSENT, TYPES, Int64, Operations, client_operations

Chosen = NDArray[np.bool_] | NDArray[np.intp]
"""Rows as a mask or as indices."""

_MANY_ENTRIES = 100
"""Entries an answer has at least where returning them may be what takes the time."""
_COMPARED = 20
_TIMES_USUAL = 1.5
"""A search of one entry also pays for the look-up itself, so this leaves room for larger entries;
without an index a hundred others are tested for each entry returned, which is twice as much."""


def worker_ns(operations: Operations, rows: Chosen) -> int:
    """Time of worker threads that some operations took, ns: etime without the wait for one."""
    return int(served_ns(operations)[rows].sum())


def share_of_work(operations: Operations, rows: Chosen) -> float:
    """The part that some operations have of the worker time of all client operations, 0 to 1."""
    every = worker_ns(operations, client_operations(operations))
    return worker_ns(operations, rows) / max(every, 1)


def served_ns(operations: Operations) -> Int64:
    """Time of a worker thread that each operation took, ns."""
    waited = operations.wtime_ns
    served: Int64 = np.maximum(operations.etime_ns - np.where(waited == ABSENT, 0, waited), 0)
    return served


def paid_by_entries(
    operations: Operations, rows: NDArray[np.intp], others: NDArray[np.bool_]
) -> bool:
    """Whether searches return many entries, and take no more for one than others in all for theirs.

    An index leads to entries, and does not make it quicker to return them. False with too few other
    searches to compare with.
    """
    there = np.flatnonzero(others & (operations.nentries > 0) & (operations.err == 0))
    if len(there) < _COMPARED or np.median(operations.nentries[rows]) < _MANY_ENTRIES:
        return False
    served = served_ns(operations)
    here, usual = (
        np.median(served[some] / np.maximum(operations.nentries[some], 1)) for some in (rows, there)
    )
    return bool(here <= _TIMES_USUAL * usual)


def user_ns(operations: Operations, rows: Chosen) -> int:
    """Time that clients waited for some operations, ns."""
    return int(operations.etime_ns[rows].sum())


def p95_of(times: Int64) -> int | None:
    """The 95th percentile by nearest rank; None of nothing."""
    if not len(times):
        return None
    at = (len(times) * 19 + 19) // 20 - 1
    return int(np.partition(times, at)[at])


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
