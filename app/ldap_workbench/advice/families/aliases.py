"""Searches that follow aliases (OpenLDAP logs how: deref=0..3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import share_of_work
from ldap_workbench.advice.evidence.costly import client_searches, finding_of_rows
from ldap_workbench.advice.evidence.rows import base_at, filter_at, slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.finding import HIGH, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import Operations

_WHILE_SEARCHING = 1
"""The bit of 1 (in searching) and 3 (always): 2 follows an alias at the base alone (RFC 4511)."""


@dataclass(frozen=True)
class _Compared:
    """Searches of one shape that follow aliases, and those of the same shape that do not."""

    rows: Rows
    following_ns: float
    without_ns: float


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    operations, limit = view.operations, limits("alias_dereferencing")
    searches = client_searches(operations) & (operations.deref >= 0)
    following = searches & ((operations.deref & _WHILE_SEARCHING) != 0)
    rows = np.flatnonzero(following)
    compared = _slower(operations, following, searches & ~following)
    rows = np.concatenate([comparison.rows for comparison in compared]) if compared else rows
    share = share_of_work(operations, rows)
    if len(rows) < limit["searches"] or share < limit["share_of_time"]:
        return []
    if not compared and np.median(operations.etime_ns[rows]) < limit["usual_ms"] * 1e6:
        return []
    return [_finding(operations, rows, compared)]


def _slower(
    operations: Operations, following: NDArray[np.bool_], others: NDArray[np.bool_]
) -> list[_Compared]:
    """Shapes that take much longer with aliases than without, the most expensive first."""
    limit = limits("alias_dereferencing")
    shape = operations.fingerprint.astype(np.int64) * (len(operations.bases) + 1) + operations.base
    comparisons = []
    for one in np.intersect1d(shape[following], shape[others]):
        with_, without = (np.flatnonzero(mask & (shape == one)) for mask in (following, others))
        if min(len(with_), len(without)) < limit["both"]:
            continue
        slow, quick = (float(np.median(operations.etime_ns[rows])) for rows in (with_, without))
        if slow >= limit["times"] * quick:
            comparisons.append(_Compared(with_, slow, quick))
    return sorted(
        comparisons, key=lambda comparison: -comparison.following_ns * len(comparison.rows)
    )


def _finding(operations: Operations, rows: Rows, compared: list[_Compared]) -> Finding:
    row = int(slowest(operations, rows)[0])
    text = Message(
        "{filter} below {base}, deref={deref}: {etime:duration}.",
        filter=filter_at(operations, row) or Message("(not known)"),
        base=base_at(operations, row) or Message("the root"),
        deref=int(operations.deref[row]),
        etime=int(operations.etime_ns[row]),
    )
    return finding_of_rows(
        "alias_dereferencing",
        operations,
        rows,
        text,
        confidence=HIGH if compared else "",
        without=_without(compared[0]) if compared else NOTHING,
    )


def _without(worst: _Compared) -> Message:
    return Message(
        " The same search takes {following:duration} with aliases and {without:duration} without.",
        following=round(worst.following_ns),
        without=round(worst.without_ns),
    )
