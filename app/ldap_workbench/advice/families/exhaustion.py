"""Limits that are nearly reached: locks of Berkeley DB, free pages of LMDB, stolen processors."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.cost import served_ns, user_ns
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, verbatim

_STEAL = ("vmstat:st", "iostat:cpu:steal", "iostat:avg-cpu:steal")
_WAITS = {
    "cpu": Message("processors, although some were idle: a limit of the container holds them back"),
    "io": Message("the disk, all of them at once"),
    "memory": Message("memory, all of them at once"),
}
_PRESSURES = {"cpu": "psi:cpu:some", "io": "psi:io:full", "memory": "psi:memory:full"}
_LOCKS = "nsslapd-db-current-locks"


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_locks(view), *_free_list(view), *_stolen(view), *_pressure(view)]


def _locks(view: WindowView) -> list[Finding]:
    lines, numbers = matching(view.errors, "db_locks"), _taken(view)
    if lines:
        evidence = Evidence(verbatim(lines[0].text), lines[0].time_ns, lines[-1].time_ns)
        how = Message("The error log says: {line}", line=lines[0].text)
        numbers |= {"lines": len(lines)}
    elif numbers and numbers["share"] >= limits("db_locks")["share"]:
        how = Message(
            "{peak} of {most} locks were taken", peak=numbers["locks"], most=numbers["most"]
        )
        evidence = Evidence(Message("{how}.", how=how), series=f"{series.DATABASE}:{_LOCKS}")
    else:
        return []
    return [finding("db_locks", numbers=numbers, evidence=[evidence], how=how)]


def _taken(view: WindowView) -> dict[str, float]:
    """The most `locks` that were taken, of how many (`most`), as a `share`; {} if not counted."""
    entry = series.DATABASE
    if series.get(view.samples, series.DB_STAT, _LOCKS) is not None:
        entry = series.DB_STAT
    most = series.last(series.get(view.samples, entry, "nsslapd-db-configured-locks"))
    taken = series.get(view.samples, entry, _LOCKS)
    highest = series.last(series.get(view.samples, entry, "nsslapd-db-max-locks"))
    now = float(taken[1].max()) if taken is not None and len(taken[1]) else 0.0
    peak = max(now, highest or 0.0)
    return {"locks": round(peak), "most": round(most), "share": peak / most} if most else {}


def _free_list(view: WindowView) -> list[Finding]:
    limit, operations = limits("lmdb_free_list"), view.operations
    writes = client_writes(operations)
    if writes.sum() < limit["writes"]:
        return []
    usual = float(np.median(served_ns(operations)[writes]))
    for name in view.samples:
        entry, _, attribute = name.rpartition(":")
        if attribute.lower() != "olmmdbpagesfree":
            continue
        free = series.last(view.samples[name]) or 0.0
        used = series.last(series.get(view.samples, entry, "olmmdbpagesused")) or 0.0
        enough = free >= limit["pages"] and used and free >= limit["share"] * used
        if enough and usual >= limit["write_ms"] * 1e6:
            numbers = {"free": int(free), "used": int(used), "share": free / used}
            text = Message("{free} of {used} pages are free.", free=int(free), used=int(used))
            return [
                finding(
                    "lmdb_free_list",
                    numbers=numbers,
                    evidence=[Evidence(text, series=name)],
                    user_ns=user_ns(operations, writes),
                    entry=entry,
                    write=round(usual),
                )
            ]
    return []


def _stolen(view: WindowView) -> list[Finding]:
    limit = limits("cpu_stolen")
    name = next((column for column in _STEAL if column in view.samples), None)
    if name is None:
        return []
    values = view.samples[name][1]
    if len(values) < limit["samples"] or values.mean() < limit["steal_percent"]:
        return []
    steal, most = float(values.mean()), float(values.max())
    text = Message("{steal:.1f} % on average.", steal=steal)
    numbers = {"steal": steal, "most": most}
    return [finding("cpu_stolen", numbers=numbers, evidence=[Evidence(text, series=name)])]


def _pressure(view: WindowView) -> list[Finding]:
    """Shares of the window in which processes waited, by the kernel's own count."""
    limit = limits("host_pressure")
    idle = series.mean(series.cpu_idle(view.samples))
    # Processes that wait for processors while some idle are held back by a limit of the cgroup.
    limited = idle is not None and idle >= limit["idle_percent"]
    shares = {name: _share_of_window(view, pressed) for name, pressed in _PRESSURES.items()}
    if not limited:
        shares["cpu"] = 0.0
    high = {name: share for name, share in shares.items() if share >= limit[name]}
    if not high:
        return []
    waits = {
        name: Message("for {what} {share:percent} of the time", what=_WAITS[name], share=share)
        for name, share in high.items()
    }
    evidence = [
        Evidence(Message("{what}.", what=text), series=_PRESSURES[name])
        for name, text in waits.items()
    ]
    return [finding("host_pressure", numbers=high, evidence=evidence, waits=tuple(waits.values()))]


def _share_of_window(view: WindowView, name: str) -> float:
    """The mean of what the kernel counted in every second, in percent of it."""
    readings = view.samples.get(name)
    if readings is None or not len(readings[1]):
        return 0.0
    return float(readings[1].mean()) / 100
