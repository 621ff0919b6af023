"""Text output of iostat: sysstat 9 to 12.7 on Linux, Solaris and illumos.

Linux columns get the names of sysstat's JSON output (see `iostat.py`): no '%', rMB/s and rsec/s as
rkB/s, avgqu-sz as aqu-sz. Those no longer printed keep their own: avgrq-sz (sectors), await, svctm
(both ms). Solaris columns keep their names, with kr/s for Mr/s and rates for the counts of -I:

| column | unit |
|---|---|
| r/s w/s | requests per second |
| kr/s kw/s | kibibytes per second |
| wait actv | mean length of the queue, of what the device works on |
| wsvc_t asvc_t svc_t | mean milliseconds in the queue, in the device, both |
| %w %b | per cent of time with a queue, with work |
| s/w h/w trn tot | errors since boot |

What people paste is less than what was printed: a device that stands again below one heading
begins the next report, and rows without a heading are told by their columns (`bare_rows.py`).

iostat of AIX -> samples 'iostat:DEVICE:column', named as on Linux where it is the same.

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
from collections.abc import Callable, Sequence
from dataclasses import replace

from ldap_workbench.logs.host.bare_rows import linux_columns, solaris_columns, usual_length
from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.logs.reading.date_order import order_of
from ldap_workbench.logs.reading.reports import (
    CLOCK,
    Clock,
    Readings,
    Report,
    Tally,
    may_be_since_boot,
    number,
    numbers,
    place_in_time,
)
from ldap_workbench.logs.reading.stamps import alone_time, ctime, epoch_time, report_time
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S

_BANNER_DATE = re.compile(r"\)\s+(\S*\d[/.-]\S*\d)(?:\s|$)")
_COMMAS = re.compile(r"r/[si],")
"""In the heading of -r: commas stand between the columns, not in their numbers."""
_DECIMAL_COMMA = re.compile(r"(?<![\d,])(\d+),(\d)(?![\d,])")
_RENAMED = {"avgqu-sz": "aqu-sz"}
_MEGABYTES = re.compile(r"([rwd]?)MB(_\w+)?/s$")
_SECTORS = re.compile(r"([rwd])sec/s$")


def read_iostat_json(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of `iostat -o JSON`.

    Raises LogError where it prints no times and the clock has no start.
    """
    order = order_of(data.decode("utf-8", "replace"), clock)
    reader = IostatReader(clock, order)
    samples = reader.feed(data)
    if clock.since_boot and reader.runs == 1 and not samples:
        # Its only report: the text of the same is used as well (reports.py).
        reader = IostatReader(replace(clock, since_boot=False), order)
        samples = reader.feed(data)
        notes = (*order.notes, may_be_since_boot("iostat"))
        return Readings(
            samples, reader.reports, {}, reader.counts, notes, may_be_since_boot=bool(samples)
        )
    left_out = {"report since boot": reader.runs} if clock.since_boot else {}
    return Readings(samples, reader.reports, left_out, reader.counts, reader.order.notes)


