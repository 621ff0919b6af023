"""iostat of AIX -> samples 'iostat:DEVICE:column', named as on Linux where it is the same.

| column | unit |
|---|---|
| util | per cent of time in which the disk had something to do (% tm_act) |
| tps r/s w/s | transfers, reads and writes per second |
| kB/s rkB/s wkB/s | kibibytes per second |
| r_await w_await | mean milliseconds of a read, of a write (-D) |
| user system idle iowait | (cpu) per cent |
"""

from __future__ import annotations

import re

from ldap_workbench.logs.reading.reports import Clock, Report, Tally, number, numbers
from ldap_workbench.logs.reading.stamps import ctime, epoch_time

_PLAIN = {"% tm_act": "util", "Kbps": "kB/s", "tps": "tps"}
_LONG = {0: "util", 1: "kB/s", 2: "tps", 3: "rkB/s", 4: "wkB/s", 5: "r/s", 6: "r_await", 11: "w/s"}
_LONG |= {12: "w_await", 17: "queue_time"}
_LONG_COLUMNS = 23
"""Of iostat -Dl, whose headings take three lines; `_LONG` says which are read."""
_BYTES = ("kB/s", "rkB/s", "wkB/s")
_RATE = re.compile(r"\d+(?:[.,]\d+)?[KMG]?$")
_CPU = ("user", "system", "idle", "iowait")


def read_aix(text: str, clock: Clock, tally: Tally) -> list[Report]:
    """The reports of iostat, iostat -d and iostat -Dl."""
    return _Aix(clock.zone_offset_ns, tally).read(text)


class _Aix:
    def __init__(self, zone_offset_ns: int, tally: Tally) -> None:
        self._zone = zone_offset_ns
        self._tally = tally
        self._reports: list[Report] = []
        self._table = ""
        self._time: int | None = None
        self._boot = True
        self._cpu: dict[str, float] = {}

    def read(self, text: str) -> list[Report]:
        for line in text.splitlines():
            self._line(line)
        return [report for report in self._reports if report.values]

    def _line(self, line: str) -> None:
        words = line.split()
        if not words:
            self._tally.set_aside("blank line")
        elif self._is_heading(line, words):
            self._tally.understood()
        elif self._table == "tty" and (values := numbers(words)) is not None and len(values) >= 6:
            self._cpu = dict(zip(_CPU, values[2:6], strict=True))
            self._table = ""
        elif not self._row(words):
            self._tally.unknown()

    def _is_heading(self, line: str, words: list[str]) -> bool:
        if line.startswith("System configuration"):
            self._boot = True
        elif line.startswith("tty:"):
            self._table = "tty"
        elif words[0] == "Disks:":
            self._table = "disks" if "tps" in words else "long"
            self._begin()
        elif line.startswith("-----") or words[0] in ("%tm", "act"):
            return True
        elif (stamp := ctime(line, self._zone) or epoch_time(line)) is not None:
            self._time = stamp
        else:
            return False
        return True

    def _begin(self) -> None:
        report = Report(self._time, self._boot)
        self._boot, self._time = False, None
        if self._cpu:
            report.add("cpu", self._cpu, self._cpu.values())
            self._cpu = {}
        self._reports.append(report)

    def _row(self, words: list[str]) -> bool:
        if not self._reports or not self._table:
            return False
        texts = words[1:]
        if self._table == "disks" and len(texts) >= 3:
            values = numbers(texts[:3])
            columns: dict[str, float] = dict(zip(_PLAIN.values(), values or (), strict=False))
        elif self._table == "long" and len(texts) >= _LONG_COLUMNS - 1:
            columns = {name: _value(name, texts[place]) for place, name in _LONG.items()}
        else:
            return False
        if not columns:
            return False
        self._reports[-1].add(words[0], columns, columns.values())
        return True


def _value(name: str, text: str) -> float:
    """Rates of bytes become kibibytes; they may have a unit: 6.0K."""
    value = (number(text) or 0.0) if _RATE.match(text) else 0.0
    in_bytes = name in _BYTES and text[-1].isdigit()
    return value / 1024 if in_bytes else value
