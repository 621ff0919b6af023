"""Logins that change the entry that logs in: the time of the last login, counters, histories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ldap_workbench.advice.evidence.cost import served_ns
from ldap_workbench.advice.evidence.inside import client_writes, count_inside
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import HIGH, MEDIUM, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import TYPES, Operations, client_operations

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
_BIND, _MOD = TYPES.index("BIND"), TYPES.index("MOD")
_ACCOUNT_POLICY = "libacctpolicy-plugin"


def find(view: WindowView) -> list[Finding]:
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