def read_iostat_linux(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of a file of sysstat's iostat, as `read_iostat_json`."""
    text, tally = data.decode("utf-8", "replace"), Tally()
    order = order_of(text, clock)
    reports = _Linux(clock.zone_offset_ns, tally, day_first=order.day_first).read(text)
    readings = place_in_time(reports, "iostat", tally=tally, clock=clock)
    return replace(readings, notes=(*order.notes, *readings.notes))


def read_iostat_solaris(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of a file of Solaris or illumos, as `read_iostat_json`."""
    tally = Tally()
    solaris = _Solaris(clock, tally)
    reports = solaris.read(data.decode("utf-8", "replace"))
    readings = place_in_time(
        reports, "iostat", tally=tally, clock=clock, counts=solaris.prints_counts
    )
    return replace(readings, notes=(*solaris.notes, *readings.notes))


def read_iostat_aix(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of a file of AIX, as `read_iostat_json`."""
    tally = Tally()
    reports = read_aix(data.decode("utf-8", "replace"), clock, tally)
    return place_in_time(reports, "iostat", tally=tally, clock=clock)


class _Table:
    """A header and its rows: the device is the first or the last column."""

    def __init__(self, columns: list[str], *, last: bool) -> None:
        self.columns = columns
        self.seen: set[str] = set()
        """Devices so far: one that comes again is in the next report."""
        self._last = last

    def row(self, words: list[str]) -> tuple[str, list[float]] | None:
        """(device, values) of a row; None if it is none."""
        n = len(self.columns)
        if len(words) <= n:
            return None
        # A device may have blanks in its name (mount points, labels).
        texts, name = (words[:n], words[n:]) if self._last else (words[-n:], words[:-n])
        values = numbers(texts)
        return None if values is None else (" ".join(name), values)


def _bare_table(
    text: str, columns_of: Callable[[Sequence[Sequence[float]]], list[str] | None]
) -> _Table | None:
    """The table that rows without a heading are of, by all rows of a text; None if of none."""
    rows = [row for line in text.splitlines() if (row := _bare_row(line.split())) is not None]
    usual = usual_length([values for values, _ in rows])
    columns = columns_of(usual) if usual else None
    if columns is None:
        return None
    return _Table(columns, last=sum(last for _, last in rows) * 2 > len(rows))


def _bare_row(words: list[str]) -> tuple[list[float], bool] | None:
    """Values of a row and whether its device stands last; None if it is none."""
    if len(words) < 2:
        return None
    for texts, name, last in ((words[1:], words[0], False), (words[:-1], words[-1], True)):
        if number(name) is None and (values := numbers(texts)) is not None:
            return values, last
    return None


class _Linux:
    def __init__(self, zone_offset_ns: int, tally: Tally, *, day_first: bool = False) -> None:
        self._zone = zone_offset_ns
        self._day_first = day_first
        self._date = ""
        self._tally = tally
        self._reports: list[Report] = []
        self._table: _Table | None = None
        self._cpu: list[str] = []
        self._seen: set[str] = set()
        self._bare: _Table | None = None

    def read(self, text: str) -> list[Report]:
        self._bare = _bare_table(text, linux_columns)
        for line in text.splitlines():
            self._line(line)
        return [report for report in self._reports if report.values]

    def _line(self, line: str) -> None:
        words = line.split()
        if not words:
            self._table = None
            self._tally.set_aside("blank line")
        elif self._is_heading(line, words):
            self._tally.understood()
        elif self._cpu:
            values = numbers(words)
            if values is None:
                self._tally.unknown()
            else:
                self._reports[-1].add("cpu", self._cpu, values)
            self._cpu = []
        elif self._table is not None and line[0] == " " and words[0].isalpha():
            # Groups (-g) are indented where the device comes first: they count again.
            self._tally.set_aside("group of disks: counted already")
        elif not self._row(words):
            self._tally.unknown()

    def _is_heading(self, line: str, words: list[str]) -> bool:
        """Take a banner, a time, or the names of columns."""
        if line.startswith("Linux "):
            match = _BANNER_DATE.search(line)
            self._date = match[1] if match else ""
            self._begin(None, boot=True)
        elif line.startswith("Time: ") and self._date:
            # sysstat 7: the date stands in the banner alone.
            self._begin(self._past_midnight(self._report_time(f"{self._date} {line[6:]}")))
        elif line.startswith("avg-cpu:"):
            self._header("avg-cpu")
            self._cpu = [_linux_column(word) for word in words[1:]]
        elif words[0] in ("Device", "Device:") or words[-1] in ("Device", "Device:"):
            last = words[-1].startswith("Device")
            columns = words[:-1] if last else words[1:]
            if not columns:
                return False
            self._header(columns[0])
            self._table = _Table(columns, last=last)
        elif (time_ns := self._report_time(line)) is not None or (
            time_ns := alone_time(line, self._zone)
        ) is not None:
            self._begin(time_ns)
        else:
            return False
        return True

    def _report_time(self, text: str) -> int | None:
        return report_time(text, self._zone, day_first=self._day_first)

    def _past_midnight(self, time_ns: int | None) -> int | None:
        """A time of day on the date of the banner, moved on by the days that have begun since."""
        last = next((report.time_ns for report in reversed(self._reports) if report.time_ns), None)
        while time_ns is not None and last is not None and time_ns < last:
            time_ns += 86_400 * NS_PER_S
        return time_ns

    def _begin(self, time_ns: int | None, *, boot: bool = False) -> None:
        """Begin a report; one with nothing but its banner, or the date before it, takes both."""
        if self._reports and not self._reports[-1].values:
            empty = self._reports.pop()
            boot = boot or empty.boot
            time_ns = empty.time_ns if time_ns is None else time_ns
        self._reports.append(Report(time_ns, boot))
        self._seen = set()

    def _header(self, kind: str) -> None:
        """A header seen twice begins the next report, where no time does."""
        if not self._reports or kind in self._seen:
            self._begin(None)
        self._seen.add(kind)

    def _row(self, words: list[str]) -> bool:
        table = self._table or self._bare
        if table is None or (row := table.row(words)) is None:
            return False
        device, values = row
        if device in table.seen or not self._reports:
            self._begin(None)
            table.seen.clear()
        table.seen.add(device)
        columns = [_linux_column(column) for column in table.columns]
        scales = [_scale(column) for column in table.columns]
        scaled = [value * scale for value, scale in zip(values, scales, strict=True)]
        self._reports[-1].add(device, columns, scaled)
        return True


def _linux_column(column: str) -> str:
    column = column.lstrip("%")
    column = _MEGABYTES.sub(lambda m: f"{m[1]}kB{m[2] or ''}/s", column)
    column = _SECTORS.sub(r"\1kB/s", column)
    return _RENAMED.get(column, column)


def _scale(column: str) -> float:
    if _MEGABYTES.match(column):
        return 1024
    return 0.5 if _SECTORS.match(column) else 1


class _Solaris:
    def __init__(self, clock: Clock, tally: Tally) -> None:
        self._zone = clock.zone_offset_ns
        self._since_boot = clock.since_boot
        self._tally = tally
        self._seconds = clock.interval_s
        self._reports: list[Report] = []
        self._counted: dict[int, set[str]] = {}
        """Columns by report that are counts of its interval (-I)."""
        self._assumed = 0
        self._table: _Table | None = None
        self._cpu: list[str] = []
        self._pending_cpu: dict[str, float] = {}
        self._time: int | None = None
        self._bare: _Table | None = None

    def read(self, text: str) -> list[Report]:
        if "," in text and not _COMMAS.search(text):
            text = _DECIMAL_COMMA.sub(r"\1.\2", text)
        self._bare = _bare_table(text.replace(",", " "), solaris_columns)
        for line in text.splitlines():
            self._line(line.replace(",", " ") if "extended" not in line else line)
        for place, columns in self._counted.items():
            seconds = self._interval(place)
            for values in self._reports[place].values.values():
                values.update({name: values[name] / seconds for name in columns & values.keys()})
        return [report for report in self._reports if report.values]

    @property
    def prints_counts(self) -> bool:
        """Whether it prints counts of its intervals (-I), no rates."""
        return bool(self._counted)

    @property
    def notes(self) -> tuple[Message, ...]:
        """How long intervals were taken for whose length is not printed."""
        if not self._assumed:
            return ()
        return (
            count_of(
                "It counts by interval (-I), and no printed time shows how long {n} of them "
                "lasted: assumed to be {seconds:g} s.",
                "It counts by interval (-I), and no printed times show how long {n} of them "
                "lasted: assumed to be {seconds:g} s.",
                n=self._assumed,
                seconds=self._seconds,
            ),
        )

    def _interval(self, number: int) -> float:
        """Seconds that a report covers: the distance of its printed time from the one before."""
        now = self._reports[number].time_ns
        before = self._reports[number - 1].time_ns if number else None
        if now is not None and before is not None and now > before:
            return (now - before) / NS_PER_S
        self._assumed += 0 if number == 0 and self._since_boot else 1
        return self._seconds

    def _line(self, line: str) -> None:
        words = line.split()
        if not words:
            self._tally.set_aside("blank line")
        elif self._is_heading(line, words):
            self._tally.understood()
        elif self._cpu and len(words) == len(self._cpu):
            self._pending_cpu = dict(zip(self._cpu, numbers(words) or [], strict=False))
            self._cpu = []
        elif line.startswith("<<device"):
            self._tally.set_aside("notice of a device")
        elif not self._row(words):
            self._tally.unknown()

    def _is_heading(self, line: str, words: list[str]) -> bool:
        """Take a title, a time, or the names of columns."""
        if "extended device statistics" in line or words == ["cpu"]:
            self._table = None
        elif words[:4] == ["us", "sy", "wt", "id"]:
            self._cpu = words[:4]
        elif "device" in words and "%b" in words:
            self._header(words)
        elif (time_ns := alone_time(line, self._zone)) is not None:
            self._time = time_ns
        else:
            return False
        return True

    def _header(self, words: list[str]) -> None:
        last = words[0] != "device"
        columns = words[: words.index("device")] if last else words[1:]
        self._table = _Table(columns, last=last)
        self._begin()

    def _begin(self) -> None:
        """Begin a report, with the time and the processors printed since the one before."""
        # Where only some reports have a time, each was begun with `date; iostat`.
        again = self._time is not None and bool(self._reports)
        self._reports.append(Report(self._time, again and self._reports[-1].time_ns is None))
        self._time = None
        if self._pending_cpu:
            cpu = self._pending_cpu
            self._reports[-1].add("cpu", cpu, cpu.values())
            self._pending_cpu = {}

    def _row(self, words: list[str]) -> bool:
        table = self._table or self._bare
        if table is None or (row := table.row(words)) is None:
            return False
        device, values = row
        if device in table.seen or not self._reports:
            self._begin()
            table.seen.clear()
        table.seen.add(device)
        named = {}
        for column, value in zip(table.columns, values, strict=True):
            counted = column.endswith("/i")
            if counted:
                column = column[:-1] + "s"
            if column in ("Mr/s", "Mw/s"):
                column, value = "k" + column[1:], value * 1024
            if counted:
                self._counted.setdefault(len(self._reports) - 1, set()).add(column)
            named[column] = value
        # A mount point stands behind the device in brackets.
        self._reports[-1].add(device.split(" (")[0], named, named.values())
        return True


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
