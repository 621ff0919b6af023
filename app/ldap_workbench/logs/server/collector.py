"""The log of Java's garbage collector -> samples 'gc:pause'.

For how long all threads stood still, in ms, at the moment the pause ended. Collections that work
beside the threads are no pauses. Read are -Xlog:gc of Java 9 and later (all collectors; tried with
17 and 25) and -XX:+PrintGCDetails of Java 8. Without -XX:+PrintGCDateStamps or the decorator `time`
a line has the seconds since Java started, which `Clock.start_ns` places.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ldap_workbench.logs.reading.reports import (
    Clock,
    Readings,
    Report,
    Tally,
    number,
    place_in_time,
)
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S

PAUSE = "gc:pause"
LINE = (
    rb"(?:\[[^\]\n]+\])*(?:\[(?:gc|safepoint)[\w,]* *\]|\[[^\]\n]+\] GC\(\d+\) )|"
    rb"(?:\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4}: )?(?:\d+[.,]\d{3}: )?\[(?:Full )?GC[ (]|"
    rb"\s{3,}\[(?:Parallel Time|Code Root|Clear CT|Other|Eden|"
    rb"(?:GC|Ext|Update|Scan|Object|Termination)\b[\w ()]*): |OpenJDK 64-Bit Server VM \(|"
    rb"CommandLine flags: -XX"
)
"""How a line begins: of Java 9 and later up to its tags, of Java 8, and details of the latter."""

_KNOWN = re.compile(LINE.decode())
_MS = r"(\d+(?:[.,]\d+)?)"  # a decimal comma where the locale of Java has one
_PAUSE = re.compile(rf"(?:\[[^\]]+\])+ (?:GC\(\d+\) )?(?:[YyOo]: )?Pause .* {_MS}ms$")
_TIME, _UPTIME = re.compile(r"\[(\d{4}-[^\]]+)\]"), re.compile(rf"\[{_MS}s\]")
_OLD = re.compile(
    rf"(?:(\d{{4}}-\S+): )?(?:{_MS}: )?\[(?:Full )?GC(?! concurrent)\b.*, {_MS} secs\]"
)
_LONGEST = 4096
"""Characters of a line; what is longer is no line of a collector."""


def read_collector_log(data: bytes, clock: Clock) -> Readings:
    """Every pause. Raises LogError where it has neither times of day nor a start."""
    tally = Tally()
    reports: list[Report] = []
    untimed = 0
    for line in data.decode("utf-8", "replace").splitlines():
        if not line.strip():
            tally.set_aside("blank line")
        elif len(line) > _LONGEST or not _KNOWN.match(line):
            tally.unknown()
        elif (pause := _unified(line, clock) or _of_java_8(line, clock)) is None:
            tally.understood()  # phases, sizes and settings of collections
        elif pause.time_ns is None:
            untimed += 1
        else:
            reports.append(pause)
    if untimed and not reports:
        raise LogError(
            Message("This log of the Java collector has no times of day."),
            remedy=Message(
                "Say when Java started (--began), or let it print times: -Xlog:gc:FILE:time, with "
                "Java 8 -XX:+PrintGCDateStamps."
            ),
        )
    tally.set_aside("pause without a time of day", untimed)
    return place_in_time(reports, "gc", tally=tally, clock=replace(clock, since_boot=False))


def _unified(line: str, clock: Clock) -> Report | None:
    pause = _PAUSE.match(line)
    if pause is None:
        return None
    time, up = _TIME.search(line), _UPTIME.search(line)
    ended_ns = report_time(time[1], clock.zone_offset_ns) if time else None
    if ended_ns is None and up:
        ended_ns = _since_start(up[1], clock)
    return _report(ended_ns, number(pause[1]))


def _of_java_8(line: str, clock: Clock) -> Report | None:
    """Its time is that of the begin."""
    pause = _OLD.match(line)
    if pause is None:
        return None
    began_ns = report_time(pause[1], clock.zone_offset_ns) if pause[1] else None
    if began_ns is None and pause[2]:
        began_ns = _since_start(pause[2], clock)
    ms = (number(pause[3]) or 0.0) * 1000
    return _report(None if began_ns is None else began_ns + round(ms * NS_PER_MS), ms)


def _since_start(seconds: str, clock: Clock) -> int | None:
    if clock.start_ns is None:
        return None
    return clock.start_ns + round((number(seconds) or 0.0) * NS_PER_S)


def _report(ended_ns: int | None, ms: float | None) -> Report:
    report = Report(ended_ns)
    report.add("", ["pause"], [ms or 0.0])
    return report
