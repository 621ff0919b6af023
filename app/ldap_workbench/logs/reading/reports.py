"""Reports that a tool prints again and again, and where they stand in time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, Sample

_SCALES = {"k": 1, "M": 1024, "G": 1024**2, "T": 1024**3, "%": 1, "": 1}
_NUMBER = re.compile(r"(-?\d+(?:[.,]\d+)?)([kMGT%]?)")
_PART = re.compile(r"(?:p?\d+|s\d+|,[a-p]\d*)$")
_CONTROLLER = re.compile(r"c\d+$")


@dataclass(frozen=True)
class Clock:
    """What completes the times of files.

    The zone of local ones, and where none are printed when the first interval ended and how long
    each lasted.

    `since_boot`: the first report covers the time since boot (no -y) and is left out.
    `undated_ns`: where reports begin of which nobody says when they were made, so that their
    values can be used; their times say nothing then but their order.
    """

    zone_offset_ns: int = 0
    start_ns: int | None = None
    interval_ns: int = NS_PER_S
    since_boot: bool = True
    undated_ns: int | None = None
    near_ns: int | None = None
    """A moment of the logs beside it: gives the day to a time of day in a file's name, and chooses
    between the orders of a date."""
    zone_said: bool = True
    """False where nobody said the zone: it is that of the access log beside it."""
    day_first: bool | None = None
    """How dates such as 03/04/2026 are read; None: as the text and the logs beside it tell."""

    @property
    def interval_s(self) -> float:
        return self.interval_ns / NS_PER_S


CLOCK = Clock()
"""Local times are UTC, reports without one cannot be placed."""


@dataclass
class Report:
    """One report: values by device (or "cpu") and column. `time_ns` None where none is printed.

    `boot`: the tool was started anew before it, so it covers the time since boot.
    """

    time_ns: int | None = None
    boot: bool = False
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    """Lines each device takes: several where its columns are split over tables."""

    def add(self, device: str, columns: Iterable[str], values: Iterable[float]) -> None:
        self.values.setdefault(device, {}).update(zip(columns, values, strict=False))
        self.rows[device] += 1


class Tally:
    """Counts the lines of a text while a reader says what each is."""

    def __init__(self) -> None:
        self._understood = self._unknown = 0
        self._reasons: Counter[str] = Counter()

    def understood(self, lines: int = 1) -> None:
        self._understood += lines

    def unknown(self, lines: int = 1) -> None:
        self._unknown += lines

    def set_aside(self, why: str, lines: int = 1) -> None:
        self._reasons[why] += lines

    @property
    def counts(self) -> LineCounts:
        """Every line so far."""
        reasons = {why: count for why, count in self._reasons.items() if count}
        return LineCounts(self._understood, sum(reasons.values()), self._unknown, reasons)


@dataclass(frozen=True)
class Readings:
    """The samples of a file, and how many reports or rows were left out, and why.

    `notes` say what had to be assumed of them.
    """

    samples: list[Sample]
    reports: int
    left_out: dict[str, int]
    lines: LineCounts = field(default_factory=LineCounts)
    notes: tuple[Message, ...] = ()
    dated: bool = True
    """False where neither the text nor the clock says when its reports were made."""
    may_be_since_boot: bool = False
    """Whether its only report may cover the time since boot: nothing in it tells."""


def number(text: str) -> float | None:
    """'12.5', '12,5' (other locales), '1.5G' (kibibytes are the unit of -h) or '0.46%'."""
    match = _NUMBER.fullmatch(text)
    return float(match[1].replace(",", ".")) * _SCALES[match[2]] if match else None


def numbers(texts: Iterable[str]) -> list[float] | None:
    """All of them, or None where one is no number."""
    values = [number(text) for text in texts]
    return None if None in values else [value for value in values if value is not None]


def counted_elsewhere(device: str, devices: Iterable[str]) -> str:
    """Why a row repeats what another row counts: a partition, a controller; "" if it does not."""
    for other in devices:
        # Rows without a name are of the whole host.
        if other in (device, ""):
            continue
        rest = device[len(other) :] if device.startswith(other) else ""
        if rest and _PART.fullmatch(rest) and (not other[-1].isdigit() or rest[0] in "ps,"):
            return "partition"
        if _CONTROLLER.fullmatch(device) and other.startswith((device + "t", device + "d")):
            return "controller"
    return ""


def place_in_time(
    reports: list[Report], prefix: str, *, tally: Tally, clock: Clock, counts: bool = False
) -> Readings:
    """The samples of `reports`, series 'PREFIX:DEVICE:COLUMN' ('PREFIX:COLUMN' for device "").

    Reports without a time stand evenly between those with one, or `clock.interval_ns` behind the
    one before. Where none has one they begin at `clock.start_ns`, else `clock.undated_ns`;
    LogError where both are None. A report that stands alone is used, and said to be in doubt,
    unless its values are `counts` of an interval whose length nothing tells.
    `tally` has the lines that are no rows, and is told of the rows here.
    """
    left_out: dict[str, int] = {}
    notes = _fill_gaps(reports, clock.interval_ns)
    boot = [r for i, r in enumerate(reports) if clock.since_boot and (i == 0 or r.boot)]
    alone = bool(boot) and len(reports) == 1 and not counts
    if alone:
        notes = (*notes, may_be_since_boot(prefix))
    elif boot:
        left_out["report since boot"] = len(boot)
        tally.set_aside("report since boot", sum(report.rows.total() for report in boot))
        reports = [r for i, r in enumerate(reports) if not (i == 0 or r.boot)]
    dated = clock.start_ns is not None or all(report.time_ns is not None for report in reports)
    start_ns = clock.start_ns if clock.start_ns is not None else clock.undated_ns
    samples: list[Sample] = []
    for i, report in enumerate(reports):
        now = report.time_ns
        if now is None and start_ns is None:
            raise LogError(
                Message("The {tool} output has no times.", tool=prefix),
                remedy=Message(
                    "Say when its first report ended and how far they are apart: --began, "
                    "--interval (and --zone); or print times (-t)."
                ),
            )
        if now is None:
            now = (start_ns or 0) + i * clock.interval_ns
        for device, columns in report.values.items():
            if why := counted_elsewhere(device, report.values):
                left_out[why] = left_out.get(why, 0) + 1
                tally.set_aside(f"{why}: counted already", report.rows[device])
                continue
            tally.understood(report.rows[device])
            name = f"{prefix}:{device}:" if device else f"{prefix}:"
            samples += [Sample(now, name + column, value) for column, value in columns.items()]
    return Readings(samples, len(reports), left_out, tally.counts, notes, dated, alone)


def may_be_since_boot(tool: str) -> Message:
    """What is said of a report that stands alone."""
    return Message(
        "It holds one report, which is used; it may cover all the time since boot, as the first "
        "report of {tool} does. For the load of a moment take several: {tool} {options} 1 10.",
        tool=tool,
        options="-xt" if tool == "iostat" else "-t",
    )


def _fill_gaps(reports: list[Report], interval_ns: int) -> tuple[Message, ...]:
    """Give reports behind one with a time their own: `date; iostat 5` prints only the first.

    Returns what was assumed.
    """
    known = [place for place, report in enumerate(reports) if report.time_ns is not None]
    if len(known) in (0, len(reports)):
        return ()
    filled = 0
    for place, behind in zip(known, [*known[1:], len(reports)], strict=True):
        begin = reports[place].time_ns or 0
        step = interval_ns
        if behind < len(reports):
            even = ((reports[behind].time_ns or 0) - begin) // (behind - place)
            # Where a tool was started anew, nobody knows how long it had slept before.
            step = min(even, interval_ns) if reports[behind].boot else even
        for number in range(place + 1, behind):
            reports[number].time_ns = begin + (number - place) * step
            filled += 1
    if not filled:
        return ()
    return (
        count_of(
            "{n} of its {reports} reports prints no time: such reports are spread evenly between "
            "those that do, and {seconds:g} s apart after the last one of a run. Use --interval to "
            "give another distance.",
            "{n} of its {reports} reports print no time: such reports are spread evenly between "
            "those that do, and {seconds:g} s apart after the last one of a run. Use --interval to "
            "give another distance.",
            n=filled,
            reports=len(reports),
            seconds=interval_ns / NS_PER_S,
        ),
    )
