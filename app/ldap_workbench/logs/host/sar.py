"""sar of sysstat: its text, and what sadf makes of its files (-d, -j) -> samples.

Processors and disks get the names of iostat, which they are comparable to: 'iostat:cpu:idle',
'iostat:DEVICE:util'. Everything else is 'sar:COLUMN', or 'sar:NAME:COLUMN' where a row has a name.
Every row covers the interval before it; none of them is since boot.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ldap_workbench.logs.reading.date_order import DateOrder, order_of
from ldap_workbench.logs.reading.reports import (
    CLOCK,
    Clock,
    Readings,
    Report,
    Tally,
    numbers,
    place_in_time,
)
from ldap_workbench.logs.reading.stamps import epoch_time, report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message

_ROW = re.compile(r"(\d\d:\d\d:\d\d)(?:\s+([AP]M))?\s+(\S.*)$")
_DATE = re.compile(r"\)\s+(\S*\d[/.-]\S*\d)(?:\s|$)")
_NAMES = ("CPU", "DEV", "IFACE", "INTR", "FILESYSTEM", "MOUNTPOINT", "TTY", "BUS")
"""Headings of columns that name what a row is of."""
_IOSTAT = {
    "user": "user", "usr": "user", "nice": "nice", "system": "system", "sys": "system",
    "iowait": "iowait", "steal": "steal", "idle": "idle",
    "tps": "tps", "rkB/s": "rkB/s", "wkB/s": "wkB/s", "dkB/s": "dkB/s", "areq-sz": "areq-sz",
    "aqu-sz": "aqu-sz", "await": "await", "svctm": "svctm", "util": "util",
    "rd_sec/s": "rkB/s", "wr_sec/s": "wkB/s", "avgqu-sz": "aqu-sz", "avgrq-sz": "avgrq-sz",
    "rkB": "rkB/s", "wkB": "wkB/s", "dkB": "dkB/s", "util-percent": "util",
    "rd_sec": "rkB/s", "wr_sec": "wkB/s",
}  # fmt: skip
_HALVED = ("rd_sec/s", "wr_sec/s", "rd_sec", "wr_sec")
"""Sectors of 512 bytes, where iostat says kibibytes."""
_AVERAGE = "average of all rows"
_DATELESS = "row without a date"
_DAY_NS = 86_400 * 10**9
_MOST_DAYS = 400
"""Of one output; a damaged one could go on for centuries."""


def read_sar(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of what sar prints."""
    return _read(data, clock, _Rows.read_text)


