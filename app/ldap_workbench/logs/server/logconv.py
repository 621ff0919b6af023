"""The summary that logconv of 389 DS makes of an access log -> its figures.

A short summary holds totals; a verbose one (-V) also results by code and the longest etimes. What
it lists by client, DN or filter is set aside: the access log tells that, and more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.reading.stamps import bracket_time, report_time

_SPAN = re.compile(r"(Start|End) of Logs?:\s+\[?([^\]]+)")
_FIGURE = re.compile(r"(?: ?- )?([A-Z][^:]*):\s+(\d{1,15}(?:\.\d{1,15})?)%?(?:\s+\(|\s*$)")
_SECTION = re.compile(r"-{5,} ?([A-Z][^-]*)-{5,}\s*$")
_ERROR = re.compile(r"err=(\d{1,9})\s+(\d{1,15})\b")
_ETIME = re.compile(r"etime=(\d{1,9}(?:\.\d{1,9})?)\s+(\d{1,15})\s*$")
_OFTEN = re.compile(r"\s*(\d{1,15})\s+etime=(\d{1,9}(?:\.\d{1,9})?)\s*$")
"""In the list of the most frequent ones, the count stands first."""
_PROGRESS = re.compile(
    r"Access Log Analyzer|Command\s*:|Processing \d|\[\d+\] |\s*\d+ Lines Proc|Found a restart|"
    r"Processed Log Time|Total Log Lines|Cleaning up|Done\.|-+\s*$"
)
_TOTALS = "access log output"


@dataclass
class LogSummary:
    """What a summary says; `figures` by their printed names, `errors` by result code.

    `start_ns`, `end_ns`: the first and last line of the log it was made from, None if not printed.
    `longest_s`: the longest etime, None in a short summary. `errors` is None there, too.
    """

    start_ns: int | None = None
    end_ns: int | None = None
    figures: dict[str, float] = field(default_factory=dict)
    errors: dict[int, int] | None = None
    longest_s: float | None = None
    etimes: dict[float, int] = field(default_factory=dict)
    """Operations by etime in seconds, of the lists that are printed: the longest, most frequent."""


def read_logconv(data: bytes, zone_offset_ns: int, tally: Tally) -> LogSummary:
    """The figures of a text; its times print no zone."""
    summary = LogSummary()
    section = _TOTALS
    for line in data.decode("utf-8", "replace").splitlines():
        if match := _SECTION.match(line):
            section = match[1].strip().lower()
            summary.errors = {} if section == "errors" else summary.errors
            tally.understood()
        elif not line.strip():
            tally.set_aside("blank line")
        elif _take(line, section, zone_offset_ns, summary) or _PROGRESS.match(line):
            tally.understood()
        elif section == _TOTALS and not line.startswith("  "):
            tally.unknown()
        else:
            tally.set_aside("list that the access log shows better")
    return summary


def _take(line: str, section: str, zone_offset_ns: int, summary: LogSummary) -> bool:
    """Whether a line of a section told something."""
    if section == "errors" and summary.errors is not None and (match := _ERROR.match(line)):
        summary.errors[int(match[1])] = int(match[2])
        return True
    if match := _ETIME.match(line) or _OFTEN.match(line):
        is_longest = match.re is _ETIME
        etime, count = (match[1], match[2]) if is_longest else (match[2], match[1])
        summary.etimes[float(etime)] = int(count)
        if is_longest:
            summary.longest_s = max(summary.longest_s or 0.0, float(etime))
        return True
    if section != _TOTALS:
        return False
    if match := _SPAN.match(line):
        time_ns = _time(match[2].strip(), zone_offset_ns)
        if match[1] == "Start":
            summary.start_ns = time_ns
        else:
            summary.end_ns = time_ns
        return time_ns is not None
    if match := _FIGURE.match(line):
        summary.figures.setdefault(match[1], float(match[2]))
        return True
    return False


def _time(text: str, zone_offset_ns: int) -> int | None:
    """21/Nov/2026:02:19:59.903111192, with or without a zone; or an ISO time."""
    if stamp := bracket_time(f"[{text}]"):
        return stamp[0]
    if stamp := bracket_time(f"[{text} +0000]"):
        return stamp[0] - zone_offset_ns
    return report_time(text, zone_offset_ns)
