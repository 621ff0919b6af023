"""Binds that PAM serves one after the other: the plug-in holds one lock around all of PAM.

Of binds that come together the first takes once the time of PAM, the second twice, and so on; they
end at equal distances (389 DS issue 5271, pamModuleIsThreadSafe).
"""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.cost import served_ns, user_ns
from ldap_workbench.advice.evidence.rows import evidence_of_rows, slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Int64, Operations, client_operations

_BIND = TYPES.index("BIND")
_ALONE = 10
"""The quickest tenth of the binds waited for nobody."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if not _is_serial(view.configuration):
        return []
    limit, operations = limits("serial_binds"), view.operations
    binds = client_operations(operations) & (operations.kind == _BIND) & (operations.err == 0)
    rows = np.flatnonzero(binds)
    if len(rows) < limit["binds"]:
        return []
    gaps = gaps_of_queued(operations, rows)
    if len(gaps) < limit["queued"]:
        return []
    low, usual, high = np.percentile(gaps, (25, 50, 75))
    alone = float(np.percentile(served_ns(operations)[rows], _ALONE))
    fits = abs(usual - alone) <= limit["off"] * alone
    if not fits and high - low <= limit["spread"] * usual:
        # None was alone, as where clients bind again and again: then the distances tell the time.
        alone, fits = float(usual), True
    if alone < limit["alone_ms"] * 1e6 or not fits:
        return []
    waited = user_ns(operations, rows) - int(alone) * len(rows)
    text = Message(
        "{queued} of {binds} binds ended {gap:duration} after the one before, in the median; one "
        "alone takes {alone:duration}.",
        queued=len(gaps),
        binds=len(rows),
        gap=round(usual),
        alone=round(alone),
    )
    listed = slowest(operations, rows, EVIDENCE_ROWS)
    evidence = evidence_of_rows(operations, text, rows, listed)
    return [
        finding(
            "serial_binds",
            numbers={"binds": len(rows), "queued": len(gaps), "alone_ns": round(alone)},
            evidence=[evidence],
            user_ns=max(waited, 0),
            alone=round(alone),
            longest=int(operations.etime_ns[rows].max()),
            most=1e9 / alone,
        )
    ]


def gaps_of_queued(operations: Operations, rows: Rows) -> Int64:
    """Times between the ends of binds, where at least two others were at work at both ends."""
    ends = np.sort(operations.end_ns[rows])
    starts = np.sort(ends_less_service(operations, rows))
    at_work = np.searchsorted(starts, ends, "left") - np.arange(len(ends))
    gaps: Int64 = np.diff(ends)[(at_work[1:] >= 2) & (at_work[:-1] > 2)]
    return gaps


def ends_less_service(operations: Operations, rows: Rows) -> Int64:
    """When a worker began with each bind."""
    began: Int64 = operations.end_ns[rows] - served_ns(operations)[rows]
    return began


def _is_serial(configuration: Configuration) -> bool:
    """Whether PAM pass-through is on and not said to be safe for several threads."""
    safe = any(entry.is_on("pamModuleIsThreadSafe") for entry in configuration.entries)
    return passes_to_pam(configuration) and not safe


def passes_to_pam(configuration: Configuration) -> bool:
    """Whether PAM pass-through is on."""
    return any(
        entry.first("nsslapd-pluginPath") == "libpam-passthru-plugin"
        and entry.is_on("nsslapd-pluginEnabled")
        for entry in configuration.entries
    )
