"""Strips, each one quantity over time: counters and gauges drawn as resources/strips describes.

Concurrency: how many operations were at work at a time, from the access log. The counters of 389 DS
show it too, but are read every ten seconds only: to answer, the server walks through all its
connections. The log has every hundredth of a second of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.formats import NOT_KNOWN
from ldap_workbench.figures.ticks import duration_text, quantity, time_text
from ldap_workbench.figures.timeline.heat_grid import MarkAt, Part
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.resources import resource

Int64 = NDArray[np.int64]
Floats = NDArray[np.float64]
Series = tuple[Int64, Floats]
"""Times (ns) ascending and values."""
Read = Callable[[str], Series]
_HOLE = 4
"""So many times the usual step without a sample is a hole."""
_APART_NS = NS_PER_S // 1000
"""So long after its last sample a window goes on at the least."""


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a strip: seconds since 1970 and values, nan where nothing is known."""

    label: Message
    seconds: Floats
    values: Floats


class ArmSpan(NamedTuple):
    """A window of an arm ("A" or "B"), from and to in seconds."""

    start_s: float
    end_s: float
    arm: str


@dataclass(frozen=True, eq=False)
class Strip:
    """`unit` follows every number; `duration` says that values are ns, drawn on a log axis."""

    title: Message
    unit: str = ""
    lines: tuple[Line, ...] = ()
    duration: bool = False
    floor: float | None = 0.0
    """The axis starts here at the latest; None lets it start anywhere."""
    ceiling: float | None = None
    marks: tuple[MarkAt, ...] = field(default=())
    """Moments worth remembering."""
    span: tuple[float, float] | None = None
    """First and last second shown, where strips side by side show the same; else the lines' own."""
    arms: tuple[ArmSpan, ...] = ()
    """The windows of an experiment, shaded behind the lines."""


@dataclass(frozen=True)
class StripSpec:
    """One strip of resources/strips/*.toml."""

    title: Message
    kind: str
    unit: str = ""
    series: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    tries: tuple[str, ...] = ()
    labels: tuple[Message, ...] = ()
    ceiling: float | None = None
    minus: tuple[str, ...] = ()
    ours: float = 0.0
    """So many of a difference are the workbench's own."""
    combine: str = "sum"
    """How several series become one line: their sum, or the highest of them."""

    def patterns(self) -> tuple[str, ...]:
        return (*self.series, *self.more, *self.hits, *self.tries, *self.minus)


@cache
def strip_specs(product: str = "389ds") -> tuple[StripSpec, ...]:
    """The strips of a product, top to bottom."""
    rows = tomllib.loads(resource(f"strips/{product}.toml").read_text("utf-8"))["strip"]
    return tuple(_spec(row) for row in rows)


def _spec(row: Mapping[str, Any]) -> StripSpec:
    fields: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in row.items()
    }
    title, labels = fields.pop("title"), fields.pop("labels", ())
    return StripSpec(Message(title), labels=tuple(map(Message, labels)), **fields)


def wanted(names: Iterable[str], device: str | None) -> list[str]:
    """Those series that some strip shows."""
    patterns = [_filled(p, device) for spec in strip_specs() for p in spec.patterns()]
    return [name for name in names if any(fnmatchcase(name.lower(), p) for p in patterns)]


def build_strips(
    names: Sequence[str], read: Read, device: str | None, marks: tuple[MarkAt, ...] = ()
) -> list[Strip]:
    """All strips of which some value is known; `read` gives a series by its name."""
    built = [_build(spec, names, read, device, marks) for spec in strip_specs()]
    return [strip for strip in built if any(np.isfinite(line.values).any() for line in strip.lines)]


