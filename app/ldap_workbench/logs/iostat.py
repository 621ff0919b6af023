"""iostat -x -y -t -o JSON, read while it is written; a killed one leaves it unterminated."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample

_REPORT = '"timestamp"'


class IostatReader:
    """Fed with pieces of the output, gives the samples of every report that is whole.

    Series are 'iostat:<device>:<column>' (r/s, rkB/s, r_await, util, ...; units as sysstat prints
    them: kB/s, ms, %) and 'iostat:cpu:<column>' (user, system, iowait, steal, idle in %). Times are
    those iostat printed, in ISO with their zone (S_TIME_FORMAT=ISO).
    """

    def __init__(self) -> None:
        self._text = ""
        self._decoder = json.JSONDecoder()
        self.unknown = 0
        """Reports that were not understood."""

    def feed(self, data: bytes) -> list[Sample]:
        """Samples of the reports that end in this piece."""
        self._text += data.decode("utf-8", "replace")
        samples: list[Sample] = []
        while (at := self._text.find(_REPORT)) >= 0:
            start = self._text.rfind("{", 0, at)
            try:
                report, end = self._decoder.raw_decode(self._text, start)
            except json.JSONDecodeError:
                break  # not whole yet
            samples += self._samples(report)
            self._text = self._text[end:]
        return samples

    def _samples(self, report: dict[str, Any]) -> list[Sample]:
        try:
            when = parse_iso_ns(report["timestamp"])
            rows = {row["disk_device"]: row for row in report.get("disk", [])}
            rows["cpu"] = report.get("avg-cpu", {})
        except (KeyError, TypeError, ValueError):
            self.unknown += 1
            return []
        return [
            Sample(when, f"iostat:{device}:{column}", float(value))
            for device, row in rows.items()
            for column, value in row.items()
            if isinstance(value, int | float)
        ]


def parse_iso_ns(text: str) -> int:
    """2026-11-21T04:15:46+0000 as ns since 1970 UTC. Raises ValueError without a zone."""
    if not re.search(r"([+-]\d{2}:?\d{2}|Z)$", text):
        raise ValueError(f"'{text}' has no time zone")
    return int(datetime.fromisoformat(text).timestamp()) * NS_PER_S
