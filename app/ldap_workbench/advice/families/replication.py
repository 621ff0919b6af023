"""Replication as the log of a consumer shows it: late changes, suppliers that wait for each other.

A supplier of 389 DS begins a session with one extended operation, sends its changes on the same
connection and ends it with another; only one supplier at a time may send to a replica.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import worker_ns
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.requests import sample
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import EVIDENCE_ROWS, finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import TYPES, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_BEGINS = ("2.16.840.1.113730.3.5.3", "2.16.840.1.113730.3.5.12")
_ENDS = "2.16.840.1.113730.3.5.5"
"""389 DS repl5.h: REPL_START_NSDS50, START_NSDS90 and END_NSDS50_REPLICATION_REQUEST."""
_CSN = re.compile(r"\bcsn[\"']?[=:]\s*[\"']?([0-9a-fA-F]{8})")
"""A csn begins with the second of the change, by the clock of the server where it was made."""
_LINES = 500
"""Lines read for their csn."""


@dataclass(frozen=True)
class Session:
    """One session of a supplier; `refused` where it never ended: the replica was taken."""

    supplier: str
    start_ns: int
    end_ns: int
    refused: bool

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    in_log = list(sessions(view.operations))
    return [*late_changes(view, in_log), *_waiting_suppliers(in_log)]


def sessions(operations: Operations) -> Iterator[Session]:
    """The sessions of suppliers whose beginning the log holds, connection by connection."""
    begins, ends = (_asks(operations, oids) for oids in (_BEGINS, (_ENDS,)))
    rows = np.flatnonzero(begins | ends)
    order = np.lexsort((operations.start_ns[rows], operations.conn[rows], operations.boot[rows]))
    rows = rows[order]
    for at, row in enumerate(rows):
        if not begins[row]:
            continue
        after = int(rows[at + 1]) if at + 1 < len(rows) else -1
        same = after >= 0 and operations.conn[after] == operations.conn[row]
        ended = same and bool(ends[after])
        yield Session(
            text_at(operations.clients, int(operations.client[row])),
            int(operations.start_ns[row]),
            int(operations.end_ns[after if ended else row]),
            # The last session of a connection may go on behind the end of the log.
            refused=same and not ended,
        )


def _asks(operations: Operations, oids: tuple[str, ...]) -> NDArray[np.bool_]:
    """Mask of extended operations; 389 DS logs the OID, which stands where filters do."""
    places = [i for i, text in enumerate(operations.fingerprints) if text in oids]
    extended = operations.kind == TYPES.index("EXT")
    asked: NDArray[np.bool_] = extended & np.isin(operations.fingerprint, places)
    return asked


def late_changes(view: WindowView, in_log: list[Session]) -> list[Finding]:
    """Changes that suppliers send long after they were made: the queue before this server."""
    limit, operations = limits("replication_queue"), view.operations
    if view.line_of is None or not in_log:
        return []
    rows, lags = _lags(view, sample(_replicated(operations), _LINES))
    if len(rows) < limit["changes"] or np.median(lags) < limit["late_s"]:
        return []
    every = _replicated(operations)
    usual, longest = round(float(np.median(lags)) * NS_PER_S), int(lags.max()) * NS_PER_S
    text = Message(
        "Half of {n} changes looked at arrived {usual:duration} late or more, the latest "
        "{longest:duration}.",
        n=len(rows),
        usual=usual,
        longest=longest,
    )
    latest = rows[np.argsort(-lags, kind="stable")][:EVIDENCE_ROWS]
    return [
        finding(
            "replication_queue",
            numbers={"changes": len(every), "late_ns": usual, "latest_ns": longest},
            evidence=[evidence_of_rows(operations, text, rows, latest)],
            worker_ns=worker_ns(operations, every),
            changes=len(every),
            usual=usual,
            longest=longest,
        )
    ]


def _replicated(operations: Operations) -> Rows:
    """Changes on connections on which a supplier begins sessions."""
    begins = _asks(operations, _BEGINS)
    suppliers = operations.conn[begins] * 1_000 + operations.boot[begins]
    keys = operations.conn * 1_000 + operations.boot
    return np.flatnonzero(client_writes(operations) & np.isin(keys, suppliers))


def _lags(view: WindowView, rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
    """Rows whose line has a csn, and how many seconds after their change they began here."""
    assert view.line_of is not None
    stamped = [(int(row), _CSN.search(view.line_of(int(row)))) for row in rows]
    having = np.array([row for row, csn in stamped if csn], np.intp)
    made = np.array([int(csn[1], 16) for _, csn in stamped if csn], np.int64)
    return having, view.operations.start_ns[having] // NS_PER_S - made


def _waiting_suppliers(in_log: list[Session]) -> list[Finding]:
    """Suppliers that are refused while another one keeps the replica."""
    limit = limits("replication_sessions")
    refused = [session for session in in_log if session.refused]
    holding = [session for session in in_log if session.length_ns >= limit["held_s"] * NS_PER_S]
    others = {session.supplier for session in refused} - {session.supplier for session in holding}
    if len(refused) < limit["refused"] or not holding or not others:
        return []
    longest = max(holding, key=lambda session: session.length_ns)
    evidence = [
        Evidence(
            Message(
                "{supplier} sends from {start:time} for {length:duration}.",
                supplier=session.supplier,
                start=session.start_ns,
                length=session.length_ns,
            ),
            session.start_ns,
            session.end_ns,
        )
        for session in sorted(holding, key=lambda session: -session.length_ns)[:20]
    ]
    return [
        finding(
            "replication_sessions",
            numbers={"refused": len(refused), "sessions": len(holding)},
            evidence=evidence,
            supplier=longest.supplier,
            longest=longest.length_ns,
            others=count_of("{n} attempt", "{n} attempts", n=len(refused)),
            waiting=tuple(sorted(others)),
        )
    ]
