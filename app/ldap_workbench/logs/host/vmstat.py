"""vmstat of Linux, Solaris and AIX -> samples 'vmstat:COLUMN'.

Columns are the tool's own. Where Solaris prints one name twice, 'sy' is the processor time and
'syscalls' the system calls; its disks are 'disk:NAME'.
"""

from __future__ import annotations

from ldap_workbench.logs.host.bare_rows import vmstat_columns
from ldap_workbench.logs.reading.reports import (
    CLOCK,
    Clock,
    Readings,
    Report,
    Tally,
    numbers,
    place_in_time,
)
from ldap_workbench.logs.reading.stamps import alone_time, report_time

_SCREENFUL = 18
"""Rows below a heading before a run prints it again; terminals have 24 lines and more."""


def read_vmstat(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of a whole vmstat file. Raises LogError where it has no times."""
    tally = Tally()
    reports = _reports(data.decode("utf-8", "replace"), clock.zone_offset_ns, tally)
    return place_in_time(reports, "vmstat", tally=tally, clock=clock)


def _reports(text: str, zone_offset_ns: int, tally: Tally) -> list[Report]:
    reports: list[Report] = []
    columns: list[str] = []
    time_ns: int | None = None
    # The first row of each run covers the time since boot.
    begins, dated, rows = True, True, 0
    for line in text.splitlines():
        words = line.split()
        if not columns and (values := numbers(words)) is not None:
            # Pasted without its heading: read on as if there had been one.
            columns = vmstat_columns(values) or []
        values = numbers(words[: len(columns)])
        if words[:2] == ["r", "b"]:
            columns = _columns(words)
            # Within a run the heading comes again after a screenful of rows.
            begins = begins or rows < _SCREENFUL or (time_ns is not None and not dated)
            rows = 0
            tally.understood()
        elif (stamp := alone_time(line, zone_offset_ns)) is not None:
            time_ns = stamp
            tally.understood()
        elif columns and values is not None and len(values) == len(columns):
            behind = report_time(" ".join(words[len(columns) :]), zone_offset_ns)
            report = Report(behind if behind is not None else time_ns, begins)
            report.add("", columns, values)
            reports.append(report)
            dated = time_ns is not None
            time_ns, begins = None, False
            rows += 1
        elif not words:
            tally.set_aside("blank line")
        elif line.lstrip().startswith(("procs", "kthr", "System configuration", "-----")):
            tally.understood()
        else:
            tally.unknown()
    return reports


def _columns(words: list[str]) -> list[str]:
    """Names of the columns; the last word of -t is the zone of its times, no column."""
    if "swpd" in words:
        last = next((name for name in ("gu", "st", "wa", "id") if name in words), words[-1])
        return words[: words.index(last) + 1]
    if "hr" in words:  # of AIX -t: a time of day behind the columns
        words = words[: words.index("hr")]
    names = []
    disks = range(0)
    if "sr" in words and "in" in words and "avm" not in words:
        disks = range(words.index("sr") + 1, words.index("in"))
    for i, word in enumerate(words):
        if i in disks:
            names.append(f"disk:{word}")
        elif word == "sy" and "sy" in words[i + 1 :]:
            names.append("syscalls")
        else:
            names.append(word)
    return names