def read_sadf_table(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of what sadf -d prints."""
    return _read(data, clock, _Rows.read_table)


def read_sadf_json(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of what sadf -j prints."""
    return _read(data, clock, _Rows.read_json)


def _read(data: bytes, clock: Clock, read: Callable[[_Rows, str, Tally], None]) -> Readings:
    text, tally = data.decode("utf-8", "replace"), Tally()
    rows = _Rows(order_of(text, clock), clock)
    read(rows, text, tally)
    if not rows.times:
        _raise_reason(tally)
    settled = replace(clock, since_boot=False)
    hosts = place_in_time(rows.reports("iostat"), "iostat", tally=Tally(), clock=settled)
    others = place_in_time(rows.reports("sar"), "sar", tally=Tally(), clock=settled)
    return replace(
        hosts,
        samples=[*hosts.samples, *others.samples],
        reports=len(rows.times),
        lines=tally.counts,
        notes=(*rows.order.notes, *rows.notes),
    )


def _raise_reason(tally: Tally) -> None:
    """LogError where rows are there, and none of them has a time."""
    reasons = tally.counts.reasons
    if _DATELESS in reasons:
        raise LogError(
            Message("Its rows have a time of day and no date."),
            remedy=Message(
                "Give the date with --began, the time of the first row; or add the line that sar "
                "prints first, which begins with Linux and has the date."
            ),
        )
    if _AVERAGE in reasons:
        raise LogError(
            Message("It holds averages alone, and no row with a time."),
            remedy=Message("Import the rows that sar prints above them."),
        )


class _Rows:
    """Values by time: of processors and disks, and of everything else."""

    def __init__(self, order: DateOrder, clock: Clock) -> None:
        self.order = order
        self._zone = clock.zone_offset_ns
        self._clock = clock
        self._reports: dict[tuple[str, int], Report] = {}
        self.times: set[int] = set()
        self.notes: tuple[Message, ...] = ()

    def reports(self, prefix: str) -> list[Report]:
        """In the order of time."""
        return [self._reports[key] for key in sorted(self._reports) if key[0] == prefix]

    def _add(self, time_ns: int, kind: str, name: str, values: Mapping[str, float]) -> None:
        """One row; `kind` is the heading of its name: CPU, DEV, another or none."""
        if kind == "CPU" and name not in ("all", "-1"):
            return
        prefix = "iostat" if kind in ("CPU", "DEV") else "sar"
        device = "cpu" if kind == "CPU" else name
        named = {}
        for column, value in values.items():
            column = column.lstrip("%")
            halved = 0.5 if column in _HALVED else 1.0
            named[_IOSTAT.get(column, column) if prefix == "iostat" else column] = value * halved
        report = self._reports.setdefault((prefix, time_ns), Report(time_ns))
        report.add(device, named, named.values())
        self.times.add(time_ns)

    # --- sar ----------------------------------------------------------------------------------

    def read_text(self, text: str, tally: Tally) -> None:
        date = ""
        columns: list[str] = []
        last_ns: dict[tuple[str, ...], int] = {}
        for line in text.splitlines():
            if not line.strip():
                columns = []
                tally.set_aside("blank line")
                continue
            if (match := _ROW.match(line)) is None:
                if line.startswith("Linux "):
                    printed = _DATE.search(line)
                    date = printed[1] if printed else ""
                    last_ns.clear()
                    tally.understood()
                elif line.startswith(("Average", "Summary", "Durchschn", "Moyenne", "Media")):
                    tally.set_aside(_AVERAGE)
                else:
                    tally.unknown()
                continue
            words = match[3].split()
            clock = f"{match[1]} {match[2] or ''}".strip()
            date = date or self._day_of(clock)
            if "RESTART" in words or not date:
                tally.set_aside("server start" if date else _DATELESS)
                continue
            time_ns = self._time(date, clock)
            if time_ns is None:
                tally.unknown()
                continue
            if not columns or numbers(words[-1:]) is None:
                columns = words
                last_ns.setdefault(tuple(columns), time_ns)
                tally.understood()
                continue
            time_ns += _DAY_NS * _midnights(time_ns, last_ns.get(tuple(columns), 0))
            if self._row(time_ns, columns, words):
                last_ns[tuple(columns)] = time_ns
                tally.understood()
            else:
                tally.unknown()

    def _day_of(self, clock: str) -> str:
        """The day of the first row where none is printed: as somebody said, or by the logs beside.

        "" where neither is known.
        """
        start_ns, near_ns = self._clock.start_ns, self._clock.near_ns
        if start_ns is not None:
            return self._date(start_ns)
        if near_ns is None:
            return ""
        days = [self._date(near_ns + days * _DAY_NS) for days in (0, -1, 1)]
        day = min(days, key=lambda day: abs((self._time(day, clock) or 0) - near_ns))
        self.notes = (
            Message(
                "Its rows have no date: that of the log beside it is assumed, {date}. If it is "
                "not so, give --began, the time of its first row.",
                date=day,
            ),
        )
        return day

    def _date(self, time_ns: int) -> str:
        moment = datetime.fromtimestamp((time_ns + self._zone) // 10**9, UTC)
        return f"{moment:%d/%m/%Y}" if self.order.day_first else f"{moment:%m/%d/%Y}"

    def _time(self, date: str, clock: str) -> int | None:
        return report_time(f"{date} {clock}", self._zone, day_first=self.order.day_first)

    def _row(self, time_ns: int, columns: list[str], words: list[str]) -> bool:
        kind = columns[0] if columns[0] in _NAMES else ""
        values = numbers(words[1:] if kind else words)
        if values is None or len(words) != len(columns):
            return False
        names = columns[1:] if kind else columns
        self._add(time_ns, kind, words[0] if kind else "", dict(zip(names, values, strict=True)))
        return True

    # --- sadf -d ------------------------------------------------------------------------------

    def read_table(self, text: str, tally: Tally) -> None:
        columns: list[str] = []
        for line in text.splitlines():
            cells = line.lstrip("# ").split(";")
            if line.startswith("#"):
                columns = cells[3:]
                tally.understood()
            elif not line.strip():
                tally.set_aside("blank line")
            elif "RESTART" in line:
                tally.set_aside("server start")
            elif self._cells(columns, cells):
                tally.understood()
            else:
                tally.unknown()

    def _cells(self, columns: list[str], cells: list[str]) -> bool:
        if len(cells) < 4 or len(cells) - 3 != len(columns):
            return False
        stamp = cells[2].replace(" UTC", "Z")
        time_ns = epoch_time(stamp) or report_time(stamp, self._zone)
        kind = columns[0] if columns[0] in _NAMES else ""
        values = numbers(cells[4:] if kind else cells[3:])
        if time_ns is None or values is None:
            return False
        names = columns[1:] if kind else columns
        self._add(time_ns, kind, cells[3] if kind else "", dict(zip(names, values, strict=True)))
        return True

    # --- sadf -j ------------------------------------------------------------------------------

    def read_json(self, text: str, tally: Tally) -> None:
        lines = len(text.splitlines())
        try:
            hosts = json.loads(text)["sysstat"]["hosts"]
            statistics = [report for host in hosts for report in host.get("statistics", [])]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            tally.unknown(lines)
            return
        tally.understood(lines)
        for report in statistics:
            stamp = report.get("timestamp") if isinstance(report, dict) else None
            if not isinstance(stamp, dict):
                continue
            zone = "Z" if stamp.get("utc") in (1, "1", True) else ""
            time_ns = report_time(f"{stamp.get('date')} {stamp.get('time')}{zone}", self._zone)
            if time_ns is not None:
                for name, value in report.items():
                    self._object(time_ns, name, value)

    def _object(self, time_ns: int, section: str, value: Any) -> None:
        """A section: one object, a list of them by name, or sections inside."""
        items: Iterable[Any] = value if isinstance(value, list) else [value]
        for item in items:
            if not isinstance(item, dict) or section == "timestamp":
                continue
            texts = [str(text) for text in item.values() if isinstance(text, str)]
            kind = {"cpu-load": "CPU", "cpu-load-all": "CPU", "disk": "DEV"}.get(section, section)
            values = {
                column: float(number)
                for column, number in item.items()
                if isinstance(number, int | float) and not isinstance(number, bool)
            }
            if values:
                self._add(time_ns, kind, texts[0] if texts else "", values)
            for column, inner in item.items():
                if isinstance(inner, dict | list):
                    self._object(time_ns, column, inner)


def _midnights(time_ns: int, last_ns: int) -> int:
    """Days until a row's time is behind the row before it: the date stands at the head alone."""
    back = last_ns - _DAY_NS // 2 - time_ns
    return min(-(-back // _DAY_NS), _MOST_DAYS) if back > 0 else 0
