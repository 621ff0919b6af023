"""iostat's JSON stream -> samples, while it is still being written.

Series are 'iostat:DEVICE:COLUMN' with sysstat's own JSON names as columns, and 'iostat:cpu:COLUMN':

| column | unit |
|---|---|
| r/s w/s d/s f/s | requests completed per second: reads, writes, discards, flushes |
| rkB/s wkB/s dkB/s | kibibytes per second |
| rrqm/s wrqm/s drqm/s, rrqm wrqm drqm | requests merged per second, per cent of requests merged |
| r_await w_await d_await f_await | mean milliseconds per request, queue included |
| rareq-sz wareq-sz dareq-sz | mean request size in kibibytes |
| aqu-sz | mean length of the queue |
| util | per cent of the time in which the device had something to do |
| user nice system iowait steal idle | (cpu) per cent |

Averages over the interval that ends at the sample's time: none of them is a percentile.
"""

from __future__ import annotations

import codecs
import json
from typing import Any

from ldap_workbench.logs.reading.date_order import DateOrder
from ldap_workbench.logs.reading.reports import Clock, counted_elsewhere
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import LineCounts, Sample

_DECODER = json.JSONDecoder()
_LIVE = Clock(since_boot=False)
_MONTH_FIRST = DateOrder(day_first=False)


class IostatReader:
    """Reads the output of `iostat -o JSON` fed in pieces; it may end anywhere.

    Times have a zone with S_TIME_FORMAT=ISO; where they have none, or there are none (no -t), the
    clock completes them.
    """

    def __init__(self, clock: Clock = _LIVE, order: DateOrder = _MONTH_FIRST) -> None:
        self.order = order
        self._zone = clock.zone_offset_ns
        self._since_boot_first = clock.since_boot
        self._skip = False
        self.runs = 0
        self._next = clock.start_ns
        self._interval = clock.interval_ns
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._inside = False
        self.reports = 0
        self._lines = self._since_boot = 0
        self._ends_whole = True

    def feed(self, data: bytes) -> list[Sample]:
        """The samples of the reports that are complete with this piece."""
        self._text += self._decoder.decode(data)
        self._lines += data.count(b"\n")
        self._ends_whole = data.endswith(b"\n") if data else self._ends_whole
        samples: list[Sample] = []
        while (report := self._report()) is not None:
            samples += self._samples(report)
        return samples

    def finish(self) -> list[Sample]:
        """Nothing: a report that was cut off is not a report."""
        return []

    @property
    def counts(self) -> LineCounts:
        """Every line so far; those of a report that is not whole are set aside."""
        rest = self._text.strip(" \r\n\t]},")
        cut = self._text.count("\n") + 1 if rest else 0
        skipped = {"report since boot": self._since_boot, "report cut off": cut}
        reasons = {why: lines for why, lines in skipped.items() if lines}
        aside = sum(reasons.values())
        lines = self._lines + (not self._ends_whole)
        return LineCounts(max(0, lines - aside), aside, 0, reasons)

    def _report(self) -> dict[str, Any] | None:
        """The next complete element of a 'statistics' list."""
        if not self._inside and not self._enter():
            return None
        start = self._text.find("{")
        end = self._text.find("]")
        if 0 <= end < (start if start >= 0 else len(self._text)):
            self._text = self._text[end + 1 :]
            self._inside = False
            return self._report()
        if start < 0:
            return None
        try:
            report, stop = _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError:
            return None
        if self._skip:
            self._since_boot += self._text.count("\n", start, stop) + 1
        self._text = self._text[stop:]
        return report if isinstance(report, dict) else None

    def _enter(self) -> bool:
        place = self._text.find('"statistics"')
        bracket = self._text.find("[", place) if place >= 0 else -1
        if bracket < 0:
            return False
        self._text = self._text[bracket + 1 :]
        self._inside = True
        # Each run has a list of its own, and begins with a report of the time since boot.
        self._skip = self._since_boot_first
        self.runs += 1
        return True

    def _samples(self, report: dict[str, Any]) -> list[Sample]:
        if self._skip:
            self._skip = False
            return []
        self.reports += 1
        now = self._time(report)
        cpu = report.get("avg-cpu")
        samples = _columns(now, "cpu", cpu) if isinstance(cpu, dict) else []
        disks = {str(disk.get("disk_device", "")): disk for disk in report.get("disk", [])}
        for name, disk in disks.items():
            # A group (-g, its name is indented) and a partition count what a disk counts too.
            if name.strip() == name != "" and not counted_elsewhere(name, disks):
                samples += _columns(now, name, disk)
        return samples

    def _time(self, report: dict[str, Any]) -> int:
        if "timestamp" in report:
            now = report_time(str(report["timestamp"]), self._zone, day_first=self.order.day_first)
            if now is None:
                raise LogError(
                    Message(
                        "iostat printed a time that cannot be read: {time}.",
                        time=str(report["timestamp"]),
                    ),
                    remedy=Message("Run iostat with S_TIME_FORMAT=ISO."),
                )
            return now
        if self._next is None:
            raise LogError(
                Message("The iostat output has no times."),
                remedy=Message(
                    "Run iostat with -t, or say when it was started and at which interval."
                ),
            )
        now = self._next
        self._next += self._interval
        return now


def _columns(now: int, device: str, values: dict[str, Any]) -> list[Sample]:
    return [
        Sample(now, f"iostat:{device}:{column}", float(value))
        for column, value in values.items()
        if isinstance(value, int | float)
    ]
