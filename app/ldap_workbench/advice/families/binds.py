"""Slow binds, those that wait for each other, and what logins write.

Of binds that PAM serves and that come together the first takes once its time, the second twice, and
so on; they end at equal distances (389 DS issue 5271, pamModuleIsThreadSafe).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns, user_ns, worker_ns
from ldap_workbench.advice.evidence.inside import client_writes, count_inside
from ldap_workbench.advice.evidence.rows import slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.far_data import below, stores_elsewhere
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import HIGH, MEDIUM, Finding
from ldap_workbench.model.message import Message, count_of
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
    safe = any(entry.is_on("pamModuleIsThreadSafe") for entry in view.configuration.entries)
    if safe or not passes_to_pam(view.configuration):
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


def passes_to_pam(configuration: Configuration) -> bool:
    """Whether PAM pass-through is on."""
    return any(configuration.plugins("libpam-passthru-plugin"))


ATTRIBUTES = frozenset(
    {
        "lastlogintime",
        "lastloginhistory",
        "authtimestamp",
        "pwdlastsuccess",
        "krblastsuccessfulauth",
        "krblastfailedauth",
        "krbloginfailedcount",
        "logincount",
        "ds-pwp-last-login-time",
    }
)
"""What servers, and Kerberos over them, write at a login."""
_KERBEROS = frozenset(name for name in ATTRIBUTES if name.startswith("krb"))
_MOD = TYPES.index("MOD")
_ACCOUNT_POLICY = "libacctpolicy-plugin"


def find_login_writes(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    binds = logins(view.operations)
    return (
        inside_binds(view, binds)
        or of_kerberos(view)
        or in_audit(view, binds)
        or configured(view, binds)
    )


def logins(operations: Operations) -> Rows:
    """Successful binds of clients."""
    mask = client_operations(operations) & (operations.kind == _BIND) & (operations.err == 0)
    return np.flatnonzero(mask)


def inside_binds(view: WindowView, binds: Rows) -> list[Finding]:
    """Internal MODs inside binds; of one entry more than once, as a rehash happens only once."""
    limit, operations = limits("login_writes"), view.operations
    mods = operations.internal & (operations.kind == _MOD)
    if len(binds) < limit["binds"] or not mods.any():
        return []
    counts = count_inside(operations, binds, mods)
    writing = binds[counts > 0]
    if len(writing) < limit["share"] * len(binds):
        return []
    entries = len(np.unique(operations.bind_dn[writing]))
    if len(writing) < limit["repeated"] * entries:
        return []
    inner = np.flatnonzero(mods)
    cost = int(np.median(served_ns(operations)[inner])) * int(counts.sum())
    how = phrase("login_writes", "inside", writing=len(writing), binds=len(binds))
    return [_finding(view, how, len(writing), cost, writing, HIGH)]


def in_audit(view: WindowView, binds: Rows) -> list[Finding]:
    """Changes of login attributes in the audit log, about as many as binds."""
    limit = limits("login_writes")
    changes = [
        record for record in view.audit if ATTRIBUTES & {name.lower() for name in record.attributes}
    ]
    if len(binds) < limit["binds"] or len(changes) < limit["share"] * len(binds):
        return []
    names = {name for record in changes for name in record.attributes}
    how = phrase(
        "login_writes",
        "audited",
        changes=count_of("{n} change", "{n} changes", n=len(changes)),
        attributes=tuple(sorted(name for name in names if name.lower() in ATTRIBUTES)),
        binds=len(binds),
    )
    return [_finding(view, how, len(changes), _usual_write(view.operations, len(changes)), binds)]


def of_kerberos(view: WindowView) -> list[Finding]:
    """What a KDC writes at each ticket, where nobody binds: by the audit log, else by its MODs."""
    operations, asked = view.operations, view.asked
    names = [
        name for record in view.audit for name in record.attributes if name.lower() in _KERBEROS
    ]
    rows = np.sort(asked.rows[asked.of_kdc & (asked.kind == _MOD)])
    writes = sum(any(n.lower() in _KERBEROS for n in r.attributes) for r in view.audit)
    if writes:
        how = phrase(
            "login_writes",
            "audited_kdc",
            changes=count_of("{n} change", "{n} changes", n=writes),
            attributes=tuple(sorted(set(names))),
        )
    else:
        writes = len(rows)
        n = int((asked.of_kdc & asked.searches).sum())
        searches = count_of("{n} search", "{n} searches", n=n)
        how = phrase("login_writes", "logged_kdc", n=writes, searches=searches)
    if writes < limits("login_writes")["binds"]:
        return []
    cost = int(served_ns(operations)[rows].sum()) if len(rows) else _usual_write(operations, writes)
    seen = _finding(view, how, writes, cost, rows, HIGH if names else MEDIUM)
    return [replace(seen, owner_steps=(phrase("login_writes", "tickets"),))]


def configured(view: WindowView, binds: Rows) -> list[Finding]:
    """What the configuration asks for, where the window has logins, or nothing at all."""
    setting = asked_for(view.configuration)
    few = len(binds) < limits("login_writes")["binds"]
    if setting is None or (few and len(view.operations)):
        return []
    if few:
        return [_finding(view, setting, 0, None, binds, MEDIUM, severity=1)]
    cost = _usual_write(view.operations, len(binds))
    how = Message("{setting}: {n} binds", setting=setting, n=len(binds))
    return [_finding(view, how, len(binds), cost, binds, MEDIUM)]


def asked_for(configuration: Configuration) -> Message | None:
    """The setting that has every login write; None where there is none, or it is coarse."""
    for entry in configuration.entries:
        every = entry.first("olcLastBindPrecision") in ("", "0")
        if entry.is_on("olcLastBind") and every:
            return Message("olcLastBind is TRUE")
    on = any(configuration.plugins(_ACCOUNT_POLICY))
    if on and any(entry.is_on("alwaysRecordLogin") for entry in configuration.entries):
        return Message("The account policy plug-in is on with alwaysRecordLogin")
    return None


def _usual_write(operations: Operations, writes: int) -> int | None:
    """Worker time of so many changes of the usual length; None where the window has none."""
    rows = client_writes(operations)
    return int(np.median(served_ns(operations)[rows])) * writes if rows.any() else None


def _finding(
    view: WindowView,
    how: Message,
    writes: int,
    cost_ns: int | None,
    rows: Rows,
    confidence: str = MEDIUM,
    severity: int | None = None,
) -> Finding:
    operations = view.operations
    return finding(
        "login_writes",
        numbers={"writes": writes, "binds": len(rows)},
        operations=operations,
        rows=rows if len(rows) else None,
        confidence=confidence,
        severity=severity,
        worker_ns=cost_ns,
        how=how,
        time=cost_ns or None,
    )
