"""What tools print of the caches of 389 DS: dsconf monitor, dbmon.sh, db_stat -> samples.

`dsconf monitor dbmon` is 'dbmon:SECTION:figure' at the time of its heading, and so are its JSON and
dbmon.sh; `disk` is 'disk:PARTITION:figure', which prints no time. Sizes are bytes, shares per cent.
What they say of caches is also there by the names of cn=monitor, so that it is judged alike; that
of db_stat is 'db_stat:' and such a name. The other commands print the attributes of monitor
entries: as text that is LDIF, as JSON see `entries_in`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ldap_workbench.logs.reading.reports import (
    Clock,
    Readings,
    Report,
    Tally,
    number,
    place_in_time,
)
from ldap_workbench.logs.reading.stamps import alone_time, report_time
from ldap_workbench.logs.server.ldif import Entry
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.window import Sample

_TITLE = re.compile(r"DB Monitor Report: (\S+ \S+)")
_FIGURE = re.compile(r"\s*(?:- )?([^:]+?):\s+(-?\d+(?:\.\d*)?)\s*(%|[KMGT]?B)?\s*$")
_SECTION = re.compile(r"\s*(?:- )?(\S.*?):\s*$")
_VALUE = re.compile(r"(-?\d+(?:\.\d*)?)\s*(%|[KMGT]?B)?")
_BACKEND = re.compile(r"\(([^()]+)\)$")
_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4, "%": 1, None: 1}


_NAMES = {
    "hit_ratio": "Cache Hit Ratio", "free": "Free Space", "free_percentage": "Free Percentage",
    "roevicts": "RO Page Drops", "pagein": "Pages In", "pageout": "Pages Out",
    "count": "DN Count", "evictions": "Evictions",
    **{
        f"{cache}_cache_{key}": f"{title} Cache {name}"
        for cache, title in (("entry", "Entry"), ("dn", "DN"))
        for key, name in (("hit_ratio", "Hit Ratio"), ("count", "Count"), ("free", "Free Space"),
                          ("free_percentage", "Free Percentage"), ("size", "Average Size"))
    },
}  # fmt: skip
"""Keys of the JSON -> figures of the text."""
_OF_DBMON = (
    ("dbcachefree", "Free Space"), ("free%", "Free Percentage"), ("roevicts", "RO Page Drops"),
    ("hit%", "Cache Hit Ratio"), ("pagein", "Pages In"), ("pageout", "Pages Out"),
)  # fmt: skip
_OF_ROW = ("Count", "Free Space", "Free Percentage", "Average Size")
_DBMON = re.compile(r"\s*dbcachefree\s")
_DBMON_ROW = re.compile(
    r"\s*(\S+):(ent|dn)\s+(\d+)\s+(\d+)\s+(\d+(?:\.\d+)?)\s+(\d+(?:\.\d+)?)\s*$"
)
_NAMED = {"": NOTHING, "Entry ": Message(", entry cache"), "DN ": Message(", DN cache")}
_DATABASE, _DNS = "Database Cache", "Normalized DN Cache"
_LDBM = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"


def read_monitor_report(data: bytes, clock: Clock) -> Readings:
    """Every figure of dbmon, which may have been printed again and again, or of disk."""
    tally = Tally()
    text = data.decode("utf-8", "replace")
    if text.lstrip().startswith("{"):
        reports, prefix = _of_json(text, clock, tally), "dbmon"
    else:
        reports, prefix = _of_text(text, clock, tally)
    readings = place_in_time(reports, prefix, tally=tally, clock=replace(clock, since_boot=False))
    caches: list[Sample] = []
    place = 0
    for report in reports:
        if place < len(readings.samples):
            caches += _as_monitor(readings.samples[place].time_ns, report)
        place += sum(len(figures) for figures in report.values.values())
    notes = tuple(_described(reports[-1])) if reports else ()
    return replace(readings, samples=[*readings.samples, *caches], notes=(*readings.notes, *notes))


def _described(report: Report) -> Iterator[Message]:
    """What a report says of each cache, in its own numbers."""
    for section, figures in report.values.items():
        backend = _BACKEND.search(section)
        whose = backend[1] if backend else section
        for title in ("", "Entry ", "DN "):
            hits = figures.get(f"{title}Cache Hit Ratio")
            free = figures.get(f"{title}Cache Free Percentage" if title else "Free Percentage")
            if free is None:
                continue
            yield Message(
                "{whose}{cache}: {free:g} % free{hits}.",
                whose=whose,
                cache=_NAMED[title],
                free=free,
                hits=Message(", {hits:g} % hits", hits=hits) if hits is not None else NOTHING,
            )


def _of_text(text: str, clock: Clock, tally: Tally) -> tuple[list[Report], str]:
    reports: list[Report] = []
    section, prefix = "", "dbmon"
    time_ns: int | None = None
    for line in text.splitlines():
        if match := _TITLE.match(line):
            reports.append(Report(report_time(match[1], clock.zone_offset_ns)))
        elif _DBMON.match(line):
            reports.append(Report(time_ns))
            figures = dict(pairwise(line.split()))
            known = {name: number(figures.get(key, "")) for key, name in _OF_DBMON}
            reports[-1].add(_DATABASE, known, [value or 0.0 for value in known.values()])
            continue
        elif (match := _DBMON_ROW.match(line)) and reports:
            cache = "Entry Cache" if match[2] == "ent" else "DN Cache"
            names = ("Count", "Free Space", "Free Percentage", "Average Size")
            reports[-1].add(
                f"({match[1]})",
                [f"{cache} {name}" for name in names],
                map(float, match.groups()[2:]),
            )
            continue
        elif line.split()[:2] == ["dbname", "count"] or (
            stamp := alone_time(line, clock.zone_offset_ns)
        ):
            time_ns = time_ns if line.split()[:1] == ["dbname"] else stamp
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
    return reports, prefix


def _of_json(text: str, clock: Clock, tally: Tally) -> list[Report]:
    """The same figures of dbmon --json."""
    lines = len(text.splitlines())
    try:
        document = json.loads(text)
        sections = {
            _DATABASE: document.get("dbcache", {}),
            _DNS: document.get("ndncache", {}),
            **{
                f"{backend.get('suffix', '')} ({name})": backend
                for name, backend in document.get("backends", {}).items()
            },
        }
        report = Report(report_time(str(document.get("date")), clock.zone_offset_ns))
        for section, figures in sections.items():
            for key, value in figures.items():
                match = _VALUE.fullmatch(str(value))
                if key in _NAMES and match:
                    report.add(section, [_NAMES[key]], [float(match[1]) * _UNITS[match[2]]])
    except (ValueError, AttributeError, RecursionError):
        tally.unknown(lines)
        return []
    tally.understood(lines - report.rows.total())
    return [report] if report.values else []


def _as_monitor(time_ns: int, report: Report) -> Iterator[Sample]:
    """What a report says of caches, by the names of the monitor entries of 389 DS."""
    for section, figures in report.values.items():
        if section == _DATABASE:
            yield from _samples(time_ns, _LDBM, {
                "dbcachehitratio": figures.get("Cache Hit Ratio"),
                "dbcacheroevict": figures.get("RO Page Drops"),
                "dbcachepagein": figures.get("Pages In"),
                "dbcachepageout": figures.get("Pages Out"),
            })  # fmt: skip
            size = _whole(figures.get("Free Space"), figures.get("Free Percentage"))
            yield from _samples(
                time_ns, f"cn=database,{_LDBM}", {"nsslapd-db-cache-size-bytes": size}
            )
        elif section == _DNS:
            most = _whole(figures.get("Free Space"), figures.get("Free Percentage"))
            used = None if most is None else most - figures["Free Space"]
            yield from _samples(time_ns, _LDBM, {
                "normalizeddncachehitratio": figures.get("Cache Hit Ratio"),
                "normalizeddncacheevictions": figures.get("Evictions"),
                "currentnormalizeddncachesize": used,
                "maxnormalizeddncachesize": most,
            })  # fmt: skip
        elif match := _BACKEND.search(section):
            entry = f"cn=monitor,cn={match[1]},cn=ldbm database,cn=plugins,cn=config"
            for title, cache in (("Entry Cache", "entrycache"), ("DN Cache", "dncache")):
                count, mean = figures.get(f"{title} Count"), figures.get(f"{title} Average Size")
                free = figures.get(f"{title} Free Space")
                used = None if count is None or mean is None else count * mean
                yield from _samples(time_ns, entry, {
                    f"{cache}hitratio": figures.get(f"{title} Hit Ratio"),
                    f"current{cache}count": count,
                    f"current{cache}size": used,
                    f"max{cache}size": None if used is None or free is None else used + free,
                })  # fmt: skip


def _whole(free: float | None, percent: float | None) -> float | None:
    return free / percent * 100 if free is not None and percent else None


def _samples(time_ns: int, entry: str, values: dict[str, float | None]) -> Iterator[Sample]:
    for name, value in values.items():
        if value is not None:
            yield Sample(time_ns, f"{entry}:{name}", value)


_STAT = re.compile(r"(\d+M?|\d+[GMK]?B(?: \d+[GMK]?B)*)[\t ]+([A-Z][a-z][^(]*?)\s*(?:\(.*\))?\s*$")
_SIZE = re.compile(r"(\d+)(GB|MB|KB|B)?")
_OF_STAT = {
    "Requested pages found in the cache": "dbcachehits",
    "Pages read into the cache": "dbcachepagein",
    "Pages written from the cache to the backing file": "dbcachepageout",
    "Clean pages forced from the cache": "dbcacheroevict",
    "Dirty pages forced from the cache": "dbcacherwevict",
}
_OF_LOCKS = {
    "Maximum number of locks possible": "nsslapd-db-configured-locks",
    "Number of current locks": "nsslapd-db-current-locks",
    "Maximum number of locks at any one time": "nsslapd-db-max-locks",
    "Total cache size": "nsslapd-db-cache-size-bytes",
}
_MISSED = "Requested pages not found in the cache"


def read_db_stat(data: bytes, clock: Clock) -> Readings:
    """The cache (-m) and the locks (-c) of Berkeley DB: 'db_stat:' and the name of cn=monitor.

    Of which server the database is nothing tells: OpenLDAP had it, too. The statistics of each file
    of the cache repeat the names: the first ones count.
    """
    tally = Tally()
    figures: dict[str, float] = {}
    time_ns = clock.start_ns
    for line in data.decode("utf-8", "replace").splitlines():
        if match := _STAT.match(line):
            figures.setdefault(match[2], _stat_value(match[1]))
            tally.understood()
        elif stamp := alone_time(line, clock.zone_offset_ns):
            time_ns = stamp if time_ns is None else time_ns
            tally.understood()
        elif not line.strip() or not set(line.strip()) - set("=-"):
            tally.set_aside("blank line")
        else:
            tally.set_aside("statistics that are not used")
    hits = figures.get("Requested pages found in the cache")
    tries = None if hits is None else hits + figures.get(_MISSED, 0.0)
    when = time_ns if time_ns is not None else clock.undated_ns or 0
    cache = {name: figures.get(printed) for printed, name in _OF_STAT.items()}
    locks = {name: figures.get(printed) for printed, name in _OF_LOCKS.items()}
    samples = list(_samples(when, "db_stat", cache | locks | {"dbcachetries": tries}))
    return Readings(samples, bool(samples), {}, tally.counts, dated=time_ns is not None)


def _stat_value(text: str) -> float:
    """'1462', '12M' (of ten million on), '320MB 8KB'."""
    if text.endswith("M"):
        return float(text[:-1]) * 1e6
    units = _UNITS | {"GB": 1024**3}
    return sum(float(match[1]) * units[match[2]] for match in _SIZE.finditer(text))


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
