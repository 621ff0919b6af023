"""Output of ldclt -> samples 'ldclt:rate', operations a second over each of its intervals.

'ldclt:errors' is how many requests failed, at the end, where it says so. It prints a rate every ten
seconds, and the time when it starts and ends, local to its host.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ldap_workbench.logs.reading.reports import Clock, Readings, Report, Tally, place_in_time
from ldap_workbench.logs.reading.stamps import ctime
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample

RATE, ERRORS = "ldclt:rate", "ldclt:errors"
_RATE = re.compile(r"ldclt\[\d+\]: Average rate:.*\(\s*([\d.]+)/sec\)")
_ALL = re.compile(r"ldclt\[\d+\]: Global average rate:.*\(\s*([\d.]+)/sec\), total:\s*(\d+)")
_ENDS = re.compile(r"ldclt\[\d+\]: (Starting|Ending) at (.*)")
_FAILED = re.compile(r"ldclt\[\d+\]: Global error +\d+ \(.*\) occurs +(\d+) times")
_INTERVAL_S = 10


def read_ldclt(data: bytes, clock: Clock) -> Readings:
    """Every rate of a run, placed by its printed start or end, else by the clock."""
    tally = Tally()
    reports: list[Report] = []
    begun = ended = None
    notes: tuple[Message, ...] = ()
    failed: int | None = None
    whole: float | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        if match := _RATE.match(line):
            reports.append(Report())
            reports[-1].add("", ["rate"], [float(match[1])])
            continue
        if match := _ALL.match(line):
            made = Message(
                "ldclt made {operations} operations, {rate:,.1f} a second.",
                operations=int(match[2]),
                rate=float(match[1]),
            )
            notes, whole = (made,), float(match[1])
        elif match := _FAILED.match(line):
            failed = (failed or 0) + int(match[1])
        elif match := _ENDS.match(line):
            now = ctime(match[2], clock.zone_offset_ns)
            begun, ended = (now, ended) if match[1] == "Starting" else (begun, now)
        if line.strip():
            tally.understood()
        else:
            tally.set_aside("blank line")
    if not reports and whole is not None:
        reports.append(Report())
        reports[0].add("", ["rate"], [whole])
    step = _INTERVAL_S * NS_PER_S
    if reports and begun is not None:
        reports[0].time_ns = begun + step
    elif reports and ended is not None:
        reports[0].time_ns = ended - (len(reports) - 1) * step
    placed = replace(clock, interval_ns=step, since_boot=False)
    readings = place_in_time(reports, "ldclt", tally=tally, clock=placed)
    if failed is not None and readings.samples:
        at_end = Sample(readings.samples[-1].time_ns, ERRORS, float(failed))
        readings = replace(readings, samples=[*readings.samples, at_end])
    return replace(readings, notes=notes)
