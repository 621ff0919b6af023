"""What `pmrep -o csv` prints of a Performance Co-Pilot archive -> samples.

Series are 'pcp:METRIC' or 'pcp:METRIC:INSTANCE', as printed: counters as rates a second, in the
unit of the metric. Disks and processors get the names and units of iostat beside that:

| iostat | from |
|---|---|
| r/s w/s | disk.dev.read, write: requests a second |
| rkB/s wkB/s | disk.dev.read_bytes, write_bytes: KiB a second |
| r_await w_await | disk.dev.read_rawactive, write_rawactive (ms a second) by requests a second |
| aqu-sz | disk.dev.aveq, ms a second by 1,000 |
| util | disk.dev.avactive, ms a second by 10: per cent |
| cpu: user nice system iowait steal idle | kernel.all.cpu.* by hinv.ncpu by 10: per cent |

Units: PCP's Linux agent (pminfo -d). Times are local to who ran pmrep, unless printed by `-f %s`.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator

from ldap_workbench.logs.reading.reports import CLOCK, Clock, Readings, Tally
from ldap_workbench.logs.reading.stamps import epoch_time, report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.visible import one_line
from ldap_workbench.model.window import Sample

MOST_COLUMNS = 2000
MOST_SAMPLES = 2_000_000
_NAME_LENGTH = 300
_TOO_MANY = "more samples than are kept"
_DISK = "disk.dev."
_SCALED = {
    "read": ("r/s", 1.0), "write": ("w/s", 1.0),
    "read_bytes": ("rkB/s", 1.0), "write_bytes": ("wkB/s", 1.0),
    "aveq": ("aqu-sz", 1e-3), "avactive": ("util", 0.1),
}  # fmt: skip
_WAITS = {"r_await": ("read_rawactive", "read"), "w_await": ("write_rawactive", "write")}
_CPU = {
    "user": "user", "nice": "nice", "sys": "system", "wait.total": "iowait", "steal": "steal",
    "idle": "idle",
}  # fmt: skip
Named = tuple[str, str]
"""A metric and its instance, '' where it has none."""


def read_pmrep(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every sample of a file. Raises LogError where nothing names its columns."""
    text = data.decode("utf-8-sig", "replace")
    tally = Tally()
    samples: list[Sample] = []
    columns: list[Named] = []
    reports = 0
    epoch = True
    for cells, lines in _rows(text):
        if not cells or cells[0].startswith("#"):
            tally.set_aside("comment" if cells else "blank line", lines)
        elif cells[0] == "Time":
            columns = [_named(cell) for cell in cells[1:]]  # again with -E, or with new instances
            tally.understood(lines)
        elif not columns:
            raise LogError(
                Message("Its first line does not name the columns, as pmrep does."),
                remedy=Message("Print it with: pmrep -a ARCHIVE -o csv METRIC..."),
            )
        elif (time_ns := _time(cells[0], clock)) is None or len(cells) != len(columns) + 1:
            tally.unknown(lines)
        elif len(columns) > MOST_COLUMNS or len(samples) > MOST_SAMPLES:
            tally.set_aside(_TOO_MANY, lines)
        else:
            epoch = epoch and epoch_time(cells[0]) is not None
            values = _values(columns, cells[1:])
            samples += [Sample(time_ns, name, value) for name, value in _series(values)]
            reports += bool(values)
            tally.understood(lines)
    return Readings(samples, reports, {}, tally.counts, () if epoch or not samples else _ASSUMED)


_ASSUMED = (
    Message(
        "pmrep prints no zone: its times are read in that of --zone, else of the access log. With "
        "-f %s it prints times that need none."
    ),
)


def _rows(text: str) -> Iterator[tuple[list[str], int]]:
    """Rows and how many lines each takes; what is no CSV is a row that nothing fits."""
    first = next((line for line in text.splitlines() if line[:4] == "Time"), "")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=first[4:5] or ",")
    before = 0
    while True:
        try:
            cells = next(rows, None)
        except csv.Error:
            cells = ["?"]
        if cells is None:
            return
        yield cells, rows.line_num - before
        before = rows.line_num


def _named(heading: str) -> Named:
    """'disk.dev.read-vda' -> ('disk.dev.read', 'vda'); no name of a metric has a hyphen."""
    metric, _, instance = one_line(heading)[:_NAME_LENGTH].partition("-")
    return metric, instance


def _time(text: str, clock: Clock) -> int | None:
    return epoch_time(text) or report_time(text, clock.zone_offset_ns) or None


def _values(columns: list[Named], cells: list[str]) -> dict[Named, float]:
    """What is there: a counter has no rate in the first row, and may have none in others."""
    values = {}
    for named, cell in zip(columns, cells, strict=True):
        try:
            value = float(cell)
        except ValueError:
            continue
        if math.isfinite(value):
            values[named] = value
    return values


def _series(values: dict[Named, float]) -> Iterator[tuple[str, float]]:
    for (metric, instance), value in values.items():
        yield f"pcp:{metric}:{instance}" if instance else f"pcp:{metric}", value
    for disk in dict.fromkeys(i for metric, i in values if metric.startswith(_DISK)):
        yield from _disk(disk, values)
    processors = values.get(("hinv.ncpu", ""), 0.0)
    for column, name in _CPU.items():
        busy = values.get((f"kernel.all.cpu.{column}", ""))
        if busy is not None and processors > 0:
            yield f"iostat:cpu:{name}", busy / processors / 10


def _disk(disk: str, values: dict[Named, float]) -> Iterator[tuple[str, float]]:
    for column, (name, scale) in _SCALED.items():
        value = values.get((_DISK + column, disk))
        if value is not None:
            yield f"iostat:{disk}:{name}", value * scale
    for name, (active, count) in _WAITS.items():
        took, requests = values.get((_DISK + active, disk)), values.get((_DISK + count, disk))
        if took is not None and requests:
            yield f"iostat:{disk}:{name}", took / requests
