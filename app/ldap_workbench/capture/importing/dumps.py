"""Stacks of threads that lie beside an access log -> the calls of each thread, and when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ldap_workbench.capture.importing.companion import Companion, Keep, forget, texts
from ldap_workbench.logs.reading.files import LogSet
from ldap_workbench.logs.reading.reports import Clock, Tally
from ldap_workbench.logs.reading.stamps import name_time
from ldap_workbench.logs.server.folded import folded_text, read_folded
from ldap_workbench.logs.server.stacks import Dump, Held, held_calls, read_stacks, top_calls
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

_TOP = 20
_UNTIMED = Message("Its dumps have no time: only their order is known.")
_SOME_UNTIMED = Message("Some of its dumps have no time: only their order is known.")
_WHEN_DUMPED = Message(
    "Say when with --began and --interval, or name the files by time: pstack.20260322-172606."
)


def stacks(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    """Stack dumps of the server."""
    dumps: list[Dump] = []
    tally = Tally()
    for file, text in zip(logs.files, texts(logs, keep, companion), strict=False):
        read = read_stacks(text, clock.zone_offset_ns, tally)
        dumps += _timed_by_name(read, file.path.name, clock)
    companion.add_lines(tally.counts)
    companion.count = len(dumps)
    if all(dump.time_ns is not None for dump in dumps):
        dumps.sort(key=lambda dump: dump.time_ns or 0)
    times = _dump_times(dumps, clock)
    for time_ns in times:
        if time_ns is not None:
            companion.see(time_ns)
    companion.details = {
        "dumps": [_dump(dump, time_ns) for dump, time_ns in zip(dumps, times, strict=True)],
        "held": [_stay(stay, times) for stay in held_calls(dumps)],
        "top": [{"calls": list(c), "threads": n} for c, n in top_calls(dumps).most_common(_TOP)],
    }
    if None in times:
        every = times.count(None) == len(times)
        companion.notes += [_UNTIMED if every else _SOME_UNTIMED, _WHEN_DUMPED]


def folded_stacks(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    """Folded stacks: a profile for each file; only a file's name may tell when it was recorded."""
    tally = Tally()
    stacks = profiles = 0
    for file, text in zip(logs.files, texts(logs, forget, companion), strict=False):
        profile = read_folded(text, tally)
        keep(folded_text(profile))
        stacks += len(profile)
        profiles += 1
        companion.count += sum(profile.values())
        time_ns = name_time(file.path.name, clock.zone_offset_ns, clock.near_ns)
        if time_ns is not None:
            companion.see(time_ns)
    companion.add_lines(tally.counts)
    companion.details = {"stacks": stacks, "profiles": profiles}
    companion.stands_alone = True


def _timed_by_name(dumps: list[Dump], name: str, clock: Clock) -> list[Dump]:
    """Dumps of a file; one of which only a file's name tells the time has that.

    Of several dumps in one file the name tells when the first was made, and nothing of the others.
    """
    timed = []
    for number, dump in enumerate(dumps):
        file = dump.file or (name if number == 0 else "")
        if dump.time_ns is None and file:
            time_ns = name_time(file, clock.zone_offset_ns, clock.near_ns)
            dump = replace(dump, time_ns=time_ns)
        timed.append(dump)
    return timed


def _dump_times(dumps: list[Dump], clock: Clock) -> list[int | None]:
    """Printed times; else evenly from the start that was told."""
    start = clock.start_ns
    times = [None if start is None else start + i * clock.interval_ns for i in range(len(dumps))]
    return [d.time_ns if d.time_ns is not None else t for d, t in zip(dumps, times, strict=True)]


def _dump(dump: Dump, time_ns: int | None) -> dict[str, Any]:
    return {"time_ns": time_ns, "threads": {t.id: list(t.calls) for t in dump.threads}}


def _stay(stay: Held, times: list[int | None]) -> dict[str, Any]:
    begin, end = times[stay.first], times[stay.first + stay.dumps - 1]
    seconds = None if begin is None or end is None else (end - begin) / NS_PER_S
    return {
        "thread": stay.thread,
        "call": stay.call,
        "first": stay.first,
        "dumps": stay.dumps,
        "seconds": seconds,
    }
