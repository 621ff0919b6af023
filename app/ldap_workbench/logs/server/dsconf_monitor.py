"""What `dsconf INSTANCE monitor` prints for people, and as JSON -> samples.

`dbmon` is 'dbmon:SECTION:figure' at the time of its heading; `disk` is 'disk:PARTITION:figure',
which prints no time. Sizes are bytes, shares per cent. The other commands print the attributes of
monitor entries: as text that is LDIF, as JSON see `entries_in`.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from ldap_workbench.logs.reading.reports import Clock, Readings, Report, Tally, place_in_time
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.logs.server.ldif import Entry

_TITLE = re.compile(r"DB Monitor Report: (\S+ \S+)")
_FIGURE = re.compile(r"\s*(?:- )?([^:]+?):\s+(-?\d+(?:\.\d*)?)\s*(%|[KMGT]?B)?\s*$")
_SECTION = re.compile(r"\s*(?:- )?(\S.*?):\s*$")
_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4, "%": 1, None: 1}


def read_monitor_report(data: bytes, clock: Clock) -> Readings:
    """Every figure of dbmon, which may have been printed again and again, or of disk."""
    reports: list[Report] = []
    tally = Tally()
    section, prefix = "", "dbmon"
    for line in data.decode("utf-8", "replace").splitlines():
        if match := _TITLE.match(line):
            reports.append(Report(report_time(match[1], clock.zone_offset_ns)))
        elif line.startswith("Partition: "):
            section, prefix = line.removeprefix("Partition: ").strip(), "disk"
            reports = reports or [Report()]
        elif (match := _FIGURE.match(line)) and reports:
            value = float(match[2]) * _UNITS[match[3]]
            reports[-1].add(section, [match[1].removeprefix("- ")], [value])
            continue
        elif match := _SECTION.match(line):
            section = match[1].removeprefix("- ")
        elif not line.strip() or set(line) <= set("-= "):
            tally.set_aside("blank line")
            continue
        else:
            tally.unknown()
            continue
        tally.understood()
    return place_in_time(reports, prefix, tally=tally, clock=replace(clock, since_boot=False))


def entries_in(data: bytes) -> list[Entry]:
    """The entries of `dsconf --json ... monitor`: one, or a list of them.

    None where it is another text.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return []
    items = document.get("items", [document]) if isinstance(document, dict) else []
    return [_entry(item) for item in items if isinstance(item, dict) and "attrs" in item]


def _entry(item: dict[str, Any]) -> Entry:
    attributes = {
        str(name).lower(): tuple(str(value).encode() for value in values)
        for name, values in item["attrs"].items()
        if isinstance(values, list)
    }
    return Entry(str(item.get("dn", "")), attributes)