def series_of(pieces: Sequence[tuple[Series, int]]) -> Series:
    """The samples of several windows, each with its end (ns), as one series.

    What was between two windows is unknown (nan) from the end of the first: no line runs on there,
    and a counter has no rate.
    """
    every = [(times, values, end) for (times, values), end in pieces if len(times)]
    if not every:
        return np.empty(0, np.int64), np.empty(0)
    all_times, all_values = [every[0][0]], [every[0][1]]
    for (before, _, end), (times, values, _) in pairwise(every):
        over = min(max(end, before[-1] + _APART_NS), (before[-1] + times[0]) // 2)
        all_times += [np.array([over], np.int64), times]
        all_values += [np.array([np.nan]), values]
    return np.concatenate(all_times), np.concatenate(all_values)


def joined(pieces: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Seconds and values of several windows as one line that breaks between them."""
    seconds = np.concatenate([np.append(at, at[-1] + 1e-3) for at, _ in pieces])
    values = np.concatenate([np.append(values_of, np.nan) for _, values_of in pieces])
    return seconds[:-1], values[:-1]


def span_of(lines: Sequence[Line]) -> tuple[float, float]:
    """First and last second of lines that are not empty."""
    return (
        min(float(line.seconds[0]) for line in lines),
        max(float(line.seconds[-1]) for line in lines),
    )


def strip_of(spec: StripSpec, lines: Sequence[Line], marks: tuple[MarkAt, ...]) -> Strip:
    """A strip with these lines."""
    return Strip(spec.title, spec.unit, tuple(lines), ceiling=spec.ceiling, marks=marks)


def _build(
    spec: StripSpec,
    names: Sequence[str],
    read: Read,
    device: str | None,
    marks: tuple[MarkAt, ...],
) -> Strip:
    if single := {"hits": _hits, "difference": _difference}.get(spec.kind):
        line = single(spec, names, read, device)
        return strip_of(spec, [line] if line else [], marks)
    lines: list[Line] = []
    for number, patterns in enumerate(p for p in (spec.series, spec.more) if p):
        chosen = _matching(patterns, names, device)
        label = spec.labels[number] if number < len(spec.labels) else NOTHING
        if chosen and not any(line.label == label and lines for line in lines):
            lines.append(_line(label, spec, [read(name) for name in chosen]))
    return strip_of(spec, lines, marks)


def _line(label: Message, spec: StripSpec, series: Sequence[Series]) -> Line:
    if spec.kind == "rate":
        series = [_rate(times, values) for times, values in series]
    return with_gaps(label, *_as_one(series, np.fmax if spec.combine == "highest" else np.add))


def with_gaps(label: Message, times: Int64, values: Floats) -> Line:
    """A line that breaks where nothing was sampled for long, between two windows."""
    steps = np.diff(times)
    if not len(steps):
        return Line(label, times / NS_PER_S, values)
    holes = np.flatnonzero(steps > _HOLE * np.median(steps)) + 1
    seconds = np.insert(times / NS_PER_S, holes, times[holes - 1] / NS_PER_S + 1e-3)
    return Line(label, seconds, np.insert(values, holes, np.nan))


def _hits(spec: StripSpec, names: Sequence[str], read: Read, device: str | None) -> Line | None:
    """Growth of hits per growth of tries, in percent; nan where nothing was tried."""
    hits, tries = _matching(spec.hits, names, device), _matching(spec.tries, names, device)
    if not hits or not tries:
        return None
    times, hit = _as_one([_growth(*read(name)) for name in hits])
    tried_at, tried = _as_one([_growth(*read(name)) for name in tries])
    common, i, j = np.intersect1d(times, tried_at, return_indices=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(tried[j] > 0, 100.0 * hit[i] / tried[j], np.nan)
    return with_gaps(NOTHING, common, share)


def _difference(
    spec: StripSpec, names: Sequence[str], read: Read, device: str | None
) -> Line | None:
    """What has begun less what is done, at moments that know both."""
    begun, done = (_matching(patterns, names, device) for patterns in (spec.series, spec.minus))
    if not begun or not done:
        return None
    times, more = _as_one([read(name) for name in begun])
    done_at, less = _as_one([read(name) for name in done])
    common, i, j = np.intersect1d(times, done_at, return_indices=True)
    return with_gaps(NOTHING, common, np.maximum(more[i] - less[j] - spec.ours, 0.0))


def _matching(patterns: Sequence[str], names: Sequence[str], device: str | None) -> list[str]:
    """The series the first pattern that fits anything fits."""
    for pattern in patterns:
        filled = _filled(pattern, device)
        if matches := [name for name in names if fnmatchcase(name.lower(), filled)]:
            return matches
    return []


def _filled(pattern: str, device: str | None) -> str:
    return pattern.replace("{device}", device or "?*").lower()


def _growth(times: Int64, values: Floats) -> Series:
    """Growth between samples, at the later one.

    Unknown (nan) where a counter fell, which is a restart, and from one window to the next.
    """
    grown, steps = np.diff(values), np.diff(times)
    usual = np.median(steps) if len(steps) else 0.0
    return times[1:], np.where((grown >= 0) & (steps <= _HOLE * usual), grown, np.nan)


def _rate(times: Int64, values: Floats) -> Series:
    later, grown = _growth(times, values)
    seconds = np.maximum(np.diff(times) / NS_PER_S, 1e-9)
    return later, grown / seconds


def _as_one(rows: Sequence[Series], combine: np.ufunc = np.add) -> Series:
    """Series of several backends or disks as one; each stands for its latest value."""
    if len(rows) == 1:
        return rows[0]
    times = np.unique(np.concatenate([row[0] for row in rows]))
    whole = np.zeros(len(times))
    for at, values in rows:
        if len(at):
            index = np.searchsorted(at, times, side="right") - 1
            whole = combine(whole, np.where(index >= 0, values[np.maximum(index, 0)], 0.0))
    return times, whole


def value_text(strip: Strip, value: float | None) -> Message:
    """A value with its unit."""
    if value is None or not np.isfinite(value):
        return NOT_KNOWN
    if strip.duration:
        return duration_text(float(np.log10(max(value, 1.0))))
    return quantity(value, strip.unit)


def value_at(line: Line, second: float) -> float | None:
    """The latest value at a moment; None before the first."""
    at = int(np.searchsorted(line.seconds, second, side="right")) - 1
    return float(line.values[at]) if at >= 0 else None


def last_known(values: Floats) -> float | None:
    """The last value; None where there is none."""
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else None


def strip_at(strip: Strip, second: float, step_s: float) -> tuple[Message, ...]:
    """The time, then every line with its value at that moment; `step_s` is how exact time is."""
    values = [(line.label or strip.title, value_at(line, second)) for line in strip.lines]
    return (
        Message("{time} UTC", time=time_text(second, step_s)),
        *(
            Message("{line} {value}", line=name, value=value_text(strip, value))
            for name, value in values
        ),
    )


STARTED = Message("Operations started (access log)")
PEAK = Message("Peak etime (access log)")
_STEPS_A_WINDOW = 300


def log_strips(parts: Sequence[Part], windows: Sequence[Window]) -> list[Strip]:
    """Both strips of these windows, broken between them; [] where no operation was logged.

    In steps of a second at least, in which operations count that *started*: the peak is that of
    what was asked then. nan where nothing started.
    """
    if not any(len(ends) for ends, _ in parts):
        return []
    rates, peaks = [], []
    for part, window in zip(parts, windows, strict=True):
        seconds, started, peak = started_in(part, window)
        rates.append((seconds, started))
        peaks.append((seconds, peak))
    return [
        Strip(STARTED, "/s", (Line(NOTHING, *joined(rates)),)),
        Strip(PEAK, lines=(Line(NOTHING, *joined(peaks)),), duration=True),
    ]


def started_in(part: Part, window: Window) -> tuple[Floats, Floats, Floats]:
    """Where each step begins (s), operations started a second, and their longest etime (ns)."""
    ends, etimes = part
    length = max(window.end_ns - window.start_ns, 1)
    step = max(NS_PER_S, length // _STEPS_A_WINDOW)
    count = -(-length // step)
    index = np.clip((ends - etimes - window.start_ns) // step, 0, count - 1)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, index, etimes)
    begins: NDArray[np.int64] = window.start_ns + np.arange(count, dtype=np.int64) * step
    width = np.minimum(step, window.end_ns - begins) / NS_PER_S
    started = np.bincount(index, minlength=count) / np.maximum(width, 1e-9)
    return begins / NS_PER_S, started, np.where(longest > 0, longest, np.nan)


TITLE = Message("Concurrency (access log)")
_FINEST_NS = NS_PER_S // 100
_SLOTS = 100_000
"""Moments of one window that are looked at, at the most."""
_POINTS, _LEAST = 1200, 40
"""Points of the strip, and at least so many of each window: a line that goes up and down at every
one is slow to paint."""


def concurrency(part: Part, window: Window, points: int) -> tuple[Floats, Floats]:
    """Seconds, and the most operations of the window at work at a time since the second before.

    At most `points` of them. At work are those that had begun and not ended, looked at every
    hundredth of a second.
    """
    ends, etimes = part
    span = max(1, window.end_ns - window.start_ns)
    step = max(_FINEST_NS, -(-span // _SLOTS))
    slots = -(-span // step)
    begun = _counted((ends - etimes - window.start_ns) // step, slots)
    done = _counted((ends - window.start_ns) // step, slots)
    at_work = np.cumsum(begun - done)
    together = -(-slots // points)
    firsts = np.arange(0, slots, together)
    lasts = np.minimum(firsts + together, slots)
    seconds = window.start_ns / NS_PER_S + lasts * (step / NS_PER_S)
    return seconds, np.maximum.reduceat(at_work, firsts).astype(np.float64)


def concurrency_strip(
    parts: Sequence[Part], windows: Sequence[Window], marks: tuple[MarkAt, ...]
) -> Strip | None:
    """The strip of these windows, broken between them; None where no log tells."""
    if not any(len(ends) for ends, _ in parts):
        return None
    points = max(_LEAST, _POINTS // len(windows))
    every = [concurrency(part, window, points) for part, window in zip(parts, windows, strict=True)]
    return Strip(TITLE, lines=(Line(NOTHING, *joined(every)),), marks=marks)


def _counted(slot: np.ndarray, slots: int) -> np.ndarray:
    """How many fall into each slot; those after the last are left out."""
    return np.bincount(np.clip(slot, 0, slots), minlength=slots + 1)[:slots]
