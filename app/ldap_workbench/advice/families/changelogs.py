"""Changelogs beside the data: without an end, or with a purge that stops writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.cost import user_ns, worker_ns
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.period import match_setting
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Stall
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.units import NS_PER_S

_RETRO, _RETRO_SUFFIX = "libretrocl-plugin", "cn=changelog"
_REPLICA = r"cn=replica,cn=.*,cn=mapping tree,cn=config"
_CHANGELOG = r"cn=changelog(?:5,cn=config|,cn=([^,]+),cn=ldbm database,cn=plugins,cn=config)"
_SPAN = re.compile(r"(?:(\d+)\+)?(\d+):(\d+)(?::(\d+))?")
"""Spans of slapo-accesslog(5): [days+]hours:minutes[:seconds]."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    parts = (_replication, _retro, _purges, _without_session_log)
    return [seen for part in parts for seen in part(view)]


def _replication(view: WindowView) -> Iterator[Finding]:
    """Where a replica keeps one: a consumer's entry stands there too and holds nothing."""
    flags = [entry.first("nsDS5Flags") for _, entry in view.configuration.matching(_REPLICA)]
    keeps = any(int(flag) & 1 for flag in flags if flag.isdecimal())
    endless = [
        match[1] or "changelog5"
        for match, entry in view.configuration.matching(_CHANGELOG)
        if not _ends(entry)
    ]
    if keeps and endless:
        yield finding(
            "changelog_unlimited",
            numbers={"changelogs": endless},
            evidence=[Evidence(phrase("changelog_unlimited", database=name)) for name in endless],
            named=phrase("changelog_unlimited", "named", n=len(endless), names=tuple(endless)),
        )


def _ends(entry: ConfigurationEntry) -> bool:
    """Whether an age or a number is set; 0 and -1 mean none."""
    ends = (entry.first("nsslapd-changelogmaxage"), entry.first("nsslapd-changelogmaxentries"))
    return any(value and not re.fullmatch(r"0\w?|-1", value) for value in ends)


def _retro(view: WindowView) -> Iterator[Finding]:
    """The retro changelog of 389 DS, which has an age alone; what it costs where the log shows."""
    endless = [
        entry.dn
        for entry in view.configuration.plugins(_RETRO)
        if re.fullmatch(r"0\w?|-1|", entry.first("nsslapd-changelogmaxage"))
    ]
    if not endless:
        return
    operations = view.operations
    below = [i for i, dn in enumerate(operations.bases) if dn.lower().endswith(_RETRO_SUFFIX)]
    rows = np.flatnonzero(operations.internal & np.isin(operations.base, below))
    spent = worker_ns(operations, rows) or None
    yield finding(
        "retro_changelog_unlimited",
        numbers={"operations": len(rows)},
        evidence=[Evidence(phrase("retro_changelog_unlimited", dn=dn)) for dn in endless],
        worker_ns=spent,
        spent=spent,
    )


def _without_session_log(view: WindowView) -> Iterator[Finding]:
    """Providers of OpenLDAP that remember no deletions; an accesslog does so as well."""
    if any(view.configuration.overlays("accesslog")):
        return
    forgetful = without_session_log(view.configuration)
    if forgetful:
        yield finding(
            "syncrepl_no_session_log",
            numbers={"databases": list(forgetful)},
            evidence=[
                Evidence(phrase("syncrepl_no_session_log", database=name)) for name in forgetful
            ],
            databases=forgetful,
        )


def without_session_log(configuration: Configuration) -> tuple[str, ...]:
    """Databases whose overlay syncprov remembers no deletions of its own."""
    return tuple(
        database
        for database, entry in configuration.overlays("syncprov")
        if entry.first("olcSpSessionlog") in ("", "0") and not entry.first("olcSpSessionlogSource")
    )


def _purges(view: WindowView) -> Iterator[Finding]:
    """Stalls of writes that come as often as slapo-accesslog deletes what is old."""
    intervals = list(_purge_intervals(view.configuration))
    if not intervals:
        return
    limit, writes = limits("accesslog_purge"), client_writes(view.operations)
    stopped = [
        stall
        for stall in view.stalls
        if writes[stall.rows].sum() >= limit["writes"]
        and stall.length_ns >= limit["longest_s"] * NS_PER_S
    ]
    times = np.array([stall.start_ns for stall in stopped], np.int64)
    for value, interval_s in intervals:
        period = match_setting(times, interval_s)
        if period and period.matched >= limit["fitting"] and period.sure:
            yield _finding(view, stopped, value, interval_s)
            return
    return


def _purge_intervals(configuration: Configuration) -> Iterator[tuple[str, float]]:
    """Each olcAccessLogPurge with the seconds between two purges."""
    for _, entry in configuration.overlays("accesslog"):
        value = entry.first("olcAccessLogPurge")
        age, _, interval = value.partition(" ")
        if age and (span := _SPAN.fullmatch(interval.strip())):
            days, hours, minutes, seconds = (int(part or 0) for part in span.groups())
            yield value, 86400.0 * days + 3600 * hours + 60 * minutes + seconds


def _finding(view: WindowView, stopped: list[Stall], value: str, interval_s: float) -> Finding:
    evidence = []
    for stall in stopped:
        n, start, length = len(stall.rows), stall.start_ns, stall.length_ns
        waits = phrase("accesslog_purge", n=n, start=start, length=length)
        evidence.append(evidence_of_rows(view.operations, waits, stall.rows))
    return finding(
        "accesslog_purge",
        numbers={
            "stalls": len(stopped),
            "interval_s": interval_s,
            "age": value.partition(" ")[0],
        },
        evidence=evidence,
        user_ns=sum(user_ns(view.operations, stall.rows) for stall in stopped),
        longest=max(stall.length_ns for stall in stopped),
        value=value,
        interval=round(interval_s * NS_PER_S),
    )
