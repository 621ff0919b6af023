"""Binds far slower than searches: password hashing, and re-hashing at the first bind."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.cost import worker_ns
from ldap_workbench.advice.evidence.rows import evidence_of_rows, slowest
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.advice.families.serial_binds import passes_to_pam
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Operations, client_operations

_BIND, _SRCH = TYPES.index("BIND"), TYPES.index("SRCH")
_HASHING = Message(
    "That is the hashing of passwords; passwords stored with an older hash are also rehashed at "
    "their first bind and written back."
)
_PAM = Message(
    "The PAM pass-through plug-in is on: PAM and what it asks take this time, or the hashing of "
    "passwords that the directory itself keeps."
)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return bind_finding(view.operations, _PAM if passes_to_pam(view.configuration) else _HASHING)


def bind_finding(operations: Operations, reason: Message) -> list[Finding]:
    """Successful binds take tens of milliseconds where searches take less than one."""
    limit = limits("slow_binds")
    clients = client_operations(operations)
    binds = clients & (operations.kind == _BIND) & (operations.err == 0)
    searches = clients & (operations.kind == _SRCH)
    if binds.sum() < limit["binds"]:
        return []
    bind = int(np.median(operations.etime_ns[binds]))
    search = int(np.median(operations.etime_ns[searches])) if searches.any() else 0
    if bind < limit["bind_ms"] * 1_000_000 or bind < limit["times_search"] * search:
        return []
    rows = np.flatnonzero(binds)
    listed = slowest(operations, rows, 100)
    text = Message("{n} binds; the median takes {bind:duration}.", n=len(rows), bind=bind)
    evidence = evidence_of_rows(operations, text, rows, listed)
    return [
        finding(
            "slow_binds",
            numbers={"binds": len(rows), "bind_p50_ns": bind, "search_p50_ns": search or None},
            evidence=[evidence],
            worker_ns=worker_ns(operations, binds),
            bind=bind,
            reason=reason,
            search=Message("; a search takes {search:duration}", search=search) if search else "",
        )
    ]
