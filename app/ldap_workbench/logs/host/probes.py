"""What a histogram is of: probe, unit, threads and extremes, from the text around it.

The scripts of 389-ds-base (profiling/stap) say nanoseconds and count microseconds, and the same
scripts were run with the clock their label names. What tells them apart is arithmetic: how short
a probed call can be, and how long all of them would have taken together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.model.message import NOTHING, Message

_UNIT = re.compile(
    r"(?<![A-Za-z0-9])"
    r"(nsecs|usecs|msecs|nanoseconds|microseconds|milliseconds|ns|us|µs|ms)(?![A-Za-z0-9])"
)
# A map of bpftrace has its unit in its name or nowhere: @usecs, @log_access_us.
_UNITS = {
    "nsecs": "ns", "nanoseconds": "ns", "ns": "ns",
    "usecs": "us", "microseconds": "us", "us": "us", "µs": "us",
    "msecs": "ms", "milliseconds": "ms", "ms": "ms",
}  # fmt: skip
_THREADS = re.compile(
    r"[ ,_(-]*(?<![0-9A-Za-z.])(\d{1,5})[ _-]*(?:threads?|thr)(?![0-9A-Za-z])\)?"
    r"|[ ,_(-]*(?<![0-9A-Za-z.])(\d{1,5})t(?![0-9A-Za-z])\)?"
    r"|[ ,_(-]*(?<![A-Za-z])threads?[ _=:-]*(\d{1,5})(?![0-9A-Za-z])\)?",
    re.IGNORECASE,
)
_STATS = re.compile(r"max/avg/min\s*[:=]?\s*(-?[\d.,]+)\s*/\s*(-?[\d.,]+)\s*/\s*(-?[\d.,]+)", re.I)
_DISTRIBUTION = re.compile(r"[Dd]istribution of (?:(\S+) )?latenc")
_SCRIPT = re.compile(r"([\w-]+)\.(?:stp|bt)\b")
_LABEL = re.compile(r"latenc\w* \(in nanoseconds\)")
_NO_TITLE = re.compile(r"(?:samples|\^C|.*\.\.\.)?\s*$|\s*(?:stap|bpftrace)\b", re.I)
_PROMPT = re.compile(r"(?:\.\.\.)? *(?:Hit|Press) Ctrl-C.*")
_NAMELESS = "calls"
"""What is probed where neither heading nor script nor file says it."""
_SHORTEST_NS = 100
"""No call between two probes is shorter; a least value below is no count of nanoseconds."""
_SHORT_NS = 500
_LONG_S = 600.0
"""All calls together: a run takes minutes, so much time in one function speaks for nanoseconds."""
_CORRECTED = Message(
    "The script prints microseconds under a label of nanoseconds; read as microseconds."
)
_EITHER = Message(
    "Its label says nanoseconds. The script of 389-ds-base of that name counts microseconds, and "
    "its numbers could be either: read as nanoseconds."
)


@dataclass(frozen=True)
class Heading:
    """What stands around a histogram; `unit` is ns, us, ms or "", `threads` None where not said.

    `mean`, `most` and `least` are as printed beside it, in its unit.
    """

    title: str
    probe: str
    threads: int | None
    unit: str
    mean: float | None = None
    most: float | None = None
    least: float | None = None
    note: Message = NOTHING


def heading_of(
    lines: Sequence[str], file: str, title: str = "", *, lowest: float, calls: int
) -> Heading:
    """Read the lines above a histogram and the name of its file.

    `title` where the histogram itself has one (a map of bpftrace); `lowest` is the lower bound of
    its lowest bucket with a call in it.
    """
    stem = re.sub(r"(?:\.(?:txt|log|out|gz|xz|zst|stap|hist))+$", "", file)
    stats = next((match for line in lines if (match := _STATS.search(line))), None)
    most, mean, least = (_value(stats[at]) for at in (1, 2, 3)) if stats else (None, None, None)
    named = title or _title(lines) or stem
    texts = (title, *reversed(lines), stem)
    threads = next((n for text in texts if (n := threads_in(text)) is not None), None)
    nameless = _DISTRIBUTION.search(named) and not title
    probe = _probe(lines) or (stem if nameless else named)
    probe = without_threads(probe).strip(" _-.,") or _NAMELESS
    unit, note = unit_in(named), NOTHING
    if unit == "ns" and _LABEL.search(named) and probe != "work_queue":
        shortest = least if least is not None else lowest
        unit, note = _checked(shortest, mean, calls)
    return Heading(named, probe, threads, unit, mean, most, least, note)


def unit_in(text: str) -> str:
    """ns, us or ms where a text names one, else ""."""
    unit = _UNIT.search(text)
    return _UNITS[unit[1]] if unit else ""


def threads_in(text: str) -> int | None:
    """16 of '16 thread', '16threads.txt', 'threads=16', 'do_search (16 threads)'."""
    match = _THREADS.search(text)
    return int(match[1] or match[2] or match[3]) if match else None


def without_threads(text: str) -> str:
    """What is left of a name when its number of threads is taken out."""
    return _THREADS.sub("", text)


def _title(lines: Sequence[str]) -> str:
    """The line that says what is distributed, else the last one that says anything."""
    plain = [_PROMPT.sub("", line.strip().removeprefix("^C")) for line in lines]
    named = [line for line in plain if _DISTRIBUTION.search(line)]
    others = [line for line in plain if not _NO_TITLE.match(line) and not _STATS.search(line)]
    return (named or others or [""])[-1].strip()


def _probe(lines: Sequence[str]) -> str:
    for pattern in (_DISTRIBUTION, _SCRIPT):
        for line in reversed(lines):
            if (match := pattern.search(line)) and match[1]:
                return match[1].removeprefix("test_")
    return ""


def _checked(shortest: float, mean: float | None, calls: int) -> tuple[str, Message]:
    """The unit of numbers that are labelled nanoseconds, and what speaks for it."""
    together_s = calls * (mean if mean is not None else shortest) / 1e6
    if shortest < _SHORTEST_NS or (shortest < _SHORT_NS and together_s < _LONG_S):
        return "us", _CORRECTED
    if together_s < _LONG_S:
        return "ns", _EITHER
    note = Message(
        "Its label of nanoseconds holds: as microseconds its {calls} calls would have taken "
        "{minutes:,.0f} minutes together.",
        calls=calls,
        minutes=together_s / 60,
    )
    return "ns", note


def _value(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
