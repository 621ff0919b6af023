"""Searches that clients leave open to be notified of every change."""

from __future__ import annotations

from collections import Counter

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import Waiting, is_persistent

_THREADS = ("ps-send", "sync-send")
_THREADS_PER_CONNECTION = 5
"""Default of nsslapd-maxthreadsperconn."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("persistent_searches")
    searches = [search for search in view.waiting if _is_persistent(view, search)]
    changes = int(client_writes(view.operations).sum())
    by_connection = Counter(search.conn for search in searches)
    fullest, most = max(by_connection.items(), key=lambda item: item[1], default=(0, 0))
    allowed = view.number("nsslapd-maxthreadsperconn") or _THREADS_PER_CONNECTION
    full = most >= allowed
    if not full and (len(searches) < limit["searches"] or changes < limit["changes"]):
        return []
    spent = _spent_ns(view)
    return [
        finding(
            "persistent_searches",
            numbers={"searches": len(searches), "changes": changes, "on_one_connection": most},
            evidence=[_evidence(view, searches, conn) for conn, _ in by_connection.most_common(20)],
            severity=2 if full or spent >= limit["share"] * view.seconds * NS_PER_S else None,
            worker_ns=spent or None,
            searches=count_of(
                "{n} persistent or synchronising search is",
                "{n} persistent or synchronising searches are",
                n=len(searches),
            ),
            comparisons=changes * len(searches),
            changes=count_of("{n} change", "{n} changes", n=changes),
            full=full,
            client=_client_of(searches, fullest),
            allowed=int(allowed),
        )
    ]


def _is_persistent(view: WindowView, search: Waiting) -> bool:
    if view.line_at is None:
        return False
    return is_persistent(search, view.line_at)


def _spent_ns(view: WindowView) -> int:
    """Processor time of the threads of 389 DS that send changes, where they were sampled."""
    shares = [series.mean(view.samples.get(f"thread:{name}:cpu")) for name in _THREADS]
    return round(sum(share or 0.0 for share in shares) / 100 * view.seconds * NS_PER_S)


def _client_of(searches: list[Waiting], conn: int) -> str | Message:
    clients = (search.client for search in searches if search.conn == conn and search.client)
    return next(clients, Message("a client that the log does not name"))


def _evidence(view: WindowView, searches: list[Waiting], conn: int) -> Evidence:
    mine = [search for search in searches if search.conn == conn]
    since = min(search.time_ns for search in mine)
    text = phrase(
        "persistent_searches",
        conn=conn,
        client=_client_of(mine, conn),
        searches=count_of("{n} search", "{n} searches", n=len(mine)),
        since=since,
    )
    return Evidence(text, since, view.window.end_ns)
