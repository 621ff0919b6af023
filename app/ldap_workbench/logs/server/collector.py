"""The log of Java's garbage collector -> samples 'gc:pause' and 'gc:heap'.

'gc:pause' is for how long all threads stood still, in ms, at the moment the pause ended; 'gc:heap'
what was left in the heap then, in bytes. Collections that work beside the threads are no pauses.
Read are -Xlog:gc of Java 9 and later (all collectors; tried with 17 and 25) and -XX:+PrintGCDetails
of Java 8. Without -XX:+PrintGCDateStamps or the decorator `time` a line has the seconds since Java
started, which `Clock.start_ns` places.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ldap_workbench.logs.reading.reports import Clock, Readings, Report, Tally, place_in_time
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S

PAUSE, HEAP = "gc:pause", "gc:heap"
UNIFIED = rb"(?:\[[^\]\n]+\])*(?:\[(?:gc|safepoint)[\w,]* *\]|\[[^\]\n]+\] GC\(\d+\) )"
"""How a line of Java 9 and later begins: up to its tags, or where it has none."""
OF_JAVA_8 = rb"(?:\d{4}-\d\d-\d\dT[\d:.]+[+-]\d{4}: )?(?:\d+[.,]\d{3}: )?\[(?:Full )?GC[ (]"

_PAUSE = re.compile(r"(?:\[([^\]]+)\])+ (?:GC\(\d+\) )?(?:[YyOo]: )?Pause .*?([\d.]+)ms$")
_TIME, _UPTIME = re.compile(r"\[(\d{4}-[^\]]+)\]"), re.compile(r"\[([\d.]+)s\]")
_OLD = re.compile(
    r"(?:(\d{4}-\S+): )?(?:([\d.]+): )?\[(?:Full )?GC(?! concurrent)\b.*, ([\d.]+) secs\]"
)
_LEFT = re.compile(r"->(\d+(?:\.\d+)?)([BKMG])\(\d+(?:\.\d+)?[BKMG]\)")
_FACTORS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def read_collector_log(data: bytes, clock: Clock) -> Readings:
    """Every pause. Raises LogError where it has neither times of day nor a start."""
    tally = Tally()
    reports: list[Report] = []
    for line in data.decode("utf-8", "replace").splitlines():
        report = _unified(line, clock) or _of_java_8(line, clock)
        if report:
            reports.append(report)
        elif line.strip():
            tally.understood()  # phases, sizes and settings of collections
        else:
            tally.set_aside("blank line")
    if any(report.time_ns is None for report in reports):
        raise LogError(
            Message("This log of the Java collector has no times of day."),
            remedy=Message(
                "Say when Java started (--began), or let it print times: -Xlog:gc:FILE:time, with "
                "Java 8 -XX:+PrintGCDateStamps."
            ),
        )
    return place_in_time(reports, "gc", tally=tally, clock=replace(clock, since_boot=False))


def _unified(line: str, clock: Clock) -> Report | None:
    pause = _PAUSE.match(line)
    if pause is None:
        return None
    time, up = _TIME.search(line), _UPTIME.search(line)
    ended_ns = report_time(time[1], clock.zone_offset_ns) if time else None
    if ended_ns is None and up:
        ended_ns = _since_start(float(up[1]), clock)
    return _report(ended_ns, float(pause[2]), line)


def _of_java_8(line: str, clock: Clock) -> Report | None:
    """Its time is that of the begin."""
    pause = _OLD.match(line)
    if pause is None:
        return None
    began_ns = report_time(pause[1], clock.zone_offset_ns) if pause[1] else None
    if began_ns is None and pause[2]:
        began_ns = _since_start(float(pause[2]), clock)
    ms = float(pause[3]) * 1000
    ended_ns = None if began_ns is None else began_ns + round(ms * NS_PER_MS)
    return _report(ended_ns, ms, line)


def _since_start(seconds: float, clock: Clock) -> int | None:
    return None if clock.start_ns is None else clock.start_ns + round(seconds * NS_PER_S)


def _report(ended_ns: int | None, ms: float, line: str) -> Report:
    """The last size of a line is that of the whole heap; those before are of its parts."""
    report = Report(ended_ns)
    report.add("", ["pause"], [ms])
    if left := _LEFT.findall(line):
        size, unit = left[-1]
        report.values[""]["heap"] = float(size) * _FACTORS[unit]
    return report
