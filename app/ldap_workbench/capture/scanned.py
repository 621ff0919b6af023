"""What a scanned access log tells beside its operations, told alike wherever it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from ldap_workbench.capture.losses import Lost
from ldap_workbench.logs.access.scan_statistics import OpenRequest
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.access.server_messages import kinds_of_messages
from ldap_workbench.logs.reading.detect import Detection
from ldap_workbench.logs.server.errors389 import describe_notices
from ldap_workbench.model import remarks
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.operations import CHANGES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts

_SAY_ZONE = Message("If that is not so, import it with --zone.")
_CLOCK_CHANGED = sentences(
    Message(
        "The times in this log show no zone, and its clock went to or from summer time within it: "
        "the lines from there on are read as of the other zone."
    ),
    _SAY_ZONE,
)
_WAITING = 2_000
"""Operations without a result that are kept: a server has room for hardly more at once."""
_GIVEN_UP = 20_000
"""Operations whose connections were closed before a result; a log with more lacks results."""
_UNUSED = 5_000
"""Clients and minutes of which connections without an operation are kept, those with most."""
_LEFT_OPEN = 50_000
"""Connections without a close that are kept, the newest: few servers take more at once."""
_UNANSWERED = 20_000
"""Changes without a result that are kept: enough to see bursts of them, few enough to load."""


def scan_details(scanner: Scanner, lost: Lost) -> dict[str, Any]:
    """The details of a source: what is open, what does not fit, and what is missing."""
    notices = scanner.notices
    of_server: dict[str, Any] = {}
    if notices is not None and notices.terms:
        of_server["not_indexed"] = notices.not_indexed()
    if notices is not None and notices.deferrals:
        of_server["deferred"] = notices.deferred()
    if scanner.messages is not None:
        of_server |= scanner.messages.details()
    return {
        **of_server,
        **{f"lost_{name}": count for name, count in asdict(lost).items()},
        "open_operations": open_operations(scanner),
        "orphan_results": scanner.orphan_results,
        "restarts": scanner.restarts,
        "clock_steps_back": scanner.clock_steps_back,
        "censored_below_ns": scanner.censored_below_ns,
        "latencies_between_lines": scanner.between_lines,
        "waiting": waiting_operations(scanner),
        "given_up": given_up(scanner),
        "unused_connections": [
            unused._asdict() for unused in scanner.connections_without_operation()[:_UNUSED]
        ],
        "left_open": scanner.left_open()[-_LEFT_OPEN:],
    }


def open_operations(scanner: Scanner) -> int:
    """Requests of clients and of the server itself without a result so far."""
    if not scanner.own_connections:
        return scanner.open_operations
    return sum(not request.own for request in scanner.open_requests())


def line_counts(scanner: Scanner) -> LineCounts:
    """Every line, and why some, or parts of what they say, are of no use.

    A result whose request is not in the log has a type and a latency, but no filter and no base:
    it is of no kind of search.
    """
    counts = scanner.counts
    if not scanner.orphan_results:
        return counts
    reasons = {**counts.reasons, str(remarks.NO_REQUEST): scanner.orphan_results}
    return replace(counts, reasons=reasons)


def unanswered_changes(scanner: Scanner) -> list[dict[str, Any]]:
    """Changes whose results the log does not hold, oldest first; `dn` is "" where it was cut off.

    Excerpts of logs often hold requests alone, and what was deleted when is told by those.
    """
    changes = (request for request in _of_clients(scanner) if request.kind in CHANGES)
    return [
        {"type": request.kind, "time_ns": request.start_ns, "dn": request.base}
        for request in islice(changes, _UNANSWERED)
    ]


def waiting_operations(scanner: Scanner) -> list[dict[str, Any]]:
    """Operations of clients that run on where the log ends, oldest first."""
    running = (request for request in _of_clients(scanner) if request.closed_ns is None)
    return [_stored(request) for request in islice(running, _WAITING)]


def given_up(scanner: Scanner) -> list[dict[str, Any]]:
    """Operations of clients whose connections were closed before a result, oldest first.

    None where there are too many: the longest alone would not show that results are missing.
    """
    closed = (request for request in _of_clients(scanner) if request.closed_ns is not None)
    first = list(islice(closed, _GIVEN_UP + 1))
    if len(first) > _GIVEN_UP:
        return []
    return [
        _stored(request) | {"closed_ns": request.closed_ns, "closed_at": request.closed_at}
        for request in first
    ]


def _of_clients(scanner: Scanner) -> Iterator[OpenRequest]:
    """Requests of clients without a result, oldest first."""
    requests = scanner.open_requests()
    return (request for request in requests if not (request.internal or request.own))


def _stored(request: OpenRequest) -> dict[str, Any]:
    """As `session.unanswered` reads it."""
    return {
        "type": request.kind,
        "time_ns": request.start_ns,
        "boot": request.boot,
        "conn": request.conn,
        "op": request.op,
        "client": request.client,
        "bind_dn": request.bind_dn,
        "base": request.base,
        "filter": request.fingerprint,
        "at": request.at,
    }


def detection_details(detection: Detection, scanner: Scanner) -> dict[str, Any]:
    """What the log was read as and why, and the doubts about it."""
    doubts = [detection.doubt] if detection.doubt else []
    return {
        "title": detection.title,
        "reason": detection.reason,
        "notes": [*doubts, *notes_of(scanner)],
    }


def notes_of(scanner: Scanner) -> list[Message]:
    """What must be said of how its times were read, and what a server says beside operations."""
    return [*_of_times(scanner), *_of_server(scanner)]


def _of_server(scanner: Scanner) -> list[Message]:
    """Its messages, and deferred operations: their number may be too small for a finding."""
    if scanner.messages is None:
        return []
    kinds = kinds_of_messages(scanner.dialect.messages)
    said = describe_notices(scanner.messages.counted(), kinds)
    if scanner.notices is None:
        return said
    deferrals = scanner.notices.deferrals.values()
    if not deferrals:
        return said
    return [
        *said,
        count_of(
            "slapd deferred {n} operation: its connection had others at work or waiting.",
            "slapd deferred {n} operations: their connections had others at work or waiting.",
            n=sum(of.reasons.total() for of in deferrals),
        ),
    ]


def _of_times(scanner: Scanner) -> list[Message]:
    first = scanner.first_time_ns
    if not scanner.shows_no_zone or first is None:
        return []
    zone_ns = scanner.zone_offset_ns
    if scanner.clock_changes:
        return [_CLOCK_CHANGED]
    if not scanner.shows_no_year:
        read_as = Message(
            "The times in this log show no zone: they are read as of {zone}.", zone=_zone(zone_ns)
        )
        return [sentences(read_as, _SAY_ZONE)]
    year = datetime.fromtimestamp((first + zone_ns) // NS_PER_S, UTC).year
    read_as = Message(
        "The times in this log show neither year nor zone: its first line is read as of "
        "{year:plain} in {zone}.",
        year=year,
        zone=_zone(zone_ns),
    )
    return [sentences(read_as, _SAY_ZONE)]


def _zone(offset_ns: int) -> str:
    """UTC, UTC+01:00."""
    if not offset_ns:
        return "UTC"
    hours, minutes = divmod(abs(offset_ns) // (60 * NS_PER_S), 60)
    return f"UTC{'-' if offset_ns < 0 else '+'}{hours:02d}:{minutes:02d}"
