"""Slow binds: by their hashing, or one after the other behind the one lock around all of PAM.

Of binds that PAM serves and that come together the first takes once its time, the second twice, and
so on; they end at equal distances (389 DS issue 5271, pamModuleIsThreadSafe).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns, user_ns, worker_ns
from ldap_workbench.advice.evidence.rows import slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.far_data import below, stores_elsewhere
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.operations import (
    SASL_GOES_ON,
    TYPES,
    Int64,
    Operations,
    client_operations,
)

SASL = 0.5
"""From this share on slow binds are SASL, which hashes no password, or checked elsewhere."""
_BIND, _SRCH = TYPES.index("BIND"), TYPES.index("SRCH")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    reason = "pam" if passes_to_pam(view.configuration) else "hash"
    suffixes = [s for store in stores_elsewhere(view.configuration) for s in store.suffixes]
    binds = view.operations.kind == _BIND
    if suffixes and below(view.operations, suffixes)[binds].sum() > SASL * binds.sum():
        reason = "elsewhere"
    return serial_binds(view) + bind_finding(view.operations, reason)


def bind_finding(operations: Operations, reason: str = "hash") -> list[Finding]:
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
    rows, sasl = slowest(operations, np.flatnonzero(binds)), _share_of_sasl(operations, binds)
    reason = "sasl" if sasl >= SASL else reason
    return [
        finding(
            "slow_binds",
            numbers={
                "binds": len(rows),
                "bind_p50_ns": bind,
                "search_p50_ns": search or None,
                "sasl_share": round(sasl, 3),
            },
            operations=operations,
            rows=rows,
            worker_ns=worker_ns(operations, binds),
            reason=phrase("slow_binds", reason),
        )
    ]


def _share_of_sasl(operations: Operations, binds: NDArray[np.bool_]) -> float:
    """The share of the binds that are last steps of SASL, by the step before them."""
    rows = np.flatnonzero(client_operations(operations) & (operations.kind == _BIND))
    order = np.lexsort((operations.op[rows], operations.conn[rows], operations.boot[rows]))
    rows = rows[order]
    same = np.diff(operations.conn[rows]) == 0
    same &= np.diff(operations.boot[rows]) == 0
    last = rows[1:][same & (operations.err[rows[:-1]] == SASL_GOES_ON)]
    return float(binds[last].sum() / binds.sum())


# --- binds that PAM serves one after the other ---------------------------------------------------

_ALONE = 10
"""The quickest tenth of the binds waited for nobody."""


def serial_binds(view: WindowView) -> list[Finding]:
    """Binds that end at equal distances, where PAM is not said to be safe for several threads."""
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
    return [
        finding(
            "serial_binds",
            numbers={"binds": len(rows), "queued": len(gaps), "alone_ns": round(alone)},
            operations=operations,
            rows=slowest(operations, rows),
            user_ns=max(waited, 0),
            gap=round(usual),
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
    return any(configuration.plugins("libpam-passthru-plugin"))
