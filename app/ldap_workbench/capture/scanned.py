"""What a scanned access log tells beside its operations, told alike wherever it came from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ldap_workbench.logs.detect import Detection
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.units import NS_PER_S


def seen_by(scanner: Scanner) -> dict[str, Any]:
    """The details of a source: what is open, what does not fit, and what seems left out."""
    return {
        "open_operations": scanner.open_operations,
        "orphan_results": scanner.orphan_results,
        "restarts": scanner.restarts,
        "clock_steps_back": scanner.clock_steps_back,
        "censored_below_ns": scanner.censored_below_ns,
        "latencies_between_lines": scanner.between_lines,
    }


def taken_for(detection: Detection, scanner: Scanner) -> dict[str, Any]:
    """What the log was read as and why, and the doubts about it."""
    doubts = [detection.doubt] if detection.doubt else []
    return {
        "title": detection.title,
        "reason": detection.reason,
        "notes": [*doubts, *notes_of(scanner)],
    }


def notes_of(scanner: Scanner) -> list[str]:
    """What must be said of how its times were read; empty where they say everything."""
    first = scanner.first_time_ns
    if not scanner.shows_no_zone or first is None:
        return []
    zone_ns = scanner.zone_offset_ns
    if not scanner.shows_no_year:
        return [f"The times in this log show no zone: they are read as of {_zone(zone_ns)}."]
    year = datetime.fromtimestamp((first + zone_ns) // NS_PER_S, UTC).year
    return [
        "The times in this log show neither year nor zone: its first line is read as of "
        f"{year} in {_zone(zone_ns)}."
    ]


def _zone(offset_ns: int) -> str:
    """UTC, UTC+01:00."""
    if not offset_ns:
        return "UTC"
    hours, minutes = divmod(abs(offset_ns) // (60 * NS_PER_S), 60)
    return f"UTC{'-' if offset_ns < 0 else '+'}{hours:02d}:{minutes:02d}"
